#!/usr/bin/env node
// The analysis page: how large it is, how fast it opens and answers, and how much memory it takes,
// for 1 and 5 million samples, in a file and served; and speedscope with the same recording. Fails over a limit.
//
//	NODE_PATH=build-npm/node_modules WICK=build/wick node bench/page.js [RUNS]
//
// Times of answers are those of the page's main thread, for one answer; times until something is
// painted are from the start of the navigation. Each is the median of RUNS [default: 5].
'use strict';
const { spawn, spawnSync } = require('child_process');
const fs = require('fs');
const http = require('http');
const os = require('os');
const path = require('path');
const zlib = require('zlib');
const { chromium } = require('playwright-core');

const root = path.join(__dirname, '..');
const wick = process.env.WICK || path.join(root, 'build', 'wick');
const runs = Number(process.argv[2] || 5);
const folder = process.env.WICK_BENCH_INPUTS || fs.mkdtempSync(path.join(os.tmpdir(), 'wick-bench-page-'));
const browserPath = process.env.CHROMIUM || '/usr/bin/chromium';
let failed = 0;

const median = list => [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];

function row(what, values, unit, goal, limit) {
	const value = median(values);
	const isOver = limit !== undefined && value > limit;
	failed += isOver ? 1 : 0;
	const text = n => unit === 'bytes' ? (n / 1024).toFixed(1) + ' KB' : unit === 'MB' ? (n / 1e6).toFixed(1) + ' MB' : n.toFixed(1) + ' ms';
	console.log([what.padEnd(44), text(value).padStart(10), values.length > 1 ? `(${text(Math.min(...values))} to ${text(Math.max(...values))})` : '',
		goal === undefined ? '' : `goal ${text(goal)}, limit ${text(limit)}`, isOver ? 'OVER THE LIMIT' : ''].join('  '));
}

async function made(name, samples) {
	const text = path.join(folder, name + '.perf');
	if (!fs.existsSync(text)) {
		const out = fs.openSync(text + '.part', 'w');
		const generator = spawn('python3', [path.join(__dirname, 'page_input.py'), '--samples', String(samples)], { stdio: ['ignore', out, 'inherit'] });
		await new Promise((done, fail) => generator.on('exit', code => code ? fail(new Error('page_input.py failed')) : done()));
		fs.renameSync(text + '.part', text);
	}
	return text;
}

function report(text, words = []) {
	const page = text.replace(/perf$/, 'html');
	const run = spawnSync(wick, ['report', '-q', ...words, text, '-o', page], { encoding: 'utf8' });
	if (run.status !== 0)
		throw new Error(run.stderr);
	return page;
}

// The processes of pages, of any browser here.
const renderers = () => fs.readdirSync('/proc').filter(pid => {
	try {
		return /^\d+$/.test(pid) && fs.readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes('--type=renderer');
	} catch (_) {
		return false; // it ended
	}
});

// Proportional memory of the largest one that came with the browser.
function memoryOf(browser) {
	return Math.max(...renderers().filter(pid => !browser.others.includes(pid)).map(pid => {
		try {
			return 1024 * Number(/^Pss:\s+(\d+) kB/m.exec(fs.readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1'))[1]);
		} catch (_) {
			return 0; // it ended
		}
	}));
}

async function launch(...words) {
	const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'wick-bench-browser-')), others = renderers();
	const context = await chromium.launchPersistentContext(profile, { executablePath: browserPath, viewport: { width: 1280, height: 900 },
		args: ['--no-sandbox', '--disable-frame-rate-limit', '--disable-gpu-vsync', ...words] });
	return { context, others, close: async () => { await context.close(); fs.rmSync(profile, { recursive: true, force: true }); } };
}

// When an element is there and the frame with it is painted, in ms since the navigation.
const watch = selector => {
	globalThis.whenPainted = new Promise(done => {
		const look = () => document.querySelector(selector)
			? requestAnimationFrame(() => setTimeout(() => done(performance.now()), 0)) : requestAnimationFrame(look);
		look();
	});
};

async function opened(browser, url, selector) {
	const page = await browser.context.newPage();
	await page.addInitScript(watch, selector);
	await page.goto(url, { waitUntil: 'commit' });
	await page.waitForFunction('globalThis.whenPainted !== undefined');
	const painted = await page.evaluate(() => globalThis.whenPainted);
	const shell = await page.evaluate(() => performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? NaN);
	return { page, painted, shell };
}

// The time of the main thread for each of the answers to `act`.
async function answers(page, count, act) {
	const session = await page.context().newCDPSession(page);
	await session.send('Performance.enable', { timeDomain: 'threadTicks' });
	const used = async () => {
		const { metrics } = await session.send('Performance.getMetrics');
		return 1000 * metrics.find(metric => metric.name === 'TaskDuration').value;
	};
	const times = [];
	for (let i = 0; i < count; i++) {
		await page.waitForTimeout(250);
		const before = await used();
		await act(i);
		await page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0))));
		times.push(await used() - before);
	}
	await session.detach();
	return times;
}

async function measureMillion(file) {
	const shells = [], flames = [];
	let memory = [];
	for (let i = 0; i < runs; i++) {
		const browser = await launch();
		const { page, painted, shell } = await opened(browser, 'file://' + file, 'body[data-ready=yes] .flame canvas');
		shells.push(shell);
		flames.push(painted);
		await page.waitForTimeout(1000);
		memory.push(memoryOf(browser));
		await browser.close();
	}
	row('first paint of the shell', shells, 'ms', 150, 400);
	row('1 M samples: painted flame graph', flames, 'ms', 500, 1000);
	row('1 M samples: memory of the tab', memory, 'MB', 200e6, 300e6);

	const browser = await launch();
	const { page } = await opened(browser, 'file://' + file, 'body[data-ready=yes] .flame canvas');
	await page.locator('[role=slider]').last().focus();
	row('brush move', await answers(page, 15, () => page.keyboard.press('ArrowLeft')), 'ms', 16, 50);
	row('search', await answers(page, 9, async i => {
		await page.locator('#search').fill('hash_' + i);
		await page.waitForTimeout(100);
	}), 'ms', 10, 50);
	await page.locator('#search').fill('');
	await page.locator('[role=treegrid]').focus();
	await page.keyboard.press('Home');
	row('open a node', await answers(page, 9, () => page.keyboard.press('ArrowRight')), 'ms', 8, 30);
	await page.keyboard.press('f');
	const box = await page.locator('.flame canvas').boundingBox();
	const zooms = await answers(page, 12, i => i % 2 ? page.keyboard.press('Backspace')
		: page.mouse.click(box.x + box.width / 4 + 20 * i, box.y + 90 + 20 * (i % 5)));
	row('zoom of the flame graph', zooms, 'ms', 8, 16);
	await browser.close();
	return { flame: median(flames), memory: median(memory) };
}

// `wick view` of it; its address once it is there.
async function serve(text) {
	const server = spawn(wick, ['view', '-q', '--no-open', text], { stdio: ['ignore', 'pipe', 'inherit'] });
	const address = await new Promise((done, fail) => {
		server.stdout.once('data', out => done(String(out).trim()));
		server.once('exit', code => fail(new Error(`wick view ended with ${code}`)));
	});
	return { address, end: () => server.kill('SIGTERM') };
}

// From a key of the brush until the status has the new number of samples and the frame with it is painted: all
// that a person waits for, the server's part as well.
const moveBrush = page => page.evaluate(() => new Promise(done => {
	const status = document.querySelector('.shell-status span'), begun = performance.now();
	const observer = new MutationObserver(() => {
		observer.disconnect();
		requestAnimationFrame(() => setTimeout(() => done(performance.now() - begun), 0));
	});
	observer.observe(status, { characterData: true, childList: true, subtree: true });
	document.activeElement.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true, cancelable: true }));
}));

async function measureServed(text) {
	const server = await serve(text), again = [], moves = [];
	let browser = await launch();
	const first = await opened(browser, server.address, 'body[data-ready=yes] .flame canvas');
	row('5 M samples served: first painted flame graph', [first.painted], 'ms', 1000, 1000);
	await browser.close();
	for (let i = 0; i < runs; i++) {
		browser = await launch();
		again.push((await opened(browser, server.address, 'body[data-ready=yes] .flame canvas')).painted);
		await browser.close();
	}
	row('5 M samples served: painted again', again, 'ms', 1000, 1000);
	browser = await launch();
	const { page } = await opened(browser, server.address, 'body[data-ready=yes] .flame canvas');
	await page.locator('[role=slider]').last().focus();
	for (let i = 0; i < 15; i++) {
		await page.waitForTimeout(250);
		moves.push(await moveBrush(page));
	}
	row('5 M samples served: brush answered', moves, 'ms', 100, 100);
	row('5 M samples served: memory of the tab', [memoryOf(browser)], 'MB');
	await browser.close();
	server.end();
}

async function speedscope(text, own) {
	let dist;
	try {
		dist = path.join(path.dirname(require.resolve('speedscope/package.json')), 'dist', 'release');
	} catch (_) {
		console.log('speedscope is not where NODE_PATH says: not compared');
		return;
	}
	const profile = path.join(folder, 'bench.speedscope.json');
	const run = spawnSync(wick, ['export', '-q', '--to', 'speedscope', text, '-o', profile], { encoding: 'utf8' });
	if (run.status !== 0)
		throw new Error(run.stderr);
	const server = http.createServer((request, response) => {
		const name = decodeURIComponent(new URL(request.url, 'http://x').pathname);
		const file = name === '/bench.json' ? profile : path.join(dist, path.normalize(name === '/' ? '/index.html' : name));
		const type = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css', '.wasm': 'application/wasm' }[path.extname(file)];
		response.writeHead(fs.existsSync(file) ? 200 : 404, { 'content-type': type || 'application/octet-stream' });
		fs.existsSync(file) ? fs.createReadStream(file).pipe(response) : response.end();
	});
	await new Promise(done => server.listen(0, '127.0.0.1', done));
	const base = `http://127.0.0.1:${server.address().port}`;
	const times = [], memory = [];
	for (let i = 0; i < Math.min(runs, 3); i++) {
		const browser = await launch('--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader');
		const page = await browser.context.newPage(), begin = Date.now();
		await page.goto(`${base}/#profileURL=${encodeURIComponent(base + '/bench.json')}`, { waitUntil: 'commit' });
		await page.waitForFunction(() => document.body?.innerText.includes('worker-'), null, { timeout: 120000, polling: 'raf' });
		await page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done, 0))));
		times.push(Date.now() - begin);
		await page.waitForTimeout(1000);
		memory.push(memoryOf(browser));
		await browser.close();
	}
	server.close();
	row('speedscope, the same recording: painted', times, 'ms');
	row('speedscope, the same recording: memory', memory, 'MB');
	console.log(`of speedscope's: time ${(own.flame / median(times)).toFixed(2)}, memory ${(own.memory / median(memory)).toFixed(2)} (to reach: 0.33)`);
}

async function main() {
	const built = fs.readFileSync(path.join(root, 'web', 'page', 'built', 'page.html'));
	row('code in the page, gzip', [zlib.gzipSync(built, { level: 9 }).length], 'bytes', 35 * 1024, 45 * 1024);
	const million = await made('million', 1e6);
	const page = report(million);
	row('report of 1 M samples, 100 k stacks', [fs.statSync(page).size], 'MB', 4e6, 6e6);
	const own = await measureMillion(page);
	const fiveText = await made('five', 5e6), five = report(fiveText);
	const times = [];
	for (let i = 0; i < Math.min(runs, 3); i++) {
		const browser = await launch();
		times.push((await opened(browser, 'file://' + five, 'body[data-ready=yes] .flame canvas')).painted);
		await browser.close();
	}
	row('5 M samples: painted flame graph', times, 'ms', 1500, 3000);
	await measureServed(fiveText);
	await speedscope(million, own);
	process.exit(failed ? 1 : 0);
}

void main();
