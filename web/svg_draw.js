// ---- elements

const SVG = 'http://www.w3.org/2000/svg';
const HTML = 'http://www.w3.org/1999/xhtml';

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

const PAD = data.margin, ROW = data.row, FOOT = data.foot;
const NARROWEST = 0.5;  // pixels of a frame that is drawn
const WIDE = 14;        // of one that is an element of its own
// Frames may have any class that a file of attributes gives them: these are looked for by place.
const bar = svg.querySelector(':scope > .bar');
const cover = bar.querySelector('.cover');
const page = svg.querySelector(':scope > .page');
const graph = svg.querySelector(':scope > .graph');
const notes = svg.querySelector(':scope > .notes');
const marks = element('g', 'marks');
const spot = element('rect', '', marks);
let width = data.width, height = data.height, head = data.head;
let barWidth = width;    // of what stays in sight above
let charWidth = data.font * 0.6;
let zoomed = 0, before = [];
let remark = '';         // on what was just done
let at = -1;             // the node under the pointer or the keyboard
let icicle = data.icicle;
let rows = [];           // by depth: {nodes, xs, widths}, what is wide enough
let hidden = 0;          // nodes too narrow
const isTimed = Boolean(data.from); // a chart of samples with times: see svg_lanes
let painted = [0, -1];   // rows that stand in the page: those in sight and some more

function measureChar() {
	const probe = element('text', 'mono', svg);
	probe.textContent = 'm'.repeat(100);
	const length = probe.getComputedTextLength();
	if (length > 0)
		charWidth = length / 100;
	probe.remove();
}

// ---- where frames are

function rowTop(level) {
	return icicle ? head + level * ROW : height - FOOT - (level + 1) * ROW;
}

function nextRow(row, scale) {
	const next = { nodes: [], xs: [], widths: [] };
	const leads = order === data.order ? tree.lead : null;
	for (let k = 0; k < row.nodes.length; k++) {
		let x = row.xs[k];
		for (const kid of tree.kids(row.nodes[k])) {
			const w = tree.total[kid] * scale;
			if (leads)
				x += leads[kid] * scale;
			if (w >= NARROWEST) {
				next.nodes.push(kid);
				next.xs.push(x);
				next.widths.push(w);
			} else if (w > 0) {
				hidden += tree.size(kid);
			}
			x += w;
		}
	}
	return next;
}

// From the root to the zoomed frame a row each, then row by row what is wide enough.
function layOut() {
	const room = width - 2 * PAD;
	rows = [];
	hidden = 0;
	if (isTimed) {
		layOutLanes(room);
		return;
	}
	tree.steps = 0;
	tree.isCut = false;
	for (let i = zoomed; i >= 0; i = tree.parent[i])
		rows.unshift({ nodes: [i], xs: [PAD], widths: [room], isAbove: i !== zoomed });
	for (let row = rows[rows.length - 1]; row.nodes.length;) {
		row = nextRow(row, room / tree.total[zoomed]);
		if (row.nodes.length)
			rows.push(row);
	}
}

// The place in a row's list of the frame at `x`, or -1.
function placeAt(row, x) {
	let low = 0, high = row.xs.length - 1;
	while (low < high) {
		const middle = (low + high + 1) >> 1;
		if (row.xs[middle] <= x)
			low = middle;
		else
			high = middle - 1;
	}
	return row.xs[low] <= x && x <= row.xs[low] + row.widths[low] ? low : -1;
}

function nodeAt(x, y) {
	const level = Math.floor(icicle ? (y - head) / ROW : (height - FOOT - y) / ROW);
	const row = rows[level];
	const place = row ? placeAt(row, x) : -1;
	return place < 0 ? -1 : row.nodes[place];
}

// The row of a node.
const levelOf = i => isTimed ? levelInLanes(i) : tree.depth[i];
const placeOf = i => rows[levelOf(i)] ? rows[levelOf(i)].nodes.indexOf(i) : -1;

// ---- what they look like

const LEVEL_STARTS = [0.01, 0.1, 0.25, 0.5];

// As enum wk_svg_change of render/svg/picture.h has it.
function changeOf(i) {
	const was = tree.before[i], is = tree.after[i], larger = Math.max(was, is);
	const grew = (is > was) !== data.negates;
	if (mayBeChance(was, is))
		return 4;
	if (!was || !is)
		return grew ? 10 : 9;
	const level = LEVEL_STARTS.filter(start => (larger - Math.min(was, is)) / larger >= start).length;
	return grew ? 4 + level : 4 - level;
}

// A class or "#rrggbb"; of slim frames a rougher colour, so that many can be one path.
function lookOf(i, isSlim) {
	if (tree.few[i])
		return 'few';
	if (tree.colour) {
		const colour = data.colours.substr(tree.colour[i] * 7, 7);
		return isSlim ? '#' + colour[1] + '8' + colour[3] + '8' + colour[5] + '8' : colour;
	}
	if (tree.before)
		return 'd' + changeOf(i);
	const look = 'c' + looks[tree.name[i]];
	return tree.inlined[i] ? look + ' in' : look;
}

function dress(e, look, more) {
	if (look[0] === '#') {
		e.setAttribute('fill', look);
		look = '';
	}
	e.setAttribute('class', look + more);
}

function moodOf(i, isAbove) {
	if (isAbove)
		return ' above';
	if (hits)
		return hits[tree.name[i]] ? ' hit' : ' dim';
	return chosenKind < 0 || kindOf(i) === chosenKind ? '' : ' dim';
}

// Black or white on a colour of a palette, whichever is easier to read: as wk_colour_is_dark.
function inkOn(colour) {
	const linear = at => {
		const part = parseInt(colour.substr(at, 2), 16) / 255;
		return part <= 0.03928 ? part / 12.92 : Math.pow((part + 0.055) / 1.055, 2.4);
	};
	return 0.2126 * linear(1) + 0.7152 * linear(3) + 0.0722 * linear(5) < 0.1791 ? 'w' : 'k';
}

// ---- drawing

const INLINED = ' [inlined]';

function labelOf(i, w) {
	const room = Math.floor((w - 7) / charWidth);
	const name = shortName(i);
	return tree.inlined[i] && name.length + INLINED.length <= room ? name + INLINED : cut(name, room);
}

function addLabel(words, x, y, className, where) {
	const label = element('text', className, where);
	label.setAttribute('x', (x + 4).toFixed(2));
	label.setAttribute('y', (y + ROW / 2 + data.font * 0.34).toFixed(1));
	label.textContent = words;
	return label;
}

function drawLabel(i, x, y, w, mood, where) {
	const words = labelOf(i, w);
	if (!words)
		return;
	const look = lookOf(i, false);
	const label = addLabel(words, x, y, (look[0] === '#' ? inkOn(look)
		: isUnknown(i) || tree.few[i] ? 'un' : '') + mood, where);
	if (/[^\x20-\x7e\u2026]/.test(words))
		fitting.push([label, words, w - 7]);
}

// Characters that are wider than the font's usual: measured, and cut until they fit.
let fitting = [];
function fitWide([label, words, room]) {
	let letters = Array.from(words);
	while (letters.length > 1 && label.getComputedTextLength() > room) {
		letters = letters.slice(0, -2).concat('\u2026');
		label.textContent = letters.join('');
	}
}

function drawBox(i, x, y, w, mood, where) {
	const link = linkOf(i);
	if (link && link[1]) {
		where = element('a', '', where);
		where.setAttribute('href', link[1]);
		if (link[2])
			where.setAttribute('target', link[2]);
	}
	const box = element('rect', '', where);
	dress(box, lookOf(i, false), mood);
	box.setAttribute('x', x.toFixed(2));
	box.setAttribute('y', y);
	box.setAttribute('width', (w - 1).toFixed(2));
	box.setAttribute('height', ROW - 1);
	box.setAttribute('rx', 1.5);
	box.node = i;
	(isTimed && base.isLane[i] ? drawLaneLabel : drawLabel)(i, x, y, w, mood, where);
}

// Slim frames of one row that look the same are one path.
function drawSlim(paths, y, where) {
	for (const [key, steps] of paths) {
		const path = element('path', '', where), [look, mood] = key.split('|');
		dress(path, look, ' slim' + mood);
		path.setAttribute('d', steps.join(''));
		path.setAttribute('transform', 'translate(0,' + y + ')');
	}
}

function drawRow(level, where) {
	const row = rows[level], y = rowTop(level), paths = new Map();
	for (let k = 0; k < row.nodes.length; k++) {
		const i = row.nodes[k], w = row.widths[k], mood = moodOf(i, row.isAbove);
		if (w >= WIDE || row.isLane) {
			drawBox(i, row.xs[k], y, w, mood, where);
			continue;
		}
		const key = lookOf(i, true) + '|' + mood;
		const x = Math.round(row.xs[k] * 100) / 100;
		const shown = Math.round((w - (w > 8 ? 1 : w > 3 ? 0.5 : 0.2)) * 100) / 100;
		let steps = paths.get(key);
		if (!steps)
			paths.set(key, steps = []);
		steps.push('M' + x + ',0h' + shown + 'v' + (ROW - 1) + 'h-' + shown + 'z');
	}
	drawSlim(paths, y, where);
}

// First and last row in sight, and so many screenfuls on each side.
function rowsInSight(more) {
	const seen = svg.getBoundingClientRect(), screen = window.innerHeight || 800;
	const scale = seen.width ? width / seen.width : 1;
	const top = (-seen.top - more * screen) * scale;
	const bottom = (-seen.top + (1 + more) * screen) * scale;
	const level = y => icicle ? (y - head) / ROW : (height - FOOT - y) / ROW;
	const [from, to] = [level(top), level(bottom)].sort((a, b) => a - b);
	return [Math.max(Math.floor(from), 0), Math.min(Math.ceil(to), rows.length - 1)];
}

function paint(range) {
	const fresh = element('g', 'frames');
	let drawn = 0;
	painted = range;
	fitting = [];
	for (let level = range[0]; level <= range[1]; level++)
		drawRow(level, fresh);
	for (const row of rows)
		drawn += row.nodes.length;
	graph.setAttribute('data-drawn', drawn);
	graph.replaceChildren(fresh);
	fitting.forEach(fitWide);
	markAt();
}

// After scrolling: what came into sight.
function paintMore() {
	const needed = rowsInSight(0);
	if (needed[0] < painted[0] || needed[1] > painted[1])
		paint(rowsInSight(1));
}

// A fixed width may be wider than the window; what stands above follows the window.
function measureWidth() {
	const seen = svg.getBoundingClientRect().width || data.width;
	if (!data.fixed)
		width = Math.max(seen, 320);
	barWidth = data.fixed ? Math.min(width, Math.max(windowWidth() * width / seen, 320)) : width;
}

// The page is longer than the graph while the list of keys needs it, and as long as the window, in
// which details may be below the graph.
function setHeight() {
	const listed = help.hidden ? 0 : (window.scrollY || 0) + head + help.offsetHeight + PAD;
	const tall = Math.max(height, listed, ownsAddress && !data.fixed ? window.innerHeight : 0);
	svg.setAttribute('height', tall);
	if (data.fixed)
		svg.setAttribute('viewBox', '0 0 ' + width + ' ' + tall);
	page.setAttribute('height', tall);
}

const windowWidth = () => document.documentElement.clientWidth || window.innerWidth;

function draw() {
	measureWidth();
	showTurned();
	layOutBar();
	layOut();
	const needed = head + rows.length * ROW + FOOT;
	if (needed > height || !zoomed)
		height = needed;
	setHeight();
	notes.setAttribute('transform', 'translate(0,' + height + ')');
	placeBar();
	drawAxis();
	paint(rowsInSight(1));
	noteHidden();
	say();
}

let belowWindow = 0;     // pixels of the picture

function followScroll() {
	belowWindow = Math.max(height - window.innerHeight - (window.scrollY || 0), 0);
	placeBar();
	paintMore();
}

// The graph grows and shrinks at its top: what was in sight stays where it was.
function drawInPlace() {
	const was = height, seen = window.scrollY || 0;
	draw();
	if (icicle || height === was)
		return;
	window.scrollTo(window.scrollX || 0, Math.max(seen + height - was, 0));
	followScroll();
}
