// ---- the bar above: a line of title, facts and tools, and the legend

const tools = element('foreignObject', '', bar);
const ticks = element('g', '', bar);
const title = bar.querySelector('.title');
const titleWords = title.firstChild;
titleWords.whole = titleWords.dataset.whole;
const facts = bar.querySelector('.facts');
const GAP = 5;           // between tools, as the style has it
const LEAST_TITLE = 330; // with less room, most buttons move to the list of keys
const LOW = 320;         // a window of that height has no room for the legend
const LEGEND_LINE = 21;
const SPACE = 12;        // between title and tools

// Of the field and the buttons, in one line.
function toolsWidth() {
	return [...box.querySelectorAll('button')].reduce((sum, button) => sum + GAP + button.offsetWidth,
		box.classList.contains('narrow') ? 96 : 170);
}

// Buttons that are rarely used are in the list of keys if the window is narrow.
function moveButtons(whole) {
	const rare = Object.keys(buttons).filter(name => !['back', 'reset', 'help'].includes(name));
	box.classList.remove('narrow');
	for (const name of rare)
		box.insertBefore(buttons[name], buttons.back);
	box.insertBefore(buttons.reset, buttons.help);
	search.placeholder = 'Search (regex)  /';
	if (whole - toolsWidth() >= LEAST_TITLE)
		return;
	box.classList.add('narrow');
	search.placeholder = 'Search';
	more.append(...rare.map(name => buttons[name]), buttons.reset);
}

function toldWidth() {
	told.style.flex = 'none';
	const wide = told.textContent ? told.offsetWidth + SPACE : 0;
	told.style.flex = '';
	return wide;
}

// What was found has priority over the facts, and in a narrow window over the title. There the facts
// have a line of their own.
function fitTitle(room, whole) {
	const found = toldWidth(), left = room - found;
	const isNarrow = box.classList.contains('narrow');
	titleWords.style.display = isNarrow && found ? 'none' : '';
	placeFacts(whole);
	if (isNarrow && found)
		return 0;
	fit(titleWords, Math.max(left, 40));
	const taken = titleWords.getComputedTextLength() + SPACE;
	if (!factsBehind || factsLine)
		return taken;
	facts.style.display = left < LEAST_TITLE ? 'none' : '';
	fit(facts, Math.max(left - taken, 0));
	return title.getComputedTextLength() + SPACE;
}

const factsBehind = !!facts.closest('.title');
const titleY = Number(title.getAttribute('y'));
let factsLine = 0;       // pixels between title and legend that the facts take

function placeFacts(whole) {
	if (!factsBehind)
		return;
	factsLine = box.classList.contains('narrow') && window.innerHeight >= LOW ? LEGEND_STEP + 2 : 0;
	if (!factsLine) {
		facts.removeAttribute('x');
		facts.removeAttribute('y');
		facts.setAttribute('dx', SPACE);
		return;
	}
	facts.removeAttribute('dx');
	facts.setAttribute('x', PAD);
	facts.setAttribute('y', titleY + factsLine);
	facts.style.display = '';
	fit(facts, whole);
}

function layOutBar() {
	const whole = barWidth - 2 * PAD, isLow = window.innerHeight < LOW;
	tools.setAttribute('x', PAD);
	tools.setAttribute('y', 4);
	tools.setAttribute('width', whole);
	tools.setAttribute('height', 30);
	moveButtons(whole);
	const taken = fitTitle(whole - toolsWidth(), whole);
	tools.setAttribute('x', PAD + taken);
	tools.setAttribute('width', whole - taken);
	legend.style.display = isLow ? 'none' : '';
	head = data.head + (isLow ? -LEGEND_LINE : factsLine + (fitLegend(whole) - 1) * LEGEND_STEP);
	svg.style.setProperty('--wick-head', head + 'px');
	cover.setAttribute('width', data.fixed ? barWidth : '100%');
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

// The part of the facts of `wick flame --reverse` that holds while the picture is reversed.
const TURNED = '; reversed: from the innermost function to its callers';
const factWords = facts.dataset.whole || facts.textContent;

function showTurned() {
	facts.whole = isReversed() ? factWords : factWords.replace(TURNED, '');
}

// Ends a text that had to be cut behind a statement or at least behind a word.
function atWord(words) {
	for (const end of [/^(.*\S)(?:;| \u00b7|:) /s, /^(.*[^\s,;:\u00b7])[,;:\u00b7]* /s]) {
		const found = end.exec(words);
		if (found && found[1].length * 2 > words.length)
			return found[1] + ' ';
	}
	return words;
}

// Cuts a line of text to the space it has, from its whole form.
function fit(line, room) {
	line.whole = line.whole || line.textContent;
	line.textContent = line.whole;
	for (let length = line.whole.length; length > 1 && line.getComputedTextLength() > room;) {
		length -= Math.max(1, length >> 5);
		line.textContent = atWord(line.whole.slice(0, length)) + '\u2026';
	}
}

// ---- what a search found, a remark, and below the frames what is too narrow

function tell(words) {
	told.textContent = told.title = words || remark;
	layOutBar();
}

function noteHidden() {
	notes.querySelector('.narrow').textContent =
		tree.isCut ? 'Some callers are not shown; zoom in to see them.'
			: hidden ? grouped(hidden) + (hidden === 1 ? ' frame is' : ' frames are')
				+ ' too narrow to draw at this zoom.' : '';
}

// ---- pointing and zooming

function markAt() {
	const place = at < 0 ? -1 : placeOf(at);
	spot.setAttribute('class', place < 0 ? 'none' : 'at');
	if (place < 0)
		return;
	const row = rows[levelOf(at)];
	spot.setAttribute('x', row.xs[place].toFixed(2));
	spot.setAttribute('y', rowTop(levelOf(at)));
	spot.setAttribute('width', Math.max(row.widths[place] - 1, 1).toFixed(2));
	spot.setAttribute('height', ROW - 1);
}

function pointAt(i) {
	const isOther = i !== at;
	at = i;
	if (isOther) {
		markAt();
		say();
	} else if (pointer) {
		placeTip();
	}
}

const placeNow = () => ({ node: zoomed, span });

function zoomTo(i, isBack) {
	if (i === zoomed && !isBack)
		return;
	showPlace({ node: i, span: spanOf(i) }, isBack);
}

function showPlace(place, isBack) {
	if (!isBack)
		before.push(placeNow());
	zoomed = place.node;
	span = place.span;
	forgetTurn();
	drawInPlace();
	if (pointer)
		pointAt(nodeUnder({ target: svg, clientX: pointer[0], clientY: pointer[1] }));
	report();
	noteState(!isBack);
}

function zoomOut() {
	if (before.length)
		showPlace(before.pop(), true);
	else if (zoomed)
		zoomTo(tree.parent[zoomed], true);
	else if (!isWhole())
		showPlace({ node: 0, span: wholeSpan() }, true);
	else if (focus)
		leaveFocus();
}
