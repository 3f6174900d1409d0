// The sources of the page that need no document, for tests in node: bundled as one module.
//
//	const { page, root, scratch, wick } = require('./sources');
//
// Skips the whole file, loudly, where esbuild is missing. WICK and WICK_SOURCE_ROOT are in the environment;
// `scratch` is a folder that the test removes.
'use strict';
const fs = require('fs');
const os = require('os');
const path = require('path');

const root = process.env.WICK_SOURCE_ROOT || path.join(__dirname, '..', '..');
const wick = process.env.WICK || path.join(root, 'build', 'wick');
const MODULES = ['data/recording', 'data/combine', 'views/build', 'views/tree', 'views/weigh', 'views/words', 'views/filters', 'views/path', 'views/processes',
	'state/link', 'state/presets', 'words/format'];
let esbuild = null;
try {
	esbuild = require('esbuild');
} catch (_) {
	console.log('1..0 # SKIP esbuild is not where NODE_PATH says');
	process.exit(0);
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'wick-page-sources-'));
const source = path.join(root, 'web', 'page', 'src'), bundle = path.join(scratch, 'page.js');
esbuild.buildSync({
	stdin: { contents: MODULES.map(name => `export * from ${JSON.stringify(path.join(source, name))};`).join('\n'), resolveDir: source },
	bundle: true, platform: 'node', format: 'cjs', outfile: bundle, logLevel: 'error',
	nodePaths: (process.env.NODE_PATH || '').split(path.delimiter),
});

module.exports = { page: require(bundle), root, scratch, wick };
