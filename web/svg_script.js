// A flame graph to explore. The whole tree travels in the file as columns of numbers; this
// draws what is wide enough to be seen at the present zoom, in place of the rectangles that
// stand in the file for viewers without script. Names are data: they are only ever set as
// text. Nothing is fetched, nothing is stored.
(function () {
'use strict';

const SVG = 'http://www.w3.org/2000/svg';
const HTML = 'http://www.w3.org/1999/xhtml';
const svg = document.currentScript.closest('svg');
const data = JSON.parse(svg.querySelector('script.data').textContent);
const count = data.name.length;
const PAD = data.margin, ROW = data.row, HEAD = data.head, FOOT = data.foot;
const NARROWEST = 0.5;
const TOOLS_WIDTH = 310;

// ---- the tree, as columns; nodes are numbered each before its subtree

const depth = Int32Array.from(data.depth);
const parent = new Int32Array(count);
const end = new Int32Array(count);
const left = new Float64Array(count);
const total = Float64Array.from(data.self);
const selfSamples = data.samples || data.self;
const samples = Float64Array.from(selfSamples);
const inlined = new Uint8Array(count);

function readTree() {
	const path = [];
	for (let i = 0; i < count; i++) {
		path[depth[i]] = i;
		parent[i] = i ? path[depth[i] - 1] : -1;
		end[i] = i + 1;
	}
	for (let i = count - 1; i > 0; i--) {
		const up = parent[i];
		total[up] += total[i];
		samples[up] += samples[i];
		if (end[up] < end[i])
			end[up] = end[i];
	}
	const filled = new Float64Array(count);
	for (let i = 1; i < count; i++) {
		const up = parent[i];
		left[i] = left[up] + filled[up];
		filled[up] += total[i];
	}
	for (const i of data.inlined)
		inlined[i] = 1;
}

const nameOf = i => data.names[data.name[i]];
const classOf = i => data.look[data.name[i]];
const isUnknown = i => data.unknown.includes(Math.floor(classOf(i) / data.shades));

// ---- words

function grouped(n) {
	return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',');
}

function share(part, whole) {
	const percent = whole ? 100 * part / whole : 0;
	if (!part)
		return '0 %';
	if (percent < 0.05)
		return '<0.1 %';
	if (percent >= 99.95 && part < whole)
		return '>99.9 %';
	return percent.toFixed(1) + ' %';
}

function amount(weight) {
	if (data.unit !== 'ns')
		return grouped(weight) + ' ' + data.unit;
	if (weight >= 1e9)
		return (weight / 1e9).toFixed(3) + ' s';
	if (weight >= 1e6)
		return (weight / 1e6).toFixed(1) + ' ms';
	return Math.floor(weight / 1e3) + ' us';
}

function numbersOf(i) {
	const parts = [share(total[i], total[0]) + ' of ' + amount(total[0])];
	if (zoomed && i >= zoomed && i < end[zoomed])
		parts.push(share(total[i], total[zoomed]) + ' of the zoomed frame');
	if (data.unit !== 'samples')
		parts.push(amount(total[i]));
	parts.push(grouped(samples[i]) + (samples[i] === 1 ? ' sample' : ' samples'));
	// Inverted, a frame holds the time of the function it begins from, not its own.
	if (!data.inverted)
		parts.push('self ' + share(data.self[i], total[0]));
	return parts.join(' \u00b7 ');
}

function originOf(i) {
	const kind = data.kinds[Math.floor(classOf(i) / data.shades)];
	const image = data.images[data.image[data.name[i]]];
	return [kind, image, inlined[i] ? 'inlined' : ''].filter(Boolean).join(' \u00b7 ');
}

// The most telling piece of a name that has room; render/label.c does the same. First the
// parameters of C++ go, then the arguments ("Vec<..>::push", "Vec::push"), then the path, from
// its start, then the end.
function dropParameters(name) {
	let out = '', open = 0, angles = 0;
	for (let i = 0; i < name.length; i++) {
		const c = name[i];
		if (!open && c === ' ' && /^ const$|^ \(\.llvm\.|^ \[clone /.test(name.slice(i, i + 9)))
			break;
		const isOperator = '<('.includes(c)
			&& /operator<?$/.test(name.slice(Math.max(i - 9, 0), i));
		if (c === '<' && !isOperator)
			angles++;
		else if (c === '>' && angles && name[i - 1] !== '-')
			angles--;
		if (c === '(' && (open || (!angles && !isOperator
			&& /[\w>)\x80-\uffff]/.test(name[i - 1] || ''))))
			open++;
		if (!open)
			out += c;
		if (c === ')' && open)
			open--;
	}
	return open || !out ? name : out;
}

function foldArguments(name) {
	let out = '', open = 0;
	for (let i = 0; i < name.length; i++) {
		const c = name[i];
		if (c === '<' && (open || /[\w:\x80-\uffff]/.test(name[i - 1] || ''))
			&& !/operator<?$/.test(name.slice(Math.max(i - 9, 0), i)))
			open++;
		if (!open)
			out += c;
		if (c === '>' && open && name[i - 1] !== '-' && --open === 0)
			out = out.length > 2 && out.endsWith('::') ? out.slice(0, -2) : out + '<..>';
	}
	return open ? name : out;
}

function lastStep(name) {
	let last = 0, open = 0;
	for (let i = 0; i + 2 < name.length; i++) {
		const c = name[i];
		if ('<([{'.includes(c))
			open++;
		else if (')]}'.includes(c) || (c === '>' && name[i - 1] !== '-'))
			open--;
		else if (open <= 0 && c === ':' && name[i + 1] === ':')
			last = i + 2;
	}
	return last;
}

function dropPath(name, room) {
	const last = lastStep(name);
	if (!last)
		return name;
	if (name.length - last > room - 1)
		return name.slice(last);
	let from = Math.max(name.length - (room - 1), 0);
	while (from < last && name[from] === ':')
		from++;
	return '\u2026' + name.slice(from);
}

function cut(name, room) {
	if (room < 4)
		return '';
	const steps = name.length > 4096 ? [] :
		[dropParameters, foldArguments, n => n[0] + n.slice(1).replaceAll('<..>', ''), n => dropPath(n, room)];
	for (const shorter of [n => n, ...steps]) {
		name = shorter(name);
		if (name.length <= room)
			return name;
	}
	return Array.from(name).slice(0, room - 1).join('') + '\u2026';
}

// ---- elements

function element(kind, className, where) {
	const e = document.createElementNS(SVG, kind);
	if (className)
		e.setAttribute('class', className);
	if (where)
		where.appendChild(e);
	return e;
}

function html(kind, where) {
	const e = document.createElementNS(HTML, kind);
	where.appendChild(e);
	return e;
}

const bar = svg.querySelector('.bar');
const page = svg.querySelector('.page');
const graph = svg.querySelector('.graph');
const detail = svg.querySelectorAll('.detail');
let width = data.width, height = data.height;
let charWidth = 7.2;
let zoomed = 0, before = [];
let at = -1;                 // the node under the pointer or the keyboard
let icicle = data.icicle;
let pattern = null, hits = null;
let drawn = [];              // [{node, box, label}] in order of node
let boxOf = new Map();
let hidden = 0;              // nodes too narrow to be drawn

function measureChar() {
	const probe = element('text', 'mono', svg);
	probe.textContent = 'm'.repeat(100);
	const length = probe.getComputedTextLength();
	if (length > 0)
		charWidth = length / 100;
	probe.remove();
}

// ---- drawing

function rowTop(level) {
	return icicle ? HEAD + level * ROW : height - FOOT - (level + 1) * ROW;
}

function labelOf(i, w) {
	const room = Math.floor((w - 7) / charWidth);
	const name = nameOf(i);
	return inlined[i] && name.length + 6 <= room ? name + ' [inl]' : cut(name, room);
}

function drawBox(i, x, w, where, isAbove) {
	const gap = w > 8 ? 1 : w > 3 ? 0.5 : 0.2;
	const box = element('rect', 'c' + classOf(i), where);
	box.setAttribute('x', x.toFixed(2));
	box.setAttribute('y', rowTop(depth[i]));
	box.setAttribute('width', Math.max(w - gap, 0.3).toFixed(2));
	box.setAttribute('height', ROW - 1);
	box.node = i;
	if (inlined[i])
		box.classList.add('in');
	if (w < 6)
		box.classList.add('slim');
	const words = labelOf(i, w);
	let label = null;
	if (words) {
		label = element('text', isUnknown(i) ? 'un' : '', where);
		label.setAttribute('x', (x + 4).toFixed(2));
		label.setAttribute('y', rowTop(depth[i]) + ROW - 5);
		label.textContent = words;
		if (/[^\x20-\x7e\u2026]/.test(words))
			fitWide(label, words, w - 7);
	}
	if (isAbove) {
		box.classList.add('above');
		if (label)
			label.classList.add('above');
	}
	const entry = { node: i, box, label };
	drawn.push(entry);
	boxOf.set(i, entry);
}

// Characters that are wider than the font's usual: measured, and cut until they fit.
function fitWide(label, words, room) {
	let letters = Array.from(words);
	fitting.push(() => {
		while (letters.length > 1 && label.getComputedTextLength() > room) {
			letters = letters.slice(0, -2).concat('\u2026');
			label.textContent = letters.join('');
		}
	});
}
let fitting = [];

function deepestDrawn() {
	const scale = (width - 2 * PAD) / total[zoomed];
	let deepest = depth[zoomed];
	for (let i = zoomed; i < end[zoomed];) {
		if (total[i] * scale < NARROWEST) {
			i = end[i];
			continue;
		}
		if (depth[i] > deepest)
			deepest = depth[i];
		i++;
	}
	return deepest;
}

function drawFrames() {
	const fresh = element('g', 'frames');
	const scale = (width - 2 * PAD) / total[zoomed];
	drawn = [];
	boxOf = new Map();
	hidden = 0;
	fitting = [];
	for (let i = parent[zoomed]; i >= 0; i = parent[i])
		drawBox(i, PAD, width - 2 * PAD, fresh, true);
	drawn.reverse();
	for (let i = zoomed; i < end[zoomed];) {
		const w = total[i] * scale;
		if (w < NARROWEST) {
			hidden += end[i] - i;
			i = end[i];
			continue;
		}
		drawBox(i, PAD + (left[i] - left[zoomed]) * scale, w, fresh, false);
		i++;
	}
	element('title', '', fresh);
	graph.replaceChildren(fresh);
	fitting.forEach(cutLabel => cutLabel());
}

function draw() {
	if (!data.fixed)
		width = Math.max(svg.getBoundingClientRect().width || data.width, 320);
	const needed = HEAD + (deepestDrawn() + 1) * ROW + FOOT;
	if (needed > height || !zoomed)
		height = needed;
	svg.setAttribute('height', height);
	page.setAttribute('height', height);
	drawFrames();
	markHits();
	markAt();
	layOutBar();
	say();
}

function layOutBar() {
	const room = isSmall() ? TOOLS_WIDTH : width / 2;
	tools.setAttribute('x', width - PAD - room);
	tools.setAttribute('width', room);
	told.style.display = isSmall() ? 'none' : '';
	fit(svg.querySelector('.bar .title'), width - room - 3 * PAD);
	for (const line of svg.querySelectorAll('.bar > .line'))
		fit(line, width - 2 * PAD);
	fitLegend(width - 2 * PAD);
	reset.disabled = !zoomed && !pattern;
	flip.textContent = icicle ? 'Flame' : 'Icicle';
}

// In a small window the words about a search go where the hints are.
const isSmall = () => width < 800;

// Cuts a line of text to the room it has, from its whole form.
function fit(line, room) {
	line.whole = line.whole || line.textContent;
	line.textContent = line.whole;
	for (let length = line.whole.length; length > 1 && line.getComputedTextLength() > room;) {
		length -= Math.max(1, length >> 4);
		line.textContent = line.whole.slice(0, length) + '\u2026';
	}
}

// Leaves out the kinds with least weight, which stand last.
function fitLegend(room) {
	const legend = svg.querySelector('.bar > .legend');
	const kinds = [...legend.children].filter(piece => piece.tagName === 'tspan');
	for (const kind of kinds)
		kind.style.display = '';
	while (kinds.length > 1 && legend.getComputedTextLength() > room)
		kinds.pop().style.display = 'none';
}

function followScroll() {
	bar.setAttribute('transform', 'translate(0,' + Math.max(window.scrollY || 0, 0) + ')');
}

// ---- what is said

function idleWords() {
	if (isSmall() && told.textContent)
		return [told.textContent];
	const words = ['Point at a frame, click to zoom. Keys: arrows, Enter, Backspace, / to search, v to flip.'];
	if (hidden)
		words.push(grouped(hidden) + (hidden === 1 ? ' frame is' : ' frames are')
			+ ' too narrow to draw at this zoom.');
	return words;
}

function say() {
	const room = Math.floor((width - 2 * PAD) / charWidth);
	let words = idleWords();
	if (at >= 0) {
		const name = nameOf(at);
		words = [name.length <= room ? name : name.slice(0, Math.ceil(room / 2) - 1) + '\u2026'
			+ name.slice(name.length - Math.floor(room / 2))];
		words.push([numbersOf(at), originOf(at)].filter(Boolean).join(' \u00b7 '));
	}
	detail[0].setAttribute('class', at >= 0 ? 'detail mono ink' : 'detail small muted');
	detail.forEach((line, i) => {
		line.whole = words[i] || '';
		fit(line, width - 2 * PAD);
	});
	const tip = graph.querySelector('.frames > title');
	if (tip)
		tip.textContent = at >= 0 ? nameOf(at) + '\n' + numbersOf(at) : '';
}

// ---- pointing and zooming

function markAt() {
	for (const e of graph.querySelectorAll('.at'))
		e.classList.remove('at');
	const entry = boxOf.get(at);
	if (entry)
		entry.box.classList.add('at');
}

function pointAt(i) {
	if (i === at)
		return;
	at = i;
	markAt();
	say();
}

function zoomTo(i, isBack) {
	if (i === zoomed)
		return;
	if (!isBack)
		before.push(zoomed);
	zoomed = i;
	draw();
	report();
}

function zoomOut() {
	if (before.length)
		zoomTo(before.pop(), true);
	else if (zoomed)
		zoomTo(parent[zoomed], true);
}

function resetAll() {
	search.value = '';
	find('');
	before = [];
	if (zoomed)
		zoomTo(0, true);
	layOutBar();
}

// ---- searching

function find(text) {
	let wrong = false;
	pattern = null;
	if (text) {
		try {
			pattern = new RegExp(text, /[A-Z]/.test(text) ? 'u' : 'iu');
		} catch (_) {
			wrong = true;
		}
	}
	search.classList.toggle('wrong', wrong);
	search.setAttribute('aria-invalid', wrong);
	hits = pattern ? data.names.map(name => pattern.test(name)) : null;
	markHits();
	report(wrong);
	layOutBar();
	say();
}

// The weight below `root` of stacks with a hit, each counted once.
function hitWeight(root) {
	let weight = 0;
	for (let i = parent[root]; i >= 0; i = parent[i])
		if (hits[data.name[i]])
			return total[root];
	for (let i = root; i < end[root];) {
		if (hits[data.name[i]]) {
			weight += total[i];
			i = end[i];
		} else {
			i++;
		}
	}
	return weight;
}

function report(wrong) {
	if (wrong) {
		told.textContent = 'not a regular expression';
		return;
	}
	if (!hits) {
		told.textContent = '';
		return;
	}
	const names = hits.filter(Boolean).length;
	let words = share(hitWeight(0), total[0]) + ' matches, ' + grouped(names)
		+ (names === 1 ? ' name' : ' names');
	if (zoomed)
		words = share(hitWeight(zoomed), total[zoomed]) + ' of the zoomed frame, ' + words;
	told.textContent = told.title = words;
}

function markHits() {
	for (const entry of drawn) {
		const isHit = hits !== null && hits[data.name[entry.node]];
		entry.box.classList.toggle('hit', isHit);
		entry.box.classList.toggle('dim', hits !== null && !isHit);
		if (entry.label)
			entry.label.classList.toggle('dim', hits !== null && !isHit);
	}
}

function nextHit(step) {
	if (!hits)
		return;
	const list = drawn.filter(entry => hits[data.name[entry.node]]).map(entry => entry.node);
	if (!list.length)
		return;
	let place = list.findIndex(node => node >= at);
	if (place < 0)
		place = step > 0 ? -1 : list.length;
	else if (list[place] !== at && step > 0)
		place--;
	walkTo(list[(place + step + list.length) % list.length]);
}

// ---- keys

function walkTo(i) {
	if (i === undefined || i < 0 || !boxOf.has(i))
		return;
	pointAt(i);
	const top = rowTop(depth[i]), seen = window.scrollY || 0;
	if (top - HEAD < seen)
		window.scrollTo(0, top - HEAD);
	else if (top + ROW > seen + window.innerHeight)
		window.scrollTo(0, top + 2 * ROW - window.innerHeight);
}

function walk(key) {
	const outward = icicle ? 'ArrowDown' : 'ArrowUp';
	if (at < 0) {
		walkTo(zoomed);
	} else if (key === 'ArrowUp' || key === 'ArrowDown') {
		walkTo(key !== outward ? parent[at] : at + 1 < end[at] ? at + 1 : -1);
	} else {
		const row = drawn.filter(entry => depth[entry.node] === depth[at]).map(entry => entry.node);
		walkTo(row[row.indexOf(at) + (key === 'ArrowRight' ? 1 : -1)]);
	}
}

function flipOver() {
	icicle = !icicle;
	draw();
	if (!icicle)
		window.scrollTo(0, height);
	else
		window.scrollTo(0, 0);
}

const keys = {
	ArrowUp: walk, ArrowDown: walk, ArrowLeft: walk, ArrowRight: walk,
	Enter: () => { if (at >= 0) zoomTo(at); },
	' ': () => { if (at >= 0) zoomTo(at); },
	Backspace: zoomOut,
	Home: () => { if (zoomed) { before = []; zoomTo(0, true); } },
	Escape: escape,
	'/': startSearch, F3: startSearch,
	n: () => nextHit(1), N: () => nextHit(-1),
	v: flipOver,
};

function startSearch() {
	search.focus();
	search.select();
}

function escape() {
	if (pattern) {
		search.value = '';
		find('');
	} else if (zoomed) {
		before = [];
		zoomTo(0, true);
	} else {
		pointAt(-1);
	}
}

function onKey(event) {
	const inField = document.activeElement === search;
	if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === 'f' && !inField) {
		event.preventDefault();
		startSearch();
		return;
	}
	if (event.ctrlKey || event.metaKey || event.altKey)
		return;
	if (inField || (event.target.localName === 'button' && /^(Enter| )$/.test(event.key)))
		return;
	const act = Object.prototype.hasOwnProperty.call(keys, event.key) && keys[event.key];
	if (!act)
		return;
	event.preventDefault();
	act(event.key);
}

function onSearchKey(event) {
	if (event.key === 'Enter') {
		event.preventDefault();
		nextHit(event.shiftKey ? -1 : 1);
	} else if (event.key === 'Escape') {
		search.value = '';
		find('');
		graph.focus();
	}
}

// ---- the start

const tools = element('foreignObject', '', bar);
const box = html('div', tools);
const told = html('output', box);
const search = html('input', box);
const flip = html('button', box);
const reset = html('button', box);

function makeTools() {
	tools.setAttribute('y', 8);
	tools.setAttribute('height', 30);
	box.setAttribute('class', 'tools');
	told.setAttribute('aria-live', 'polite');
	search.type = 'search';
	search.placeholder = 'Search (regex)  /';
	search.setAttribute('aria-label', 'Search names by regular expression');
	flip.type = reset.type = 'button';
	reset.textContent = 'Reset';
	reset.title = 'The whole graph, no search';
	flip.title = 'Turn upside down (v)';
	search.addEventListener('input', () => find(search.value));
	search.addEventListener('keydown', onSearchKey);
	reset.addEventListener('click', resetAll);
	flip.addEventListener('click', flipOver);
}

function listen() {
	graph.addEventListener('mousemove', event => {
		if (event.target.node !== undefined)
			pointAt(event.target.node);
	});
	graph.addEventListener('mouseleave', () => pointAt(-1));
	graph.addEventListener('click', event => {
		if (event.target.node === undefined)
			return;
		if (event.shiftKey)
			zoomOut();
		else
			zoomTo(event.target.node);
	});
	graph.addEventListener('focus', () => { if (at < 0) pointAt(zoomed); });
	window.addEventListener('keydown', onKey);
	window.addEventListener('resize', draw);
	window.addEventListener('scroll', followScroll);
}

graph.replaceChildren(); // before anything is measured: nobody needs their layout now
if (!data.fixed) {
	svg.removeAttribute('viewBox');
	svg.setAttribute('width', '100%');
}
page.setAttribute('width', '100%');
svg.querySelector('.cover').setAttribute('width', '100%');
graph.setAttribute('tabindex', '0');
graph.setAttribute('role', 'application');
graph.setAttribute('aria-label', 'Flame graph: arrows move, Enter zooms, Backspace goes back');
detail[0].parentNode.setAttribute('aria-live', 'polite');
readTree();
measureChar();
makeTools();
listen();
draw();
if (!icicle)
	window.scrollTo(0, height);
followScroll();
})();
