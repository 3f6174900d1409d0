// ---- the bar above

const tools = element('foreignObject', '', bar);
const details = bar.querySelector('.details');
const GAP = 5;           // between tools, as the style has it
const TOLD_WIDTH = 160;  // least room for what a search found

const NAME_LINE = 15;    // from one line of a long name to the next
const MOST_NAME_LINES = 4;
const NUMBERS_BELOW = 17; // a name's last line

// Of the field and the buttons, in one line.
const toolsWidth = () =>
	Object.values(buttons).reduce((sum, button) => sum + GAP + button.offsetWidth, 170);

// If the field has a line of its own.
function linesOfTools(room) {
	let lines = 2, used = -GAP;
	for (const button of Object.values(buttons)) {
		used += GAP + button.offsetWidth;
		if (used > room) {
			lines++;
			used = button.offsetWidth;
		}
	}
	return lines;
}

// The buttons are beside the title if both fit, otherwise below it, in one line or several.
function layOutBar() {
	const title = bar.querySelector('.title'), needed = toolsWidth();
	fit(title, Infinity);
	const whole = barWidth - 2 * PAD;
	const beside = whole - title.getComputedTextLength() - 2 * PAD;
	const lines = beside >= needed ? 0 : whole >= needed ? 1 : linesOfTools(whole);
	const room = lines ? whole : beside;
	tools.setAttribute('x', barWidth - PAD - room);
	tools.setAttribute('y', lines ? data.head - 41 : 8);
	tools.setAttribute('width', room);
	tools.setAttribute('height', Math.max(lines, 1) * 30);
	box.classList.toggle('narrow', lines > 1);
	nameLines = linesNeeded();
	head = data.head + lines * 32 + (nameLines - 1) * NAME_LINE;
	svg.style.setProperty('--wick-head', head + 'px');
	details.setAttribute('transform', 'translate(0,' + lines * 32 + ')');
	cover.setAttribute('width', data.fixed ? barWidth : '100%');
	told.style.display = room - needed < TOLD_WIDTH ? 'none' : '';
	fit(title, whole);
	for (const line of bar.querySelectorAll('.line'))
		fit(line, whole);
	fitLegend(whole);
	layOutHelp();
	showState();
}

// The bar stays visible and ends at the start of a row, so that no row is cut.
function placeBar() {
	const seen = svg.getBoundingClientRect(), scale = seen.width ? width / seen.width : 1;
	const x = data.fixed ? Math.max(-seen.left * scale, 0) : 0;
	const y = Math.max(-seen.top * scale, 0);
	const past = ((icicle ? head : height - FOOT) - y - head) % ROW;
	bar.setAttribute('transform', 'translate(' + x + ',' + y + ')');
	cover.setAttribute('height', head - 1 + (past < 0 ? past + ROW : past));
}

// The part of the subtitle of `wick flame --reverse` that holds while the picture is reversed.
const TURNED = '; reversed: from the innermost function to its callers';
const turnedLine = data.reversed && [...bar.querySelectorAll('.line')]
	.find(line => line.textContent.includes(TURNED));
const turnedWords = turnedLine && turnedLine.textContent;

function showTurned() {
	if (turnedLine)
		turnedLine.whole = isReversed() ? turnedWords : turnedWords.replace(TURNED, '');
}

// Cuts a line of text to the space it has, from its whole form.
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
	const legend = bar.querySelector('.legend');
	if (!legend)
		return;
	const pieces = [...legend.children].filter(piece => piece.tagName === 'tspan');
	for (const piece of pieces)
		piece.style.display = '';
	while (pieces.length > 1 && legend.getComputedTextLength() > room)
		pieces.pop().style.display = 'none';
}

// ---- status lines

// The result of a search, if it does not fit above.
function idleWords() {
	if (told.textContent && (told.style.display || told.scrollWidth > told.clientWidth))
		return [told.textContent, remark];
	const words = ['Point at a frame, click to zoom. Keys: arrows, Enter, Backspace, / to search, '
		+ (data.chart ? 'v to flip, ? for all.' : 'v to flip, r to reverse, s to sort, ? for all.')];
	if (remark)
		return [words[0], remark];
	if (hidden)
		words.push(grouped(hidden) + (hidden === 1 ? ' frame is' : ' frames are')
			+ ' too narrow to draw at this zoom.');
	if (tree.isCut)
		words[1] = 'Some callers are not shown; zoom in to see them.';
	return words;
}

const lineRoom = () => Math.max(Math.floor((barWidth - 2 * PAD) / charWidth), 8);

// Lines end behind a word or a step of a path, which may leave a good part of them empty.
function linesNeeded() {
	return longest <= lineRoom() ? 1
		: Math.min(Math.ceil(longest / (lineRoom() * 0.85)), MOST_NAME_LINES);
}

// How much of `rest` fits into a line of `room` characters.
function lineEnd(rest, room) {
	const least = Math.ceil(room * 0.85);
	for (let end = room; end > least; end--)
		if (/[ <]$|::$/.test(rest.slice(end - 2, end)))
			return end;
	return /[\ud800-\udbff]/.test(rest[room - 1]) ? room - 1 : room;
}

// The whole name if it fits into the lines, otherwise its start.
function nameInLines(name) {
	const room = /[^\x20-\x7e]/.test(name) ? lineRoom() >> 1 : lineRoom();
	const lines = [];
	while (name.length > room && lines.length < nameLines - 1) {
		const end = lineEnd(name, room);
		lines.push(name.slice(0, end));
		name = name.slice(end);
	}
	return lines.concat(name.length <= room ? name : name.slice(0, room - 1) + '\u2026');
}

function sayName(name) {
	const lines = nameInLines(name);
	detail[0].replaceChildren();
	detail[0].setAttribute('class', 'detail mono ink');
	lines.forEach((words, i) => {
		const line = element('tspan', '', detail[0]);
		line.setAttribute('x', PAD);
		line.setAttribute('dy', i ? NAME_LINE : 0);
		line.textContent = words;
	});
	return (lines.length - 1) * NAME_LINE;
}

function sayLine(line, words) {
	line.whole = words || ' ';
	fit(line, barWidth - 2 * PAD);
}

function say() {
	const words = idleWords();
	let extra = 0;
	tip.textContent = at >= 0 ? toldName(at) : '';
	if (at >= 0) {
		extra = sayName(toldName(at));
		words[1] = [numbersOf(at), originOf(at)].filter(Boolean).join(' \u00b7 ');
	} else {
		detail[0].setAttribute('class', 'detail small muted');
		sayLine(detail[0], words[0]);
	}
	detail[1].setAttribute('y', Number(detail[0].getAttribute('y')) + NUMBERS_BELOW + extra);
	sayLine(detail[1], words[1]);
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
	forgetTurn();
	drawInPlace();
	report();
	noteState(!isBack);
}

function zoomOut() {
	if (before.length)
		zoomTo(before.pop(), true);
	else if (zoomed)
		zoomTo(tree.parent[zoomed], true);
}
