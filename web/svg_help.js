// ---- the list of keys

const HELP_WIDTH = 400;
const helpPlace = element('foreignObject', '', bar);
const help = html('div', helpPlace);
const more = html('div', help); // buttons that have no room above
const about = html('div', help);

const keyWords = [
	['arrows', 'move between frames'],
	['Enter, click', 'zoom to the frame'],
	['Backspace, u, shift-click', 'zoom back'],
	['Home', 'show the whole graph'],
	['/, Ctrl-F, F3', 'search'],
	['n, N', 'next or previous match'],
	['Enter, shift-Enter', 'the same, in the search field'],
	['c', 'match upper and lower case, or not'],
	['v', 'callers on top or at the bottom'],
	!data.chart && ['r', 'reverse: from the innermost function'],
	!data.chart && ['b', 'who calls the function, from all places'],
	!data.chart && ['d', 'what the function calls, in all places'],
	hasFull && ['i', 'show all inlined functions, or not'],
	!data.chart && ['s', 'sort by name or by weight'],
	data.comparison && ['w', 'frame widths: before, after or the larger'],
	isTimed && ['drag', 'zoom to a stretch of time'],
	isTimed && ['t', 'copy the time in view as an option'],
	data.links && ['o', 'follow the frame\'s link'],
	['Escape', 'leave the search, then the zoom'],
	['?', 'show or hide this list'],
].filter(Boolean);

function makeHelp() {
	help.setAttribute('class', 'help');
	help.setAttribute('role', 'note');
	help.setAttribute('aria-label', 'Keys');
	help.hidden = true;
	more.setAttribute('class', 'wide');
	about.setAttribute('class', 'wide');
	about.textContent = factWords;
	for (const [key, words] of keyWords) {
		html('kbd', help).textContent = key;
		html('span', help).textContent = words;
	}
}

function layOutHelp() {
	const wide = Math.min(HELP_WIDTH, barWidth - 2 * PAD);
	helpPlace.setAttribute('x', barWidth - PAD - wide);
	helpPlace.setAttribute('y', head - 4);
	helpPlace.setAttribute('width', wide);
	helpPlace.setAttribute('height', help.hidden ? 1 : help.offsetHeight);
}

function showHelp(isShown) {
	help.hidden = !isShown;
	pointAt(-1);
	layOutHelp();
	setHeight();
	showState();
	heard.textContent = isShown ? keyWords.map(words => words.join(': ')).join('; ') : '';
}
