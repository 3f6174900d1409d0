// The page that is checked in is what its sources give: web/page/built/page.html is built again and
// compared, and the types of the sources are checked.
//
//	node tests/browser/test_page_built.js
//
// Needs the npm packages of web/page/package.json, in those versions, where NODE_PATH says. Prints TAP.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const os = require('os');
const path = require('path');

const root = process.env.WICK_SOURCE_ROOT || path.join(__dirname, '..', '..');
const folder = path.join(root, 'web', 'page');
const { dependencies, devDependencies } = JSON.parse(fs.readFileSync(path.join(folder, 'package.json')));

for (const [name, version] of Object.entries({ ...dependencies, ...devDependencies })) {
	const file = path.join(process.env.NODE_PATH || '', name, 'package.json');
	const found = fs.existsSync(file) && JSON.parse(fs.readFileSync(file)).version;
	if (found !== version) {
		console.log(`1..0 # SKIP ${name} ${version} is not where NODE_PATH says` + (found ? `, but ${found}` : ''));
		process.exit(0);
	}
}

const scratch = fs.mkdtempSync(path.join(os.tmpdir(), 'wick-page-built-'));
let count = 0, failed = 0;

function check(name, run) {
	const fault = run();
	console.log(`${fault ? 'not ok' : 'ok'} ${++count} - ${name}` + (fault ? '\n# ' + fault.trim().replace(/\n/g, '\n# ') : ''));
	failed += fault ? 1 : 0;
}

console.log('1..2');
check('the page is built from its sources', () => {
	const again = path.join(scratch, 'page.html');
	const built = spawnSync(process.execPath, [path.join(folder, 'build.js'), again], { encoding: 'utf8' });
	if (built.status !== 0)
		return built.stderr;
	return fs.readFileSync(again).equals(fs.readFileSync(path.join(folder, 'built', 'page.html'))) ? ''
		: 'web/page/built/page.html is not what its sources give: ./do page builds it';
});
// The sources find their packages in build-npm; a copy of the configuration finds them where NODE_PATH says.
check('the types of its sources', () => {
	const options = path.join(scratch, 'tsconfig.json');
	fs.writeFileSync(options, JSON.stringify({
		extends: path.join(folder, 'tsconfig.json'),
		compilerOptions: { paths: { '*': [path.join(process.env.NODE_PATH, '*')] } },
		include: [path.join(folder, 'src')],
	}));
	const run = spawnSync(process.execPath, [path.join(process.env.NODE_PATH, 'typescript', 'bin', 'tsc'), '-p', options],
		{ encoding: 'utf8' });
	return run.status === 0 ? '' : run.stdout + run.stderr;
});
fs.rmSync(scratch, { recursive: true, force: true });
process.exit(failed ? 1 : 0);
