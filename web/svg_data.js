// A flame graph to explore. The whole tree travels in the file as columns of text; this draws
// what is wide enough to be seen at the present zoom, in place of the rectangles that stand
// in the file for viewers without script. Names are data: they are only ever set as text.
// Nothing is fetched, nothing is stored.
//
// The files svg_*.js, label.js and amounts.js are one script: svg_data (what the file holds), svg_tree (whose
// children stand where), label (names cut to fit; the page uses it as well), svg_words, svg_draw,
// svg_lanes (charts), svg_bar (what stands above), svg_legend, svg_tip (what is shown near the
// pointer), svg_search, svg_turn, svg_shown (other trees in place of the file's), svg_help (the list
// of keys), svg_tools (buttons, keys, the address), svg_start.
(function () {
'use strict';

const svg = document.currentScript.closest('svg');
let data = JSON.parse(svg.querySelector('script.data').textContent);
let count = data.count;

// ---- columns: see render/svg/data.c

const DIGITS = new Uint8Array(128);
Array.from('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_')
	.forEach((letter, i) => { DIGITS[letter.charCodeAt(0)] = i; });

function decode(text, into, step) {
	for (let at = 0, i = 0; at < text.length; i++) {
		let digit = DIGITS[text.charCodeAt(at++)], value = digit & 31;
		for (let unit = 32; digit > 31; unit *= 32) {
			digit = DIGITS[text.charCodeAt(at++)];
			value += (digit & 31) * unit;
		}
		into[i] = value * step;
	}
	return into;
}

const weights = key => decode(data[key], new Float64Array(count), data[key + 'Step']);

// A name is written as how many letters it shares with the one before, and the rest. A label that
// is the name itself is empty.
function readNames(classes) {
	const lines = [...svg.querySelectorAll('script.' + classes)]
		.map(e => JSON.parse(e.textContent)).join('').split('\n');
	const names = new Array(data.names);
	let last = '';
	for (let i = 0; i < data.names; i++) {
		const line = lines[i];
		if (!line)
			continue;
		let at = 0, digit = DIGITS[line.charCodeAt(at++)], same = digit & 31;
		for (let unit = 32; digit > 31; unit *= 32) {
			digit = DIGITS[line.charCodeAt(at++)];
			same += (digit & 31) * unit;
		}
		names[i] = last = last.slice(0, same) + line.slice(at);
	}
	return names;
}

let names, labels, looks, imageOf;
let lines;               // file and line, in turn

function readTables(prefix) {
	count = data.count;
	names = readNames(prefix + 'names');
	labels = readNames(prefix + 'labels');
	looks = Uint8Array.from(data.look, letter => DIGITS[letter.charCodeAt(0)]);
	imageOf = decode(data.image, new Int32Array(data.names), 1);
	lines = decode(data.lines || '', [], 1);
}

readTables('');

const isStructure = name => Math.floor(looks[name] / data.shades) === data.structure
	&& name !== data.few;

// ---- the tree as it is in the file; nodes are numbered each before its subtree

function sumUp(values, parent) {
	for (let i = count - 1; i > 0; i--)
		values[parent[i]] += values[i];
	return values;
}

function readBase() {
	const up = decode(data.up, new Int32Array(Math.max(count - 1, 0)), 1);
	const depth = new Int32Array(count), parent = new Int32Array(count), end = new Int32Array(count);
	const path = [];
	for (let i = 0; i < count; i++) {
		depth[i] = i ? depth[i - 1] + 1 - up[i - 1] : 0;
		path[depth[i]] = i;
		parent[i] = i ? path[depth[i] - 1] : -1;
		end[i] = i + 1;
	}
	for (let i = count - 1; i > 0; i--)
		if (end[parent[i]] < end[i])
			end[parent[i]] = end[i];
	const self = weights('self');
	const ownSamples = data.samples ? decode(data.samples, new Float64Array(count), 1) : self;
	const tree = {
		depth, parent, end, self, ownSamples,
		name: decode(data.name, new Int32Array(count), 1),
		total: sumUp(Float64Array.from(self), parent),
		samples: sumUp(Float64Array.from(ownSamples), parent),
		place: data.place ? decode(data.place, new Int32Array(count), 1) : null,
		lead: data.lead ? weights('lead') : null,
		from: data.from ? weights('from') : null,
		took: data.from ? weights('took') : null,
		inlined: new Uint8Array(count),
		few: {},
		colour: data.colour ? decode(data.colour, new Int32Array(count), 1) : null,
	};
	if (data.comparison) {
		tree.ownBefore = weights('before');
		tree.ownAfter = weights('after');
		tree.before = sumUp(Float64Array.from(tree.ownBefore), parent);
		tree.after = sumUp(Float64Array.from(tree.ownAfter), parent);
	}
	tree.total[0] = Math.max(tree.total[0], data.whole);
	tree.isLane = new Uint8Array(count);
	let at = 0;
	for (const distance of decode(data.lanes || '', [], 1))
		tree.isLane[at += distance] = 1;
	at = 0;
	for (const distance of decode(data.inlined, [], 1))
		tree.inlined[at += distance] = 1;
	at = 0;
	decode(data.fewCount || '', [], 1).forEach((value, i) => {
		if (i % 2)
			tree.few[at] = value;
		else
			at += value;
	});
	return tree;
}

const base = readBase();
