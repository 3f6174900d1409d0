// The trees, histograms and sums that `wick view` answers are those that the page computes of all samples: its own
// modules run in node on the blocks of the server, and are compared with answers for random filters, verbs, times,
// measures, snapshots, groupings and presets. Needs esbuild where NODE_PATH says, and no browser.
//
//	WICK=build/wick node tests/browser/test_page_answers.js [FILE...]
//
// Prints TAP. SEED=N and ROUNDS=N choose other questions.
'use strict';
const { spawn } = require('child_process');
const fs = require('fs');
const path = require('path');

const { page, root, scratch, wick } = require('./sources');
const ROUNDS = +(process.env.ROUNDS || 25);
let seed = +(process.env.SEED || 1);
const random = below => {
	seed = (Math.imul(seed, 1103515245) + 12345) >>> 0;
	return (seed >>> 8) % below;
};
const pick = list => list[random(list.length)];
const often = percent => random(100) < percent;

// ---- the server

async function start(file) {
	const child = spawn(wick, ['view', '--no-open', file], { stdio: ['ignore', 'pipe', 'pipe'] });
	let said = '', complaints = '';
	child.stderr.on('data', text => complaints += text);
	const address = await new Promise((resolve, reject) => {
		child.stdout.on('data', text => {
			said += text;
			const found = /http:\/\/\S+/.exec(said);
			if (found)
				resolve(found[0]);
		});
		child.on('exit', code => reject(new Error(`wick view ended with ${code}: ${complaints}`)));
	});
	const get = async route => {
		const answer = await fetch(address + route), bytes = Buffer.from(await answer.arrayBuffer());
		if (answer.status !== 200)
			throw new Error(`${answer.status} for ${route}: ${bytes}`);
		return bytes;
	};
	const { blocks } = JSON.parse(/data-block="head"[^>]*>([^<]*)</.exec(await get(''))
		? inflate(/data-block="head" data-packing="([^"]+)"[^>]*>([^<]*)</.exec(await get(''))) : '{}');
	const source = {
		has: name => name === 'end' || blocks.includes(name),
		read: async name => blocks.includes(name) ? Uint8Array.from(await get('block/' + name)) : null,
	};
	return { get, source, end: () => child.kill('SIGTERM') };
}

function inflate([, packing, text]) {
	const bytes = Buffer.from(text, 'base64');
	return packing === 'gzip' ? require('zlib').gunzipSync(bytes) : bytes;
}

// docs/report-format.md
function columnsOf(block) {
	const length = block.readUInt32LE(0), columns = {};
	let at = 4 + length;
	for (const { name, rows, bytes, base = 0, scale = 1, delta } of JSON.parse(block.subarray(4, at))) {
		const values = columns[name] = new Array(rows);
		for (let row = 0, sum = 0; row < rows; row++) {
			let value = base;
			for (let plane = 0; plane < bytes; plane++)
				value += block[at + plane * rows + row] * 256 ** plane;
			values[row] = (delta ? sum += value : value) * scale;
		}
		at += rows * bytes;
	}
	return columns;
}

function treeOfAnswer(bytes) {
	const length = bytes.readUInt32LE(0);
	return { facts: JSON.parse(bytes.subarray(4, 4 + length)), columns: columnsOf(bytes.subarray(4 + length)) };
}

// ---- names of both sides

// Of each row, its levels and names on the way from the root.
function pathsOfAnswer(recording, { facts: { names, texts }, columns }) {
	const { head } = recording, paths = [''];
	const threadName = of => !of ? '(interrupt)' : of.name ? `${of.name} (${of.tid})` : `thread ${of.tid}`;
	for (let row = 1; row < columns.node.length; row++) {
		const level = columns.level[row], id = columns.id[row], process = head.processes[id];
		const name = level === 12 ? names.names[columns.function[row]]
			: level === 1 ? process?.name || '(unknown process)'
				: level === 2 ? `${process?.name || '(unknown process)'} (${process?.pid})`
					: level === 3 || level === 6 ? threadName(head.threads[id])
						: level === 9 ? `${page.bytes(2 ** id)} to ${page.bytes(2 ** (id + 1))}`
							: texts[columns.text[row]];
		paths[row] = `${paths[columns.parent[row]]}\n${level}:${page.shown(name)}`;
	}
	return paths;
}

function pathsOfTree(tree, words) {
	const paths = [''];
	for (let node = 1; node < tree.count; node++)
		paths[node] = `${paths[tree.parent[node]]}\n${tree.kind[node]}:${words.name(node)}`;
	return paths;
}

function sumsOf(paths, columns) {
	const sums = new Map();
	paths.forEach((name, row) => {
		const values = columns.map(column => column ? column[row] : 0), known = sums.get(name);
		if (values.slice(0, 4).some(value => value !== 0))
			sums.set(name, known ? known.map((value, i) => value + values[i]) : values);
	});
	return sums;
}

function differences(page, server) {
	const faults = [];
	for (const name of new Set([...page.keys(), ...server.keys()])) {
		const [a, b] = [page.get(name) ?? [], server.get(name) ?? []];
		if (Math.max(a.length, b.length) && [...Array(Math.max(a.length, b.length)).keys()].some(i => Math.abs((a[i] ?? 0) - (b[i] ?? 0)) > .5))
			faults.push(`${name.split('\n').slice(-3).join(' > ')}: the page ${a}, the server ${b}`);
	}
	return faults;
}

// ---- questions

const KINDS = ['process', 'pid', 'tid', 'function', 'module', 'pattern', 'merge', 'merge', 'collapse', 'merge-module', 'recursion', 'focus', 'preset'];

function textFor(kind, { head, names }) {
	const name = pick(names.names.slice(1)) ?? '';
	switch (kind) {
	case 'process': return pick(head.processes.slice(1))?.name ?? '';
	case 'pid': return String(pick(head.processes.slice(1))?.pid ?? 1);
	case 'tid': return String(pick(head.threads.slice(1))?.tid ?? 1);
	case 'module':
	case 'merge-module': return pick(head.images.slice(1))?.name ?? '';
	case 'pattern': return pick([name.slice(0, 4).replace(/\W/g, '.'), '^[a-m]', 'a(?:l|b)+?o|_\\d', '[\\w.]{3}\\b', 'Main']);
	case 'recursion': return '';
	case 'preset': return pick(head.presets)?.preset.name ?? '';
	default: return name;
	}
}

function question(recording, info) {
	const { head } = recording, filters = [];
	const cut = () => Math.round(head.last * random(1000) / 1000 / head.resolution) * head.resolution;
	const range = often(40) ? [cut(), cut()].sort((a, b) => a - b) : null;
	const waits = /wait|ready/.test(info.name), groups = [];
	// As wick show does, the server leaves out heaps without names, and of functions without a module shows files.
	const hasHeaps = info.blocks && head.heaps.every((heap, i) => !i || heap.name);
	const hasModules = recording.names.image.every((image, i) => !i || image);
	while (often(filters.length ? 40 : 60)) {
		const kind = pick(KINDS), filter = { kind, text: textFor(kind, recording) };
		if (kind !== 'merge-module' || hasModules)
			filters.push(often(25) ? { ...filter, out: true } : filter);
	}
	for (const name of ['process', 'pid', 'thread', ...waits ? ['wait-reason', 'readied-by'] : [], ...hasHeaps ? ['heap'] : [], ...info.blocks ? ['allocator', 'size'] : [],
		'annotation', 'function'])
		if (often(20))
			groups.push(name);
	return {
		filters, range, groups, inverted: often(30), modules: hasModules && often(15), allInline: often(30),
		measure: info.lifetimes ? pick(['all', 'outstanding', 'gone']) : 'all',
		snapshots: info === head.events.find(one => one?.blocks) && head.snapshots.length && often(50) ? [random(head.snapshots.length + 1), 1 + random(head.snapshots.length)] : null,
		preset: head.presets.length && often(70) ? pick(head.presets).preset.name : 'none',
	};
}

function argumentsOf(recording, event, q) {
	const group = [...q.groups, q.modules ? 'module' : 'stack'].join();
	const words = { event: recording.head.events[event].name, group, measure: q.measure, preset: q.preset, filters: JSON.stringify(q.filters) };
	if (q.range)
		[words.from, words.to] = [q.range[0], q.range[1] + recording.head.resolution - 1];
	if (q.inverted)
		words.inverted = 1;
	if (q.allInline)
		words['all-inline'] = 1;
	if (q.snapshots)
		words.between = q.snapshots.join();
	return new URLSearchParams(words).toString();
}

const NOTHING = { row: 0, end: 0 };

function keptOf(recording, q) {
	const { threads, stacks } = page.keptBy(recording, q.filters), { head } = recording;
	const between = q.snapshots && [head.snapshots[q.snapshots[0] - 1] ?? NOTHING, head.snapshots[q.snapshots[1] - 1]];
	const process = between?.[1].process;
	return {
		between, measure: q.measure, from: q.range?.[0] ?? -Infinity, to: q.range?.[1] ?? Infinity, stacks,
		threads: !process ? threads : Uint8Array.from(head.threads, (thread, i) => thread?.process === process && (!threads || threads[i]) ? 1 : 0),
	};
}

function treeOf(recording, event, samples, q, kept) {
	const info = recording.head.events[event];
	const annotations = q.groups.includes('annotation') ? page.annotationsOf(recording, q.preset, []) : null;
	const shaped = page.buildTree(recording, samples, {
		groups: q.groups.map(name => page.GROUPS[name]), hasStack: true, modules: q.modules, inverted: q.inverted, annotations,
		hides: q.allInline ? 0 : 1 | (info.blocks ? 2 : info.pages ? 4 : 0), ...page.verbsOf(recording, q.filters),
	});
	page.weigh(shaped, samples, kept);
	return { shaped, words: page.treeWords(recording, shaped.tree, info, annotations) };
}

// ---- comparisons

let histograms = 0, spread = 0; // that were compared

async function compareTrees(server, recording, event, samples, q, words) {
	const kept = keptOf(recording, q), { shaped: { tree }, words: names } = treeOf(recording, event, samples, q, kept);
	const paths = pathsOfTree(tree, names), ways = page.pathHashes(tree, names.name);
	const candidates = [...Array(tree.count).keys()].filter(node => node && (tree.total[node] || tree.totalTimes[node]));
	const current = candidates.length ? pick(candidates) : 0, top = candidates.length ? pick(candidates) : 0;
	const way = node => node ? page.pathName(ways, node) : '0';
	const answer = treeOfAnswer(await server.get(`tree?share=0&root=0&current=${way(current)}&open=${way(top)},0&${words}`));
	const { columns, facts } = answer, paged = pathsOfAnswer(recording, answer);
	const faults = differences(
		sumsOf(paths, [tree.total, tree.self, tree.totalTimes, tree.selfTimes, tree.allocated, tree.allocations]),
		sumsOf(paged, [columns.total, columns.self, columns.totalTimes, columns.selfTimes, columns.allocated, columns.allocations]));
	if (facts.cutStacks === 0 && current && paged[facts.current] !== paths[current])
		faults.push(`the path of ${paths[current].slice(-100)} is ${paged[facts.current]?.slice(-100)}`);
	const first = new Map();
	for (let node = 1; node < tree.count; node++)
		first.set(paths[node], Math.min(first.get(paths[node]) ?? Infinity, tree.first[node]));
	for (let row = 1; row < paged.length; row++)
		if (first.has(paged[row]) && columns.firstTime[row] - first.get(paged[row]) < -1)
			faults.push(`${paged[row]}: first at ${columns.firstTime[row]}, in the page at ${first.get(paged[row])}`);
	const few = treeOfAnswer(await server.get(`tree?share=1&root=${way(top)}&${words}`));
	if (top && pathsOfAnswer(recording, few)[few.facts.root] !== paths[top])
		faults.push(`root: ${paths[top].slice(-100)}`);
	return faults;
}

async function compareBins(server, recording, event, samples, q, words) {
	const kept = keptOf(recording, q), { head } = recording, count = 7 + random(40), info = head.events[event];
	const faults = [], same = (what, ours, theirs, share = 1e-9) => {
		const at = [...ours].findIndex((value, i) => Math.abs(value - (theirs[i] ?? 0)) > Math.max(1, Math.abs(value) * share));
		if (at >= 0 || ours.length !== theirs.length)
			faults.push(`${what}, ${at} of ${ours.length} and ${theirs.length}: the page ${ours[at]}, the server ${theirs[at]}`);
	};
	const sums = columnsOf(await server.get(`bins?sums=process&${q.range ? '' : `from=0&to=${head.last}&`}${words}`));
	same('sums', page.weightsOf(recording, samples, kept), sums.weight);
	// The page's moments are rounded: bins begin with such moments.
	const unit = head.resolution, from = q.range?.[0] ?? 0, length = Math.ceil((head.last - from) / count / 2 / unit) * unit || unit;
	const to = from + count * length;
	// A moment between two bins is in one of them by the last digit of a quotient.
	const isBetween = moment => moment >= from && moment <= to && (moment - from) % length === 0;
	if (samples.time.some(isBetween) || samples.ends?.time.some(isBetween))
		return faults;
	histograms++;
	const time = `from=${from}&to=${to}&count=${count}&${words.replace(/&(from|to)=\d+/g, '')}`;
	const within = { ...kept, from, to: to - unit };
	const bins = columnsOf(await server.get(`bins?${time}`));
	same('bins', page.binsOf(samples, within, from, to, count), bins.weight);
	if (info.lifetimes && q.measure !== 'all')
		// The page's last level is that at the end of the recording.
		same('levels', page.levelsOf(samples, kept, from, to, count).slice(0, -1),
			columnsOf(await server.get(`bins?levels=1&${time}`)).level.slice(0, -1));
	const place = Int32Array.from(head.processes, (_, i) => i);
	const lanes = columnsOf(await server.get(`bins?by=process&${time}`));
	// The page adds up 32-bit floats.
	same('bins of processes', page.binsByPlace(recording, samples, within, place, place.length, [from, to], count, false), lanes.weight, 1e-4);
	// A moment that is rounded can be in the next bin, so only sums of differences say something.
	if (info.cpuTime) {
		const own = page.binsByPlace(recording, samples, within, place, place.length, [from, to], count, true);
		const came = columnsOf(await server.get(`bins?by=process&spread=1&${time}`)).weight;
		const apart = own.reduce((sum, value, i) => sum + Math.abs(value - came[i]), 0), all = own.reduce((a, b) => a + b, 0);
		spread++;
		if (apart > all * 0.02 + 2 * length)
			faults.push(`time of processes: ${apart} of ${all} are elsewhere`);
	}
	return faults;
}

async function compare(file) {
	const server = await start(file), faults = [];
	let compared = 0;
	try {
		const recording = await page.openRecording(server.source, () => {});
		for (const [event, info] of recording.head.events.entries()) {
			if (!info || !info.samples)
				continue;
			const samples = await recording.samples(event);
			for (let round = 0; round < ROUNDS; round++) {
				const q = question(recording, info), words = argumentsOf(recording, event, q);
				const came = [...await compareTrees(server, recording, event, samples, q, words),
					...await compareBins(server, recording, event, samples, q, words)];
				compared++;
				if (came.length)
					faults.push(`${decodeURIComponent(words)}`, ...came.slice(0, 3).map(fault => '  ' + fault));
			}
		}
	} catch (error) {
		faults.push(error.stack);
	} finally {
		server.end();
	}
	return { compared, faults };
}

async function main() {
	const data = path.join(root, 'tests', 'data'), shared = process.env.WICK_SHARED || path.join(root, '..', 'shared');
	const files = process.argv.slice(2);
	if (!files.length) {
		files.push(path.join(data, 'shop.data'), path.join(data, 'memory.etl'), path.join(data, 'copied_stacks.data'));
		for (const name of ['massif/peak/input.massif', 'dhat/events/input.json', 'heaptrack/raw/input.raw'])
			files.push(path.join(root, 'tests', 'golden', name));
		for (const name of ['net.4.5.2.x64.etl.zip'])
			if (fs.existsSync(path.join(shared, 'fixtures', 'etl', name)))
				files.push(path.join(shared, 'fixtures', 'etl', name));
			else
				console.log(`# not tested: ${name}, since WICK_SHARED does not name its folder`);
	}
	let failed = 0;
	console.log('1..' + (files.length + 1));
	for (const [i, file] of files.entries()) {
		const { compared, faults } = await compare(file), ok = faults.length === 0 && compared >= ROUNDS;
		failed += ok ? 0 : 1;
		console.log(`${ok ? 'ok' : 'not ok'} ${i + 1} - ${path.basename(file)}: answers to ${compared} questions are the page's`);
		for (const fault of faults.slice(0, 40))
			console.log('# ' + fault.trim().replace(/\n/g, ' / '));
	}
	failed += histograms ? 0 : 1;
	console.log(`${histograms ? 'ok' : 'not ok'} ${files.length + 1} - ${histograms} histograms were compared, ${spread} of them of the time that samples stand for`);
	fs.rmSync(scratch, { recursive: true, force: true });
	process.exit(failed ? 1 : 0);
}

void main();
