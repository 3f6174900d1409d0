// Everybody can use the analysis page: axe-core finds nothing by WCAG 2.2 AA on any tab, dialog, empty
// or error state, light, dark, narrow and with more contrast. Of each, a picture if SCREENSHOTS names a
// folder.
//
//	WICK=build/wick node tests/browser/test_page_access.js
//
// Prints TAP.
'use strict';
const fs = require('fs');
const http = require('http');
const path = require('path');
const { equal, finish, openAddress, openPage, perfScript, press, report, root, run, scratch, screenshot, serve, settle, skip, test, write } = require('./page');

let axe = null;
try {
	axe = fs.readFileSync(require.resolve('axe-core/axe.min.js'), 'utf8');
} catch (_) {
	console.log('1..0 # SKIP axe-core is not where NODE_PATH says; npm install axe-core');
	process.exit(0);
}

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];

async function check(page, name) {
	await settle(page);
	await screenshot(page, name);
	await page.evaluate(axe);
	const found = await page.evaluate(tags => globalThis.axe.run(document, { runOnly: tags }), TAGS);
	equal(found.violations.map(one => `${one.id}: ${one.nodes.map(node => `${node.html.slice(0, 160)} ${node.failureSummary}`).slice(0, 3).join(' | ')}`),
		[], name);
	if (found.passes.length < 5)
		throw new Error(`${name}: axe checked next to nothing`);
	equal(page.faults, [], name);
}

// What the tests draw from, made once: each kind of recording that there is here.
const recordings = {};
const ticks = [];
for (let i = 0; i < 3000; i++)
	ticks.push([['app', 10, 10, '_start', 'main', 'run', 'work', i % 4 ? 'hash' : 'core::hash::Hasher::write'],
		['tool', 20, 21, 'start_thread', 'parse', i % 7 ? 'malloc' : 'std::vec::Vec<T>::push']][i % 3 ? 0 : 1]);
recordings.cpu = () => report(write('cpu.perf', perfScript(ticks)));
const live = (name, command, ...words) => () => {
	const file = path.join(scratch, name + '.data');
	run('record', '-q', '-o', file, ...words, '--', 'sh', '-c', command);
	return report(file);
};
const SOME = 'for i in 1 2 3 4 5 6; do ls -R /usr/lib >/dev/null; done; sort /usr/share/common-licenses/* | gzip >/dev/null';
recordings.heap = live('heap', SOME, '--heap', '--snapshot-every', '50ms');
recordings.memory = live('memory', SOME, '--memory');
const shared = process.env.WICK_SHARED || path.join(root, '..', 'shared');
const etl = path.join(shared, 'fixtures', 'etl', 'net.4.5.2.x64.etl.zip');
if (fs.existsSync(etl))
	recordings.etl = () => report(etl);
else
	console.log('# not tested: ' + path.basename(etl) + ', since WICK_SHARED does not name its folder');

const TABS = ['system', 'processes', 'tree', 'cpu', 'memory', 'heap', 'waits', 'events', 'compare', 'quality'];
const LOOKS = { light: {}, dark: { dark: true }, narrow: { width: 420, height: 800 }, 'wide-dark-contrast': { width: 1800, dark: true, contrast: 'more' } };

for (const [kind, make] of Object.entries(recordings))
	test(`${kind}: each tab in each look`, async () => {
		const file = make();
		for (const [look, options] of Object.entries(LOOKS)) {
			// The looks of one kind are those of all; pictures are wanted of each.
			if (kind !== 'cpu' && look !== 'dark' && !process.env.SCREENSHOTS)
				continue;
			for (const tab of TABS)
				await check(await openPage(file, { ...options, hash: '#' + tab }), [kind, tab, look].join('-'));
		}
	});

test('what is opened: rows, menu, details, dialogs, search, filters, no samples in view', async () => {
	const file = recordings.cpu();
	for (const [look, options] of Object.entries(LOOKS)) {
		const page = await openPage(file, options);
		await page.locator('[role=treegrid]').focus();
		await press(page, 'Home', 'ArrowRight', 'ArrowRight');
		await check(page, 'opened-rows-' + look);
		await press(page, 'ContextMenu');
		if (!await page.locator('[role=menu]').count())
			await press(page, 'Shift+F10');
		equal(await page.locator('[role=menu]').count(), 1);
		await check(page, 'opened-menu-' + look);
		await press(page, 'Escape', 'Shift+F', '?');
		await check(page, 'opened-help-' + look);
		await press(page, 'Escape', 'Control+k');
		await check(page, 'opened-commands-' + look);
		await press(page, 'Escape', '/');
		await page.keyboard.type('hash');
		await page.waitForTimeout(150);
		await check(page, 'opened-search-' + look);
		await check(await openPage(file, { ...options, hash: '#cpu&t=0-0.001&f=process:tool&f=function:hash' }), 'opened-empty-' + look);
		await check(await openPage(file, { ...options, hash: '#cpu&inverted=1&view=flame' }), 'opened-inverted-' + look);
	}
});

// Of a phone, of a window at 200 %: nothing is wider than the window but what scrolls in itself.
test('a window of 360 pixels, a zoom of 200 %, forced colours', async () => {
	const file = recordings.cpu(), memory = report(path.join(root, 'tests', 'data', 'rustc.etl'));
	for (const [look, options] of Object.entries({ 'w360': { width: 360, height: 740 }, 'zoom200': { width: 640, height: 450, ratio: 2 },
		'forced': { forcedColors: 'active', dark: true } }))
		for (const [name, of] of Object.entries({ cpu: file, rustc: memory }))
			for (const tab of TABS) {
				if (name === 'rustc' && look !== 'w360' && !process.env.SCREENSHOTS)
					continue;
				const page = await openPage(of, { ...options, hash: '#' + tab });
				await check(page, [name, tab, look].join('-'));
				equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, `${tab} at ${look} fits:`);
			}
	const page = await openPage(file, { forcedColors: 'active', dark: true, hash: '#cpu&view=flame' });
	await settle(page);
	equal(await page.evaluate(() => [...document.querySelectorAll('canvas')].map(canvas =>
		[...canvas.getContext('2d').getImageData(canvas.width - 2, canvas.height - 2, 1, 1).data.slice(0, 3)]).pop()), [0, 0, 0],
	'the empty place of the flame graph');
	const colours = await page.locator('[role=tab]').evaluateAll(list => list.map(tab =>
		[tab.getAttribute('aria-selected'), getComputedStyle(tab).borderBottomColor]));
	const chosen = colours.find(([is]) => is === 'true')[1];
	equal(colours.filter(([, colour]) => colour === chosen).length, 1, 'tabs with the line of the selected one');
	const backgrounds = await page.locator('button[aria-pressed]').evaluateAll(list => list.map(button =>
		[button.getAttribute('aria-pressed'), getComputedStyle(button).backgroundColor]));
	const pressed = backgrounds.find(([is]) => is === 'true')[1];
	equal(backgrounds.filter(([is, colour]) => (colour === pressed) !== (is === 'true')), [], 'pressed buttons');
});

test('on paper: light, the view and its selection, without tools', async () => {
	const page = await openPage(recordings.cpu(), { dark: true, hash: '#cpu&f=process:tool' });
	await page.emulateMedia({ media: 'print' });
	await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
	await settle(page);
	await screenshot(page, 'print-cpu');
	equal(await page.evaluate(() => getComputedStyle(document.body).backgroundColor), 'rgb(255, 255, 255)');
	equal(await page.evaluate(() => [...document.querySelectorAll('canvas')].map(canvas =>
		[...canvas.getContext('2d').getImageData(canvas.width - 2, canvas.height - 2, 1, 1).data.slice(0, 3)]).pop()), [255, 255, 255]);
	equal(await page.locator('.shell-chip').innerText(), 'process: tool');
	equal(await page.locator('[role=treegrid]').isVisible(), true);
	const bottom = await page.evaluate(() => Math.max(...[...document.querySelectorAll('canvas')].map(canvas => canvas.getBoundingClientRect().bottom)));
	if (bottom > (await page.locator('.shell-status').boundingBox()).y)
		throw new Error('the picture covers the status');
	for (const tool of ['[role=tab]', '#search', '#preset', '.shell-chip button'])
		equal(await page.locator(tool).first().isVisible(), false, tool);
	equal(await page.getByRole('button', { name: 'CSV' }).count(), 0);
	await page.evaluate(() => dispatchEvent(new Event('afterprint')));
	equal(await page.evaluate(() => document.documentElement.dataset.theme), 'dark');
});

test('on paper all rows that are listed, in their whole width, from the first one on', async () => {
	const many = [];
	for (let i = 0; i < 600; i++)
		many.push(['app' + i % 300, 10 + i % 300, 10 + i % 300, '_start', 'main', 'step_' + i]);
	const file = report(write('many.perf', perfScript(many)));
	for (const [tab, count] of [['#cpu&view=both', 300], ['#processes', 300]]) {
		const page = await openPage(file, { hash: tab, width: 700 });
		const grid = page.locator('[role=treegrid], [role=grid]'), rows = grid.locator('[role=row]');
		await grid.focus();
		await press(page, 'End');
		await page.emulateMedia({ media: 'print' });
		await page.evaluate(() => dispatchEvent(new Event('beforeprint')));
		await settle(page);
		await screenshot(page, 'print-long-' + count);
		equal(await rows.count(), count + 1, tab); // with the header
		equal(await rows.evaluateAll(list => {
			const boxes = list.map(row => row.getBoundingClientRect());
			return boxes.every((box, i) => !i || box.top >= boxes[i - 1].bottom - 1) && boxes[0].top >= 0;
		}), true, 'one below the other');
		const status = await page.locator('.shell-status').boundingBox();
		equal((await rows.last().boundingBox()).y < status.y, true, 'the status follows');
		equal(await rows.first().evaluate(row => {
			for (let at = row; at; at = at.parentElement)
				if (at.getBoundingClientRect().right < row.getBoundingClientRect().right && getComputedStyle(at).overflowX !== 'visible')
					return false;
			return true;
		}), true, 'nothing is cut');
		await page.emulateMedia({ media: 'screen' });
		await page.evaluate(() => dispatchEvent(new Event('afterprint')));
		await settle(page);
		equal(await rows.count() < 120, true, 'on the screen again');
		equal(page.faults, [], tab);
	}
});

test('a page that cannot be shown, and one without script', async () => {
	const whole = fs.readFileSync(recordings.cpu(), 'latin1');
	const cut = write('cut.html', Buffer.from(whole.slice(0, whole.indexOf('data-block="head"') + 300), 'latin1'));
	for (const [look, options] of Object.entries(LOOKS))
		await check(await openPage(cut, options), 'error-' + look);
	await screenshot(await openPage(recordings.cpu(), { script: false }), 'no-script');
});

test('states: reading, a damaged part, an old browser, a level with too many rows, a heat map', async () => {
	const whole = fs.readFileSync(recordings.cpu(), 'latin1');
	// The browser waits for the rest of the page: what there is says which part is read.
	const reading = await openPage(recordings.cpu(), { begin: () => { globalThis.DecompressionStream = class {
		constructor() { return { readable: new ReadableStream({}), writable: new WritableStream({}) }; }
	}; }, ready: '[role=status]' });
	await check(reading, 'state-reading');
	equal(await reading.locator('[role=status]').first().innerText(), 'Reading what was recorded ...');

	const at = whole.indexOf('data-block="samples-1"') + 300;
	const damaged = write('damaged.html', Buffer.from(whole.slice(0, at) + (whole[at] === 'A' ? 'B' : 'A') + whole.slice(at + 1), 'latin1'));
	for (const tab of ['cpu', 'quality', 'processes', 'tree']) {
		const page = await openPage(damaged, { hash: '#' + tab });
		await check(page, 'state-damaged-' + tab);
		equal((await page.locator('#tab-quality').innerText()), 'Quality (1)');
		if (tab === 'cpu' || tab === 'quality')
			equal((await page.locator('#view').innerText()).includes('"samples-1" of the data is damaged'), true, tab + ' says what is damaged:');
	}

	const old = await openPage(recordings.cpu(), { begin: () => { delete globalThis.DecompressionStream; }, ready: '#plain' });
	await check(old, 'state-old-browser');
	equal((await old.locator('#plain table').boundingBox()).y < 100, true, 'the table is on the first screen:');
	equal((await old.locator('#plain').innerText()).includes('hash'), true);

	const wide = [];
	for (let i = 0; i < 2600; i++)
		wide.push(`app;main;function_${i} ${i < 30 ? 900 - i : 1}`);
	const many = await openPage(report(write('many.folded', wide.join('\n') + '\n')), { hash: '#cpu&view=table' });
	await many.locator('[role=treegrid]').focus();
	await press(many, 'Home', 'ArrowRight', 'ArrowRight', 'End');
	await check(many, 'state-too-many');
	equal(await many.locator('[role=slider]').count(), 0, 'strips of a recording without times');
	equal(/[12],\d\d\d more/.test(await many.locator('[role=treegrid]').innerText()), true, 'the last row counts the rest:');

	await check(await openPage(recordings.cpu(), { hash: '#cpu&view=heat' }), 'state-heat');
});

// Sends a part of each file that it is asked for, or fails.
async function symbolServer(status) {
	const server = http.createServer((request, response) => {
		response.writeHead(request.url.endsWith('.pdb') ? status : 404, { 'content-length': 1e6 });
		if (status === 200)
			response.write(Buffer.alloc(3e5));
		else
			response.destroy();
	}).listen(0, '127.0.0.1');
	await new Promise(done => server.on('listening', done));
	return { path: 'srv*http://127.0.0.1:' + server.address().port, end: () => { server.closeAllConnections(); server.close(); } };
}

test('states of a served page: symbols, source code, SQL, a program that is busy or has ended', async () => {
	const shop = path.join(root, 'tests', 'data', 'shop.data'), endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c';
	const unnamed = path.join(root, 'tests', 'cli', 'symbols', 'windows-library-without-pdb', 'app.etl');
	const table = JSON.stringify({ table: 'annotate', notes: [], columns: [['self_percent', 'share'], ['total_percent', 'share'], ['line', 'number'], ['text', 'text']]
		.map(([key, kind]) => ({ key, title: key, kind, detail: false })), rows: Array.from({ length: 40 }, (_, i) =>
		({ self_percent: i % 9 ? null : 4.5, total_percent: i % 9 ? null : 9, line: i + 1, text: '        ' + (i % 5 ? 'call(i);' : '') })) });
	const query = async (page, statement) => {
		await press(page, 'q');
		await page.locator('dialog textarea').fill(statement);
		await page.locator('dialog textarea').press('Control+Enter');
	};
	const symbols = { sent: await symbolServer(200), failed: await symbolServer(500) };
	const cache = path.join(scratch, 'cache');
	Object.assign(process.env, { no_proxy: '127.0.0.1' });
	const state = async (name, words, walk) => {
		for (const [look, options] of Object.entries({ light: {}, dark: { dark: true }, narrow: { width: 400 }, 'narrow-dark': { width: 400, dark: true } })) {
			if (look !== 'light' && look !== 'narrow-dark' && !process.env.SCREENSHOTS)
				continue;
			process.env.WICK_CACHE_DIR = path.join(cache, name + look);
			const server = serve(...words);
			const address = await server.address;
			if (!address)
				skip('libmicrohttpd is missing');
			const page = await openAddress(address, options);
			await walk(page, server);
			page.faults = page.faults.filter(fault => !fault.startsWith('Failed to load resource'));
			await check(page, `served-${name}-${look}`);
			equal(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), true, `${name} at ${look} fits:`);
			await page.context().close();
			server.end();
		}
	};
	try {
		await state('symbols-sent', [unnamed, '--symbol-path', symbols.sent.path], async page => {
			await page.locator('.shell-status').getByText('Looking for files with names: 0 of 1').waitFor();
			await press(page, '0');
			await page.waitForSelector('progress[value="300000"]');
		});
		await state('symbols-failed', [unnamed, '--symbol-path', symbols.failed.path], async page => {
			await press(page, '0');
			await page.getByText('All files have been looked for').waitFor();
		});
		for (const which of ['Source', 'Instructions'])
			await state(which.toLowerCase(), [shop], async page => {
				await page.route('**/annotate?*', route => route.fulfill({ contentType: 'application/json', body: `{"function":"f","source":${table},"instructions":${table}}` }));
				await page.locator('[role=treegrid]').focus();
				await press(page, 'Home', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'e');
				await page.getByRole('button', { name: which, exact: true }).click();
				equal((await page.locator('dialog [role=grid]').innerText()).includes('unknown'), false, 'lines without samples are unknown:');
				const cell = page.locator('dialog [role=gridcell]', { hasText: 'call(i)' }).first();
				equal([await cell.isVisible(), await cell.evaluate(one => getComputedStyle(one).whiteSpace)], [true, 'pre']);
				const { x, width } = await cell.boundingBox();
				equal(x + Math.min(width, 100) < page.viewportSize().width, true, 'the code is in the window:');
			});
		await state('sql', [shop], async page => {
			await query(page, 'SELECT NULL AS n, name FROM functions');
			await page.waitForSelector('dialog [role=grid]');
		});
		await state('sql-wrong', [shop], async page => {
			await query(page, 'SELECT absent FROM samples');
			await page.waitForSelector('dialog [role=alert]');
		});
		await state('sql-running', [shop], page => query(page, endless));
		await state('ended', ['--trees', shop], async (page, server) => {
			server.end();
			await page.waitForTimeout(300);
			await press(page, 'u');
			await page.locator('.shell-status [role=alert]').waitFor();
			const { y, height } = await page.locator('.shell-status [role=alert]').boundingBox();
			equal(y + height <= page.viewportSize().height, true, 'why nothing new comes is in the window:');
		});
		await state('busy', ['--trees', shop], async page => {
			let times = 0;
			await page.route('**/tree?*', route => times++ < 2 ? route.fulfill({ status: 503, contentType: 'application/json', body: '{"error":"too many requests wait; try again"}' })
				: route.continue());
			await press(page, 'u');
			for (let i = 0; i < 100 && times < 3; i++)
				await page.waitForTimeout(100);
			await page.waitForFunction(() => document.querySelector('[aria-busy]').getAttribute('aria-busy') === 'false');
			equal([times, await page.locator('.shell-status [role=alert]').count()], [3, 0]);
		});
	} finally {
		symbols.sent.end();
		symbols.failed.end();
	}
});

test('one recording compared with another', async () => {
	const other = report(write('other.perf', perfScript(ticks.map(tick => tick.map(name => name === 'parse' ? 'scan' : name)))));
	for (const [look, options] of Object.entries(LOOKS)) {
		const page = await openPage(other, { ...options, hash: '#compare' });
		await page.locator('input[type=file]').setInputFiles(recordings.cpu());
		await page.waitForSelector('.compare-lists');
		await check(page, 'compared-' + look);
	}
});

finish();
