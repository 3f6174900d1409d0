// Text in the picture can be read in every state: its contrast with what is behind it, by WCAG 2.1,
// is 4.5 or more. All palettes, light and dark; plain, inlined, dimmed, searched, highlighted,
// zoomed; and what is above the frames. Colours are those that the browser computes.
//
//	node tests/browser/test_contrast.js WICK [SCREENSHOTS]
//
// Prints TAP.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const LEAST = 4.5;
const [wick, screenshots] = process.argv.slice(2);
const chromium = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser',
	'/usr/bin/google-chrome'].find(file => file && fs.existsSync(file));
let playwright = null;
try {
	playwright = require('playwright-core');
} catch (_) { /* told below */ }
if (!playwright || !chromium) {
	console.log('1..0 # SKIP ' + (playwright ? 'no Chromium was found; set CHROMIUM'
		: 'playwright-core is not where NODE_PATH says; npm install playwright-core'));
	process.exit(0);
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'wick-contrast-'));
const PALETTES = ['kind', 'hot', 'mem', 'io', 'wakeup', 'chain', 'java', 'js', 'perl', 'python',
	'rust', 'red', 'green', 'blue', 'aqua', 'yellow', 'purple', 'orange'];

// A frame of every kind and many shades of it, calls that were inlined, and marks of older tools.
function stacks() {
	const lines = [];
	for (let i = 0; i < 30; i++)
		lines.push('_start;__libc_start_main;main;work_' + i + ';std::vec::Vec::push_' + i + '_[i] 4',
			'_start;main;work_' + i + ';malloc 2', 'main;do_read_' + i + '_[k] 3',
			'main;Lorg/example/Type_' + i + ';::run_[j] 3', 'main;[unknown] 1',
			'main;rustc_middle::ty_' + i + ' 2', 'clone3;start_thread;app+0x' + (4096 + i) + ' 2');
	return lines.join('\n') + '\n';
}

function make(command, name, words, inputs) {
	const file = path.join(scratch, name + '.svg');
	const paths = inputs.map((text, i) => {
		const input = path.join(scratch, name + i + '.folded');
		fs.writeFileSync(input, text);
		return input;
	});
	const run = spawnSync(wick, [command, '-q', '-o', file, ...words, ...paths]);
	if (run.status !== 0)
		throw new Error('wick ' + command + ' failed: ' + run.stderr);
	return 'file://' + file;
}

const flame = (name, ...words) => make('flame', name, words, [stacks()]);

function compared(name, ...words) {
	const before = [], after = [];
	for (let i = 0; i < 12; i++) {
		before.push('main;f' + i + ';g' + i + ' ' + (100 + 5 * i), 'main;gone' + i + ' 30');
		after.push('main;f' + i + ';g' + i + ' ' + (100 + (i % 2 ? 1 : -1) * 8 * i), 'main;new' + i + ' 30');
	}
	return make('diff', name, words, [before.join('\n') + '\n', after.join('\n') + '\n']);
}

// In the page: the texts whose contrast is too low, each with both colours; and how many there are.
function tooLow(least) {
	const parse = words => (/^rgb\((\d+), (\d+), (\d+)\)$/.exec(words) || []).slice(1).map(Number);
	const light = ([r, g, b]) => [r, g, b].map(value => value / 255)
		.map(part => part <= 0.03928 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4))
		.reduce((sum, part, i) => sum + part * [0.2126, 0.7152, 0.0722][i], 0);
	const low = [];
	let count = 0;
	const check = (what, ink, behind) => {
		const [a, b] = [parse(ink), parse(behind)];
		const contrast = a.length && b.length
			? (Math.max(light(a), light(b)) + 0.05) / (Math.min(light(a), light(b)) + 0.05) : 0;
		count++;
		if (!(contrast >= least))
			low.push(what + ': ' + ink + ' on ' + behind + ' is ' + contrast.toFixed(2));
	};
	const style = e => getComputedStyle(e);
	const isSolid = e => style(e).opacity === '1' && style(e).fillOpacity === '1';
	const hatch = [...document.querySelectorAll('#wick-few rect')].map(e => style(e).fill);
	for (const text of document.querySelectorAll('.frames text')) {
		const box = text.previousElementSibling, fill = style(box).fill;
		const what = '"' + text.textContent + '" (' + box.getAttribute('class') + ')';
		if (!isSolid(text) || !isSolid(box))
			low.push(what + ' is not solid');
		for (const behind of fill.startsWith('url') ? hatch : [fill])
			check(what, style(text).fill, behind);
	}
	const cover = style(document.querySelector('.cover')).fill;
	for (const text of document.querySelectorAll('.title tspan, .legend, .notes text, .axis text'))
		if (text.textContent && style(text).display !== 'none')
			check(text.textContent, style(text).fill, cover);
	for (const e of document.querySelectorAll('.told, .tools button, .tools input, .help kbd, .tip div')) {
		let behind = e;
		while (behind && style(behind).backgroundColor === 'rgba(0, 0, 0, 0)')
			behind = behind.parentElement;
		check(e.textContent || e.localName, style(e).color,
			behind && behind.localName !== 'svg' ? style(behind).backgroundColor : cover);
	}
	return [low, count];
}

// Every look there is, of a frame in each mood: not all of them occur in one picture.
function addLooks() {
	const SVG = 'http://www.w3.org/2000/svg', frames = document.querySelector('.frames');
	const css = [...document.querySelectorAll('style')].map(e => e.textContent).join();
	const looks = [...new Set(css.match(/\.[cd]\d+(?:\.in)?(?=\{)/g))]
		.map(look => look.slice(1).replace('.', ' '));
	for (const look of looks.concat('few'))
		for (const mood of ['', ' hit', ' dim', ' above'])
			for (const kind of ['rect', 'text']) {
				const e = document.createElementNS(SVG, kind);
				e.setAttribute('class', kind === 'rect' ? look + mood : mood.trim());
				e.textContent = kind === 'text' ? look + mood : '';
				frames.appendChild(e);
			}
	return looks.length;
}

let browser, page, count = 0, failed = 0, measured = 0;

async function test(title, body) {
	const low = [];
	count++;
	try {
		for (const scheme of ['light', 'dark']) {
			await page.emulateMedia({ colorScheme: scheme });
			await body(scheme, async state => {
				const [found, texts] = await page.evaluate(tooLow, LEAST);
				measured += texts;
				low.push(...found.map(words => scheme + ', ' + state + ': ' + words));
				if (texts < 10)
					low.push('only ' + texts + ' texts in ' + state);
				if (screenshots)
					await page.screenshot({ path: path.join(screenshots, [title, scheme, state].join('-')
						.replace(/[^\w-]+/g, '_') + '.png') });
			});
		}
	} catch (error) {
		low.push(String(error.message).split('\n')[0]);
	}
	failed += low.length > 0;
	console.log((low.length ? 'not ok ' : 'ok ') + count + ' - ' + title);
	for (const words of low.slice(0, 12))
		console.log('# ' + words);
}

async function states(url, scheme, check) {
	await page.goto('about:blank');
	await page.goto(url);
	await check('plain');
	await page.hover('.frames text >> nth=2', { force: true }).catch(() => {});
	await page.fill('.tools input', 'work_1|do_read_2|f3|main$');
	await check('searched');
	await page.fill('.tools input', 'finds nothing at all');
	await check('all dimmed');
	await page.fill('.tools input', '');
	await page.goto(page.url().split('#')[0] + '#frame=5');
	await check('zoomed');
	await page.keyboard.press('?');
	await check('keys');
}

async function all() {
	for (const palette of PALETTES)
		await test('palette ' + palette, (scheme, check) =>
			states(flame('flame', '--palette', palette), scheme, check));
	for (const words of ['--hash', '--random', '--colour-diffusion', '--search-colour #e600e6',
		'--search-colour #000080', '--search-colour #7f7f7f', '--background blue',
		'--background #000000', '--background #808080', '--background #ffffff-#102030',
		'--most-frames 40', '--icicle', '--reverse', '--flamechart'])
		await test('flame ' + words, (scheme, check) =>
			states(flame('flame', ...words.split(' ')), scheme, check));
	for (const words of ['', '--negate', '--frame-width larger'])
		await test('diff ' + words, (scheme, check) =>
			states(compared('diff', ...words.split(' ').filter(Boolean)), scheme, check));
	await test('a kind of code is highlighted', async (scheme, check) => {
		await page.goto(flame('flame'));
		for (const key of await page.$$('.legend .key:not([style*=none])')) {
			await key.click();
			await check('highlighted');
		}
	});
	await test('every look in every mood', async (scheme, check) => {
		for (const [url, least] of [[flame('looks'), 100], [compared('looks-diff'), 11]]) {
			await page.goto(url);
			const looks = await page.evaluate(addLooks);
			if (looks < least)
				throw new Error('only ' + looks + ' looks');
			await check('looks');
		}
	});
}

(async () => {
	browser = await playwright.chromium.launch({ executablePath: chromium,
		args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking'] });
	page = await browser.newPage({ viewport: { width: 1200, height: 700 } });
	try {
		await all();
	} finally {
		await browser.close();
		fs.rmSync(scratch, { recursive: true, force: true });
	}
	console.log('# ' + measured + ' texts measured');
	console.log('1..' + count);
	process.exit(failed ? 1 : 0);
})().catch(error => {
	console.log('Bail out! ' + String(error.message).split('\n')[0]);
	process.exit(1);
});
