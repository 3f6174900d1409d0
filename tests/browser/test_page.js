// The analysis page in a real browser: the numbers are those of `wick show`, keys alone lead to every
// answer, the link is the state, and hostile or damaged data does no harm.
//
//	WICK=build/wick node tests/browser/test_page.js
//
// Prints TAP.
'use strict';
const fs = require('fs');
const path = require('path');
const { engine, equal, finish, holds, openPage, perfScript, press, report, run, scratch, settle, skip, test, write } = require('./page');

// 0 to 1 s: app alone; 1 to 2 s: half of the time in tool. work calls itself at times.
const ticks = [];
for (let i = 0; i < 2000; i++) {
	if (i >= 1000 && i % 2)
		ticks.push(['tool', 20, 20, '_start', 'main', 'parse']);
	else if (i % 10 < 6)
		ticks.push(['app', 10, 10, '_start', 'main', 'run', 'work', i % 4 ? 'hash' : 'work']);
	else
		ticks.push(['app', 10, 11, 'start_thread', 'serve', 'std::vec::Vec<alloc::string::String>::push']);
}
const cpu = write('cpu.perf', perfScript(ticks));
const csv = (table, ...words) => run('show', '-q', '--csv', ...words, cpu, table).trim().split('\n').slice(1)
	.map(line => line.split(','));

const rows = page => page.locator('.grid [role=row][aria-level]').evaluateAll(list =>
	list.map(row => [Number(row.getAttribute('aria-level')), row.innerText.replace(/\s+/g, ' ').trim()]));
const status = page => page.locator('.shell-status > :first-child').innerText();
const focusGrid = async page => {
	await page.locator('[role=treegrid]').focus();
	await settle(page);
};
const noFaults = page => equal(page.faults, [], 'faults');

test('the first screen says where the time is', async () => {
	const page = await openPage(report(cpu));
	holds(await page.locator('.tab-answer').innerText(), '% is in app');
	equal((await rows(page)).map(row => row[1].split(' ')[1] ?? row[1]).length, 2);
	equal(await status(page), '2,000 samples in view of 2,000 \u00b7 none lost');
	equal(await page.title(), 'app');
	noFaults(page);
});

test('processes have the times that wick show has', async () => {
	const page = await openPage(report(cpu), { hash: '#cpu&view=table' });
	const expected = JSON.parse(run('show', '-q', '--json', cpu, 'processes')).rows
		.map(row => [row.process ?? row.name, row.samples]).sort();
	const came = (await rows(page)).map(([, text]) => {
		const words = text.replace(/^[^\w]*/, '').split(' ');
		return [words[0], Number(words[words.length - 1].replace(/,/g, ''))];
	}).sort();
	equal(came, expected);
});

test('the right arrow walks down the hottest path', async () => {
	const page = await openPage(report(cpu), { hash: '#cpu&view=table' });
	await focusGrid(page);
	await press(page, 'Home', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight');
	holds(await page.locator('.details h2').innerText(), 'hash');
	const selected = await page.locator('.grid [aria-selected=true]').evaluateAll(list => list.map(row => row.innerText));
	equal(selected.length, 1);
	for (let i = 0; i < 9 && !(await page.locator('.details h2').innerText()).includes('app'); i++)
		await press(page, 'ArrowLeft');
	holds(await page.locator('.details h2').innerText(), 'app');
	noFaults(page);
});

test('brushed time and filters narrow every number, and undo brings them back', async () => {
	const file = report(cpu);
	const page = await openPage(file, { hash: '#cpu&t=0-0.9999&view=table' });
	equal(await status(page), '1,000 samples in view of 2,000 \u00b7 none lost');
	equal((await rows(page)).length, 1);
	await page.locator('.shell-chip button').click();
	await settle(page);
	equal(await status(page), '2,000 samples in view of 2,000 \u00b7 none lost');
	await press(page, 'Control+z');
	equal(await status(page), '1,000 samples in view of 2,000 \u00b7 none lost');
	await press(page, 'Control+y', '[');
	const within = Number((await status(page)).split(' ')[0].replace(',', ''));
	if (!(within > 150 && within < 250))
		throw new Error('a tenth of the time has ' + within + ' samples');
	noFaults(page);
});

test('a brush of the strip by keys alone', async () => {
	const page = await openPage(report(cpu), { hash: '#cpu&view=table' });
	const slider = page.locator('[role=slider]').last();
	await slider.focus();
	const before = await status(page);
	for (let i = 0; i < 5; i++)
		await press(page, 'ArrowLeft');
	if (await status(page) === before)
		throw new Error('the arrows of the slider change nothing');
	holds(await slider.getAttribute('aria-valuetext'), 's');
	holds(page.url(), 't=0-');
	noFaults(page);
});

test('a time that is typed, and one that is in no recording', async () => {
	const page = await openPage(report(cpu), { hash: '#cpu&view=table' });
	await press(page, 'Shift+T');
	await page.keyboard.type('0.5-1');
	await press(page, 'Enter');
	holds(page.url(), 't=0.5-1');
	holds(await status(page), '50');
	await page.locator('#time').fill('50%-100%');
	await press(page, 'Enter');
	holds(page.url(), 't=0.9995-1.999');
	await page.locator('#time').fill('2-1');
	await press(page, 'Enter');
	holds(await page.locator('.shell-status').innerText(), '"2-1" is no time of the recording');
	holds(page.url(), 't=0.9995-1.999', 'the time before');
	for (const time of ['100000000000-100000000000.00003', '5-1', '-1-1e999', '3-4'])
		equal(await status(await openPage(report(cpu), { hash: '#tree&t=' + time }).then(async other => {
			await press(other, '4');
			return other;
		})), '2,000 samples in view of 2,000 \u00b7 none lost', time);
	noFaults(page);
});

test('the verbs of a row', async () => {
	const page = await openPage(report(cpu), { hash: '#cpu&view=table' });
	await focusGrid(page);
	await press(page, 'Home', 'Shift+F');
	equal(await status(page), '1,500 samples in view of 2,000 \u00b7 none lost');
	holds(await page.locator('.shell-chip').innerText(), 'process: app');
	await press(page, 'Control+z');
	await focusGrid(page);
	await press(page, 'Shift+X');
	equal(await status(page), '500 samples in view of 2,000 \u00b7 none lost');
	holds(page.url(), 'f=-process:app');
	noFaults(page);
});

test('callers of a function, from the menu and from its key', async () => {
	const page = await openPage(report(cpu), { hash: '#cpu&view=table&f=function:hash' });
	const [[, text]] = await rows(page);
	holds(text, 'app');
	await focusGrid(page);
	await press(page, 'Home', '*');
	const hash = page.locator('.grid [role=row][aria-level]', { hasText: /^\W*hash/ });
	await hash.first().click();
	await press(page, 'F10');
	await focusGrid(page);
	await press(page, 'Home', '*');
	equal((await rows(page)).map(row => row[1].replace(/^\W*(\w+).*/, '$1')).slice(1, 6), ['hash', 'work', 'run', 'main', '_start']);
	noFaults(page);
});

test('search marks and counts', async () => {
	const page = await openPage(report(cpu));
	await press(page, '/');
	const found = text => page.waitForFunction(text => document.getElementById('search-result')?.innerText.includes(text), text);
	await page.keyboard.type('^hash$');
	const expected = ticks.filter(tick => tick.includes('hash')).length / ticks.length;
	await found((100 * expected).toFixed(1) + ' %');
	await page.locator('#search').fill('(');
	await found('not a regular expression');
	noFaults(page);
});

test('a link is the view, here and in the next page of the recording', async () => {
	const page = await openPage(report(cpu), { hash: '#cpu&view=table' });
	await focusGrid(page);
	await press(page, 'Home', 'u', 'ArrowRight', 'ArrowRight', 'ArrowRight');
	const link = new URL(page.url()).hash, seen = await rows(page);
	const next = await openPage(report(cpu, '--quiet'), { hash: link });
	equal(await rows(next), seen);
	await next.goBack().catch(() => {});
	noFaults(page);
});

test('every command is found by its name, and the help lists all keys', async () => {
	const page = await openPage(report(cpu));
	await press(page, 'Control+k');
	await page.keyboard.type('flame graph alone');
	await press(page, 'Enter');
	holds(page.url(), 'view=flame');
	await press(page, '?');
	const keys = await page.locator('dialog kbd').allInnerTexts();
	for (const key of ['/', 'Ctrl+K', 'F10', 'Backspace'])
		if (!keys.includes(key))
			throw new Error('no ' + key + ' in the help');
	await press(page, 'Escape');
	equal(await page.locator('dialog[open]').count(), 0);
	noFaults(page);
});

test('tabs by digit, by arrow, and what has no data says how to record it', async () => {
	const page = await openPage(report(cpu));
	for (const [key, tab] of [['1', 'System'], ['2', 'Processes'], ['3', 'Process tree'], ['5', 'Memory'], ['6', 'Heap'], ['7', 'Waits']]) {
		await press(page, key);
		equal(await page.locator('[role=tab][aria-selected=true]').innerText(), tab);
	}
	await press(page, '5');
	holds(await page.locator('#view').innerText(), 'wick record --memory');
	await press(page, '6');
	holds(await page.locator('#view').innerText(), 'wick record --heap');
	noFaults(page);
});

test('names of markup, control and bidirectional characters are text', async () => {
	const evil = ['</script><script>alert', '<img src=x onerror=alert(1)>', 'a\u202eb', 'q"\'`${1}', '--><b>', '__proto__'];
	const lines = evil.map((name, i) => `main;${name} ${10 + i}`).join('\n') + '\n';
	const page = await openPage(report(write('evil.folded', lines)), { hash: '#cpu&view=both' });
	await focusGrid(page);
	await press(page, 'Home', '*');
	const text = (await rows(page)).map(row => row[1]).join('\n');
	for (const name of evil.filter(one => !one.includes('\u202e')))
		holds(text, name);
	holds(text, 'a\\u202eb');
	equal(await page.locator('img, b').count(), 0);
	noFaults(page);
	if (engine === 'firefox')
		return;
	const plain = await openPage(report(write('evil.folded', lines)), { script: false });
	holds(await plain.locator('#plain').innerText(), '<img src=x onerror=alert(1)>');
	equal(await plain.locator('img, #plain script').count(), 0);
});

test('without script, and without DecompressionStream, there is the table of the hottest functions', async () => {
	if (engine === 'firefox')
		skip('WebDriver BiDi cannot turn script off in Firefox');
	const plain = await openPage(report(cpu), { script: false });
	holds(await plain.locator('#plain').innerText(), 'hash');
	const { y } = await plain.locator('#plain table').boundingBox();
	if (y > 100)
		throw new Error(`the table begins ${y} pixels below the top`);
	const old = write('old.html', fs.readFileSync(report(cpu), 'utf8'));
	const page = await openPage(old, { script: false });
	equal(await page.locator('#plain table').isVisible(), true);
});

test('a page that is cut off shows what there is, and says so', async () => {
	const whole = fs.readFileSync(report(cpu), 'latin1');
	const data = whole.indexOf('data-block="head"');
	for (const part of [.2, .5, .8, .97]) {
		const cut = Math.floor(data + part * (whole.length - data));
		const file = write(`cut-${part}.html`, Buffer.from(whole.slice(0, cut), 'latin1'));
		const page = await openPage(file);
		holds(await page.locator('body').innerText(), part < .3 ? 'cannot be shown' : '');
		if (await page.locator('#tab-quality').count()) {
			await page.locator('#tab-quality').click();
			holds(await page.locator('#view').innerText(), 'cut off');
		} else {
			holds(await page.locator('[role=alert]').innerText(), 'cut off');
		}
		noFaults(page);
	}
});

test('a page with a flipped bit says which part is damaged, and shows the rest', async () => {
	const page = fs.readFileSync(report(cpu), 'latin1');
	const at = page.indexOf('data-block="samples-1"') + 300;
	const damaged = page.slice(0, at) + (page[at] === 'A' ? 'B' : 'A') + page.slice(at + 1);
	const opened = await openPage(write('flip.html', Buffer.from(damaged, 'latin1')), { hash: '#quality' });
	await press(opened, '4', '0');
	holds(await opened.locator('#view').innerText(), '"samples-1"');
	await press(opened, '2');
	holds(await opened.locator('#view').innerText(), 'tool');
	noFaults(opened);
});

test('recordings without samples, and with time running backwards', async () => {
	const none = path.join(scratch, 'none.data');
	run('record', '-q', '-o', none, '--memory', '--', 'true');
	const empty = await openPage(report(none));
	equal(await empty.locator('[role=tab]').count(), 10);
	noFaults(empty);
	const backwards = perfScript(ticks).replace(/ (\d+\.\d+):/g, (_, time) => ` ${(300 - Number(time)).toFixed(6)}:`);
	const page = await openPage(report(write('back.perf', backwards)));
	equal(await status(page), '2,000 samples in view of 2,000 \u00b7 none lost');
	noFaults(page);
});

test('two recordings: worse and better', async () => {
	const slower = ticks.map(tick => tick.map(name => name === 'parse' ? 'scan' : name));
	const other = report(write('slower.perf', perfScript(slower)));
	const page = await openPage(other, { hash: '#compare' });
	await page.locator('input[type=file]').setInputFiles(report(cpu));
	await page.waitForSelector('.compare-lists');
	const lists = await page.locator('.compare-list').allInnerTexts();
	holds(lists[0], 'scan');
	holds(lists[0], 'new');
	holds(lists[1], 'parse');
	holds(lists[1], 'gone');
	// The same functions, innermost first and grouped by a rule.
	for (const [view, name] of [['&inverted=1', 'scan'], ['&f=group:A=^scan', 'A']]) {
		await page.evaluate(view => { location.hash = '#compare' + view; }, view);
		await page.waitForFunction(name => document.querySelector('.compare-list')?.innerText.includes(name), name);
		equal((await page.locator('.compare-list').allInnerTexts())[1].includes('parse'), true, view);
	}
	noFaults(page);
});

test('a Rust build: its preset, its processes, stages of the compiler', async () => {
	const build = [];
	for (let i = 0; i < 1000; i++)
		build.push(i % 10 === 0 ? ['sh', 5, 5, 'main', 'wait'] : ['rustc', 6 + i % 2, 6 + i % 2, 'main',
			i % 3 ? 'rustc_hir_typeck::check' : 'rustc_borrowck::do_mir_borrowck', 'rustc_middle::ty::fold']);
	const file = report(write('build.perf', perfScript(build)));
	const page = await openPage(file);
	equal(await page.locator('#preset').inputValue(), 'rustc');
	equal(await page.locator('.shell-chip').innerText().then(text => text.split('\n')[0]), 'preset: rustc');
	equal(await status(page), '900 samples in view of 1,000 \u00b7 none lost');
	for (const [key, title] of [['2', 'Build Processes'], ['3', 'Build Process Tree'], ['4', 'CPU Analysis']]) {
		await press(page, key);
		equal(await page.locator('[role=tab][aria-selected=true]').innerText(), title);
	}
	await page.locator('label', { hasText: /^View/ }).locator('select').selectOption({ label: 'Utilization by Process, Annotation, Stack' });
	await focusGrid(page);
	await press(page, 'Home', '*');
	const text = (await rows(page)).map(row => row[1].replace(/^\W*/, '')).join('\n');
	holds(text, 'type check');
	holds(text, 'borrow check');
	const shown = JSON.parse(run('show', '-q', '--json', '--all', '--preset', 'rustc', '--group', 'pid,annotation,stack',
		file.replace(/\.html$/, ''), 'calls')).rows.slice(1).map(row => [row.name, row.samples]);
	const came = (await rows(page)).map(([, text]) => [shown.find(([name]) => text.startsWith(name))?.[0] ?? text,
		Number(text.split(' ').pop().replace(',', ''))]);
	equal(came, shown.slice(0, came.length - 1).concat(shown.filter(([name]) => name.startsWith('rustc (')).slice(1)));
	holds(page.url(), 'group=pid,annotation,stack');
	const again = await openPage(file, { hash: new URL(page.url()).hash });
	holds((await rows(again)).map(row => row[1]).join(), 'rustc');
	noFaults(page);
});

// The name and the bytes, as latin1, of what a button saves.
async function saved(page, name) {
	const button = page.getByRole('button', { name });
	if (engine !== 'firefox') {
		const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
		return [download.suggestedFilename(), fs.readFileSync(await download.path(), 'latin1')];
	}
	// WebDriver BiDi reports no download of Firefox: what the link would save is read from the page.
	await page.evaluate(() => {
		const make = URL.createObjectURL;
		URL.createObjectURL = blob => make(globalThis.blob = blob);
		HTMLAnchorElement.prototype.click = function () { globalThis.link = this.download; };
		delete globalThis.link;
	});
	await button.click();
	await page.waitForFunction(() => globalThis.link);
	return page.evaluate(async () => [globalThis.link,
		[...new Uint8Array(await globalThis.blob.arrayBuffer())].map(byte => String.fromCharCode(byte)).join('')]);
}

test('tables and pictures can be saved', async () => {
	const page = await openPage(report(cpu));
	for (const [button, suffix, begin] of [['Save as SVG', '.svg', '<svg'], ['Save as PNG', '.png', '\x89PNG']]) {
		const [name, content] = await saved(page, button);
		equal(path.extname(name), suffix);
		holds(content.slice(0, 200), begin);
		if (suffix === '.svg')
			holds(content, 'hash');
	}
	await page.evaluate(() => { navigator.clipboard.writeText = async text => { globalThis.copied = text; }; });
	for (const [button, expected] of [['CSV', ','], ['Markdown', '| --- |'], ['TSV', '\t']]) {
		await page.getByRole('button', { name: button, exact: true }).click();
		holds(await page.evaluate(() => globalThis.copied), expected);
	}
	noFaults(page);
});

finish();
