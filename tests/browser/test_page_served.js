// The page that `wick view` serves: the same page, with SQL, source code and symbols. What the server
// refuses is tested in tests/serve.
//
//	WICK=build/wick node tests/browser/test_page_served.js
//
// Prints TAP.
'use strict';
const path = require('path');
const { equal, finish, holds, openAddress, press, root, serve, test } = require('./page');

const shop = path.join(root, 'tests', 'data', 'shop.data');

async function served(run) {
	const server = serve(shop);
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

finish();
