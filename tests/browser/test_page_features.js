// Verbs, colours, columns and other choices of the analysis page, in a real browser.
//
//	WICK=build/wick node tests/browser/test_page_features.js
//
// Prints TAP.
'use strict';
const fs = require('fs');
const path = require('path');
const { equal, finish, holds, openPage, perfScript, press, report, root, run, scratch, screenshot, settle, test, write } = require('./page');

// Of 100 samples 60 are in three functions of a crate that call each other, 30 in others, 10 in ten small ones.
const ticks = [];
for (let i = 0; i < 1000; i++) {
	if (i % 10 < 6)
		ticks.push(['app', 10, 10, '_start', 'main', 'rustc_mir_build::lower', '<rustc_mir_build::Place as Clone>::clone', 'rustc_mir_build::new', 'alloc_it']);
	else if (i % 10 < 9)
		ticks.push(['app', 10, 11, '_start', 'main', 'serve', 'hash']);
	else
		ticks.push(['app', 10, 11, '_start', 'main', 'small_' + Math.floor(i / 10) % 10]);
}
const cpu = write('features.perf', perfScript(ticks));

const names = page => page.locator('.grid [role=row][aria-level]').evaluateAll(list =>
	list.map(row => row.querySelector('[role=gridcell]').innerText.replace(/\s+/g, ' ').trim()));
const openAll = async page => {
	await page.locator('[role=treegrid]').focus();
	await settle(page);
	await press(page, 'Home', '*');
};
const select = async (page, name) => {
	await page.locator('.grid [role=row][aria-level]', { hasText: name }).first().click();
	await settle(page);
};
const save = async page => {
	const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#preset').selectOption({ label: 'Save as ...' })]);
	const file = path.join(scratch, download.suggestedFilename());
	await download.saveAs(file);
	return file;
};
const chips = page => page.locator('.shell-chip > span').allInnerTexts();
const hash = page => decodeURIComponent(new URL(page.url()).hash);
const noFaults = page => equal(page.faults, [], 'faults');

test('functions that a rule matches are one frame, and the rule is a chip and in the link', async () => {
	const file = report(cpu);
	const page = await openPage(file, { hash: '#cpu&view=table' });
	await openAll(page);
	await select(page, 'rustc_mir_build::lower');
	await press(page, 'g');
	equal(await page.locator('dialog input').evaluateAll(list => list.map(input => input.value)),
		['^[<&]*rustc_mir_build::', 'rustc_mir_build']);
	holds(await page.locator('dialog [role=status]').innerText(), '3 functions');
	await page.locator('dialog input').first().fill('(');
	holds(await page.locator('dialog [role=status]').innerText(), 'not a regular expression');
	equal(await page.getByRole('button', { name: 'Apply' }).isDisabled(), true);
	await page.locator('dialog input').first().fill('^[<&]*rustc_mir_build::');
	await page.locator('dialog input').last().fill('MIR');
	await press(page, 'Enter');
	await openAll(page);
	const seen = await names(page);
	const saved = await save(page);
	equal(JSON.parse(run('preset', saved)).groups, [{ label: 'MIR', function: '^[<&]*rustc_mir_build::' }]);
	const chosen = await openPage(report(cpu, '--preset', saved), { hash: '' });
	equal(await chips(chosen), ['grouped: MIR = ^[<&]*rustc_mir_build::']);
	await chosen.locator('#preset').selectOption('cpu');
	await settle(chosen);
	equal(await chips(chosen), [], 'another preset has no groups');
	equal(seen.filter(name => /MIR|mir|alloc_it/.test(name)), ['MIR', 'alloc_it app']);
	await screenshot(page, 'features-group');
	equal(await chips(page), ['grouped: MIR = ^[<&]*rustc_mir_build::']);
	holds(hash(page), 'f=group:MIR=^[<&]*rustc_mir_build::');
	const again = await openPage(file, { hash: new URL(page.url()).hash });
	await openAll(again);
	equal(await names(again), seen);
	await page.locator('.shell-chip button').click();
	await openAll(page);
	equal((await names(page)).filter(name => name.includes('rustc_mir')).length, 3);
	noFaults(page);
});

const selected = async page => {
	await settle(page);
	const row = page.locator('.grid [role=row][aria-selected=true]');
	const [box, table] = [await row.boundingBox(), await page.locator('[role=treegrid]').boundingBox()];
	equal(box.y >= table.y && box.y + box.height <= table.y + table.height, true, 'the row is in view');
	return (await row.innerText()).replace(/^\W*(\S+).*/s, '$1');
};

test('where a verb, a group, a time or another view takes the selected row away, its nearest caller is selected', async () => {
	const page = await openPage(report(cpu), { hash: '#cpu&view=table' });
	await openAll(page);
	await select(page, 'rustc_mir_build::new');
	await press(page, 'm');
	equal(await selected(page), 'rustc_mir_build::Place::clone');
	await press(page, 'Control+z');
	equal(await selected(page), 'rustc_mir_build::new', 'undone');
	await press(page, 'u');
	equal(await selected(page), 'app');
	await press(page, 'u');
	equal(await selected(page), 'rustc_mir_build::new', 'back');
	await press(page, 'g');
	await page.locator('dialog input').last().fill('MIR');
	await press(page, 'Enter');
	equal(await selected(page), 'main');
	await press(page, 'Control+z', 'Shift+X');
	equal(await selected(page), 'main', 'without weight');
	await press(page, 'Control+z', 'd');
	equal(await selected(page), 'main');
	await page.evaluate(() => { navigator.clipboard.writeText = async text => { globalThis.copied = text; }; });
	await press(page, 'y');
	const linked = await openPage(report(cpu), { hash: new URL(await page.evaluate(() => globalThis.copied)).hash });
	equal(await selected(linked), 'main', 'from the link');
	noFaults(page);
	// Rows above it that come and go do not move it out of view.
	const small = await openPage(report(cpu), { hash: '#cpu&view=table', height: 420 });
	await openAll(small);
	await select(small, 'small_9');
	await small.locator('#time').fill('0.09-0.1');
	await press(small, 'Enter');
	equal(await selected(small), 'small_9');
	await press(small, 'Shift+Z');
	equal(await selected(small), 'small_9');
	noFaults(small);
});

test('innermost first, the hottest functions are seen at once, and the first answer is about them', async () => {
	const page = await openPage(report(cpu), { hash: '#cpu&view=table' });
	await page.getByRole('button', { name: 'Innermost first' }).click();
	await settle(page);
	equal((await names(page)).slice(0, 3), ['app', 'alloc_it app', 'hash app']);
	equal((await page.locator('.tab-answer').innerText()).trim(), '100.0 % is in app; hottest innermost function: alloc_it, 60.0 % Walk it');
	await page.getByRole('button', { name: 'Walk it' }).click();
	equal(await selected(page), 'alloc_it');
	equal(await page.locator('.details h3').first().innerText(), 'Called by');
	await select(page, 'app');
	equal(await page.locator('.details h3').first().innerText(), 'Innermost functions');
	await press(page, 'ArrowLeft');
	equal(await names(page), ['app'], 'closed');
	await press(page, 't');
	equal(await names(page), ['app'], 'still closed');
	noFaults(page);
});

test('a label that was added by hand, in the link, in a preset that is saved, and in wick show', async () => {
	const page = await openPage(report(cpu), { hash: '#cpu&view=table' });
	await openAll(page);
	await select(page, 'serve');
	await press(page, 'l');
	equal(await page.locator('dialog input').first().inputValue(), '^serve$');
	await page.locator('dialog input').last().fill('serving');
	await press(page, 'Enter');
	holds(hash(page), 'f=annotate:serving=^serve$');
	holds(hash(page), 'group=process,annotation,stack');
	await openAll(page);
	equal((await names(page)).filter(name => /serving|annotated/.test(name)), ['(not annotated)', 'serving']);
	const saved = await save(page);
	equal(JSON.parse(run('preset', saved)).annotations[0], { label: 'serving', function: '^serve$' });
	const shown = run('show', '-q', '--csv', '--preset', saved, cpu);
	holds(shown, 'serving');
	const next = await openPage(report(cpu), { hash: '#cpu&view=table' });
	const content = fs.readFileSync(saved, 'utf8');
	await next.evaluate(text => {
		const data = new DataTransfer();
		data.items.add(new File([text], 'own.json'));
		dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
	}, content);
	await next.waitForFunction(() => document.querySelector('#preset').value === 'own');
	await openAll(next);
	equal((await names(next)).filter(name => /serving|annotated/.test(name)), ['(not annotated)', 'serving']);
	noFaults(page);
	noFaults(next);
});

test('a preset that is none is refused', async () => {
	const page = await openPage(report(cpu));
	await page.evaluate(() => {
		const data = new DataTransfer();
		data.items.add(new File(['[1'], 'own.json'));
		dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
	});
	await page.waitForFunction(() => document.querySelector('.shell-status').innerText.includes('own.json is not a preset'));
	noFaults(page);
});

test('a pattern that would take for ever is given up', async () => {
	const long = 'a'.repeat(60);
	const page = await openPage(report(write('slow.folded', `main;${long}! 5\nmain;aab 5\n`)), { hash: '#cpu&view=table' });
	await page.locator('#search').fill('^(a+)+$');
	await page.waitForFunction(() => document.querySelector('#search-result').textContent !== '', null, { timeout: 5000 });
	holds(await page.locator('#search-result').innerText(), 'takes too long');
	await page.locator('#search').fill('^(a+b)+$');
	await page.waitForFunction(() => document.querySelector('#search-result').textContent.includes('match'), null, { timeout: 5000 });
	holds(await page.locator('#search-result').innerText(), '1 match, 50.0 %');
	await press(page, 'Escape', 'g');
	await page.locator('dialog input').first().fill('^(a|aa)+$');
	holds(await page.locator('dialog [role=status]').innerText(), 'takes too long');
	noFaults(page);
});

test('patterns with many repetitions are given up, and those with look-around are refused', async () => {
	const file = report(write('hang.folded', `main;${'a'.repeat(200)} 5\nmain;std::vec::push 5\n`));
	const page = await openPage(file, { hash: '#cpu&view=table' });
	for (const [pattern, result] of [['^(?!.*\\0)(?:\\w+)+!', 'not a regular expression'], ['(a+)+\\1!', 'not a regular expression'],
		['(.?){45}!', 'takes too long'], ['.{0,}.{0,}.{0,}.{0,}.{0,}.{0,}!', 'takes too long'], ['a?'.repeat(25) + 'b', 'takes too long'],
		['^(?:\\w+)+[^a]', 'takes too long'], ['(a|a)'.repeat(30) + '!', 'not a regular expression'], ['(a|a){40}!', 'not a regular expression'],
		['^std::.*::push', '1 match, 50.0 %'], ['^(?:std|core)::.*?(vec|x)::push', '1 match, 50.0 %']]) {
		await page.locator('#search').fill(pattern);
		await page.waitForFunction(text => document.querySelector('#search-result').textContent.includes(text), result, { timeout: 8000 })
			.catch(() => { throw new Error(`${pattern}: expected ${result}`); });
		await page.locator('#search').fill('');
		await page.waitForFunction(() => document.querySelector('#search-result').textContent === '');
	}
	for (const kind of ['pattern:', 'group:x=', 'annotate:x='])
		noFaults(await openPage(file, { hash: '#cpu&view=table&group=annotation,stack&f=' + encodeURIComponent(kind + '(.?){45}!') }));
	noFaults(page);
});

test('a comparison with filters keeps processes of both recordings by their names', async () => {
	const build = (pid, slow) => perfScript(Array.from({ length: 1000 }, (_, i) => i % 10 === 0 ? ['sh', pid, pid, 'main', 'wait']
		: ['rustc', pid + 1, pid + 1, 'main', i % 10 < slow ? 'rustc_hir_typeck::check' : 'rustc_borrowck::do_mir']));
	const older = write('older.perf', build(5, 4)), newer = write('newer.perf', build(70, 6));
	const file = report(newer, '--against', older);
	const read = async hash => {
		const page = await openPage(file, { hash });
		await page.locator('#tab-compare').click();
		await page.waitForSelector('.compare-lists');
		const [worse, better] = await page.locator('.compare-list').allInnerTexts();
		const seen = { chips: await chips(page), worse: worse.replace(/\s+/g, ' '), better: better.replace(/\s+/g, ' ') };
		noFaults(page);
		return seen;
	};
	const plain = await read('#compare');
	equal(plain.chips, []);
	holds(plain.worse, 'check');
	equal(/new|gone/.test(plain.worse + plain.better), false, plain.worse + plain.better);
	const filtered = await read('');
	equal(filtered, { ...plain, chips: ['preset: rustc'] });
	for (const number of ['pid:71', 'tid:71'])
		equal({ ...await read('#compare&f=' + number), chips: [] }, plain, number);
	equal((await read('#compare&f=pid:70')).worse.includes('check'), false);
});

const drop = (page, text) => page.evaluate(content => {
	const data = new DataTransfer();
	data.items.add(new File([content], 'own.json'));
	dispatchEvent(new DragEvent('drop', { dataTransfer: data, cancelable: true }));
}, text);

test('worse and better are sorted by the change, and each function leads to where it changed', async () => {
	const ticksOf = list => list.flatMap(([count, ...frames]) => Array(count).fill(['app', 10, 10, 'main', ...frames]));
	const after = write('changed.perf', perfScript(ticksOf([[500, 'parse'], [150, 'tie_a'], [150, 'tie_b'], [250, 'fresh'], [200, 'same'],
		[10, 'load', 'copy'], [90, 'save', 'copy'], [100, 'lighter']])));
	const before = write('unchanged.perf', perfScript(ticksOf([[300, 'parse'], [100, 'tie_a'], [100, 'tie_b'], [20, 'load', 'lost'], [200, 'same'],
		[150, 'save', 'lost'], [150, 'load', 'copy'], [80, 'save', 'copy'], [400, 'lighter']])));
	const page = await openPage(report(after, '--against', before), { hash: '#compare&view=table' });
	equal((await page.locator('.compare-list').allInnerTexts()).map(text => text.replace(/\s+/g, ' ').trim()), [
		'Worse: functions by self time +550.0 ms fresh +250.0 ms, new parse +200.0 ms, +66.7 % tie_a +50.0 ms, +50.0 % tie_b +50.0 ms, +50.0 %',
		'Better: functions by self time \u2212600.0 ms lighter \u2212300.0 ms, \u221275.0 % lost \u2212170.0 ms, gone copy \u2212130.0 ms, \u221256.5 %']);
	for (const [name, caller] of [['lost', 'save'], ['copy', 'load'], ['fresh', 'main']]) {
		await page.locator('.compare-list button', { hasText: name }).click();
		equal(await selected(page), name);
		equal(await page.locator('.details h3', { hasText: 'Call chain' }).locator('xpath=following-sibling::ol').locator('button').first()
			.getAttribute('title'), caller);
	}
	noFaults(page);
});

test('a preset of a wrong shape is refused and changes nothing', async () => {
	const page = await openPage(report(cpu), { hash: '#cpu&view=table' });
	const presets = () => page.locator('#preset option').allInnerTexts();
	const before = [await presets(), hash(page), await names(page)];
	for (const [content, why] of [['[]', 'it is not an object'], ['null', 'it is not an object'], ['{"groups":{}}', 'groups have to be a list'],
		['{"tabs":[null]}', 'tabs have to be a list'], ['{"tabs":[{"tab":"cpu","views":[null]}]}', 'tabs have to be a list'],
		['{"tabs":[{"tab":"cpu","views":[{"group":1}]}]}', 'tabs have to be a list'], ['{"title":{}}', 'have to be texts'],
		['{"annotations":[{"function":"a"}]}', 'annotations have to be a list'], ['{"groups":[{"label":"a","function":{}}]}', 'groups have to be a list'],
		[JSON.stringify({ annotations: Array.from({ length: 256 }, (_, i) => ({ label: 'l' + i })) }), 'at most 255']]) {
		await drop(page, content);
		await page.waitForFunction(text => document.querySelector('.shell-status').innerText.includes(text), 'own.json is not a preset: ')
			.catch(() => { throw new Error(content + ' was accepted'); });
		await page.waitForFunction(text => document.querySelector('.shell-status').innerText.includes(text), why, { timeout: 5000 })
			.catch(() => { throw new Error(`${content}: expected ${why}`); });
		equal([await presets(), hash(page), await names(page)], before, content);
	}
	noFaults(page);
});

test('rules of a preset that is dropped are guarded', async () => {
	const page = await openPage(report(write('dropped.folded', `main;${'a'.repeat(200)} 5\n`)), { hash: '#cpu&view=table' });
	await drop(page, JSON.stringify({ name: 'own', tabs: [{ tab: 'cpu', views: [{ group: 'annotation,stack' }] }],
		groups: [{ label: 'g', function: '(a+)+!' }], annotations: [{ label: 'x', function: '(.?){45}!' }, { label: 'y', function: '^a' }] }));
	await page.waitForFunction(() => document.querySelector('#preset').value === 'own', null, { timeout: 8000 });
	await openAll(page);
	equal((await names(page)).filter(name => /^[xy]$/.test(name)), ['y']);
	noFaults(page);
});

test('Enter right after typing goes to the first match of what was typed', async () => {
	const page = await openPage(report(cpu), { hash: '#cpu&view=table' });
	await openAll(page);
	const enter = text => page.evaluate(value => {
		const input = document.querySelector('#search');
		input.focus();
		input.value = value;
		input.dispatchEvent(new Event('input', { bubbles: true }));
		input.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true }));
	}, text);
	const chosen = async () => {
		await settle(page);
		return (await page.locator('.grid [role=row][aria-selected=true]').allInnerTexts()).join().replace(/\s+/g, ' ').trim();
	};
	await enter('small_3');
	holds(await chosen(), 'small_3');
	await enter('^small_[4]');
	holds(await chosen(), 'small_4');
	noFaults(page);
});

test('F7 folds light rows, which are one row that opens, and Shift+F7 folds less', async () => {
	const file = report(cpu);
	const page = await openPage(file, { hash: '#cpu&view=table' });
	await openAll(page);
	equal((await names(page)).filter(name => name.startsWith('small_')).length, 10);
	await press(page, 'F7', 'F7', 'F7', 'F7', 'F7');
	holds(hash(page), 'least=2');
	equal(await chips(page), ['rows below 2 % folded']);
	const seen = await names(page);
	equal(seen.filter(name => name.startsWith('small_')), []);
	equal(seen.filter(name => name.includes('more')), ['10 more, 10.0 %']);
	const again = await openPage(file, { hash: new URL(page.url()).hash });
	await openAll(again);
	equal(await names(again), seen);
	await select(page, '10 more');
	equal((await names(page)).filter(name => name.startsWith('small_')).length, 10);
	await press(page, 'Shift+F7');
	holds(hash(page), 'least=1');
	equal((await names(page)).filter(name => name.startsWith('small_')).length, 10, 'a share of exactly 1 %');
	await press(page, 'F7', 'Control+z');
	holds(hash(page), 'least=1');
	await page.locator('.shell-chip button').click();
	equal(hash(page).includes('least'), false);
	noFaults(page);
});

// The relative luminance of WCAG 2.1, and the contrast of two colours.
const luminance = ([r, g, b]) => [r, g, b].map(part => part / 255)
	.map(part => part <= .04045 ? part / 12.92 : ((part + .055) / 1.055) ** 2.4)
	.reduce((sum, part, i) => sum + part * [.2126, .7152, .0722][i], 0);
const contrast = (a, b) => {
	const [high, low] = [luminance(a), luminance(b)].sort((x, y) => y - x);
	return (high + .05) / (low + .05);
};
const channels = colour => colour.length === 4 ? [...colour.slice(1)].map(c => parseInt(c + c, 16))
	: [1, 3, 5].map(i => parseInt(colour.slice(i, i + 2), 16));

// Of the SVG that the page saves: name, fill and ink of each frame.
async function frames(page) {
	const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as SVG' }).click()]);
	const svg = fs.readFileSync(await download.path(), 'utf8');
	return [...svg.matchAll(/data-name="([^"]*)">.*?<rect [^>]*fill="([^"]*)".*?<text [^>]*fill="([^"]*)"/gs)]
		.map(([, name, fill, ink]) => ({ name, fill, ink }));
}

for (const dark of [false, true])
	test('colours of frames: what is the same has the same one, and labels can be read' + (dark ? ', dark' : ''), async () => {
		const page = await openPage(report(cpu), { hash: '#cpu&view=both&group=process,thread,stack', dark });
		const choice = page.getByLabel('Colours by');
		const fills = {};
		for (const mode of ['kind', 'module', 'crate', 'group', 'self', 'classic']) {
			await choice.selectOption(mode);
			await settle(page);
			const list = await frames(page);
			fills[mode] = Object.fromEntries(list.map(({ name, fill }) => [name, fill]));
			for (const { name, fill, ink } of list)
				if (contrast(channels(fill), channels(ink)) < 4.5)
					throw new Error(`${mode}: ${name} has ${ink} on ${fill}: ${contrast(channels(fill), channels(ink)).toFixed(2)}`);
		}
		holds(hash(page), 'colour=classic');
		const { module, crate, group, self, classic } = fills;
		equal(module.hash, module.main);
		equal(crate['rustc_mir_build::lower'], crate['rustc_mir_build::new']);
		equal(crate['rustc_mir_build::lower'] !== crate.hash, true);
		equal(group.serve, group.hash);
		equal(group.serve !== group['rustc_mir_build::new'], true);
		equal(self.main, self.serve, 'self 0');
		equal((luminance(channels(self.alloc_it)) < luminance(channels(self.main))) !== dark, true, 'more is darker, on a dark page lighter');
		equal(classic.hash !== classic.serve, true);
		// The same in another grouping, and in the table.
		const next = await openPage(report(cpu), { hash: '#cpu&view=both&colour=crate&inverted=1', dark });
		equal((await frames(next)).find(frame => frame.name === 'rustc_mir_build::lower')?.fill, crate['rustc_mir_build::lower']);
		await next.goto(next.url().replace('inverted=1', 'group=function'));
		await settle(next);
		const square = await next.locator('.grid [role=row][aria-level]', { hasText: 'alloc_it' })
			.locator('[role=gridcell] span[style*=background]').evaluate(element => element.style.background);
		equal(square, `rgb(${channels(crate.alloc_it).join(', ')})`);
		noFaults(page);
	});

test('labels can be read in every colour that a hash can give', async () => {
	const lines = Array.from({ length: 400 }, (_, i) => `main;crate_${i}::f 5`).join('\n') + '\n';
	for (const dark of [false, true]) {
		const page = await openPage(report(write('hues.folded', lines)), { hash: '#cpu&view=flame&colour=crate', dark, width: 2400 });
		for (const mode of ['crate', 'classic']) {
			await page.getByLabel('Colours by').selectOption(mode);
			await settle(page);
			const list = await frames(page);
			equal(new Set(list.map(frame => frame.fill)).size > 60, true, 'colours');
			for (const { name, fill, ink } of list)
				if (contrast(channels(fill), channels(ink)) < 4.5)
					throw new Error(`${mode}: ${name} has ${ink} on ${fill}: ${contrast(channels(fill), channels(ink)).toFixed(2)}`);
		}
		noFaults(page);
	}
});

// main calls load, which allocates 100, 300 and 200 bytes at 0, 1 and 2 s; the first is freed at 1.5 s, the second
// at 3 s. main itself has 50 bytes at 2 s.
const heap = write('heap.heaptrack', `v 10500 3
X app
s 3 app
s 4 main
s 4 load
i 401130 1 2
i 401150 1 3
t 1 0
t 2 1
a 64 2
a 12c 2
a c8 2
a 32 1
c 0
+ 0
c 3e8
+ 1
c 5dc
- 0
c 7d0
+ 2
+ 3
c bb8
- 1
c fa0
`);

test('the menu of a column sorts, hides and shows columns, which are in the link', async () => {
	const file = report(heap);
	const page = await openPage(file, { hash: '#heap&view=table', width: 2000 });
	const titles = async of => (await of.locator('.grid [role=columnheader] button[data-key]').allInnerTexts()).map(text => text.trim().replace(/ [\u25be\u25b4]$/, ''));
	const items = () => page.locator('[role=menuitem]').allInnerTexts();
	const menu = async title => {
		await page.getByRole('button', { name: 'Menu of the column ' + title, exact: true }).click();
		await settle(page);
	};
	const choose = async (title, item) => {
		await menu(title);
		await page.getByRole('menuitem', { name: item, exact: true }).click();
		await settle(page);
	};
	await menu('self');
	equal(await items(), ['Sort, largest first', 'Sort, smallest first', 'Hide self', 'Show peak size', 'Show least size',
		'Show largest size', 'Show first at', 'Show last at']);
	equal(await page.evaluate(() => document.activeElement.getAttribute('role')), 'menuitem');
	await press(page, 'Escape');
	for (const title of ['peak size', 'least size', 'largest size', 'first at', 'last at'])
		await choose('self', 'Show ' + title);
	await choose('self', 'Hide self');
	const shown = await titles(page);
	equal(shown.includes('self'), false);
	equal(['peak size', 'least size', 'largest size', 'first at', 'last at'].every(title => shown.includes(title)), true, shown);
	await openAll(page);
	const cells = async (of, name) => {
		const row = of.locator('.grid [role=row][aria-level]', { hasText: new RegExp('^\\s*' + name) }).first();
		const texts = await row.locator('[role=gridcell]').allInnerTexts();
		const heads = await titles(of);
		const at = title => texts[texts.length - heads.length + heads.indexOf(title)].trim();
		return ['peak size', 'least size', 'largest size', 'first at', 'last at'].map(at);
	};
	equal(await cells(page, 'load'), ['500 B', '100 B', '300 B', '0', '2.00 s']);
	equal(await cells(page, 'main'), ['550 B', '50 B', '300 B', '0', '2.00 s']);
	await menu('least size');
	await screenshot(page, 'features-columns');
	await press(page, 'Escape');
	await choose('least size', 'Sort, smallest first');
	holds(hash(page), 'sort=least');
	holds(hash(page), 'columns=peak,least,largest,first,last,self');
	const next = await openPage(file, { hash: new URL(page.url()).hash, width: 2000 });
	equal(await titles(next), shown);
	equal(await next.locator('[role=columnheader][aria-sort=ascending]').innerText().then(text => text.includes('least size')), true);
	await press(page, 'Control+z');
	equal((await titles(page)).includes('self'), true, 'undone');
	noFaults(page);
	noFaults(next);
});

test('what is in the file, with counts, and the command that leaves it out', async () => {
	const private_ = write('private.perf', '# ========\n# hostname : box17\n# cmdline : /usr/bin/perf record -- ./shop --password=sesame\n# ========\n#\n'
		+ perfScript([['shop', 10, 10, 'main']]).replace(/usr.bin/g, 'home/mallory'));
	const listOf = async page => {
		await page.getByRole('button', { name: 'Share', exact: true }).click();
		await page.waitForSelector('dialog li + li');
		return Object.fromEntries(await page.locator('dialog li').evaluateAll(list => list.map(item => [...item.children].map(span => span.textContent))));
	};
	const page = await openPage(report(private_));
	const plain = await listOf(page);
	equal([plain['Name of the machine'], plain['Names of users'], plain['Command lines with arguments'], plain['Paths of files'], plain['of these in home directories']],
		['1: box17', '1: mallory', '1', '1', '1']);
	holds(await page.locator('dialog').innerText(), 'wick report --redact private.perf -o page.html');
	await screenshot(page, 'features-share');
	const redacted = await openPage(report(private_, '--redact'));
	const left = await listOf(redacted);
	equal([left['Name of the machine'], left['Names of users'], left['Command lines with arguments']], ['1: host', '1: user', 'none']);
	holds(await redacted.locator('dialog').innerText(), 'This page was written with --redact');
	noFaults(page);
	noFaults(redacted);
});

test('the picture has all levels, not only those in view', async () => {
	const deep = 'main;' + Array.from({ length: 90 }, (_, i) => 'f' + i).join(';') + ' 5\n';
	const page = await openPage(report(write('deep.folded', deep)), { hash: '#cpu&view=both', height: 700 });
	const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save as PNG' }).click()]);
	const png = fs.readFileSync(await download.path());
	const high = await page.locator('canvas.flame-canvas, [class] > canvas').last().evaluate(canvas => canvas.height);
	const space = await page.evaluate(() => Math.max(...[...document.querySelectorAll('#view div')].map(box => box.scrollHeight)));
	if (png.readUInt32BE(20) < 92 * 20 || png.readUInt32BE(20) <= high || space < 92 * 20)
		throw new Error(`the picture is ${png.readUInt32BE(20)} pixels high, the canvas ${high}, all levels ${space}`);
	noFaults(page);
});

test('the heat map has an axis for its rows', async () => {
	const page = await openPage(report(cpu), { hash: '#cpu&view=heat' });
	await settle(page);
	const label = page.locator('[role=img][aria-label^="Heat map"]');
	holds(await label.getAttribute('aria-label'), 'with an axis on the right');
	// Right of the only column, in each of the five places of a label, there is ink.
	const inkedAt = left => label.locator('canvas').evaluate((canvas, x) => {
		const ratio = canvas.width / canvas.clientWidth, context = canvas.getContext('2d');
		return [0, 10, 20, 30, 40].map(row => {
			const { data } = context.getImageData(x * ratio, ((50 - row) * 8 - 10) * ratio, 50 * ratio, 12 * ratio);
			return data.some((value, i) => value !== data[i % 4]);
		});
	}, left);
	equal(await inkedAt(26), [true, true, true, true, true]);
	equal(await inkedAt(200), [false, false, false, false, false]);
	await screenshot(page, 'features-heat');
	noFaults(page);
});

test('a preset whose event was not recorded says so', async () => {
	const page = await openPage(report(cpu, '--preset', 'waits'));
	holds(await page.locator('[role=status]').allInnerTexts().then(list => list.join()), 'The preset waits is about wait, which this recording does not have.');
	await page.locator('#preset').selectOption('cpu');
	await settle(page);
	equal((await page.locator('[role=status]').allInnerTexts()).join().includes('does not have'), false);
	noFaults(page);
});

test('in a selected time, what processes used comes first', async () => {
	const file = report(cpu);
	const titles = page => page.locator('[role=columnheader]').allInnerTexts().then(list => list.map(text => text.trim()));
	const whole = await openPage(file, { hash: '#processes' });
	await whole.waitForSelector('[role=columnheader]');
	equal((await titles(whole)).indexOf('CPU in view') > 1, true);
	const part = await openPage(file, { hash: '#processes&t=0-0.5' });
	await part.waitForSelector('[role=columnheader]');
	equal((await titles(part)).slice(0, 2), ['name', 'CPU in view']);
	noFaults(part);
});

test('one button selects the time up to the most outstanding memory', async () => {
	const file = path.join(root, 'tests', 'data', 'rustc.etl');
	const page = await openPage(report(file), { hash: '#memory&view=table&measure=gone&group=process,stack' });
	await page.getByRole('button', { name: 'At the peak' }).click();
	await settle(page);
	const [, to] = /&t=0-([\d.]+)&/.exec(hash(page));
	holds(hash(page), 'measure=outstanding');
	const at = time => JSON.parse(run('show', '-q', '--json', '--by', 'commit', '--outstanding', '--time', '0-' + time, file, 'calls')).rows[0]?.total_bytes ?? 0;
	const most = at(to), sum = (await page.locator('.grid [role=row][aria-level]').evaluateAll(list =>
		list.map(row => parseFloat(row.children[2].innerText) * (/KiB/.test(row.children[2].innerText) ? 1 / 1024 : 1)))).reduce((a, b) => a + b);
	equal(Math.abs(sum - most / 2 ** 20) < .2, true, `${sum} of ${most}`);
	for (let time = .1; time < 4; time += .1)
		equal(at(time.toFixed(1)) <= most, true, 'at ' + time);
	noFaults(page);
	// Nothing is outstanding in the end: the button is where that is said.
	const ended = path.join(scratch, 'ended.data');
	run('record', '-q', '--memory', '-o', ended, '--', 'sh', '-c', 'sleep 0.4; sort /usr/share/common-licenses/* >/dev/null');
	const next = await openPage(report(ended), { hash: '#memory&measure=outstanding' });
	await next.getByRole('button', { name: 'At the peak' }).click();
	await settle(next);
	equal((await names(next)).some(name => /^(sh|sort|sleep)/.test(name)), true);
	await press(next, '2');
	const heads = (await next.locator('[role=columnheader]').allInnerTexts()).map(text => text.trim());
	equal(heads[heads.indexOf('peak memory') + 1], 'peak at');
	noFaults(next);
});

test('each of two commands can be copied', async () => {
	const shared = process.env.WICK_SHARED || path.join(root, '..', 'shared');
	const etl = path.join(shared, 'fixtures', 'etl', 'net.4.5.2.x64.etl.zip');
	if (!fs.existsSync(etl))
		throw Object.assign(new Error('WICK_SHARED does not name the folder of ' + path.basename(etl)), { skips: true });
	const page = await openPage(report(etl), { hash: '#heap' });
	await page.evaluate(() => { navigator.clipboard.writeText = async text => { globalThis.copied = text; }; });
	for (const command of ['xperf -start heap', 'wpr -start Heap']) {
		await page.getByRole('button', { name: 'Copy ' + command }).click();
		holds(await page.evaluate(() => globalThis.copied), command);
	}
	noFaults(page);
});

finish();
