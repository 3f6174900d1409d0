// A file of `wick export --to speedscope` against speedscope's own schema, and opened in
// speedscope itself in a real browser.
//
//	node tests/browser/test_speedscope.js WICK [SCREENSHOT]
//
// Needs the npm packages speedscope, ajv (for the schema) and playwright-core (for the browser)
// where NODE_PATH says, and a Chromium (CHROMIUM names it); what is missing is skipped, loudly.
// Prints TAP.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const http = require('http');
const os = require('os');
const path = require('path');

const [wickProgram, screenshot] = process.argv.slice(2);
const root = process.env.WICK_SOURCE_ROOT || path.join(__dirname, '..', '..');
const shop = path.join(root, 'tests', 'data', 'shop.data');
const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'wick-speedscope-'));
const chromium = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-browser',
	'/usr/bin/google-chrome'].find(file => file && fs.existsSync(file));

function find(name) {
	try {
		return require(name);
	} catch (_) {
		return null;
	}
}

function release() {
	try {
		return path.join(path.dirname(require.resolve('speedscope/package.json')), 'dist', 'release');
	} catch (_) {
		return null;
	}
}

function exported(...options) {
	const run = spawnSync(wickProgram, ['export', '-q', '--to', 'speedscope', ...options],
		{ maxBuffer: 1 << 28, encoding: 'utf8' });
	if (run.status !== 0)
		throw new Error('wick export failed: ' + run.stderr);
	return run.stdout;
}

// The stacks of the thread that is shown first.
function fold() {
	return spawnSync(wickProgram, ['fold', '-q', '--weights', '--thread', '10489', shop],
		{ encoding: 'utf8' }).stdout.trim().split('\n');
}

function inlinedText() {
	const file = path.join(scratch, 'inlined.txt');
	fs.writeFileSync(file, 'app 12/13 1.000001: 250000 cycles:\n' +
		'\t11aa leaf<int> (inlined)\n\t11aa outer+0x1a (/opt/app)\n\t10f0 main+0x1 (/opt/app)\n\n');
	return file;
}

function equal(came, expected) {
	if (came !== expected)
		throw new Error('expected ' + JSON.stringify(expected) + ', came ' + JSON.stringify(came));
}

function checkSchema(Ajv, folder) {
	const schema = JSON.parse(fs.readFileSync(path.join(folder, 'file-format-schema.json')));
	const validate = new (Ajv.default || Ajv)({ strict: false }).compile(schema);
	for (const input of [[shop], ['--samples', shop], ['--by', 'cycles', inlinedText()]]) {
		const profile = JSON.parse(exported(...input));
		if (!validate(profile))
			throw new Error(JSON.stringify(validate.errors.slice(0, 3)));
		for (const one of profile.profiles) {
			equal(one.samples.length, one.weights.length);
			equal(one.weights.reduce((sum, weight) => sum + weight, 0), one.endValue);
			for (const frame of one.samples.flat())
				if (!profile.shared.frames[frame])
					throw new Error('no frame ' + frame);
		}
	}
}

// The folder and the profile on a loopback port; nothing else is reached.
function serve(folder, profile) {
	const server = http.createServer((request, response) => {
		const name = decodeURIComponent(request.url.split('?')[0]);
		if (name === '/profile.json')
			return response.end(profile);
		const file = path.join(folder, path.normalize(name === '/' ? '/index.html' : name));
		if (!file.startsWith(folder) || !fs.existsSync(file)) {
			response.statusCode = 404;
			return response.end();
		}
		const types = { '.html': 'text/html', '.js': 'text/javascript', '.css': 'text/css',
			'.wasm': 'application/wasm' };
		response.setHeader('Content-Type', types[path.extname(file)] || 'application/octet-stream');
		response.end(fs.readFileSync(file));
	});
	return new Promise(done => server.listen(0, '127.0.0.1', () => done(server)));
}

async function openInSpeedscope(playwright, folder) {
	const server = await serve(folder, exported(shop));
	const here = 'http://127.0.0.1:' + server.address().port + '/';
	const browser = await playwright.chromium.launch({
		executablePath: chromium,
		args: ['--no-sandbox', '--disable-quic', '--no-first-run', '--use-gl=angle',
			'--use-angle=swiftshader', '--enable-unsafe-swiftshader',
			'--disable-background-networking', '--disable-component-update', '--disable-sync'],
	});
	const faults = [];
	try {
		const page = await browser.newPage({ viewport: { width: 1200, height: 700 } });
		page.on('pageerror', error => faults.push(error.message));
		page.on('dialog', dialog => {
			faults.push(dialog.message());
			dialog.dismiss();
		});
		await page.goto(here + '#profileURL=' + encodeURIComponent(here + 'profile.json'));
		// The heaviest thread is the one that is shown first.
		await page.waitForFunction(() => document.body.innerText.includes('10489'), null,
			{ timeout: 30000 });
		await page.keyboard.press('2'); // left heavy
		await page.waitForTimeout(1000);
		if (screenshot)
			await page.screenshot({ path: screenshot });
		await page.keyboard.press('3'); // a table
		await page.waitForFunction(() => document.body.innerText.includes('count_coins'), null,
			{ timeout: 30000 });
		const text = await page.evaluate(() => document.body.innerText);
		for (const name of ['count_coins', 'weigh_flour', 'open_shop', 'keeper'])
			if (!text.includes(name))
				throw new Error('speedscope does not show ' + name + ' in ' + text);
		// What the thread's two functions weigh by themselves.
		const own = fold().map(line => Number(line.split(' ').pop()) / 1e6).map(ms => ms.toFixed(2) + 'ms');
		for (const time of own)
			if (!text.includes(time))
				throw new Error('speedscope does not show ' + time + ' in ' + text);
		equal(faults.join(), '');
	} finally {
		await browser.close();
		server.close();
	}
}

const folder = release();
const cases = [
	['the file is what speedscope\'s schema asks for', find('ajv'), 'ajv', checkSchema],
	['speedscope opens the file and shows functions and times', find('playwright-core'),
		'playwright-core', openInSpeedscope],
];

(async () => {
	console.log('1..' + cases.length);
	let failed = 0, count = 0;
	for (const [title, library, name, body] of cases) {
		count++;
		const missing = !folder ? 'the npm package speedscope' : !library ? 'the npm package ' + name
			: name === 'playwright-core' && !chromium ? 'a Chromium (CHROMIUM names it)' : '';
		if (missing) {
			console.log('ok ' + count + ' - ' + title + ' # SKIP needs ' + missing);
			continue;
		}
		try {
			await body(library, folder);
			console.log('ok ' + count + ' - ' + title);
		} catch (error) {
			failed++;
			console.log('not ok ' + count + ' - ' + title);
			console.log('# ' + String(error.message).replace(/\n/g, '\n# '));
		}
	}
	fs.rmSync(scratch, { recursive: true, force: true });
	process.exit(failed ? 1 : 0);
})();
