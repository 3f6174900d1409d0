// The page of a recording that `wick view` sends in parts: for each link it shows what the page does that
// has all samples.
//
//	WICK=build/wick node tests/browser/test_page_trees.js
//
// Prints TAP.
'use strict';
const path = require('path');
const { equal, finish, holds, openAddress, openPage, perfScript, press, report, root, serve, settle, test, write } = require('./page');

// Two processes of two threads; a function that calls itself, two modules, and work that changes over time.
const ticks = Array.from({ length: 4000 }, (_, i) => {
	const half = i < 2000 ? 'parse' : 'emit';
	return i % 5 === 0 ? ['helper', 200, 200 + i % 2, 'start', 'wait', 'poll']
		: ['compiler', 100, 100 + i % 2, 'main', 'pass', half, ...i % 3 ? ['walk', 'walk', 'visit' + i % 7] : ['hash', i % 2 ? 'mix' : 'fold']];
});
const program = write('program.txt', perfScript(ticks));
// Many functions that are called once each.
const many = write('many.txt', perfScript(Array.from({ length: 6000 }, (_, i) => ['server', 1, 1, 'main', i % 2 ? 'idle' : 'handle' + i])));
const memory = path.join(root, 'tests', 'data', 'memory.etl');
const shop = path.join(root, 'tests', 'data', 'shop.data');

// What a person reads, without what is only there as long as something is awaited.
async function readPage(page) {
	await settle(page);
	return page.evaluate(() => {
		const rows = [...document.querySelectorAll('#view :is([role=row], [role=treeitem], tbody tr)')]
			.map(row => row.innerText.replace(/\s+/g, ' ').trim());
		return { rows, status: document.querySelector('.shell-status span').innerText,
			found: document.querySelector('#search-result').innerText };
	});
}

async function readSettled(page, isDone) {
	for (let i = 0; ; i++) {
		const shown = await readPage(page);
		if (isDone(shown) || i === 100)
			return shown;
		await page.waitForTimeout(50);
	}
}

async function compare(input, links, walk = async () => {}, ...options) {
	const server = serve('--trees', input, ...options);
	try {
		const address = await server.address;
		if (!address)
			throw Object.assign(new Error('libmicrohttpd is missing'), { skips: true });
		const file = report(input, ...options);
		for (const link of links) {
			const whole = await openPage(file, { hash: link }), parts = await openAddress(address + link);
			await walk(whole);
			await walk(parts);
			const expected = await readPage(whole);
			const came = await readSettled(parts, shown => JSON.stringify(shown) === JSON.stringify(expected));
			for (const [i, row] of expected.rows.entries())
				equal(came.rows[i], row, `${link}, row ${i + 1}:`);
			equal(came, expected, link);
			// The browser notes that a question was refused.
			equal([...whole.faults, ...parts.faults].filter(fault => !/Failed to load resource.* 4\d\d /.test(fault)), [], 'faults of ' + link);
			await whole.context().close();
			await parts.context().close();
		}
	} finally {
		server.end();
	}
}

const open = async page => {
	await page.waitForSelector('[role=treegrid] [role=row]');
	await page.locator('[role=treegrid]').focus();
	await press(page, 'Home', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight');
};

test('trees, groupings and times', () => compare(program, [
	'#cpu', '#cpu&t=1-2.5', '#cpu&group=process,thread,stack', '#cpu&group=module,stack', '#cpu&group=pid,function', '#cpu&group=process,module',
	'#cpu&inverted=1', '#cpu&t=0-1&inverted=1&group=stack', '#cpu&group=cpu,stack',
], open));

test('filters and verbs', () => compare(program, [
	'#cpu&f=process:compiler', '#cpu&f=-process:compiler', '#cpu&f=tid:101&f=tid:200', '#cpu&f=function:hash', '#cpu&f=-function:walk&t=1-3',
	'#cpu&f=pattern:^vis', '#cpu&f=module:helper', '#cpu&f=merge:walk', '#cpu&f=collapse:pass', '#cpu&f=recursion:', '#cpu&f=focus:walk',
	'#cpu&f=focus:walk&inverted=1', '#cpu&f=merge-module:compiler', '#cpu&f=merge:walk&inverted=1', '#cpu&f=collapse:walk&inverted=1',
	'#cpu&f=merge:walk&f=collapse:hash&f=-tid:100&t=0.5-3.5',
], open));

test('rules that the server does not know, and those of a preset', () => compare(program, [
	'#cpu&f=group:visits=^visit', '#cpu&f=annotate:early=^parse&group=annotation,stack', '#cpu&group=annotation,process,stack&preset=rustc',
], open));

test('what the server refuses is shown nevertheless', () => compare(program, [
	'#cpu&f=pattern:\\u0077alk', `#cpu&f=-function:${'x'.repeat(11000)}&f=-function:nothing`, '#cpu&root=zzz', '#cpu&group=stack,process',
], open));

test('after a search the tree follows the time again', () => compare(program, ['#cpu'], async page => {
	await page.waitForSelector('[role=treegrid] [role=row]');
	await page.locator('#search').fill('visit3');
	await page.waitForTimeout(200);
	await page.locator('#search').press('Enter');
	await page.waitForTimeout(200);
	await page.locator('#search').press('Escape');
	await page.locator('#time').fill('1-3');
	await page.locator('#time').press('Enter');
	await page.waitForTimeout(200);
}));

test('light rows that were not sent come if they are wanted', () => compare(many, ['#cpu&group=stack'], async page => {
	await page.waitForSelector('[role=treegrid] [role=row]');
	await page.locator('[role=treegrid]').focus();
	await press(page, 'Home', 'ArrowRight', 'End', 'ArrowRight');
	await page.waitForTimeout(300);
	await press(page, 'End');
}));

test('matches of a search', () => compare(program, ['#cpu&search=walk', '#cpu&search=^vis&t=1-2', '#cpu&search=nothing'], open));

test('processes and their tree', () => compare(program, ['#tree', '#tree&t=1-2', '#processes', '#processes&t=1-2']));

// Quality has another table there: that of symbols (test_page_served.js).
test('the other tabs', () => compare(program, ['#system', '#events', '#events&t=1-2']));

test('memory: what was committed, what is outstanding, what is gone', () => compare(memory, [
	'#memory', '#memory&measure=all', '#memory&measure=outstanding', '#memory&measure=gone', '#heap', '#cpu', '#waits',
], async page => {
	if (await page.locator('[role=treegrid]').count())
		await open(page);
}));

test('memory at its peak', () => compare(memory, ['#memory&measure=gone', '#memory&measure=outstanding&t=0.2-0.3'], async page => {
	await page.getByRole('button', { name: 'At the peak' }).click();
	await settle(page);
	await open(page);
}));

test('a recording of Linux', () => compare(shop, ['#cpu', '#cpu&all-inline=1', '#cpu&inverted=1', '#cpu&group=process,function'], open));

test('a comparison reads all that it needs', async () => {
	const server = serve('--trees', program);
	try {
		const address = await server.address;
		if (!address)
			throw Object.assign(new Error('libmicrohttpd is missing'), { skips: true });
		const page = await openAddress(address + '#compare');
		await page.locator('input[type=file]').setInputFiles(report(program));
		await page.waitForSelector('.compare-lists');
		await open(page);
		holds(await page.locator('[role=treegrid]').innerText(), 'compiler');
		equal(page.faults, [], 'faults');
	} finally {
		server.end();
	}
});

test('a comparison with the recording of --against', () => compare(program, ['#cpu', '#compare', '#compare&t=1-2', '#compare&inverted=1',
	'#compare&f=process:compiler'], open, '--against', write('older.txt', perfScript(ticks.slice(1000)))));

test('the program ended: what was shown stays, and the page says why nothing new comes', async () => {
	const server = serve('--trees', program);
	const address = await server.address;
	if (!address)
		throw Object.assign(new Error('libmicrohttpd is missing'), { skips: true });
	const page = await openAddress(address + '#cpu');
	await open(page);
	server.end();
	await page.waitForTimeout(300);
	await page.keyboard.press('u');
	await page.waitForSelector('.shell-status [role=alert]');
	holds(await page.locator('.shell-status').innerText(), 'wick view has ended');
	holds(await page.locator('[role=treegrid]').innerText(), 'compiler');
});

finish();
