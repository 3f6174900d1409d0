// ---- a chart in time: a lane of rows for each thread, below an axis

const NS = 1e9;
const TICK_WIDTH = 100;  // from one tick to the next, at least
const LABEL_WIDTH = 60;  // of a moment beside its tick
const lanes = [];        // their nodes, the heaviest first
const laneOf = new Int32Array(isTimed ? count : 0);
const laneStart = new Map(); // the row of each lane's own name
const axis = svg.querySelector(':scope > .axis');
const brush = element('rect', 'brush');
let span = null;         // what is in sight, in ns; null where there are no times

if (isTimed) {
	for (let i = 0; i < count; i++) {
		laneOf[i] = base.isLane[i] ? i : i ? laneOf[base.parent[i]] : -1;
		if (base.isLane[i])
			lanes.push(i);
	}
	lanes.sort((a, b) => base.total[b] - base.total[a] || a - b);
	span = wholeSpan();
}

function wholeSpan() {
	return isTimed ? [base.from[0], base.from[0] + base.took[0]] : null;
}

const isWhole = () => !isTimed || (span[0] === base.from[0] && span[1] === wholeSpan()[1]);
const isAboveLanes = i => laneOf[i] < 0 || base.isLane[i];
const levelInLanes = i => laneStart.has(laneOf[i])
	? laneStart.get(laneOf[i]) + tree.depth[i] - tree.depth[laneOf[i]] : -1;

// "alternate · worker": the levels above the lane's stacks, but none that the next repeats.
function laneName(i) {
	const path = pathOf(i);
	return path.filter((name, k) => k === path.length - 1 || !path[k + 1].startsWith(name))
		.join(' \u00b7 ') || names[base.name[i]];
}

// Neighbours that are too narrow share a box of the heaviest of them, unless a gap is between.
function addToRow(row, crowd, kid, from, to, scale) {
	const x = PAD + (from - span[0]) * scale, w = (to - from) * scale;
	if (w >= NARROWEST) {
		closeCrowd(row, crowd);
		row.nodes.push(kid);
		row.xs.push(x);
		row.widths.push(w);
		return;
	}
	if (crowd.node >= 0 && (x - crowd.end >= NARROWEST || x - crowd.x >= 2 * NARROWEST))
		closeCrowd(row, crowd);
	if (crowd.node < 0)
		Object.assign(crowd, { node: kid, x });
	else if (tree.total[kid] > tree.total[crowd.node])
		crowd.node = kid;
	crowd.end = x + w;
	hidden++;
}

function closeCrowd(row, crowd) {
	if (crowd.node >= 0) {
		row.nodes.push(crowd.node);
		row.xs.push(crowd.x);
		row.widths.push(Math.max(crowd.end - crowd.x, NARROWEST));
		hidden--;
	}
	crowd.node = -1;
}

// What those nodes call in the span, and the row of it.
function nextInLane(parents, scale) {
	const row = { nodes: [], xs: [], widths: [] }, kids = [], crowd = { node: -1 };
	for (const parent of parents)
		for (const kid of base.kids(parent)) {
			const from = Math.max(base.from[kid], span[0]);
			const to = Math.min(base.from[kid] + base.took[kid], span[1]);
			if (to <= from || base.isLane[kid])
				continue;
			kids.push(kid);
			addToRow(row, crowd, kid, from, to, scale);
		}
	closeCrowd(row, crowd);
	return [kids, row];
}

// From the start to the end of the thread.
function laneRow(lane, scale) {
	const from = Math.max(base.from[lane], span[0]);
	const to = Math.min(base.from[lane] + base.took[lane], span[1]);
	return { nodes: [lane], xs: [PAD + (from - span[0]) * scale],
		widths: [Math.max((to - from) * scale, 2)], isLane: true };
}

// The name of a lane has the whole row, since nothing else is in it.
function drawLaneLabel(i, x, y, w, mood, where) {
	const end = width - PAD, words = cut(nameOf(i), Math.floor((end - PAD - 7) / charWidth));
	const length = words.length * charWidth + 7, look = lookOf(i, false);
	addLabel(words, Math.max(Math.min(x, end - length), PAD), y,
		length > w ? 'outside' : (look[0] === '#' ? inkOn(look) : '') + mood, where);
}

function layOutLanes(room) {
	const scale = room / (span[1] - span[0]);
	laneStart.clear();
	for (const lane of lanes) {
		let [kids, row] = nextInLane([lane], scale);
		if (!kids.length && !isWhole())
			continue;
		laneStart.set(lane, rows.length);
		rows.push(laneRow(lane, scale));
		for (; kids.length; [kids, row] = nextInLane(kids, scale))
			rows.push(row);
	}
}

// ---- the axis

function tickStep(least) {
	const power = Math.pow(10, Math.floor(Math.log10(least)));
	return power * [1, 2, 5, 10].find(times => power * times >= least);
}

// Seconds, with the digits that tell moments apart that are `step` ns apart.
const secondsOf = (ns, step) =>
	(ns / NS).toFixed(Math.min(Math.max(Math.ceil(9 - Math.log10(step) - 1e-9), 0), 9));

function drawAxis() {
	if (!isTimed)
		return;
	const scale = (width - 2 * PAD) / (span[1] - span[0]), step = tickStep(TICK_WIDTH / scale);
	const texts = element('g', 'axis'), lines = element('g', 'axis');
	const first = Math.ceil(span[0] / step) * step;
	for (let i = 0; i <= width / TICK_WIDTH && first + i * step <= span[1]; i++) {
		const at = first + i * step;
		const x = (PAD + (at - span[0]) * scale).toFixed(2);
		element('path', 'tick', lines).setAttribute('d', 'M' + x + ',' + head + 'V' + (height - FOOT));
		element('path', 'tick', texts).setAttribute('d', 'M' + x + ',' + (head - 18) + 'V' + head);
		if (x > width - LABEL_WIDTH)
			continue;
		const label = element('text', 'small muted', texts);
		label.setAttribute('x', Number(x) + 3);
		label.setAttribute('y', head - 6);
		label.textContent = secondsOf(at, step) + ' s';
	}
	axis.replaceChildren(lines);
	ticks.replaceChildren(texts);
}

// ---- a stretch of time, by dragging

let drag = null;         // where it began
let hasDragged = false;  // the click that follows is none

const timeAt = x => Math.min(Math.max(span[0] + (x - PAD) / (width - 2 * PAD) * (span[1] - span[0]),
	span[0]), span[1]);
const xOf = event => new DOMPoint(event.clientX, event.clientY)
	.matrixTransform(svg.getScreenCTM().inverse()).x;

function startDrag(event) {
	hasDragged = false;
	if (isTimed && event.button === 0 && !event.target.closest('foreignObject, .legend, a'))
		drag = xOf(event);
}

function dragTo(event) {
	if (drag === null)
		return;
	const [left, right] = [drag, xOf(event)].sort((a, b) => a - b);
	hasDragged = hasDragged || right - left > 4;
	if (!hasDragged)
		return;
	brush.setAttribute('x', left);
	brush.setAttribute('width', right - left);
	brush.setAttribute('y', 0);
	brush.setAttribute('height', height);
	svg.insertBefore(brush, bar);
	pointAt(-1);
	told.textContent = spanWords([timeAt(left), timeAt(right)]);
}

function endDrag(event) {
	if (drag === null)
		return;
	const [from, to] = [drag, xOf(event)].sort((a, b) => a - b).map(timeAt);
	drag = null;
	brush.remove();
	if (hasDragged && to > from)
		zoomToSpan([Math.floor(from), Math.ceil(to)]);
}

function spanWords([from, to]) {
	const step = (to - from) / 1000;
	return secondsOf(from, step) + ' s to ' + secondsOf(to, step) + ' s';
}

// As the option --time has it.
function spanOption([from, to]) {
	const step = Math.max((to - from) / 1e4, 1);
	return Number(secondsOf(from, step)) + '-' + Number(secondsOf(to, step));
}

function zoomToSpan(asked) {
	showPlace({ node: 0, span: asked });
}

// What a zoomed node shows.
function spanOf(i) {
	return !isTimed ? null : isAboveLanes(i) ? wholeSpan()
		: [base.from[i], base.from[i] + base.took[i]];
}

function copyTime() {
	const words = '--time ' + spanOption(span);
	remark = words;
	if (navigator.clipboard)
		navigator.clipboard.writeText(words).then(() => { remark = 'copied: ' + words; report(); },
			() => {});
	report();
}
