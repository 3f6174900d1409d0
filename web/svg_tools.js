// ---- keys

function walkTo(i) {
	if (i === undefined || i < 0 || placeOf(i) < 0)
		return;
	pointer = null;
	pointAt(i);
	heard.textContent = toldName(i) + ', ' + numbersOf(i);
	const top = rowTop(levelOf(i)), seen = window.scrollY || 0;
	if (top - head < seen)
		window.scrollTo(0, top - head);
	else if (top + ROW > seen + window.innerHeight)
		window.scrollTo(0, top + 2 * ROW - window.innerHeight);
}

// The widest frame that stands on this one.
function widestKid(i) {
	const row = rows[levelOf(i) + 1];
	let widest = -1;
	if (!row)
		return -1;
	for (const kid of row.nodes)
		if (tree.parent[kid] === i && (widest < 0 || tree.total[kid] > tree.total[widest]))
			widest = kid;
	return widest;
}

function walk(key) {
	const outward = icicle ? 'ArrowDown' : 'ArrowUp';
	if (at < 0) {
		walkTo(zoomed);
	} else if (key === 'ArrowUp' || key === 'ArrowDown') {
		walkTo(key === outward ? widestKid(at) : tree.parent[at]);
	} else {
		const row = rows[levelOf(at)];
		if (row)
			walkTo(row.nodes[placeOf(at) + (key === 'ArrowRight' ? 1 : -1)]);
	}
}

// ---- switches

function showRoot() {
	window.scrollTo(0, icicle ? 0 : height);
}

function flipOver() {
	icicle = !icicle;
	draw();
	showRoot();
	noteState(false);
}

function sortOver() {
	if (data.chart)
		return;
	sortBy(order === 'name' ? (data.order === 'name' ? 'weight' : data.order) : 'name');
	draw();
	noteState(false);
}

// Frames of a comparison are as wide as they were before, as they are after, or as the larger.
const SIDES = ['after', 'before', 'larger'];

function sideOver() {
	if (!data.comparison)
		return;
	const path = pathOf(zoomed), next = SIDES[(SIDES.indexOf(side) + 1) % SIDES.length];
	showSide(next);
	zoomed = nodeOf(path);
	if (!tree.total[zoomed])
		zoomed = 0;
	draw();
	noteState(false);
}

function caseOver() {
	matchCase = !minds(query);
	find(query);
	noteState(false);
}

function resetAll() {
	if (showsAll || focus) {
		showsAll = false;
		focus = null;
		useShown();
	}
	search.value = '';
	matchCase = null;
	before = [];
	zoomed = 0;
	span = wholeSpan();
	choose(-1);
	forgetTurn();
	find('');
	drawInPlace();
	noteState(true);
}

function resetZoom() {
	showPlace({ node: 0, span: wholeSpan() }, false);
	before = [];
	showState();
}

function startSearch() {
	search.focus();
	search.select();
}

function escape() {
	if (!help.hidden) {
		showHelp(false);
	} else if (query) {
		search.value = '';
		find('');
		noteState(false);
	} else if (chosenKind >= 0) {
		choose(-1);
	} else if (zoomed || !isWhole()) {
		resetZoom();
	} else if (focus) {
		leaveFocus();
	} else {
		pointAt(-1);
	}
}

function openLink() {
	const link = at >= 0 && linkOf(at);
	if (link && link[1])
		window.open(link[1], link[2] || '_blank', 'noopener');
}

const keys = {
	ArrowUp: walk, ArrowDown: walk, ArrowLeft: walk, ArrowRight: walk,
	Enter: () => { if (at >= 0) zoomTo(at); },
	' ': () => { if (at >= 0) zoomTo(at); },
	Backspace: zoomOut, u: zoomOut,
	Home: () => { if (zoomed || !isWhole()) resetZoom(); },
	Escape: escape,
	'/': startSearch, F3: startSearch,
	n: () => nextHit(1), N: () => nextHit(-1),
	c: caseOver, v: flipOver, r: turnOver, s: sortOver, o: openLink,
	i: inlineOver, b: () => focusOver(true), d: () => focusOver(false),
	w: sideOver, t: () => { if (isTimed) copyTime(); },
	'?': () => showHelp(help.hidden),
};

function onKey(event) {
	const inField = event.target === search; // where the key went, not where the focus is now
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
		noteState(false);
		graph.focus();
	}
}

// ---- the state in the address, so that a link shows what its sender saw

const ownsAddress = document.documentElement === svg;
const LONGEST_ADDRESS = 2000;

// A frame by the names above it, so that the link also holds in the next recording's picture;
// by its number where that would be too long or not tell it from others.
function frameWords(i) {
	const path = pathOf(i).map(encodeURIComponent).join(';');
	if (!data.chart && path.length < LONGEST_ADDRESS && nodeOf(pathOf(i)) === i)
		return 'zoom=' + path;
	return tree === base ? 'frame=' + i : '';
}

function stateWords() {
	const words = [];
	if (showsAll)
		words.push('inline=1');
	if (focus)
		words.push((focus.isCallers ? 'callers=' : 'callees=') + encodeURIComponent(focus.name));
	if (tree !== base)
		words.push('reverse=' + Number(isReversed()));
	if (zoomed)
		words.push(frameWords(zoomed));
	else if (!isWhole())
		words.push('time=' + spanOption(span));
	if (side !== data.side)
		words.push('width=' + side);
	if (query || askedBefore())
		words.push('search=' + encodeURIComponent(query));
	if (matchCase !== null)
		words.push('case=' + Number(matchCase));
	if (icicle !== data.icicle)
		words.push('icicle=' + Number(icicle));
	if (order !== data.order)
		words.push('sort=' + order);
	return words.filter(Boolean).join('&');
}

function noteState(isStep) {
	if (!ownsAddress)
		return;
	const words = stateWords(), old = location.href.split('#');
	if (words === (old[1] || ''))
		return;
	try {
		history[isStep ? 'pushState' : 'replaceState'](null, '', old[0] + (words ? '#' + words : ''));
	} catch (_) { /* some viewers have no history */ }
}

function decoded(text) {
	try {
		return decodeURIComponent(text);
	} catch (_) {
		return text;
	}
}

function readState() {
	const state = Object.create(null);
	for (const word of location.hash.slice(1).split('&')) {
		const equals = word.indexOf('=');
		if (equals > 0)
			state[word.slice(0, equals)] = word.slice(equals + 1);
	}
	return state;
}

// Links to older pictures ask for a search with ?s=; what stands behind the # comes first.
const askedBefore = () => new URLSearchParams(location.search).get('s') || '';

function frameOf(state) {
	if (state.zoom !== undefined)
		return nodeOf(state.zoom.split(';').map(decoded));
	const number = Number(state.frame);
	return tree === base && Number.isInteger(number) && number > 0 && number < count
		&& tree.total[number] > 0 ? number : 0;
}

function spanAsked(words) {
	const [from, to] = words.split('-').map(word => Number(word) * NS), whole = wholeSpan();
	return to > from && from < whole[1] && to > whole[0]
		? [Math.max(from, whole[0]), Math.min(to, whole[1])] : whole;
}

function restoreShown(state) {
	const name = state.callers || state.callees;
	const isSame = showsAll === (hasFull && state.inline === '1')
		&& (name ? decoded(name) : '') === (focus ? focus.name : '')
		&& (!focus || focus.isCallers === !!state.callers);
	if (isSame)
		return;
	showsAll = hasFull && state.inline === '1';
	focus = name && !data.chart ? { name: decoded(name), isCallers: !!state.callers } : null;
	useShown();
}

function restoreState() {
	const state = ownsAddress ? readState() : {};
	restoreShown(state);
	icicle = state.icicle === undefined ? data.icicle : state.icicle === '1';
	if (!data.chart) {
		useReversed(state.reverse !== undefined && (state.reverse === '1') !== data.reversed);
		sortBy(state.sort === 'name' || state.sort === 'weight' ? state.sort : data.order);
	}
	if (data.comparison)
		showSide(SIDES.includes(state.width) ? state.width : data.side);
	zoomed = frameOf(state);
	span = isTimed && state.time ? spanAsked(state.time) : spanOf(zoomed);
	before = [];
	at = -1;
	forgetTurn();
	remark = focusWords();
	matchCase = state.case === undefined ? null : state.case === '1';
	search.value = state.search === undefined && ownsAddress ? askedBefore()
		: decoded(state.search || '');
}

function showAddress() {
	if (stateWords() === location.href.split('#')[1])
		return;
	restoreState();
	drawInPlace();
	find(search.value);
}

// ---- buttons

const box = html('div', tools);
const told = html('output', box);
const search = html('input', box);
const heard = html('output', box);
const buttons = {};

function addButton(name, words, title, act) {
	const button = buttons[name] = html('button', box);
	button.type = 'button';
	button.textContent = words;
	button.title = title;
	button.addEventListener('click', act);
	return button;
}

function makeTools() {
	box.setAttribute('class', 'tools');
	box.setAttribute('role', 'toolbar');
	box.setAttribute('aria-label', 'Search and view');
	told.setAttribute('class', 'told');
	told.setAttribute('aria-live', 'polite');
	heard.setAttribute('class', 'heard');
	heard.setAttribute('aria-live', 'polite');
	search.type = 'search';
	search.setAttribute('aria-label', 'Search names by regular expression');
	search.spellcheck = false;
	search.addEventListener('input', () => { find(search.value); noteState(false); });
	search.addEventListener('keydown', onSearchKey);
	addButton('case', 'Aa', 'Match upper and lower case (c)', caseOver);
	addButton('icicle', 'Icicle', 'Callers on top (v)', flipOver);
	if (!data.chart) {
		addButton('reverse', 'Reversed', 'From the innermost function (r)', turnOver);
		if (hasFull)
			addButton('inline', 'Inlined', 'Show all inlined functions (i)', inlineOver);
		addButton('sort', 'A\u2013Z', 'Sort by name instead of weight (s)', sortOver);
	}
	if (data.comparison)
		addButton('side', '', 'Width of frames: after, before or the larger (w)', sideOver);
	if (isTimed)
		addButton('time', 'Copy time', 'Copy the time in view as the option --time (t)', copyTime);
	addButton('back', 'Back', 'Zoom back (Backspace, shift-click)', zoomOut);
	addButton('reset', 'Reset', 'The whole flame graph, without search', resetAll);
	addButton('help', '?', 'Keys (?)', () => showHelp(help.hidden));
}

function showState() {
	const press = (name, isOn) => buttons[name] && buttons[name].setAttribute('aria-pressed', isOn);
	press('case', minds(query));
	press('icicle', icicle);
	press('inline', showsAll);
	press('reverse', isReversed());
	press('sort', order === 'name');
	press('help', !help.hidden);
	if (buttons.side)
		buttons.side.textContent = 'Width: ' + (side === 'gone' ? 'after and gone' : side);
	const isElsewhere = zoomed > 0 || !isWhole() || focus !== null;
	buttons.back.disabled = !isElsewhere && !before.length;
	buttons.reset.disabled = !isElsewhere && !showsAll && !query && chosenKind < 0;
}
