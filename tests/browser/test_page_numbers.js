// The page's own trees are those of `wick show calls`: its modules run in node, on the data of a page,
// for each event, many groupings, time ranges, outstanding memory and snapshots. Needs esbuild where
// NODE_PATH says, and no browser.
//
//	WICK=build/wick node tests/browser/test_page_numbers.js [FILE...]
//
// Prints TAP.
'use strict';
const { spawnSync } = require('child_process');
const fs = require('fs');
const path = require('path');
const zlib = require('zlib');

const { page, root, scratch, wick } = require('./sources');

// The blocks of a page, as data/blocks.ts reads them in a browser.
function sourceOf(file) {
	const blocks = new Map();
	const block = /<script type="text\/plain" data-block="([^"]+)" data-packing="([^"]+)" data-bytes="\d+">([^<]*)<\/script>/g;
	for (const [, name, packing, text] of fs.readFileSync(file, 'latin1').matchAll(block)) {
		const bytes = Buffer.from(text, 'base64');
		blocks.set(name, packing === 'gzip' ? zlib.gunzipSync(bytes) : bytes);
	}
	return { has: name => blocks.has(name), read: async name => blocks.has(name) ? Uint8Array.from(blocks.get(name)) : null };
}

// By path of names: weight and number.
function treeOf(recording, event, samples, { groups = [], modules = false, inverted = false, range = null,
	measure = 'all', between = null, all = false }) {
	const info = recording.head.events[event];
	const shape = { groups: groups.map(name => page.GROUPS[name]), hasStack: true, modules, inverted, annotations: null,
		hides: all ? 0 : 1 | (info.blocks ? 2 : info.pages ? 4 : 0), ...page.verbsOf(recording, []) };
	const shaped = page.buildTree(recording, samples, shape);
	const [from, to] = range ?? [-Infinity, Infinity];
	page.weigh(shaped, samples, { from, to, threads: null, stacks: null, measure, between });
	const { tree } = shaped, words = page.treeWords(recording, tree, info, null);
	const sums = new Map(), paths = [''];
	for (let node = 0; node < tree.count; node++) {
		if (node)
			paths[node] = paths[tree.parent[node]] + '\n' + words.name(node);
		if (tree.total[node] || tree.totalTimes[node])
			add(sums, paths[node], tree.total[node], tree.totalTimes[node]);
	}
	return sums;
}

function add(sums, name, weight, times) {
	const sum = sums.get(name) ?? [0, 0];
	sums.set(name, [sum[0] + weight, sum[1] + times]);
}

// The same as wick prints it; null: nothing is in view.
function shownOf(file, event, words) {
	const run = spawnSync(wick, ['show', '-q', '--json', '--all', '--min', '0', '--by', event, ...words, file, 'calls'],
		{ encoding: 'utf8', maxBuffer: 1 << 29 });
	if (run.status !== 0)
		return null;
	const { rows } = JSON.parse(run.stdout);
	const key = Object.keys(rows[0] ?? {}).find(name => /^total_(?!percent)/.test(name)) ?? 'samples';
	const sums = new Map(), names = [];
	for (const row of rows) {
		names.length = row.depth;
		names[row.depth] = page.shown(row.name); // what cannot be seen is escaped
		add(sums, ['', ...names.slice(1)].join('\n'), row[key], row.samples ?? row.blocks ?? row.allocations ?? 0);
	}
	return sums;
}

// The views that are compared: arguments of wick, and the same for the page.
function viewsOf(recording, info) {
	const last = recording.head.last / 1e9;
	const [from, to] = [.3, .7].map(part => +(last * part).toFixed(5));
	const within = ['--time', `${from}-${to}`], range = [from * 1e9, to * 1e9];
	const views = [
		[[], {}],
		[['--inverted'], { inverted: true }],
		[['--all-inline'], { all: true }],
		[['--group', 'pid,stack'], { groups: ['pid'] }],
		[['--group', 'process,thread,stack'], { groups: ['process', 'thread'] }],
		[['--group', 'process,module'], { groups: ['process'], modules: true }],
		[['--group', 'function,stack'], { groups: ['function'] }],
		[['--group', 'module,stack', '--inverted'], { groups: ['module'], inverted: true }],
		[within, { range }],
	];
	if (info.lifetimes)
		views.push([['--outstanding'], { measure: 'outstanding' }], [['--outstanding', ...within], { measure: 'outstanding', range }]);
	if (info.blocks)
		for (const snapshot of recording.head.snapshots)
			views.push([['--snapshot', String(snapshot.number)],
				{ measure: 'outstanding', between: [{ row: 0, end: 0 }, snapshot], process: snapshot.process }]);
	if (/wait|ready/.test(info.name))
		views.push([['--group', 'wait-reason,readied-by,stack'], { groups: ['wait-reason', 'readied-by'] }]);
	// Of one process alone the page narrows threads, which is another part of it.
	return views.filter(([, view]) => !view.process);
}

async function compare(file) {
	const html = path.join(scratch, path.basename(file) + '.html'), faults = [];
	const made = spawnSync(wick, ['report', '-q', file, '-o', html], { encoding: 'utf8' });
	if (made.status !== 0)
		return { compared: 0, faults: [made.stderr] };
	const recording = await page.openRecording(sourceOf(html), () => {});
	let compared = 0;
	for (const [event, info] of recording.head.events.entries()) {
		if (!info || !info.samples)
			continue;
		const samples = await recording.samples(event);
		for (const [words, view] of viewsOf(recording, info)) {
			const shown = shownOf(file, info.name, words), came = treeOf(recording, event, samples, view);
			const what = [info.name, ...words].join(' ');
			compared++;
			if (!shown) {
				if (came.get('')?.[0])
					faults.push(`${what}: wick shows nothing, the page ${came.get('')}`);
				continue;
			}
			for (const name of new Set([...shown.keys(), ...came.keys()])) {
				const [a, b] = [shown.get(name)?.[0] ?? 0, came.get(name)?.[0] ?? 0];
				if (Math.abs(a - b) > 1)
					faults.push(`${what}: ${name.split('\n').slice(-3).join(' > ')}: wick ${a}, the page ${b}`);
			}
		}
	}
	return { compared, faults };
}

const OUT = '/w/target/debug/build/ring-0123456789abcdef/';
const SUBJECTS = [
	['rustc', 'rustc --crate-name beta --edition=2021 -C metadata=1 -o x', 'beta'],
	['rustc', `rustc --crate-name build_script_build --out-dir ${OUT} -L dependency=/w/deps`, 'ring build_script_build'],
	['rustc', 'rustc - --crate-name ___ --print=file-names', ''],
	['build-script-bu', OUT + 'build-script-build', 'ring'],
	['cc', `cc -O2 -c -o ${OUT}out/one.o /w/one.c`, 'one.o'],
	['cc', `cc -m64 ${OUT}a.o -o ${OUT}build_script_build-0123456789abcdef -nodefaultlibs`, 'ring build_script_build'],
	['ld', 'ld -pie -o /w/target/debug/deps/beta-0123456789abcdef crtn.o', 'beta'],
	['link.exe', 'link.exe /NOLOGO "/OUT:C:\\w\\beta.exe" kernel32.lib', 'beta.exe'],
	['link.exe', '"C:\\VC\\link.exe" /OUT:C:\\w\\beta.exe kernel32.lib', 'beta.exe'],
	['ssh', 'ssh -o BatchMode=yes host', 'host'],
	['sh', '/bin/sh -ec make -j2 all >/dev/null', 'make -j2 all >/dev/null'],
	['sh', '/bin/sh /w/configure', 'configure'],
	['cargo', 'cargo build', 'build'],
	['make', 'make', ''],
];

function subjectFaults() {
	return SUBJECTS.map(([name, command, subject]) => [command, page.subjectOf({ name, command }), subject])
		.filter(([, came, subject]) => came !== subject).map(([command, came, subject]) => `${command}: ${came}, not ${subject}`);
}

// Of process 3 there is one look, of process 4 none.
function peakFaults() {
	const uses = { rows: 7, time: [1, 2, 3, 4, 5, 6, 7], process: [1, 2, 1, 1, 2, 3, 1], peak: [10, 5, 30, 30, 5, 9, 30], commit: [0, 0, 0, 0, 0, 0, 0] };
	const came = JSON.stringify([page.peakTimes(uses, 'peak', 5), page.peakTimes(uses, 'commit', 2)]), expected = '[[null,3,2,null,null],[null,null]]';
	return came === expected ? [] : [`${came}, not ${expected}`];
}

async function opened(name, text) {
	const file = path.join(scratch, name), html = file + '.html';
	fs.writeFileSync(file, text);
	const made = spawnSync(wick, ['report', '-q', file, '-o', html], { encoding: 'utf8' });
	if (made.status !== 0)
		throw new Error(made.stderr);
	return page.openRecording(sourceOf(html), () => {});
}

// Of rows without times or with equal ones, that which was met first comes first; no row was met before its caller.
async function orderFaults() {
	const script = (from, names) => names.map((name, i) => `app 5/5 ${(from + i).toFixed(6)}: cycles:\n\t2 ${name} (app)\n\t1 main (app)\n\n`).join('');
	const folded = await opened('order.folded', 'z;p 1\na;p 1\nz;b 1\nm;q 1\na;c 1\n');
	const after = await opened('after.perf', script(100, ['x', 'x', 'y'])), before = await opened('before.perf', script(100, ['y', 'x', 'w']));
	const both = page.combine(after, before);
	const event = folded.head.event, shape = { groups: [], hasStack: true, modules: false, inverted: false, annotations: null, hides: 1, ...page.verbsOf(folded, []) };
	const samples = await folded.samples(event), shaped = page.buildTree(folded, samples, shape), { tree } = shaped;
	page.weigh(shaped, samples, { from: -Infinity, to: Infinity, threads: null, stacks: null, measure: 'all', between: null });
	const words = page.treeWords(folded, tree, folded.head.events[event], null), faults = [];
	for (const order of ['time', 'weight']) {
		const came = [...page.childrenOf(tree, 0, order, words)].map(words.name).join(' '), expected = { time: 'z a m', weight: 'z a m' }[order];
		if (came !== expected)
			faults.push(`by ${order}: ${came}, not ${expected}`);
	}
	const { tree: pair } = page.buildTree(both, page.rowsOfBoth(await both.samplesOfBoth(both.head.event)), shape);
	for (let node = 1; node < pair.count; node++)
		if (pair.first[node] < pair.first[pair.parent[node]])
			faults.push(`node ${node} of a comparison was met before its caller`);
	return faults;
}

async function main() {
	const data = path.join(root, 'tests', 'data'), shared = process.env.WICK_SHARED || path.join(root, '..', 'shared');
	const files = process.argv.slice(2);
	if (!files.length) {
		files.push(path.join(data, 'shop.data'), path.join(data, 'memory.etl'));
		for (const name of ['net.4.5.2.x64.etl.zip', 'TraceLoggingTester.etl.zip'])
			if (fs.existsSync(path.join(shared, 'fixtures', 'etl', name)))
				files.push(path.join(shared, 'fixtures', 'etl', name));
			else
				console.log(`# not tested: ${name}, since WICK_SHARED does not name its folder`);
	}
	let failed = 0;
	console.log(`1..${files.length + 3}`);
	for (const [i, file] of files.entries()) {
		const { compared, faults } = await compare(file);
		const ok = faults.length === 0 && compared >= 9;
		failed += ok ? 0 : 1;
		console.log(`${ok ? 'ok' : 'not ok'} ${i + 1} - ${path.basename(file)}: ${compared} trees are those of wick show`);
		for (const fault of faults.slice(0, 10))
			console.log('# ' + fault.trim());
	}
	for (const [i, [what, faults]] of [['what a process is about, by its command line', subjectFaults()],
		['when a process used the most memory', peakFaults()], ['which of equal rows comes first', await orderFaults()]].entries()) {
		failed += faults.length;
		console.log(`${faults.length ? 'not ok' : 'ok'} ${files.length + 1 + i} - ${what}`);
		faults.forEach(fault => console.log('# ' + fault));
	}
	fs.rmSync(scratch, { recursive: true, force: true });
	process.exit(failed ? 1 : 0);
}

void main();
