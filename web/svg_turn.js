// ---- the same from the other end of the stacks

let lastZoom = -1;       // before the last turn, while nothing else was done; else -1

function forgetTurn() {
	lastZoom = -1;
	remark = '';
}

// Where the function that is zoomed stands in the reversed tree: next to the root or to its
// process, if it has time of its own.
function placeReversed(i) {
	const path = (i ? outerOf(i) : []).concat(i || []).map(node => names[base.name[node]]);
	useReversed(true);
	const there = nodeOf(path);
	return tree.depth[there] === path.length ? there : 0;
}

// And back, to the widest of the places where it occurs.
function placeInFile(i) {
	const places = new Set(tree.places[i].filter(place => place > 0));
	let widest = 0;
	useReversed(false);
	for (const place of places)
		if (!widest || base.total[place] > base.total[widest])
			widest = place;
	if (places.size > 1)
		remark = nameOf(widest) + ' occurs in ' + grouped(places.size)
			+ ' places; this is the widest.';
	return widest;
}

function remarkNowhere(name) {
	remark = (isReversed() ? name + ' has no time of its own, so no reversed stack starts with it'
		: 'No stack starts with ' + name) + '; the whole graph is shown.';
}

function turnOver() {
	if (data.chart)
		return;
	const came = zoomed, name = nameOf(came), wasZoomed = lastZoom;
	forgetTurn();
	zoomed = tree === base ? placeReversed(came) : placeInFile(came);
	if (wasZoomed >= 0) {
		zoomed = wasZoomed;
		remark = '';
	} else if (came && !zoomed) {
		remarkNowhere(name);
	}
	lastZoom = came;
	before = [];
	at = -1;
	heard.textContent = remark;
	draw();
	report();
	showRoot();
	noteState(false);
}
