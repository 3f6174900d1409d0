// The picture in a real browser: hover, zoom, search, keys, switches, the address, themes,
// hostile names, and how long it all takes.
//
//	node tests/browser/test_svg.js DRAW WICK [SCREENSHOTS]
//
// DRAW is the program of draw.c, WICK the program itself. Needs playwright-core where NODE_PATH says and a Chromium
// (CHROMIUM names it); skipped, loudly, where one is missing. Prints TAP.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const [drawProgram, wickProgram, screenshots] = process.argv.slice(2);
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

// Folded stacks as `wick flame` draws them with these options.
function flame(stacks, ...options) {
	const input = path.join(scratch, 'stacks-' + count + '.folded');
	const file = path.join(scratch, 'flame-' + count + '.svg');
	fs.writeFileSync(input, stacks);
	const run = spawnSync(wickProgram, ['flame', '-q', '-o', file, ...options, input]);
	if (run.status !== 0)
		throw new Error('wick flame failed: ' + run.stderr);
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

// Stacks of that many frames, each with a name of its own, in a tree some thirty deep.
function manyFrames(many) {
	const words = ['alloc', 'visit', 'parse', 'token', 'query', 'region', 'lower', 'select'];
	const paths = ['main'], lines = [];
	let seed = 7;
	const next = below => (seed = (seed * 1103515245 + 12345) % 2147483648) % below;
	while (paths.length < many) {
		const from = Math.max(paths.length - 2000, 0);
		const up = paths[from + next(paths.length - from)];
		const name = words[next(8)] + '::' + words[next(8)] + '::' + words[next(8)] + '_' + paths.length;
		paths.push(up.split(';').length > 30 ? 'main;' + name : up + ';' + name);
		lines.push(paths[paths.length - 1] + ' ' + (1 + next(20)));
	}
	return lines.join('\n') + '\n';
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

const shown = () => page.evaluate(() => Number(document.querySelector('.graph').dataset.drawn));
// The name, and the numbers and the origin of the frame that is pointed at.
const detail = () => page.evaluate(() => {
	const words = [...document.querySelectorAll('.tip:not([hidden]) .detail')].map(e => e.textContent);
	return [words[0] || '', words.slice(1).filter(Boolean).join(' \u00b7 ')];
});
const told = () => page.evaluate(() => document.querySelector('.told').textContent);
const marked = className => page.evaluate(name =>
	document.querySelectorAll('.graph rect.' + name + ', .graph path.' + name).length, className);
const isPressed = words => page.evaluate(text => [...document.querySelectorAll('.tools button')]
	.find(button => button.textContent === text).getAttribute('aria-pressed'), words);
const address = () => page.evaluate(() => decodeURIComponent(location.hash));

// The widest frame of that name: found by pointing at what is drawn, as a person would.
async function frame(name) {
	let widest = null, width = 0;
	const pointAt = where => page.mouse.move(where.x + where.width / 2, where.y + where.height / 2);
	for (const box of await page.$$('.graph rect')) {
		const where = await box.boundingBox();
		await pointAt(where);
		if (where.width > width && (await detail())[0] === name) {
			widest = box;
			width = where.width;
		}
	}
	if (!widest)
		throw new Error('no frame ' + name);
	await pointAt(await widest.boundingBox());
	return widest;
}

const press = words => page.click('.tools button:text-is("' + words + '")');

// Names of one row, from left to right.
async function rowOf(name) {
	const y = Number(await (await frame(name)).getAttribute('y'));
	return page.evaluate(top => [...document.querySelectorAll('.graph rect')]
		.filter(box => Number(box.getAttribute('y')) === top)
		.map(box => box.nextElementSibling.textContent).join(' '), y);
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
		[...document.querySelectorAll('.graph rect')].some(box =>
			box.getAttribute('width') > wide - 30 && box.getAttribute('width') < wide), width);
}

async function shoot(name) {
	if (screenshots)
		await page.screenshot({ path: path.join(screenshots, name + '.png') });
}

async function all() {
	await test('every frame is drawn and the window is filled', async () => {
		await open('svg');
		equal(await shown(), 13);
		equal(await widthOf('all'), 1200 - 2 * 10 - 1);
		await resize(800, 700);
		equal(await widthOf('all'), 800 - 2 * 10 - 1);
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
		equal(await page.evaluate(() => document.querySelectorAll('.marks .at').length), 1);
		await shoot('hover');
		await page.mouse.move(600, 20);
		equal((await detail())[0], '');
	});

	await test('details are near the pointer and inside the window', async () => {
		for (const [x, y] of [[15, 690], [1185, 690], [600, 600], [1185, 560]]) {
			await page.mouse.move(x, y);
			const where = await page.evaluate(() => {
				const tip = document.querySelector('.tip');
				return tip.hidden ? null : tip.getBoundingClientRect().toJSON();
			});
			if (!where)
				continue;
			if (where.left < 0 || where.top < 0 || where.right > 1200 || where.bottom > 700)
				throw new Error('outside: ' + JSON.stringify(where));
			const far = Math.max(where.left - x, x - where.right, where.top - y, y - where.bottom);
			if (far > 20)
				throw new Error(far + ' pixels from the pointer');
		}
		await (await frame('work')).hover();
		await page.keyboard.press('ArrowDown');
		const [tip, box] = await page.evaluate(() => ['.tip', '.marks .at'].map(name =>
			document.querySelector(name).getBoundingClientRect().toJSON()));
		equal(Math.min(Math.abs(tip.top - box.bottom), Math.abs(tip.bottom - box.top)) < 20, true);
		equal(tip.left - box.left < 20, true);
	});

	await test('a long name is told whole', async () => {
		const whole = 'std::map<' + 'std::vector<int, std::allocator<int>>, '.repeat(9) + 'end>::run(int)';
		await open('svg', 'p;main;' + whole + ' 5\np;short 5');
		await frame(whole);
		await shoot('long-name');
		await resize(420, 700);
		await frame(whole);
		const where = await page.evaluate(() =>
			document.querySelector('.tip').getBoundingClientRect().toJSON());
		equal(where.left >= 0 && where.right <= 420, true);
		await shoot('long-name-narrow');
		await resize(1200, 700);
		await page.mouse.move(600, 5);
		equal((await detail())[0], '');
		await open('svg');
	});

	await test('a click zooms, a click below or Backspace zooms out', async () => {
		await (await frame('work')).click();
		equal(await widthOf('work'), 1200 - 2 * 10 - 1);
		equal(await widthOf('core::hash::hash_one'), Math.round(1180 * 30 / 60) - 1);
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
		equal(await told(), '50.0 % of the zoomed frame, 39.0 % of all; 1 name');
	});

	await test('reset shows the whole again and forgets the search', async () => {
		await press('Reset');
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
		for (let i = 0; i < 12; i++) {
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
		equal(await page.evaluate(() => document.querySelector('.notes .narrow').textContent),
			'2 frames are too narrow to draw at this zoom.');
		await open('svg', 'p;main;half 5000\np;main;other;x 4996\np;main;other;thin 4');
		equal(await shown(), 6);
		await (await frame('other')).click();
		equal(await shown(), 6);
		await open('svg', 'p;a;b;c 40000\np;a;b;d 25\np;a;b;d;thin 8');
		equal(await shown(), 6);
		await page.goto(page.url() + '#zoom=p;a;b;d');
		equal(await shown(), 6);
		equal(await widthOf('thin'), Math.round(1180 * 8 / 33) - 1);
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

	await test('in a narrow window nothing above the picture leaves it', async () => {
		const over = () => page.evaluate(wide =>
			[...document.querySelectorAll('.bar .title, .legend, .tools button, .tools input, .tip')]
				.filter(e => e.getBoundingClientRect().right > wide).length, 360);
		await open('svg');
		await resize(360, 700);
		equal(await over(), 0);
		await (await frame('core::hash::hash_one')).hover();
		equal(await over(), 0);
		await shoot('narrow');
		const [title, field, legend] = await page.evaluate(() => ['.title tspan', '.tools input', '.legend']
			.map(name => document.querySelector(name).getBoundingClientRect().toJSON()));
		equal(title.right < field.left && title.width > 60, true);
		equal(field.bottom <= legend.top + 4, true);
		holds(await page.evaluate(() => document.querySelector('.legend').textContent), 'your program');
		await page.keyboard.press('?');
		equal(await page.evaluate(() => [...document.querySelectorAll('.help button')]
			.map(button => button.textContent).join()), 'Aa,Icicle,Reversed,A\u2013Z,Reset');
		await page.click('.help button:text-is("Reversed")');
		equal(await page.evaluate(() => location.hash), '#reverse=1');
		await resize(1200, 700);
		equal(await page.evaluate(() => document.querySelectorAll('.help button').length), 0);
	});

	await test('in a low and narrow window the code of the program is visible first', async () => {
		const seen = name => page.evaluate(([wanted]) => {
			const label = [...document.querySelectorAll('.frames text')]
				.find(e => e.textContent.startsWith(wanted));
			const where = label && label.getBoundingClientRect();
			const end = document.querySelector('.cover').getBoundingClientRect().bottom;
			return Boolean(where && where.top >= end - 2 && where.bottom <= window.innerHeight);
		}, [name]);
		const deep = 'p' + ';/lib/libc.so.6!glue'.repeat(15) + ';main;work;a 60\n'
			+ 'p' + ';/lib/libc.so.6!glue'.repeat(15) + ';main;work;b 40';
		await page.setViewportSize({ width: 420, height: 220 });
		for (const form of ['svg', 'icicle']) {
			await open(form, deep);
			equal(await seen('main'), true);
			equal(await seen('work'), true);
		}
		await shoot('low-narrow');
		await page.setViewportSize({ width: 1200, height: 700 });
		await open('svg');
		await resize(1200, 700);
	});

	await test('the legend names own and total, starts with the program, and highlights', async () => {
		const legend = () => page.evaluate(() => document.querySelector('.legend').textContent);
		const order = 'p;main;/lib/libc.so.6!write;vfs_write_[k] 96\np;main 4';
		await open('svg', order);
		holds(await legend(), 'your program 4.0 % self / 100.0 % total');
		holds(await legend(), 'kernel 96.0 % / 96.0 %');
		await page.click('.legend .key:nth-child(2)');
		equal(await marked('dim'), 4);
		await shoot('highlighted');
		await page.keyboard.press('Escape');
		equal(await marked('dim'), 0);
		await page.focus('.legend .key');
		await page.keyboard.press('Enter');
		equal(await marked('dim'), 4);
		await press('Reset');
		equal(await marked('dim'), 0);
	});

	await test('a narrow window shows the whole legend, and a click moves no entry', async () => {
		const kinds = 'p;main 9\np;main;/lib/libc.so.6!write 8\np;main;vfs_write_[k] 7\n'
			+ 'p;main;core::hash::hash_one 6\np;main;app+0x1234 5';
		const entries = () => page.evaluate(() => [...document.querySelectorAll('.legend .key')]
			.map(key => key.getBoundingClientRect().toJSON()));
		await open('svg', kinds);
		await resize(420, 700);
		const before = await entries(), seen = new Set();
		equal(before.length, 5);
		for (let i = 0; i < before.length; i++) {
			equal(before[i].width > 50 && before[i].right <= 420, true);
			await page.click('.legend .key:nth-child(' + (i + 1) + ')');
			equal(await page.evaluate(() => document.querySelector('.legend .on').textContent),
				await page.evaluate(k => document.querySelectorAll('.legend .key')[k].textContent, i));
			equal(JSON.stringify(await entries()), JSON.stringify(before));
			seen.add(before[i].top);
		}
		equal(seen.size > 1, true);
		await shoot('legend-narrow');
		const cover = await page.evaluate(() =>
			document.querySelector('.cover').getBoundingClientRect().bottom);
		equal(before[4].bottom < cover, true);
		await resize(420, 330); // some of the frames have to be seen as well
		equal((await entries()).filter(entry => entry.width).length, 5);
		await resize(1200, 700);
		equal(new Set((await entries()).map(entry => entry.top)).size, 1);
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
		equal(await page.evaluate(() => document.querySelectorAll('script').length), 4); // names, labels, data, script
		equal(await page.evaluate(() => document.querySelectorAll('img, b').length), 0);
	});

	await test('nothing is asked of the network', async () => {
		const asked = [];
		page.on('request', request => asked.push(request.url()));
		await open('svg');
		equal(asked.filter(url => !url.startsWith('file://')).length, 0);
		equal(asked.length, 1);
	});

	await test('in a low window the root and the title are in sight from the begin', async () => {
		await resize(1200, 300);
		await open('svg', 'p' + ';f'.repeat(100) + ' 3\np;g 1');
		const [bar, root] = await page.evaluate(() => [
			document.querySelector('.bar').getBoundingClientRect().top,
			Math.max(...[...document.querySelectorAll('.graph rect')]
				.map(box => box.getBoundingClientRect().bottom)),
		]);
		equal(Math.round(bar), 0);
		if (root < 250 || root > 300)
			throw new Error('the root ends at ' + root + ' of 300 pixels');
		await shoot('low');
		await resize(1200, 700);
	});

	await test('a frame that is zoomed to stays in sight where that makes the picture higher', async () => {
		await resize(1200, 300);
		await open('svg', 'p' + ';g'.repeat(30) + ' 6000\nq;a 99\nq' + ';f'.repeat(100) + ' 1');
		const bottomOf = async () => (await page.evaluate(() => [
			Math.max(...[...document.querySelectorAll('.graph rect')]
				.map(box => box.getBoundingClientRect().bottom)),
			document.documentElement.getBoundingClientRect().height,
		])).map(Math.round);
		const before = await bottomOf();
		await (await frame('q')).click();
		const zoomed = await bottomOf();
		if (zoomed[1] <= before[1] + 1000)
			throw new Error('the picture is no higher than before: ' + zoomed[1]);
		equal(zoomed[0], before[0]);
		await press('Reset');
		equal((await bottomOf())[0], before[0]);
		await resize(1200, 700);
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

	await test('the icicle, reversed and sorted switches say how they stand', async () => {
		await open('svg');
		equal(await isPressed('Reversed'), 'false');
		await press('Reversed');
		equal(await isPressed('Reversed'), 'true');
		equal(await rowOf('memcpy'), 'core::hash::hash_one vfs_read memcpy work …push …sh::hash_one');
		await frame('core::hash::hash_one');
		holds((await detail())[1], '30.0 % of 100.0 ms');
		await (await frame('memcpy')).click();
		equal(await shown(), 5);
		await frame('main');
		holds((await detail())[1], '20.0 % of 100.0 ms');
		await shoot('reversed');
		await press('Reversed');
		equal(await address(), '#zoom=demo;main;work;memcpy');
		await press('Reset');
		equal(await isPressed('Icicle'), 'false');
		await press('Icicle');
		equal(await isPressed('Icicle'), 'true');
	});

	await test('names sort where weights did', async () => {
		await open('svg', 'p;main;b 50\np;main;c 30\np;main;a 20');
		equal(await rowOf('a'), 'b c a');
		await page.keyboard.press('s');
		equal(await rowOf('a'), 'a b c');
		equal(await isPressed('A\u2013Z'), 'true');
		await page.keyboard.press('r');
		equal(await rowOf('a'), 'a b c');
		await page.keyboard.press('s');
		equal(await rowOf('a'), 'b c a');
	});

	await test('the case of letters counts when that is asked for', async () => {
		await open('svg', 'p;Main;x 50\np;main;y 50');
		await page.keyboard.press('/');
		await page.keyboard.type('main');
		equal(await told(), '100.0 % matches, 2 names');
		await press('Aa');
		equal(await told(), '50.0 % matches, 1 name');
		equal(await isPressed('Aa'), 'true');
		await page.fill('.tools input', 'MAIN');
		await press('Aa');
		equal(await told(), '100.0 % matches, 2 names');
	});

	await test('the address holds what is seen, and brings it back', async () => {
		const url = draw('svg', STACKS);
		await page.goto(url);
		await (await frame('work')).click();
		equal(await address(), '#zoom=demo;main;work');
		await page.keyboard.press('/');
		await page.keyboard.type('hash');
		await page.keyboard.press('Enter');
		equal(await address(), '#zoom=demo;main;work&search=hash');
		await press('Icicle');
		await press('A\u2013Z');
		equal(await address(), '#zoom=demo;main;work&search=hash&icicle=1&sort=name');
		const there = await page.evaluate(() => location.href);
		await page.goto('about:blank');
		await page.goto(there);
		equal(await shown(), 6);
		equal(await told(), '50.0 % of the zoomed frame, 39.0 % of all; 1 name');
		equal(await isPressed('Icicle'), 'true');
		await page.goto('about:blank');
		await page.goto(url + '#reverse=1&zoom=demo;memcpy');
		equal(await isPressed('Reversed'), 'true');
		equal(await widthOf('memcpy'), 1200 - 2 * 10 - 1);
		equal(await widthOf('work'), 1200 - 2 * 10 - 1);
	});

	await test('the browser\'s own back and forward walk through the zooms', async () => {
		await open('svg');
		await (await frame('main')).click();
		await (await frame('work')).click();
		equal(await shown(), 6);
		await page.goBack();
		equal(await widthOf('main'), 1200 - 2 * 10 - 1);
		await page.goBack();
		equal(await shown(), 13);
		await page.goForward();
		await page.goForward();
		equal(await widthOf('work'), 1200 - 2 * 10 - 1);
	});

	await test('an address that says nonsense shows the whole', async () => {
		for (const hash of ['zoom=no;such', 'frame=99999', 'frame=-1', 'zoom=%', 'search=%28',
			'__proto__=1', 'x', 'sort=constructor']) {
			await page.goto('about:blank');
			await page.goto(draw('svg', STACKS) + '#' + hash);
			equal(await shown(), 13);
		}
	});

	await test('shift-click and the Back button undo a zoom', async () => {
		await open('svg');
		await (await frame('work')).click();
		await (await frame('memcpy')).click();
		equal(await shown(), 5);
		await (await frame('memcpy')).click({ modifiers: ['Shift'] });
		equal(await shown(), 6);
		await press('Back');
		equal(await shown(), 13);
		equal(await page.isDisabled('.tools button:text-is("Back")'), true);
	});

	await test('what the keyboard points at is said aloud, what the mouse points at is not', async () => {
		const heard = () => page.evaluate(() => document.querySelector('.heard').textContent);
		await open('svg');
		await frame('work');
		equal(await heard(), '');
		await page.mouse.move(600, 20);
		await page.keyboard.press('ArrowUp');
		holds(await heard(), 'all, 100.0 % of 100.0 ms');
		equal(await page.evaluate(() => document.querySelector('.graph').getAttribute('role')),
			'application');
		equal(await page.evaluate(() => [...document.querySelectorAll('.tools button')]
			.every(button => button.title && button.textContent)), true);
	});

	await test('words, counts and a background that were asked for', async () => {
		await page.goto(flame('a;b 10\na;c 30', '--title', 'T', '--subtitle', 'S', '--notes', 'N<',
			'--count-name', 'bytes', '--factor', '1000', '--name-type', 'Function:',
			'--background', 'blue', '--frame-height', '30', '--font-size', '15',
			'--total', '80', '--palette', 'java', '--search-colour', '#00ff00'));
		equal(await page.evaluate(() => document.querySelector('.title').textContent), 'T');
		equal(await page.evaluate(() => document.querySelector('.notes').lastElementChild.textContent), 'N<');
		await frame('Function: c');
		holds((await detail())[1], '37.5 % of 80,000 bytes');
		equal(await widthOf('Function: c'), Math.round(1180 * 30 / 80) - 1);
		equal(await page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor),
			'rgb(224, 224, 255)');
		await page.fill('.tools input', 'c');
		equal(await page.evaluate(() => getComputedStyle(document.querySelector('.hit')).fill),
			'rgb(0, 255, 0)');
		await shoot('asked');
	});

	await test('links of functions are followed, and never run script', async () => {
		const file = path.join(scratch, 'attributes.txt');
		fs.writeFileSync(file, 'b\thref=https://example.org/b\ttitle=about b\ttarget=_top\n'
			+ 'c\thref=javascript:alert(1)\tonclick=alert(2)\tstyle=x\nd\thref=java\nscript:x\n');
		const url = flame('a;b 10\na;c 30\na;d 9', '--nameattr', file);
		await page.goto(url);
		equal(await page.evaluate(() => [...document.querySelectorAll('.graph a')]
			.map(a => a.getAttribute('href')).join()), 'https://example.org/b,java');
		await frame('b');
		holds((await detail())[1], 'about b');
		equal(/javascript:|onclick/.test(fs.readFileSync(new URL(url), 'utf8')), false);
		await (await frame('b')).click({ modifiers: ['Control'] });
		equal(await widthOf('b'), 1200 - 2 * 10 - 1);
	});

	await test('functions may have the classes that the picture has itself', async () => {
		const file = path.join(scratch, 'classes.txt');
		fs.writeFileSync(file, ['bar', 'page', 'graph', 'notes', 'detail', 'cover', 'legend']
			.map(name => name + '\tclass=' + name + '\n').join(''));
		await page.goto(flame('page;bar;graph;notes;detail 10\npage;cover;legend 30',
			'--nameattr', file, '--notes', 'N'));
		await frame('bar');
		holds((await detail())[1], '25.0 %');
		await (await frame('bar')).click();
		equal(await widthOf('bar'), 1200 - 2 * 10 - 1);
	});

	await test('a flame chart keeps its order and offers no other', async () => {
		await page.goto(flame('a;x 10\na;y 30\na;x 10', '--flamechart'));
		equal(await rowOf('y'), 'x y x');
		equal(await page.evaluate(() => [...document.querySelectorAll('.tools button')]
			.map(button => button.textContent).join()), 'Aa,Icicle,Back,Reset,?');
		await page.keyboard.press('r');
		await page.keyboard.press('s');
		equal(await rowOf('y'), 'x y x');
	});

	// A thread that alternates and pauses, and another one: the text of `perf script`.
	function chartOf(...options) {
		const lines = [];
		for (let i = 0; i < 200; i++) {
			const time = 5000000 + i * 1000 + (i >= 100 ? 300000 : 0);
			const sample = (tid, leaf) => lines.push('app ' + tid + ' ' + Math.floor(time / 1e6) + '.'
				+ String(time % 1e6).padStart(6, '0') + ': 1000000 cpu-clock: ', '\t55551 ' + leaf
				+ ' (/bin/app)', '\t55552 main (/bin/app)', '');
			sample(11, i % 20 < 10 ? 'alpha' : 'beta');
			if (i % 2)
				sample(12, 'gamma');
		}
		const input = path.join(scratch, 'chart-' + count + '.txt');
		const file = path.join(scratch, 'chart-' + count + '.svg');
		fs.writeFileSync(input, lines.join('\n'));
		const run = spawnSync(wickProgram, ['flame', '-q', '--flamechart', '-o', file, ...options, input]);
		if (run.status !== 0)
			throw new Error('wick flame failed: ' + run.stderr);
		return 'file://' + file;
	}

	// The frames in the row of one, from left to right: their starts and widths.
	async function boxesNextTo(name) {
		const y = Number(await (await frame(name)).getAttribute('y'));
		return page.evaluate(top => [...document.querySelectorAll('.frames rect')]
			.filter(box => Number(box.getAttribute('y')) === top)
			.map(box => [Number(box.getAttribute('x')), Number(box.getAttribute('width')) + 1]), y);
	}

	const hasLabel = name => page.evaluate(wanted => [...document.querySelectorAll('.frames text')]
		.some(e => e.textContent === wanted), name);

	await test('a chart has an axis, a lane for each thread, and gaps', async () => {
		await page.goto(chartOf());
		const scale = 1180 / 500e6; // the last sample lasts to 500 ms
		const leaves = await boxesNextTo('alpha'), mains = await boxesNextTo('main');
		equal(leaves.length, 20);
		equal(mains.length, 2);
		leaves.forEach(([x, width], i) => {
			const begin = (10 * i + (i >= 10 ? 300 : 0)) * 1e6;
			equal(Math.abs(x - 10 - begin * scale) < 0.1, true);
			equal(Math.abs(width - 10e6 * scale) < 0.1, true);
		});
		equal(Math.abs(mains[0][0] + mains[0][1] - (10 + 100e6 * scale)) < 0.1, true);
		equal(Math.abs(mains[1][0] - (10 + 400e6 * scale)) < 0.1, true);
		equal(await page.evaluate(() => [...document.querySelectorAll('.bar .axis text')]
			.map(e => e.textContent).join()), '0.00 s,0.05 s,0.10 s,0.15 s,0.20 s,0.25 s,0.30 s,0.35 s,0.40 s,0.45 s');
		equal(await hasLabel('app (11)'), true);
		equal(await hasLabel('app (12)'), true);
		await shoot('chart');
		const top = async name => Number(await (await frame(name)).getAttribute('y'));
		const tops = [await top('app (11)'), await top('main'), await top('alpha'), await top('app (12)')];
		equal(tops.join(), tops.slice().sort((a, b) => a - b).join());
		await frame('app (11)');
		holds((await detail())[1], '200 samples');
		await page.mouse.move(1180 * 0.45 + 10, 690);
		equal((await detail())[0] === 'main', false);
	});

	await test('a chart that is higher than the window begins with its first lane', async () => {
		const size = page.viewportSize();
		await page.setViewportSize({ width: 1200, height: 140 });
		await page.goto(chartOf());
		equal(await page.evaluate(() => document.documentElement.scrollHeight > window.innerHeight), true);
		equal(await page.evaluate(() => window.scrollY), 0);
		equal(await hasLabel('app (11)'), true);
		await page.setViewportSize(size);
	});

	await test('a chart begins with its first lane, and a lane lasts as long as its thread', async () => {
		await page.setViewportSize({ width: 1200, height: 160 });
		await page.goto(chartOf());
		equal(await page.evaluate(() => document.documentElement.scrollHeight > window.innerHeight), true);
		equal(await page.evaluate(() => window.scrollY), 0);
		const top = name => page.evaluate(wanted => [...document.querySelectorAll('.frames text')]
			.find(e => e.textContent === wanted).getBoundingClientRect().top, name);
		const axis = await page.evaluate(() => document.querySelector('.bar .axis text')
			.getBoundingClientRect().bottom);
		equal(await top('app (11)') >= axis - 4 && await top('app (11)') < 120, true);
		equal(await top('main') > await top('app (11)'), true);
		equal(await top('app (12)') > await top('main'), true);
		await page.setViewportSize({ width: 1200, height: 700 });
		const lines = [];
		for (const [tid, from, to] of [[1, 0, 1000], [2, 300, 600], [3, 990, 995]])
			for (let i = from; i < to; i++)
				lines.push('app ' + tid + ' 5.' + String(i * 1000).padStart(6, '0')
					+ ': 1000000 cpu-clock: ', '\t55551 f (/bin/app)', '');
		const input = path.join(scratch, 'lives.txt'), file = path.join(scratch, 'lives.svg');
		fs.writeFileSync(input, lines.join('\n'));
		equal(spawnSync(wickProgram, ['flame', '-q', '--flamechart', '-o', file, input]).status, 0);
		const still = fs.readFileSync(file, 'utf8');
		const widths = [...still.matchAll(/class="c\d+" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"/g)]
			.map(found => found.slice(1).map(Math.round).join('+'));
		await page.goto('file://' + file);
		const lanes = await page.evaluate(() => [...document.querySelectorAll('.frames text')]
			.filter(e => e.textContent.startsWith('app ('))
			.map(e => [e.previousElementSibling, e].map(box => box.getBoundingClientRect().toJSON())));
		equal(lanes.map(([box]) => Math.round(box.left) + '+' + Math.round(box.width)).join(),
			'10+1179,364+353,1178+5');
		for (const [box] of lanes)
			equal(widths.includes(Math.round(box.left) + '+' + Math.round(box.width)), true);
		equal(lanes[2][1].right <= 1190 && lanes[2][1].width > 40, true);
		await shoot('chart-lives');
	});

	await test('a stretch of time is chosen by dragging, and copied as an option', async () => {
		await page.goto(chartOf());
		const axis = () => page.evaluate(() => [...document.querySelectorAll('.bar .axis text')]
			.map(e => parseFloat(e.textContent)));
		const y = await page.evaluate(() => document.querySelector('.bar .axis text')
			.getBoundingClientRect().top);
		const drag = async (from, to) => {
			await page.mouse.move(10 + 1180 * from / 500, y);
			await page.mouse.down();
			await page.mouse.move(10 + 1180 * (from + to) / 1000, y + 3);
			equal(await page.evaluate(() => document.querySelectorAll('.brush').length), 1);
			holds(await told(), ' s to ');
			await page.mouse.move(10 + 1180 * to / 500, y + 3);
			await page.mouse.up();
		};
		await drag(400, 450);
		holds(await address(), '#time=0.4');
		equal((await axis()).every(second => second >= 0.4 && second <= 0.4501), true);
		await page.keyboard.press('t');
		const option = /--time ([\d.]+-[\d.]+)$/.exec(await told());
		equal(Boolean(option), true);
		await shoot('chart-zoomed');
		const there = await page.evaluate(() => location.href);
		await press('Back');
		equal((await axis())[0], 0);
		await page.goto('about:blank');
		await page.goto(there);
		equal((await axis())[0] >= 0.4, true);
		await page.keyboard.press('Escape');
		equal((await axis())[0], 0);
		await page.goto(chartOf('--time', option[1]));
		equal((await axis()).every(second => second >= 0.39 && second <= 0.46), true);
	});

	await test('a click in a chart zooms to its time, and other threads stay', async () => {
		await page.goto(chartOf());
		await (await frame('alpha')).click();
		equal((await boxesNextTo('alpha')).map(([, width]) => Math.round(width)).join(), '1180');
		equal(await hasLabel('app (12)'), true);
		equal(await hasLabel('gamma'), true);
		await page.keyboard.press('Backspace');
		equal((await boxesNextTo('alpha')).length, 20);
		equal(await address(), '');
	});

	await test('calls that are too narrow share a box, and their time is covered', async () => {
		const lines = [];
		for (let i = 0; i < 20000; i++)
			lines.push('app 11 ' + (5 + i / 1000).toFixed(6) + ': 1000000 cpu-clock: ',
				'\t55551 ' + (i % 2 ? 'alpha' : 'beta') + ' (/bin/app)', '\t55552 main (/bin/app)', '');
		const input = path.join(scratch, 'narrow.txt'), file = path.join(scratch, 'narrow.svg');
		fs.writeFileSync(input, lines.join('\n'));
		equal(spawnSync(wickProgram, ['flame', '-q', '--flamechart', '-o', file, input]).status, 0);
		await page.goto('file://' + file);
		const covered = await page.evaluate(() => [...document.querySelectorAll('.frames path')]
			.flatMap(e => e.getAttribute('d').match(/h[\d.]+/g)).reduce((sum, h) => sum + Number(h.slice(1)), 0));
		equal(covered > 1180 * 0.55 && covered < 1185, true);
	});

	await test('frames of a comparison are as wide as before, after or the larger', async () => {
		const inputs = ['main;a 60\nmain;gone 40\n', 'main;a 120\nmain;new 30\n'].map((text, i) => {
			const file = path.join(scratch, 'side' + i + '.folded');
			fs.writeFileSync(file, text);
			return file;
		});
		const file = path.join(scratch, 'sides.svg');
		const run = spawnSync(wickProgram, ['diff', '-q', '-o', file, ...inputs]);
		equal(run.status, 0);
		await page.goto('file://' + file);
		const legend = await page.evaluate(() => document.querySelector('.legend').textContent);
		for (const words of ['100 samples \u2192 150 samples (+50.0 %)', 'grew +60.0 %', 'new +30.0 %',
			'gone \u221240.0 %', 'shrank 0 %'])
			holds(legend, words);
		equal(await rowOf('a'), 'a new');
		await shoot('comparison');
		await press('Width: after');
		equal(await rowOf('a'), 'a gone');
		equal(await widthOf('gone'), Math.round(1180 * 0.4) - 1);
		equal(await address(), '#width=before');
		await press('Width: before');
		equal((await rowOf('a')).split(' ').sort().join(), 'a,gone,new');
		equal(await widthOf('a'), Math.round(1180 * 120 / 190) - 1);
		await shoot('comparison-larger');
		const there = await page.evaluate(() => location.href);
		await page.goto('about:blank');
		await page.goto(there);
		equal(await widthOf('gone'), Math.round(1180 * 40 / 190) - 1);
		await page.keyboard.press('w');
		equal(await widthOf('a'), Math.round(1180 * 120 / 150) - 1);
	});

	await test('the title and the tab name the program', async () => {
		await page.goto(flame('app;main;a 5'));
		equal(await page.title(), await page.evaluate(() => document.querySelector('.title tspan').textContent));
		holds(await page.title(), ': flame graph');
	});

	await test('in a chart a call begins when it was made', async () => {
		await page.goto(flame('a;b 1\na 2\na;b 1', '--flamechart', '--no-process'));
		const starts = await page.evaluate(() => {
			const rects = [...document.querySelectorAll('.frames rect')]
				.map(rect => [+rect.getAttribute('x'), +rect.getAttribute('width')]);
			return rects.map(([x]) => ((x - rects[0][0]) / rects[0][1]).toFixed(2)).join();
		});
		equal(starts, '0.00,0.00,0.00,0.75');
	});

	await test('frames beyond the limit stand in counted boxes, and the picture says so', async () => {
		let stacks = 'a;b;c 1000\n';
		for (let i = 0; i < 400; i++)
			stacks += 'a;z;thin' + i + ' ' + (i < 3 ? 50 : 1) + '\n';
		await page.goto(flame(stacks, '--most-frames', '12'));
		const words = await page.evaluate(() => [...document.querySelectorAll('.notes text')]
			.map(line => line.textContent).join('\n'));
		const said = /The lightest (\d+) frames are merged into hatched boxes .*\((\d+\.\d) % of the whole\)/.exec(words);
		if (!said)
			throw new Error('nothing is said in ' + words);
		await frame(said[1] + ' small frames');
		holds((await detail())[1], said[2] + ' % of 1,547 samples');
		await shoot('counted');
		await page.keyboard.press('r');
		await frame(said[1] + ' small frames');
	});

	await test('the first Escape leaves the search and keeps the zoom', async () => {
		await open('svg');
		await (await frame('work')).click();
		for (const [key, words] of [['/', ''], ['Control+f', 'hash'], ['/', '']]) {
			await page.keyboard.press(key);
			await page.keyboard.type(words);
			await page.keyboard.press('Escape');
			equal(await address(), '#zoom=demo;main;work');
			equal(await page.evaluate(() => document.querySelector('.tools input').value), '');
			equal(await shown(), 6);
		}
		await page.keyboard.press('Escape');
		equal(await shown(), 13);
	});

	await test('a turn keeps the zoom where the function begins a stack, and says where not', async () => {
		await open('svg');
		await (await frame('work')).click();
		await page.mouse.move(600, 20);
		await page.keyboard.press('r');
		equal(await address(), '#reverse=1&zoom=demo;work');
		await page.keyboard.press('r');
		equal(await address(), '#zoom=demo;main;work');
		await page.keyboard.press('Home');
		await (await frame('main')).click();
		await page.mouse.move(600, 20);
		await page.keyboard.press('r');
		equal(await address(), '#reverse=1');
		holds(await told(), 'main has no time of its own');
		await page.keyboard.press('r');
		equal(await address(), '#zoom=demo;main');
		equal(await told(), '');
		await open('svg', 'p;a;x;f 5\np;b;f 3');
		await page.goto(page.url() + '#reverse=1&zoom=p;f');
		await page.keyboard.press('r');
		equal(await address(), '#zoom=p;a;x;f');
		holds(await told(), 'f occurs in 2 places');
	});

	await test('a key shows all inlined functions', async () => {
		await page.goto(flame('demo;main;app::run;core::ptr::read<u8>_[i] 3\n'
			+ 'demo;main;app::run;alloc::vec::Vec<T>::push_[i];core::ptr::write_[i] 2\n'));
		equal(await shown(), 5);
		await page.keyboard.press('i');
		equal(await shown(), 7);
		equal(await isPressed('Inlined'), 'true');
		equal(await address(), '#inline=1');
		await frame('core::ptr::read<u8>');
		await page.reload();
		equal(await shown(), 7);
		await page.keyboard.press('i');
		equal(await shown(), 5);
		equal(await address(), '');
		await page.goto(flame('demo;main;work 3\n'));
		equal((await page.$$('.tools button:text-is("Inlined")')).length, 0);
	});

	await test('keys show who calls a function and what it calls, from all places', async () => {
		await page.goto(flame('demo;main;a;hash;mix 3\ndemo;main;b;hash 2\ndemo;main;b;c 4\n'));
		await frame('hash');
		await page.keyboard.press('b');
		equal(await shown(), 8); // all, hash, then a and b, each with main and demo
		equal(await address(), '#callers=hash');
		holds(await told(), 'Callers of hash: 55.6 % of the whole');
		holds((await (await frame('hash'), detail()))[1], '5 samples');
		await frame('b');
		await page.keyboard.press('d');
		equal(await address(), '#callees=b');
		await page.keyboard.press('Escape');
		equal(await address(), '');
		await frame('hash');
		await page.keyboard.press('d');
		equal(await shown(), 3);
		holds(await told(), 'Calls of hash: 55.6 % of the whole');
		await page.keyboard.press('r');
		equal(await shown(), 4); // mix below hash, and hash alone
		await page.reload();
		equal(await address(), '#callees=hash&reverse=1');
		equal(await shown(), 4);
		await page.keyboard.press('Escape');
		equal(await address(), '#reverse=1');
	});

	await test('a recursion is one frame for the keys b and d', async () => {
		await page.goto(flame('demo;main;rec;rec;rec;leaf 3\ndemo;main;rec;rec;leaf 2\ndemo;main;even;odd;even 1\n'));
		await frame('leaf');
		await page.keyboard.press('b');
		equal(await shown(), 5); // all, leaf, rec, main, demo
		await page.keyboard.press('Escape');
		await frame('rec');
		await page.keyboard.press('d');
		equal(await shown(), 3); // all, rec, leaf
		await page.keyboard.press('Escape');
		await frame('even');
		await page.keyboard.press('d');
		equal(await shown(), 2); // all and even, which odd has called
		holds((await (await frame('even'), detail()))[1], '1 sample');
	});

	await test('a function has one label in wide and in narrow frames, and is found by it', async () => {
		const label = name => page.evaluate(name => [...document.querySelectorAll('text')]
			.map(text => text.textContent).filter(text => text.includes(name)), name);
		const name = '<shop::Till<T> as shop::Drawer>::open';
		await page.goto(flame('demo;main;' + name + ' 70\ndemo;other;' + name + ' 30\n'));
		equal(new Set(await label('Till')).size, 1);
		equal((await label('Till'))[0], 'shop::Till::open');
		await frame(name);
		holds((await detail())[0], name);
		await page.keyboard.press('/');
		await page.keyboard.type('shop::Till::open');
		await page.waitForTimeout(300);
		holds(await told(), '100.0 % matches');
	});

	await test('Back and Reset leave the callers of a function', async () => {
		const isDisabled = words => page.isDisabled('.tools button:text-is("' + words + '")');
		await page.goto(flame('demo;main;a;hash;mix 3\ndemo;main;b;hash 2\ndemo;main;b;c 4\n'));
		equal(await isDisabled('Back') && await isDisabled('Reset'), true);
		for (const words of ['Back', 'Reset']) {
			await frame('hash');
			await page.keyboard.press('b');
			equal(await address(), '#callers=hash');
			await press(words);
			equal(await address(), '');
			equal(await shown(), 9);
			equal(await isDisabled('Back') && await isDisabled('Reset'), true);
		}
		await (await frame('b')).click();
		const zoomed = await address();
		await frame('hash');
		await page.keyboard.press('b');
		await (await frame('b')).click();
		await press('Back');
		equal(await address(), '#callers=hash');
		await press('Back');
		equal(await address(), zoomed);
	});

	await test('? shows the keys, and Escape takes them away before anything else', async () => {
		const help = () => page.evaluate(() => {
			const list = document.querySelector('.help'), where = list.getBoundingClientRect();
			return list.hidden ? 'hidden' : document.documentElement.getBoundingClientRect().bottom
				>= where.bottom ? list.textContent : 'cut off';
		});
		await open('svg');
		await (await frame('work')).click();
		equal(await help(), 'hidden');
		await page.keyboard.press('?');
		holds(await help(), 'shift-click');
		holds(await help(), 'from the innermost function');
		await shoot('keys');
		await page.keyboard.press('Escape');
		equal(await help(), 'hidden');
		equal(await shown(), 6);
		await press('?');
		holds(await help(), 'Escape');
		await page.goto(flame('a;x 10\na;y 30', '--flamechart'));
		await page.keyboard.press('?');
		equal((await help()).includes('innermost'), false);
	});

	await test('links to older pictures still search', async () => {
		const url = draw('svg', STACKS);
		await page.goto(url + '?x=10&y=20&s=ha%73h');
		equal(await told(), '39.0 % matches, 1 name');
		await page.fill('.tools input', '');
		equal(await address(), '#search=');
		await page.goto('about:blank');
		await page.goto(url + '?s=hash#search=memcpy');
		equal(await told(), '20.0 % matches, 1 name');
	});

	await test('what is above the frames has two lines, and more only if the legend needs them', async () => {
		await open('svg');
		for (const width of [1200, 850, 600, 420]) {
			await resize(width, 700);
			const [title, tools, legend, cover] = await page.evaluate(() =>
				['.title tspan', '.tools', '.legend', '.cover'].map(name =>
					document.querySelector(name).getBoundingClientRect().toJSON()));
			equal(Math.abs(title.bottom - tools.bottom) < 12, true);
			if (width === 1200)
				equal(legend.bottom < 60 && cover.bottom < 80, true);
			equal(legend.bottom < cover.bottom && cover.bottom < 140, true);
		}
		await resize(1200, 700);
	});

	await test('the facts are cut behind a statement, and in a narrow window have their own line', async () => {
		const stacks = 'some-program;main;work 70\nsome-program;main;read_all 30\n';
		await page.goto(flame(stacks, '--title', 'some-program: flame graph', '--subtitle',
			'CPU time \u00b7 1,196 samples, none lost; all of it from the program that was recorded here; '
			+ 'and 3 frames unnamed in the libraries'));
		const words = () => page.evaluate(() => ['.title tspan', '.facts']
			.map(name => document.querySelector(name).textContent));
		const boxes = () => page.evaluate(() => ['.title tspan', '.facts', '.legend', '.tools']
			.map(name => document.querySelector(name).getBoundingClientRect().toJSON()));
		await resize(1200, 700);
		equal((await words())[0], 'some-program: flame graph');
		equal((await words())[1], 'CPU time \u00b7 1,196 samples, none lost \u2026');
		await resize(420, 700);
		equal((await words())[1].startsWith('CPU time \u00b7 1,196 samples, none lost'), true);
		holds((await words())[0], 'some-program');
		const [title, facts, legend, tools] = await boxes();
		equal(facts.top > title.top + 10 && facts.top >= tools.bottom - 4, true);
		equal(facts.right <= 420 && legend.top >= facts.bottom - 4, true);
		equal(await page.evaluate(() => document.querySelector('.tools input').placeholder), 'Search');
		await shoot('facts-narrow');
		await resize(1200, 700);
		equal((await boxes())[1].top < 30, true);
	});

	await test('in a picture wider than the window the tools stay in sight', async () => {
		const right = () => page.evaluate(() => Math.max(
			...[...document.querySelectorAll('.tools button')]
				.map(button => button.getBoundingClientRect().right)));
		await page.goto(flame('a;b 10', '--width', '1800'));
		equal(await right(), 1190);
		await page.evaluate(() => window.scrollTo(400, 0));
		await page.waitForFunction(() => document.querySelector('.bar')
			.getAttribute('transform').includes('400'));
		equal(await right(), 1190);
		equal(await widthOf('b'), 1779);
	});

	await test('no row is seen in part below what stays above', async () => {
		await page.goto(flame('p' + ';f'.repeat(100) + ' 1'));
		for (const scroll of [1, 7, 333, 500]) {
			await page.evaluate(y => window.scrollTo(0, y), scroll);
			await page.waitForFunction(y => document.querySelector('.bar')
				.getAttribute('transform').endsWith(',' + y + ')'), scroll);
			equal(await page.evaluate(() => {
				const end = document.querySelector('.cover').getBoundingClientRect().bottom;
				return [...document.querySelectorAll('.graph rect')]
					.map(rect => rect.getBoundingClientRect())
					.filter(box => box.top < end - 0.1 && box.bottom > end + 0.1).length;
			}), 0);
		}
	});

	await test('a background is one from edge to edge', async () => {
		await page.goto(flame('a;b 10', '--background', 'blue', '--width', '600'));
		const look = await page.evaluate(() => {
			const style = name => getComputedStyle(document.querySelector(name));
			return [style('svg').backgroundImage, style('.page').fill, style('.cover').fill,
				document.querySelector('.cover').getBoundingClientRect().bottom];
		});
		holds(look[0], 'linear-gradient(rgb(238, 238, 238) ');
		equal(look[1], 'rgba(0, 0, 0, 0)');
		equal(look[2], 'rgb(238, 238, 238)');
		const flat = Number(/ (\d+)px/.exec(look[0])[1]);
		equal(flat >= look[3] && flat < look[3] + 2, true);
	});

	await test('on paper there are no buttons', async () => {
		await open('svg');
		await page.emulateMedia({ media: 'print' });
		equal(await page.isVisible('.tools'), false);
		equal(await page.isVisible('.title'), true);
		await page.emulateMedia({ media: 'screen' });
		equal(await page.isVisible('.tools'), true);
	});

	await test('a reversed picture that is turned back does not say that it is reversed', async () => {
		const line = () => page.evaluate(() => document.querySelector('.facts').textContent);
		await page.goto(flame('a;b 10', '--reverse'));
		holds(await line(), '; reversed: ');
		await page.keyboard.press('r');
		equal((await line()).includes('reversed'), false);
		await page.keyboard.press('r');
		holds(await line(), '; reversed: ');
	});

	await test('a hundred thousand frames are small, soon there and quick', async () => {
		const url = flame(manyFrames(100000));
		const bytes = fs.statSync(new URL(url)).size;
		await page.goto('about:blank');
		await page.goto(url);
		const opened = await page.evaluate(() => new Promise(done =>
			requestAnimationFrame(() => setTimeout(() => done(performance.now())))));
		const took = key => page.evaluate(name => new Promise(done => {
			const start = performance.now();
			window.dispatchEvent(new KeyboardEvent('keydown', { key: name }));
			requestAnimationFrame(() => setTimeout(() => done(performance.now() - start)));
		}), key);
		for (let i = 0; i < 4; i++)
			await page.keyboard.press('ArrowUp');
		const zoom = await took('Enter'), reset = await took('Home');
		const figures = '# ' + (bytes / 1e6).toFixed(2) + ' MB, painted after ' + opened.toFixed(0)
			+ ' ms, zoom ' + zoom.toFixed(0) + ' ms, reset ' + reset.toFixed(0) + ' ms';
		console.log(figures);
		await shoot('many');
		if (bytes > 5e6 || opened > 4000 || zoom > 1000 || reset > 1000)
			throw new Error(figures);
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
		holds(text, '<title>memcpy (20.0 ms, 20.00%)</title>');
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
