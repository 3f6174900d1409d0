// The page that `wick view` serves: the same page, with SQL, source code and symbols. What the server
// refuses is tested in tests/serve.
//
//	WICK=build/wick node tests/browser/test_page_served.js
//
// Prints TAP.
'use strict';
const http = require('http');
const path = require('path');
const { equal, finish, holds, openAddress, press, root, scratch, serve, test } = require('./page');

const shop = path.join(root, 'tests', 'data', 'shop.data');
const unnamed = path.join(root, 'tests', 'cli', 'symbols', 'windows-library-without-pdb', 'app.etl');

// No names of an earlier run, and no proxy.
Object.assign(process.env, { WICK_CACHE_DIR: path.join(scratch, 'cache'), no_proxy: '127.0.0.1' });

async function served(run, ...words) {
	const server = serve(...words.length ? words : [shop]);
	try {
		const address = await server.address;
		if (!address)
			throw Object.assign(new Error('libmicrohttpd is missing'), { skips: true });
		const page = await openAddress(address);
		await run(page);
		// A wrong query is answered with status 400, which the browser notes.
		equal(page.faults.filter(fault => !fault.startsWith('Failed to load resource')), [], 'faults');
	} finally {
		server.end();
	}
}

test('it shows what the file shows', () => served(async page => {
	holds(await page.locator('.shell-status').innerText(), 'samples in view');
	holds(await page.locator('[role=treegrid]').innerText(), 'shop');
}));

test('a query', () => served(async page => {
	await press(page, 'q');
	await page.locator('dialog textarea').fill('SELECT count(*) AS "how many" FROM samples');
	await page.keyboard.press('Control+Enter');
	await page.waitForSelector('dialog [role=grid]');
	holds(await page.locator('dialog [role=grid]').innerText(), 'how many');
	await page.locator('dialog textarea').fill('SELECT absent FROM samples');
	await page.keyboard.press('Control+Enter');
	holds(await page.locator('dialog [role=alert]').innerText(), 'no such column');
}));

test('a query that is canceled ends, and the next one runs', () => served(async page => {
	await page.getByRole('button', { name: 'SQL', exact: true }).click();
	const field = page.locator('dialog textarea');
	await field.fill('WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) FROM c');
	await page.getByRole('button', { name: 'Run', exact: false }).click();
	// What runs is there when the dialog is opened again, and Ctrl+Enter does not start another.
	await page.getByRole('button', { name: 'Close' }).click();
	await press(page, 'q', 'Control+Enter');
	await page.getByRole('button', { name: 'Cancel' }).click();
	await page.waitForSelector('dialog [role=alert]', { timeout: 10000 });
	holds(await page.locator('dialog [role=alert]').innerText(), 'the query was ended');
	await field.fill('SELECT 7 AS seven');
	await field.press('Control+Enter');
	await page.waitForSelector('dialog [role=grid]', { timeout: 10000 });
	holds(await page.locator('dialog [role=grid]').innerText(), 'seven');
}));

test('the link to the view is in Share', () => served(async page => {
	await page.waitForSelector('[role=treegrid]');
	await press(page, 'u', 'Shift+S');
	await page.evaluate(() => { Object.defineProperty(navigator, 'clipboard', { value: { writeText: async text => { document.title = text; } } }); });
	await page.getByRole('button', { name: 'Copy the link to this view' }).click();
	equal(await page.title(), page.url());
	holds(await page.title(), 'inverted=1');
}));

test('source and instructions of a function, or why there are none', () => served(async page => {
	await page.locator('[role=treegrid]').focus();
	await press(page, 'Home', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'ArrowRight', 'e');
	await page.waitForSelector('dialog [role=grid], dialog [role=alert]');
	const text = await page.locator('dialog').innerText();
	holds(text, 'Source');
	await page.getByRole('button', { name: 'Instructions', exact: true }).click();
	await page.waitForSelector('dialog [role=grid], dialog [role=alert]');
}));

test('modules with the source of their names', () => served(async page => {
	await press(page, '0');
	await page.waitForSelector('#view [role=grid]');
	holds(await page.locator('#view').innerText(), 'shop');
}));

// A server of symbols that has none, and answers when `answer` is called.
function symbolServer() {
	const waiting = [];
	let isOpen = false;
	const server = http.createServer((_, response) => {
		waiting.push(response);
		if (isOpen)
			answer();
	}).listen(0, '127.0.0.1');
	const answer = () => {
		isOpen = true;
		for (const response of waiting.splice(0))
			response.writeHead(404).end();
	};
	return { answer, close: () => server.close(), ready: new Promise(done => server.on('listening', () => done(`http://127.0.0.1:${server.address().port}`))) };
}

test('the other recording is there, and keeps its place when names arrive', async () => {
	const symbols = symbolServer();
	try {
		await served(async page => {
			await page.locator('#tab-compare').click();
			await page.waitForSelector('.compare-lists');
			await page.locator('[role=treegrid]').focus();
			await press(page, 'Home', 'ArrowRight', 'ArrowRight');
			const read = () => page.evaluate(() => [location.hash, document.querySelector('#view').innerText]);
			const before = await read(), blocks = [];
			page.on('request', request => blocks.push(request.url().replace(/.*\/block\/([^?]*).*generation=(\d)/, '$1 $2')));
			const chosen = await openAddress(page.url());
			await chosen.getByRole('button', { name: 'Compare with another' }).click();
			symbols.answer();
			for (let i = 0; i < 200 && !blocks.includes('before/stacks 2'); i++)
				await page.waitForTimeout(50);
			holds(blocks, 'before/stacks 2');
			await page.waitForTimeout(500);
			equal(await read(), before);
			equal([await chosen.locator('input[type=file]').count(), chosen.faults], [1, []], 'what was chosen instead');
		}, unnamed, '--against', unnamed, '--symbol-path', 'srv*' + await symbols.ready);
	} finally {
		symbols.close();
	}
});

finish();
