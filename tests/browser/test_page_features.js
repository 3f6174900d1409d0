// Verbs, colours, columns and other choices of the analysis page, in a real browser.
//
//	WICK=build/wick node tests/browser/test_page_features.js
//
// Prints TAP.
'use strict';
const fs = require('fs');
const path = require('path');
const { equal, finish, holds, openPage, perfScript, press, report, run, scratch, settle, test, write } = require('./page');

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
	equal(seen.filter(name => /MIR|mir|alloc_it/.test(name)), ['MIR', 'alloc_it app']);
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
	const [download] = await Promise.all([page.waitForEvent('download'), page.locator('#preset').selectOption({ label: 'Save as ...' })]);
	const saved = path.join(scratch, download.suggestedFilename());
	await download.saveAs(saved);
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

finish();
