// ---- the list of keys

const HELP_WIDTH = 400;
const helpPlace = element('foreignObject', '', bar);
const help = html('div', helpPlace);

const keyWords = [
	['arrows', 'from frame to frame'],
	['Enter, click', 'zoom to the frame'],
	['Backspace, u, shift-click', 'the zoom before'],
	['Home', 'the whole again'],
	['/, Ctrl-F, F3', 'search'],
	['n, N', 'next match, match before'],
	['Enter, shift-Enter', 'the same, in the search field'],
	['c', 'upper and lower case count, or not'],
	['v', 'upside down'],
	!data.chart && ['r', 'from the innermost function, and back'],
	!data.chart && ['s', 'by name instead of weight'],
	data.links && ['o', 'follow the link of a frame'],
	['Escape', 'leave the search; then the zoom'],
	['?', 'this list, shown or not'],
].filter(Boolean);

function makeHelp() {
	help.setAttribute('class', 'help');
	help.setAttribute('role', 'note');
	help.setAttribute('aria-label', 'Keys');
	help.hidden = true;
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
	layOutHelp();
	setHeight();
	showState();
	heard.textContent = isShown ? keyWords.map(words => words.join(': ')).join('; ') : '';
}
