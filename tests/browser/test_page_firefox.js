// The analysis page in Firefox: all that test_page.js asks of Chromium, then one walk by keys alone,
// the first picture, and the policy of the page.
//
//	WICK=build/wick node tests/browser/test_page_firefox.js
//
// Prints TAP. WICK_BROWSER=firefox runs any other test of the page in Firefox.
'use strict';
process.env.WICK_BROWSER = 'firefox';
const { equal, holds, openPage, perfScript, press, report, settle, test, write } = require('./page');

// 2 s of two processes, a sample each ms.
const record = leaf => {
	const ticks = [];
	for (let i = 0; i < 2000; i++)
		ticks.push(i % 4 ? ['app', 10, 10, '_start', 'main', 'run', 'work', leaf] : ['tool', 20, 20, '_start', 'main', 'parse']);
	return perfScript(ticks);
};
const recording = write('walk.perf', record('hash'));
const status = page => page.locator('.shell-status > :first-child').innerText();
const heading = page => page.locator('.details h2').innerText();

async function tabTo(page, selector) {
	for (let i = 0; i < 80; i++) {
		if (await page.evaluate(wanted => document.activeElement.matches(wanted), selector))
			return;
		await press(page, 'Tab');
	}
	throw new Error('Tab does not lead to ' + selector);
}

test('Firefox: by keys alone to the hottest path, a second of one process, and a comparison', async () => {
	const page = await openPage(report(recording));
	equal(await page.evaluate(() => /Firefox/.test(navigator.userAgent)), true);
	await press(page, 't');
	await tabTo(page, '[role=treegrid]');
	await press(page, 'Home', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight');
	holds(await heading(page), 'hash');
	await press(page, 'Shift+T');
	await page.keyboard.type('0.5-1.5');
	await press(page, 'Enter');
	const second = Number((await status(page)).split(' ')[0].replace(',', ''));
	if (Math.abs(second - 1000) > 1)
		throw new Error('a second has ' + second + ' samples');
	await tabTo(page, '[role=treegrid]');
	await press(page, 'Home', 'Shift+F');
	const ofOne = Number((await status(page)).split(' ')[0].replace(',', ''));
	if (Math.abs(ofOne - 750) > 1)
		throw new Error('a second of app has ' + ofOne + ' samples');
	holds(page.url(), 't=0.5-1.5');
	holds(page.url(), 'f=process:app');
	await press(page, 'Control+z', 'Control+z');
	equal((await status(page)).split(' ')[0], '2,000');
	await press(page, '9');
	await tabTo(page, 'input[type=file]');
	await page.locator('input[type=file]').setInputFiles(report(write('before.perf', record('scan'))));
	await page.waitForSelector('.compare-lists');
	const lists = await page.locator('.compare-list').allInnerTexts();
	holds(lists[0], 'hash');
	holds(lists[1], 'scan');
	equal(page.faults, [], 'faults');
});

test('Firefox: the first picture is painted, in each look of the flame graph', async () => {
	for (const hash of ['', '#cpu&view=flame', '#cpu&view=flame&inverted=1', '#tree']) {
		const page = await openPage(report(recording), { hash });
		await settle(page);
		const painted = await page.evaluate(() => [...document.querySelectorAll('canvas')].map(canvas => {
			const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
			const colours = new Set();
			for (let i = 0; i < data.length; i += 4)
				if (data[i + 3] && Math.max(data[i], data[i + 1], data[i + 2]) - Math.min(data[i], data[i + 1], data[i + 2]) > 40)
					colours.add(data[i] << 16 | data[i + 1] << 8 | data[i + 2]);
			return colours.size;
		}));
		if (!painted.length || Math.max(...painted) < 2)
			throw new Error(`${hash || 'the first screen'}: the canvases have ${painted} colours`);
		equal(page.faults, [], 'faults');
	}
});

test('Firefox: the policy lets no script, no picture and no request in', async () => {
	const page = await openPage(report(recording));
	equal(page.faults, [], 'faults');
	const refused = await page.evaluate(async () => {
		const broken = [];
		document.addEventListener('securitypolicyviolation', event => broken.push(event.effectiveDirective));
		const script = document.createElement('script');
		script.textContent = 'globalThis.intruded = 1';
		document.body.append(script);
		const image = new Image();
		image.src = 'http://127.0.0.1:9/x.png';
		document.body.append(image);
		const fetched = await fetch('http://127.0.0.1:9/').then(() => 'fetched', () => 'refused');
		await new Promise(done => setTimeout(done, 100));
		return [globalThis.intruded ?? 'not run', fetched, broken.sort()];
	});
	equal(refused, ['not run', 'refused', ['connect-src', 'img-src', 'script-src-elem']]);
});

require('./test_page');
