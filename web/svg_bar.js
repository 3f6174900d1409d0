// ---- the bar above

const tools = element('foreignObject', '', bar);
const TOOLS_WIDTH = 590;

// Buttons stand beside the title, below it, or in two lines, as the window has room.
function layOutBar() {
	const lines = width >= 940 ? 0 : width >= TOOLS_WIDTH ? 1 : 2;
	const title = svg.querySelector('.bar .title');
	fit(title, Infinity);
	const room = lines ? width - 2 * PAD
		: Math.max(TOOLS_WIDTH, width - title.getComputedTextLength() - 4 * PAD);
	tools.setAttribute('x', width - PAD - room);
	tools.setAttribute('y', lines ? 36 : 8);
	tools.setAttribute('width', room);
	tools.setAttribute('height', lines === 2 ? 60 : 30);
	head = data.head + lines * 32;
	below.setAttribute('transform', 'translate(0,' + lines * 32 + ')');
	svg.querySelector('.cover').setAttribute('height', head - 2);
	told.style.display = width < 800 ? 'none' : '';
	fit(title, lines ? width - 2 * PAD : width - room - 3 * PAD);
	for (const line of below.querySelectorAll('.line'))
		fit(line, width - 2 * PAD);
	fitLegend(width - 2 * PAD);
	showState();
}

// Cuts a line of text to the room it has, from its whole form.
function fit(line, room) {
	line.whole = line.whole || line.textContent;
	line.textContent = line.whole;
	for (let length = line.whole.length; length > 1 && line.getComputedTextLength() > room;) {
		length -= Math.max(1, length >> 4);
		line.textContent = line.whole.slice(0, length) + '\u2026';
	}
}

// Leaves out the last pieces; of kinds of code they are those with least weight.
function fitLegend(room) {
	const legend = svg.querySelector('.bar .legend');
	if (!legend)
		return;
	const pieces = [...legend.children].filter(piece => piece.tagName === 'tspan');
	for (const piece of pieces)
		piece.style.display = '';
	while (pieces.length > 1 && legend.getComputedTextLength() > room)
		pieces.pop().style.display = 'none';
}

// ---- what is said

function idleWords() {
	if (width < 800 && told.textContent)
		return [told.textContent];
	const words = ['Point at a frame, click to zoom. Keys: arrows, Enter, Backspace, / to search, '
		+ (data.chart ? 'v to flip.' : 'v to flip, r to reverse, s to sort.')];
	if (hidden)
		words.push(grouped(hidden) + (hidden === 1 ? ' frame is' : ' frames are')
			+ ' too narrow to draw at this zoom.');
	if (tree.isCut)
		words[1] = 'Not all callers were followed; zoom in to follow the rest.';
	return words;
}

function say() {
	const room = Math.floor((width - 2 * PAD) / charWidth);
	let words = idleWords();
	if (at >= 0) {
		const name = toldName(at);
		words = [name.length <= room ? name : name.slice(0, Math.ceil(room / 2) - 1) + '\u2026'
			+ name.slice(name.length - Math.floor(room / 2))];
		words.push([numbersOf(at), originOf(at)].filter(Boolean).join(' \u00b7 '));
	}
	detail[0].setAttribute('class', at >= 0 ? 'detail mono ink' : 'detail small muted');
	detail.forEach((line, i) => {
		line.whole = words[i] || ' ';
		fit(line, width - 2 * PAD);
	});
}

// ---- pointing and zooming

function markAt() {
	const place = at < 0 ? -1 : placeOf(at);
	spot.setAttribute('class', place < 0 ? 'none' : 'at');
	if (place < 0)
		return;
	const row = rows[tree.depth[at]];
	spot.setAttribute('x', row.xs[place].toFixed(2));
	spot.setAttribute('y', rowTop(tree.depth[at]));
	spot.setAttribute('width', Math.max(row.widths[place] - 1, 1).toFixed(2));
	spot.setAttribute('height', ROW - 1);
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
	noteState(!isBack);
}

function zoomOut() {
	if (before.length)
		zoomTo(before.pop(), true);
	else if (zoomed)
		zoomTo(tree.parent[zoomed], true);
}
