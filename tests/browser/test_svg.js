// The picture in a real browser: hover, zoom, search, keys, themes, hostile names.
//
//	node tests/browser/test_svg.js DRAW [SCREENSHOTS]
//
// DRAW is the program of draw.c. Needs playwright-core where NODE_PATH says and a Chromium
// (CHROMIUM names it); skipped, loudly, where one is missing. Prints TAP.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const drawProgram = process.argv[2], screenshots = process.argv[3];
const chromium = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome']
	.filter(file => fs.existsSync(file));
if (process.env.CHROMIUM)
	chromium.unshift(process.env.CHROMIUM);

let playwright = null;
try {
	playwright = require('playwright-core');
} catch (_) { /* told below */ }
if (!playwright || !chromium.length) {
	console.log('1..0 # SKIP ' + (playwright ? 'no Chromium was found; set CHROMIUM'
		: 'playwright-core is not where NODE_PATH says; npm install playwright-core'));
	process.exit(0);
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'wick-browser-'));
let page, count = 0, failed = 0, alerts = 0, faults = [];

function draw(form, stacks) {
	const file = path.join(scratch, form + '-' + count + '.svg');
	const run = spawnSync(drawProgram, [form], { input: stacks, maxBuffer: 1 << 28 });
	if (run.status !== 0)
		throw new Error('draw failed: ' + run.stderr);
	fs.writeFileSync(file, run.stdout);
	return 'file://' + file;
}

function equal(came, expected) {
	if (came !== expected)
		throw new Error('expected ' + JSON.stringify(expected) + ', came ' + JSON.stringify(came));
}

function holds(text, part) {
	if (!text.includes(part))
		throw new Error('expected ' + JSON.stringify(part) + ' in ' + JSON.stringify(text));
}

async function test(title, body) {
	count++;
	try {
		faults = [];
		await body();
		equal(faults.join(), '');
		console.log('ok ' + count + ' - ' + title);
	} catch (error) {
		failed++;
		console.log('# ' + String(error.message).replace(/\n/g, '\n# '));
		console.log('not ok ' + count + ' - ' + title);
	}
}

const STACKS = [
	'demo;main;work;core::hash::hash_one 30',
	'demo;main;work;/lib/libc.so.6!memcpy 20',
	'demo;main;work 10',
	'demo;main;read_all;vfs_read_[k] 25',
	'demo;main;alloc::vec::Vec<u8, Global>::push_[i] 5',
	'helper;start;core::hash::hash_one 9',
	'helper;start;demo+0x1234 1',
].join('\n');

// ---- what the picture shows

const shown = () => page.evaluate(() => [...document.querySelectorAll('.graph rect')].length);
const detail = () => page.evaluate(() =>
	[...document.querySelectorAll('.detail')].map(e => e.textContent));
const told = () => page.evaluate(() => document.querySelector('.tools output').textContent);
const marked = className => page.evaluate(name =>
	document.querySelectorAll('.graph rect.' + name).length, className);

// A frame's rectangle: found by hovering over what is drawn, as a person would.
async function frame(name) {
	for (const box of await page.$$('.graph rect')) {
		await box.dispatchEvent('mousemove');
		if ((await detail())[0] === name)
			return box;
	}
	throw new Error('no frame ' + name);
}

async function widthOf(name) {
	return Math.round(await (await frame(name)).getAttribute('width'));
}

async function open(form, stacks) {
	await page.goto(draw(form, stacks === undefined ? STACKS : stacks));
}

// A new window size reaches the page a frame or two later.
async function resize(width, height) {
	await page.setViewportSize({ width, height });
	await page.waitForFunction(wide =>
		document.querySelector('.graph rect').getAttribute('width') > wide - 30
		&& document.querySelector('.graph rect').getAttribute('width') < wide, width);
}

async function shoot(name) {
	if (screenshots)
		await page.screenshot({ path: path.join(screenshots, name + '.png') });
}

async function all() {
	await test('every frame is drawn and the window is filled', async () => {
		await open('svg');
		equal(await shown(), 13);
		equal(await widthOf('all'), 1200 - 2 * 12 - 1);
		await resize(800, 700);
		equal(await widthOf('all'), 800 - 2 * 12 - 1);
		await resize(1200, 700);
	});

	await test('hovering tells the full name, shares and samples', async () => {
		const box = await frame('core::hash::hash_one');
		await box.hover();
		const [name, numbers] = await detail();
		equal(name, 'core::hash::hash_one');
		holds(numbers, '30.0 % of 100.0 ms');
		holds(numbers, '30 samples');
		holds(numbers, 'self 30.0 %');
		holds(numbers, 'standard library');
		equal(await marked('at'), 1);
		await shoot('hover');
		await page.mouse.move(600, 20);
		holds((await detail())[0], 'Point at a frame');
	});

	await test('a click zooms, a click below or Backspace zooms out', async () => {
		await (await frame('work')).click();
		equal(await widthOf('work'), 1200 - 2 * 12 - 1);
		equal(await widthOf('core::hash::hash_one'), Math.round(1176 * 30 / 60) - 1);
		equal(await shown(), 6);
		equal(await marked('above'), 3);
		await shoot('zoom');
		await (await frame('core::hash::hash_one')).click();
		holds((await detail())[1], '100.0 % of the zoomed frame');
		await page.keyboard.press('Backspace');
		equal(await shown(), 6);
		await (await frame('all')).click();
		equal(await shown(), 13);
	});

	await test('search marks hits and tells the share that matches', async () => {
		await page.keyboard.press('Control+f');
		await page.keyboard.type('hash_(one|two)');
		equal(await told(), '39.0 % matches, 1 name');
		equal(await marked('hit'), 2);
		equal(await marked('dim'), 11);
		await shoot('search');
		await page.keyboard.press('Enter');
		equal((await detail())[0], 'core::hash::hash_one');
		await (await frame('work')).click();
		equal(await told(), '50.0 % of the zoomed frame, 39.0 % matches, 1 name');
	});

	await test('reset shows the whole again and forgets the search', async () => {
		await page.click('text=Reset');
		equal(await shown(), 13);
		equal(await marked('hit'), 0);
		equal(await told(), '');
	});

	await test('nested hits count once, and case matters when it is typed', async () => {
		await page.keyboard.press('/');
		await page.keyboard.type('main|work|hash');
		equal(await told(), '99.0 % matches, 3 names');
		await page.fill('.tools input', 'MAIN');
		equal(await told(), '0 % matches, 0 names');
		await page.fill('.tools input', 'vec<U8');
		equal(await told(), '0 % matches, 0 names');
		await page.fill('.tools input', 'vec<u8');
		equal(await told(), '5.0 % matches, 1 name');
		await page.fill('.tools input', '(');
		equal(await told(), 'not a regular expression');
		await page.keyboard.press('Escape');
		equal(await page.evaluate(() => document.querySelector('.tools input').value), '');
		equal(await marked('dim'), 0);
	});

	await test('keys walk, zoom and go back', async () => {
		await open('svg');
		await page.keyboard.press('ArrowUp');
		equal((await detail())[0], 'all');
		for (const name of ['demo', 'main', 'work', 'core::hash::hash_one']) {
			await page.keyboard.press('ArrowUp');
			equal((await detail())[0], name);
		}
		await page.keyboard.press('ArrowRight');
		equal((await detail())[0], 'memcpy');
		await page.keyboard.press('ArrowLeft');
		await page.keyboard.press('ArrowDown');
		equal((await detail())[0], 'work');
		await page.keyboard.press('Enter');
		equal(await shown(), 6);
		await page.keyboard.press('Escape');
		equal(await shown(), 13);
		await page.keyboard.press('Enter');
		await page.keyboard.press('Home');
		equal(await shown(), 13);
	});

	await test('Tab goes through the tools and to the graph', async () => {
		await open('svg');
		const seen = [];
		for (let i = 0; i < 3; i++) {
			await page.keyboard.press('Tab');
			seen.push(await page.evaluate(() =>
				document.activeElement.getAttribute('class') || document.activeElement.localName));
		}
		holds(seen.join(), 'graph');
		holds(seen.join(), 'input');
		holds(seen.join(), 'button');
	});

	await test('v turns it upside down', async () => {
		await open('svg');
		const above = async () => (await (await frame('all')).boundingBox()).y
			< (await (await frame('main')).boundingBox()).y;
		equal(await above(), false);
		await page.keyboard.press('v');
		equal(await above(), true);
		await open('icicle');
		equal(await above(), true);
	});

	await test('frames too narrow are said to be, and zooming shows them', async () => {
		await open('svg', 'p;main;wide 9999\np;main;gap;thin 1\np;main;gap 2');
		equal(await shown(), 4);
		holds((await detail())[1], '2 frames are too narrow');
		await open('svg', 'p;main;half 5000\np;main;other;x 4996\np;main;other;thin 4');
		equal(await shown(), 6);
		await (await frame('other')).click();
		equal(await shown(), 6);
		await open('svg', 'p;a;b;c 40000\np;a;b;d 25\np;a;b;d;thin 8');
		equal(await shown(), 6);
		await (await frame('d')).click();
		equal(await shown(), 6);
	});

	await test('long labels are cut and never wider than their frame', async () => {
		await open('svg');
		const over = await page.evaluate(() => {
			let wider = 0;
			for (const box of document.querySelectorAll('.graph rect')) {
				const label = box.nextElementSibling;
				if (label && label.localName === 'text'
					&& label.getBBox().width > box.getBBox().width)
					wider++;
			}
			return wider;
		});
		equal(over, 0);
	});

	await test('in a narrow window no line above the picture leaves it', async () => {
		const over = () => page.evaluate(wide =>
			[...document.querySelectorAll('.bar > .line, .legend, .detail')]
				.filter(e => e.getBBox().x + e.getBBox().width > wide).length, 360);
		await open('svg');
		await resize(360, 700);
		equal(await over(), 0);
		await (await frame('core::hash::hash_one')).hover();
		equal(await over(), 0);
		await shoot('narrow');
		await resize(1200, 700);
	});

	await test('light and dark follow the viewer', async () => {
		const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
		await page.emulateMedia({ colorScheme: 'light' });
		await open('svg');
		equal(await background(), 'rgb(255, 255, 255)');
		await page.emulateMedia({ colorScheme: 'dark' });
		equal(await background(), 'rgb(22, 25, 29)');
		await shoot('dark');
		await page.emulateMedia({ colorScheme: 'light' });
	});

	await test('hostile names do not run and do not break the picture', async () => {
		const names = ['</script><script>alert(1)</script>', ']]><script>alert(1)</script>',
			'"onmouseover="alert(1)', '<img src=x onerror=alert(1)>', '&lt&#60', '\u0001\u001b[31m',
			'\u202egnirts', '${alert(1)}', '__proto__', '{"a":1}'];
		await open('svg', names.map(name => 'p;' + name + ' 5').join('\n') + '\n' + names[0] + ';x 5');
		equal(await shown(), names.length + 4);
		for (const box of await page.$$('.graph rect'))
			await box.hover();
		await frame(names[0]);
		await frame('\\x01\\x1b[31m');
		await page.keyboard.press('/');
		await page.keyboard.type('script');
		equal(alerts, 0);
		equal(await page.evaluate(() => document.querySelectorAll('script').length), 2);
		equal(await page.evaluate(() => document.querySelectorAll('img, b').length), 0);
	});

	await test('nothing is asked of the network', async () => {
		const asked = [];
		page.on('request', request => asked.push(request.url()));
		await open('svg');
		equal(asked.filter(url => !url.startsWith('file://')).length, 0);
		equal(asked.length, 1);
	});

	await test('ten thousand frames deep, it still draws, walks and scrolls', async () => {
		await open('svg', 'p' + ';f'.repeat(10000) + ' 3\np;g 1');
		equal(await shown(), 10003);
		await page.keyboard.press('ArrowUp');
		await page.keyboard.press('ArrowUp');
		await page.keyboard.press('ArrowUp');
		equal((await detail())[0], 'f');
		const bottom = await page.evaluate(() => document.documentElement.getBoundingClientRect().bottom
			- window.innerHeight);
		if (bottom > 40)
			throw new Error('the root is ' + bottom + ' pixels below the window');
	});

	await test('without script the rectangles stand in the file', async () => {
		const context = await browser.newContext({ javaScriptEnabled: false });
		const still = await context.newPage();
		await still.setViewportSize({ width: 1200, height: 420 });
		await still.goto(draw('svg', STACKS));
		if (screenshots)
			await still.screenshot({ path: path.join(screenshots, 'no-script.png') });
		const text = fs.readFileSync(new URL(still.url()), 'utf8');
		equal((text.match(/<g><title>/g) || []).length, 13);
		await context.close();
	});
}

let browser;
(async () => {
	browser = await playwright.chromium.launch({
		executablePath: chromium[0],
		args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
			'--disable-background-networking', '--disable-component-update', '--disable-sync'],
	});
	page = await browser.newPage({ viewport: { width: 1200, height: 700 } });
	page.on('dialog', dialog => { alerts++; dialog.dismiss(); });
	page.on('pageerror', error => faults.push('script: ' + error.message));
	page.on('console', message => {
		if (message.type() === 'error')
			faults.push('console: ' + message.text());
	});
	try {
		await all();
	} finally {
		await browser.close();
		fs.rmSync(scratch, { recursive: true, force: true });
	}
	console.log('1..' + count);
	process.exit(failed ? 1 : 0);
})().catch(error => {
	console.log('Bail out! ' + String(error.message).split('\n')[0]);
	process.exit(1);
});
