// What tests of the analysis page share: a browser, pages that `wick report` writes, and TAP.
//
//	const { test, report, openPage, finish } = require('./page');
//
// Skips the whole file, loudly, where playwright-core or the browser is missing. WICK and
// WICK_SOURCE_ROOT are in the environment; SCREENSHOTS is a folder for pictures, if they are wanted.
// The browser is Chromium, or the Firefox of the system if WICK_BROWSER is firefox.
'use strict';
const { spawn, spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const root = process.env.WICK_SOURCE_ROOT || path.join(__dirname, '..', '..');
const wick = process.env.WICK || path.join(root, 'build', 'wick');
const engine = process.env.WICK_BROWSER || 'chromium';
const browsers = {
	chromium: { name: 'Chromium', kind: 'chromium', variable: 'CHROMIUM', options: { args: ['--no-sandbox'] },
		paths: ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'] },
	// The unchanged Firefox, driven by WebDriver BiDi. That protocol sets no media features: preferences do.
	firefox: { name: 'Firefox', kind: 'firefox', variable: 'FIREFOX', paths: ['/usr/bin/firefox-esr', '/usr/bin/firefox'],
		options: { channel: 'moz-firefox', firefoxUserPrefs: { 'ui.prefersReducedMotion': 1 } } },
};
const wanted = browsers[engine];
const program = [process.env[wanted.variable], ...wanted.paths].find(file => file && fs.existsSync(file));
let playwright = null;
try {
	playwright = require('playwright-core');
} catch (_) { /* said below */ }
if (!playwright || !program) {
	console.log('1..0 # SKIP ' + (playwright ? `no ${wanted.name} was found; set ${wanted.variable}`
		: 'playwright-core is not where NODE_PATH says; npm install playwright-core'));
	process.exit(0);
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'wick-page-'));
const tests = [];
let browser = null;

const test = (name, run) => tests.push({ name, run });

function run(...words) {
	const done = spawnSync(wick, words, { maxBuffer: 1 << 30, encoding: 'utf8' });
	if (done.status !== 0)
		throw new Error(`wick ${words.join(' ')} failed: ${done.stderr}`);
	return done.stdout;
}

function write(name, content) {
	const file = path.join(scratch, name);
	fs.writeFileSync(file, content);
	return file;
}

// The path of the page of a recording.
function report(input, ...words) {
	const page = path.join(scratch, path.basename(input) + words.join('').replace(/\W/g, '_') + '.html');
	run('report', '-q', ...words, input, '-o', page);
	return page;
}

// Two processes with two threads each, 2 s at 1,000 samples a second, as `perf script` prints them.
// `ticks`: [process, thread, function ...] from the root, for each ms.
function perfScript(ticks) {
	return ticks.map(([process, pid, tid, ...frames], i) =>
		`${process} ${pid}/${tid} [000] ${(100 + i / 1000).toFixed(6)}: 1000000 cpu-clock: \n`
		+ frames.reverse().map((name, k) => `\t${(0x1000 + 16 * k).toString(16)} ${name}+0x1 (/usr/bin/${process})\n`).join('')
		+ '\n').join('');
}

// Opens the page of a file; everything that goes wrong in it, and each request for anything else, is a fault.
const openPage = (file, options = {}) => openAddress('file://' + file + (options.hash || ''), options);

async function openAddress(address, { width = 1280, height = 900, dark = false, script = true, contrast = 'no-preference',
	forcedColors = 'none', ratio = 1, begin = null, ready = 'body[data-ready=yes], [role=alert]' } = {}) {
	const context = await browser.newContext({ viewport: { width, height }, colorScheme: dark ? 'dark' : 'light',
		javaScriptEnabled: script, contrast, forcedColors, deviceScaleFactor: ratio, reducedMotion: 'reduce' });
	const page = await context.newPage();
	if (begin)
		await page.addInitScript(begin); // before the script of the page
	page.faults = [];
	page.on('pageerror', error => page.faults.push(String(error.stack || error)));
	page.on('console', message => message.type() === 'error' && page.faults.push(message.text()));
	page.on('dialog', dialog => { page.faults.push('a dialog: ' + dialog.message()); dialog.dismiss(); });
	const own = address.startsWith('file:') ? /^(file|blob|data):/ : new RegExp('^' + new URL(address).origin);
	page.on('request', request => !own.test(request.url()) && page.faults.push('a request: ' + request.url()));
	await page.goto(address);
	if (script)
		await page.waitForSelector(ready, { timeout: 30000 });
	return page;
}

// Starts `wick view`. Its address is null if this machine cannot serve.
function serve(...words) {
	const server = spawn(wick, ['view', '--no-open', ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
	let out = '', said = '';
	server.stderr.on('data', text => { said += text; });
	const address = new Promise((done, fail) => {
		server.stdout.on('data', text => {
			out += text;
			const found = /http:\S+/.exec(out);
			if (found)
				done(found[0]);
		});
		server.on('exit', () => said.includes('libmicrohttpd') ? done(null) : fail(new Error('wick view ended: ' + said)));
	});
	return { address, end: () => server.kill('SIGTERM') };
}

// What is shown is drawn in the next frame, and histograms a little later.
const settle = page => page.evaluate(() => new Promise(done =>
	requestAnimationFrame(() => requestAnimationFrame(() => setTimeout(done, 20)))));

async function press(page, ...keys) {
	for (const key of keys) {
		await page.keyboard.press(key);
		await settle(page);
	}
}

async function screenshot(page, name) {
	if (process.env.SCREENSHOTS) {
		fs.mkdirSync(process.env.SCREENSHOTS, { recursive: true });
		await page.screenshot({ path: path.join(process.env.SCREENSHOTS, name + '.png') });
	}
}

function equal(came, expected, what = '') {
	const [a, b] = [JSON.stringify(came), JSON.stringify(expected)];
	if (a !== b)
		throw new Error(`${what} expected ${b}, came ${a}`);
}

function holds(text, part) {
	if (!String(text).includes(part))
		throw new Error(`expected ${JSON.stringify(part)} in ${JSON.stringify(text)}`);
}

// Ends the test that cannot be made here.
function skip(reason) {
	throw Object.assign(new Error(reason), { skips: true });
}

async function finish() {
	let failed = 0;
	browser = await playwright[wanted.kind].launch({ executablePath: program, ...wanted.options });
	console.log('1..' + tests.length);
	for (let i = 0; i < tests.length; i++) {
		const { name, run: body } = tests[i];
		try {
			await body();
			console.log(`ok ${i + 1} - ${name}`);
		} catch (error) {
			if (error.skips) {
				console.log(`ok ${i + 1} - ${name} # SKIP ${error.message}`);
				continue;
			}
			failed++;
			console.log(`not ok ${i + 1} - ${name}\n# ${String(error.stack || error).replace(/\n/g, '\n# ')}`);
		}
		for (const context of browser.contexts())
			await context.close();
	}
	await browser.close();
	fs.rmSync(scratch, { recursive: true, force: true });
	process.exit(failed ? 1 : 0);
}

module.exports = { engine, equal, finish, holds, openAddress, openPage, perfScript, press, report, root, run, scratch, screenshot, serve, settle, skip, test, wick,
	write };
