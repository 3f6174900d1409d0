// ---- the start

function nodeUnder(event) {
	if (bar.contains(event.target))
		return -1;
	const point = new DOMPoint(event.clientX, event.clientY)
		.matrixTransform(svg.getScreenCTM().inverse());
	return nodeAt(point.x, point.y);
}

// A plain click on a link follows it; with a key held, as everywhere else, it zooms.
function onClick(event) {
	const i = hasDragged ? -1 : nodeUnder(event);
	if (i < 0 || event.button !== 0)
		return;
	if (event.target.closest('a')) {
		if (!event.ctrlKey && !event.metaKey)
			return;
		event.preventDefault();
	}
	if (event.shiftKey)
		zoomOut();
	else
		zoomTo(i);
}

// Every row, and the bar where it stands on paper.
function showForPrint() {
	bar.removeAttribute('transform');
	cover.setAttribute('height', head - 1);
	paint([0, rows.length - 1]);
}

// What stood at the lower end of the window stays there.
function onResize() {
	const below = belowWindow;
	draw();
	if (!icicle)
		window.scrollTo(window.scrollX || 0, height - window.innerHeight - below);
	followScroll();
}

function listen() {
	svg.addEventListener('mousemove', event => {
		pointer = [event.clientX, event.clientY];
		if (drag === null)
			pointAt(nodeUnder(event));
	});
	svg.addEventListener('mouseleave', () => pointAt(-1));
	svg.addEventListener('mousedown', startDrag);
	window.addEventListener('mousemove', dragTo);
	window.addEventListener('mouseup', endDrag);
	svg.addEventListener('click', onClick);
	graph.addEventListener('focus', () => { if (at < 0) pointAt(zoomed); });
	window.addEventListener('keydown', onKey);
	window.addEventListener('resize', onResize);
	window.addEventListener('scroll', followScroll);
	window.addEventListener('beforeprint', showForPrint);
	window.addEventListener('afterprint', followScroll);
	if (ownsAddress) {
		window.addEventListener('popstate', showAddress);
		window.addEventListener('hashchange', showAddress);
	}
}

// At the start the outermost functions are in sight; in a low window, those of the program.
function showUsersCode() {
	const inSight = Math.floor((window.innerHeight - head - FOOT) / ROW);
	let level = isTimed ? 0 : rows.findIndex(row => row.nodes.some((i, k) => row.widths[k] > width / 4
		&& kindOf(i) === 0));
	if (level >= 0 && level + 4 > inSight)
		level = Math.max(level - 1, 0);
	else
		level = 0;
	window.scrollTo(0, icicle ? level * ROW
		: level ? rowTop(level) + ROW - window.innerHeight : height);
}

graph.replaceChildren(); // before anything is measured: nobody needs their layout now
svg.insertBefore(marks, bar);
if (!data.fixed) {
	svg.removeAttribute('viewBox');
	svg.setAttribute('width', '100%');
}
page.setAttribute('width', '100%');
page.style.fill = 'transparent'; // the window's own background is behind it, and beyond
graph.setAttribute('tabindex', '0');
graph.setAttribute('role', 'application');
graph.setAttribute('aria-roledescription', 'flame graph');
graph.setAttribute('aria-label', 'Flame graph: arrows move, Enter zooms, Backspace goes back, '
	+ 'slash searches');
measureChar();
makeTools();
makeHelp();
makeLegend();
makeTip();
restoreState();
listen();
draw();
if (search.value)
	find(search.value);
showUsersCode();
followScroll();
})();
