// The analysis page of traces from Windows: real ones open with every tab that has data, with the numbers
// of `wick show`, and the walk that the guide of the Rust compiler describes for Windows Performance
// Analyzer leads by keys to the same answers here.
//
//	WICK=build/wick node tests/browser/test_page_windows.js
//
// Prints TAP.
'use strict';
const fs = require('fs');
const path = require('path');
const vm = require('vm');
const { equal, finish, holds, openPage, press, report, root, run, screenshot, settle, skip, test } = require('./page');

const amounts = vm.createContext({});
vm.runInContext(fs.readFileSync(path.join(root, 'web', 'amounts.js'), 'utf8').replace(/^export /gm, '')
	+ '\nglobalThis.show = { bytes, grouped };', amounts);
const { bytes, grouped } = amounts.show;

const shared = process.env.WICK_SHARED || path.join(root, '..', 'shared');
function fixture(name) {
	const file = path.join(shared, 'fixtures', 'etl', name);
	if (!fs.existsSync(file))
		skip(name + ' is missing: WICK_SHARED does not name its folder');
	return file;
}

const show = (file, table, ...words) => JSON.parse(run('show', '-q', '--all', '--json', ...words, file, table)).rows;
const tidy = text => text.replace(/\s+/g, ' ').trim();
const grid = page => page.locator('[role=treegrid]');
const focusGrid = async page => {
	await grid(page).focus();
	await settle(page);
};

// Of the call tree in view: the header, and of each row in the document its name and its cells by column.
async function tree(page) {
	const heads = (await grid(page).locator('[role=columnheader]').allInnerTexts()).map(text => tidy(text).replace(/( ▾)?( ≡)?$/, ''));
	const rows = await grid(page).locator('[role=row][aria-level]').evaluateAll(list => list.map(row => {
		const cells = [...row.querySelectorAll('[role=gridcell]')];
		return [row.getAttribute('aria-selected') === 'true', cells[0].title, cells.map(cell => cell.innerText)];
	}));
	return rows.map(([selected, name, cells]) => ({ selected, name,
		of: head => tidy(cells[heads.indexOf(head) - (heads.length - cells.length)]) }));
}

// What the button CSV copies: every row, not only those in the document.
async function copied(page) {
	await page.evaluate(() => { navigator.clipboard.writeText = async text => { globalThis.copied = text; }; });
	await page.getByRole('button', { name: 'CSV', exact: true }).first().click();
	const [heads, ...rows] = (await page.evaluate(() => globalThis.copied)).trim().split('\n')
		.map(line => [...line.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g)].map(([, cell]) => cell.replace(/^"|"$/g, '').replace(/""/g, '"')));
	return rows.map(row => Object.fromEntries(heads.map((head, i) => [head.trim(), row[i]])));
}

const number = text => Number(String(text).replace(/,/g, ''));
const processesOf = rows => rows.map(row => [row.name, Number(row.pid), number(row.samples)]).sort();
const tabs = { system: 'System', processes: 'Processes', tree: 'Process tree', cpu: 'CPU', memory: 'Memory', heap: 'Heap',
	waits: 'Waits', events: 'Events', compare: 'Compare', quality: 'Quality' };
const ROWS = { system: '[role=grid] [role=rowgroup] [role=row]', processes: '[role=grid] [role=rowgroup] [role=row]',
	tree: '[role=treeitem]', events: 'tbody tr', quality: 'li', compare: 'input[type=file]' };

// Each tab shows rows, or says how to record what it would show.
async function walkTabs(page, withData) {
	for (const [i, tab] of Object.keys(tabs).entries()) {
		await press(page, String((i + 1) % 10));
		holds(await page.locator('[role=tab][aria-selected=true]').innerText(), tabs[tab]);
		const rows = await page.locator('#view').locator(ROWS[tab] || '[role=treegrid] [role=row][aria-level]').count();
		if (withData.includes(tab) !== rows > 0)
			throw new Error(`${tab} has ${rows} rows`);
		if (!rows)
			holds(await page.locator('#view').innerText(), 'wpr -start');
		await screenshot(page, path.basename(page.url().split('#')[0], '.html') + '-' + tab);
	}
}

// From the hottest row on, as often as the tree has single steps: the rows are those of `wick show`.
async function walkDown(page, expected, head, amount, steps) {
	await focusGrid(page);
	await press(page, 'Home', ...Array(steps).fill('ArrowRight'));
	const rows = await tree(page);
	const at = rows.findIndex(row => row.selected);
	if (at < 2)
		throw new Error('the right arrow selects row ' + at);
	equal(rows.slice(0, at + 1).map(row => [row.name, row.of(head)]),
		expected.slice(1, at + 2).map(row => [row.name, amount(row)]));
	return rows[at].name;
}

test('a profile by PerfView: each tab, processes and calls', async () => {
	const file = fixture('net.4.5.2.x64.etl.zip');
	const page = await openPage(report(file));
	await walkTabs(page, ['system', 'processes', 'tree', 'cpu', 'events', 'compare', 'quality']);
	await press(page, '2');
	equal(processesOf(await copied(page)), processesOf(show(file, 'processes')));
	const calls = await openPage(report(file), { hash: '#cpu&view=table&group=pid,stack' });
	const expected = show(file, 'calls', '--group', 'pid,stack');
	equal((await tree(calls)).map(row => [row.name, row.of('samples')]).slice(0, 12),
		expected.filter(row => row.depth === 1).map(row => [row.name, grouped(row.samples)]).slice(0, 12));
	await walkDown(calls, expected, 'samples', row => grouped(row.samples), 9);
	equal([page.faults, calls.faults], [[], []], 'faults');
});

test('a trace without samples of CPU time, by WPR: each tab, and processes', async () => {
	const file = fixture('TraceLoggingTester.etl.zip');
	const page = await openPage(report(file));
	// The events of a program, which have stacks, are what CPU shows without samples of CPU time.
	await walkTabs(page, ['system', 'processes', 'tree', 'cpu', 'events', 'compare', 'quality']);
	await press(page, '2');
	const named = rows => rows.map(row => [row.name, Number(row.pid)]).sort();
	equal(named(await copied(page)), named(show(file, 'processes')));
	equal(page.faults, [], 'faults');
});

test('a session of Visual Studio, and a trace of processes alone', async () => {
	for (const name of ['diaghub-dotnetcore3.1-win-x64-diagsession.zip', 'sawbuck/process_data_64_v3.etl']) {
		const file = fixture(name);
		const page = await openPage(report(file), { hash: '#processes' });
		const named = rows => rows.map(row => [row.name, Number(row.pid)]).sort();
		equal(named(await copied(page)), named(show(file, 'processes')), name);
		equal(page.faults, [], 'faults');
	}
});

const build = path.join(root, 'tests', 'data', 'rustc.etl');

test('a Rust build, as with Windows Performance Analyzer: preset, commits, System, build processes, process tree', async () => {
	const page = await openPage(report(build));
	equal(await page.locator('#preset').inputValue(), 'rustc');
	// The preset, applied by keys.
	await press(page, 'p', 'Home');
	equal(await page.locator('#preset').inputValue(), '');
	equal(await page.locator('[role=tab]').nth(4).innerText(), 'Memory');
	for (let i = 0; i < 30 && await page.locator('#preset').inputValue() !== 'rustc'; i++)
		await press(page, 'ArrowDown');
	equal(await page.locator('#preset').inputValue(), 'rustc');
	equal((await page.locator('[role=tab]').allInnerTexts()).slice(0, 5),
		['System', 'Build Processes', 'Build Process Tree', 'CPU Analysis', 'Memory Analysis']);

	// What was committed while rustc ran, down the stack of its hottest commits.
	await page.locator('h1').click();
	await press(page, '5', 'Shift+T');
	await page.keyboard.type('0-1.5');
	await press(page, 'Enter');
	const words = ['--preset', 'rustc', '--by', 'commit'];
	equal(await page.locator('label', { hasText: /^View/ }).locator('select option:checked').innerText(),
		'Outstanding commit by Process, Stack');
	const outstanding = show(build, 'calls', ...words, '--outstanding', '--group', 'pid,stack', '--time', '0-1.5');
	equal((await tree(page)).map(row => [row.name, row.of('total')]),
		outstanding.filter(row => row.depth === 1).map(row => [row.name, bytes(row.total_bytes)]));
	equal(await walkDown(page, outstanding, 'total', row => bytes(row.total_bytes), 4), 'ntdll.dll!unknown');
	holds(await page.locator('.details h2').innerText(), 'ntdll.dll!unknown');
	await press(page, 'Shift+Z');

	// The other panels of memory.
	for (const [panel, group] of [['Cumulative commit by Process, Stack', 'pid,stack'],
		['Outstanding commit by Process, Annotation, Stack', 'pid,annotation,stack']]) {
		await page.locator('label', { hasText: /^View/ }).locator('select').selectOption({ label: panel });
		const more = /^Out/.test(panel) ? ['--outstanding'] : [];
		await focusGrid(page);
		await press(page, 'Home', '*');
		const rows = (await tree(page)).map(row => [row.name, row.of('total')]);
		const expected = show(build, 'calls', ...words, ...more, '--group', group).slice(1).map(row => [row.name, bytes(row.total_bytes)]);
		for (const [k, row] of rows.entries())
			if (!expected.some(one => JSON.stringify(one) === JSON.stringify(row)))
				throw new Error(`${panel}: row ${k}, ${row}, is not in wick show`);
		equal(rows[0], expected[0], panel);
	}

	await press(page, '1');
	holds(tidy(await page.locator('#view').innerText()), 'system Windows');
	await press(page, '2');
	const processes = show(build, 'processes', '--preset', 'rustc');
	equal(processes.map(row => row.name).sort(), ['build-script-build.exe', 'cargo.exe', 'link.exe', 'rustc.exe', 'rustc.exe']);
	const listed = await copied(page);
	equal(processesOf(listed), processesOf(processes));
	equal(listed.map(row => row.crate).filter(Boolean).sort(), ['app', 'serde']);
	await press(page, '3');
	const lanes = (await page.locator('[role=treeitem]').allInnerTexts()).map(text => tidy(text).replace(/^\W+/, '').split(' PID')[0]);
	equal(lanes.map(lane => lane.split(' ').slice(0, 3).join(' ')),
		['cargo.exe pid 100', 'rustc.exe pid 200', 'build-script-build.exe pid 250', 'rustc.exe pid 300', 'link.exe pid 500']);
	holds(lanes[1], 'serde');
	await press(page, '4');
	await walkDown(page, show(build, 'calls', '--preset', 'rustc', '--group', 'pid,stack'), 'samples', row => grouped(row.samples), 3);
	// Crates distinguish processes of one name; they are no part of the names.
	const shown = await grid(page).locator('[role=row][aria-level="1"] [role=gridcell]:first-child').evaluateAll(list =>
		list.map(cell => [cell.title, cell.innerText]));
	equal(shown.map(([name, text]) => [name, tidy(text)]).filter(([name]) => name.startsWith('rustc')),
		[['rustc.exe (300)', 'rustc.exe (300) app'], ['rustc.exe (200)', 'rustc.exe (200) serde']]);
	await grid(page).locator('[role=row]', { hasText: 'rustc.exe (300)' }).click();
	equal(await page.locator('.details li').first().innerText(), 'app \u00b7 process');
	equal(page.faults, [], 'faults');
});

finish();
