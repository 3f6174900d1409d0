// ---- other trees in place of the file's: all inlined functions, or one function in focus
//
// Whatever is shown takes the place of the file's columns in `base`, so that zooming, searching
// and reversing work alike.

const fileData = { data, names, looks, imageOf, lines, count, tree: { ...base } };
let fullData = null;     // read when it is first asked for
let showsAll = false;    // all inlined functions
let focus = null;        // { name, isCallers, from }: the last is the zoom to return to

const hasFull = !!svg.querySelector('script.full');

function readFull() {
	data = { ...fileData.data, ...JSON.parse(svg.querySelector('script.full').textContent) };
	readTables('full-');
	return { data, names, looks, imageOf, lines, count, tree: readBase() };
}

function use(shown) {
	const wasTurned = tree !== base;
	({ data, names, looks, imageOf, lines, count } = shown);
	Object.assign(base, { ownInFile: undefined }, shown.tree);
	base.forget();
	outer.clear();
	reversed = null;
	useReversed(wasTurned);
	if (data.comparison) {
		const asked = side;
		side = data.side;
		showSide(asked);
	}
}

function newNode(name, parent, from) {
	return { name, parent, kids: new Map(), self: 0, samples: 0, before: 0, after: 0, total: 0,
		inlined: 1, few: 0, place: 0, most: -1, colour: base.colour ? base.colour[from] : 0 };
}

// The node below `parent` for the frame `i` of the tree shown, on a stack of that weight.
function meet(parent, i, weight) {
	let node = parent.kids.get(base.name[i]);
	if (!node)
		parent.kids.set(base.name[i], node = newNode(base.name[i], parent, i));
	node.inlined &= base.inlined[i];
	node.few += base.few[i] || 0;
	if (base.place && weight > node.most) {
		node.most = weight;
		node.place = base.place[i];
	}
	return node;
}

// The node of a function that is running already, `node` or one above it.
const MOST_BACK = 64;
function runningCall(node, name) {
	for (let i = 0; i < MOST_BACK && node && node.parent; i++, node = node.parent)
		if (node.name === name)
			return node;
	return null;
}

// The frames of the stack that ends in `i`: from its outermost call of the function on, or from the
// innermost one back.
function focusPath(i, name) {
	let path = [], found = null;
	for (; i > 0 && !isStructure(base.name[i]); i = base.parent[i]) {
		path.push(i);
		if (base.name[i] !== name)
			continue;
		if (focus.isCallers && !found) {
			found = path = [i];
			continue;
		}
		found = focus.isCallers ? path : path.slice();
	}
	return found && (focus.isCallers ? path : found.reverse());
}

function focusTree(name) {
	const root = newNode(base.name[0], null, 0);
	for (let i = 1; i < count; i++) {
		const has = base.self[i] || (data.comparison && (base.ownBefore[i] || base.ownAfter[i]));
		const path = has && focusPath(i, name);
		if (!path)
			continue;
		let node = root;
		for (const frame of path)
			node = runningCall(node, base.name[frame]) || meet(node, frame, base.self[i]);
		node.self += base.self[i];
		node.samples += base.ownSamples[i];
		if (data.comparison) {
			node.before += base.ownBefore[i];
			node.after += base.ownAfter[i];
		}
	}
	return root;
}

// Every node before its subtree, the heaviest first.
function flatten(root) {
	const found = [root], order = [];
	for (let i = 0; i < found.length; i++)
		found.push(...found[i].kids.values());
	for (let i = found.length - 1; i >= 0; i--) {
		found[i].total += found[i].self;
		if (found[i].parent)
			found[i].parent.total += found[i].total;
	}
	for (const open = [root]; open.length;) {
		const node = open.pop();
		node.at = order.push(node) - 1;
		open.push(...[...node.kids.values()].sort((a, b) => a.total - b.total || b.name - a.name));
	}
	return order;
}

function columnsOf(order) {
	const column = (Kind, get) => Kind.from(order, get), size = order.length;
	const parent = column(Int32Array, node => node.parent ? node.parent.at : -1);
	const depth = new Int32Array(size), end = column(Int32Array, node => node.at + 1), few = {};
	for (let i = 1; i < size; i++) {
		depth[i] = depth[parent[i]] + 1;
		if (order[i].few)
			few[i] = order[i].few;
	}
	for (let i = size - 1; i > 0; i--)
		end[parent[i]] = Math.max(end[parent[i]], end[i]);
	const self = column(Float64Array, node => node.self);
	const samples = column(Float64Array, node => node.samples);
	count = size;
	const columns = {
		depth, parent, end, self, ownSamples: samples, few,
		name: column(Int32Array, node => node.name),
		total: sumUp(Float64Array.from(self), parent),
		samples: sumUp(Float64Array.from(samples), parent),
		place: base.place ? column(Int32Array, node => node.place) : null,
		inlined: column(Uint8Array, node => node.parent ? node.inlined : 0),
		isLane: new Uint8Array(size), lead: null,
		colour: base.colour ? column(Int32Array, node => node.colour) : null,
	};
	if (data.comparison) {
		columns.ownBefore = column(Float64Array, node => node.before);
		columns.ownAfter = column(Float64Array, node => node.after);
		columns.before = sumUp(Float64Array.from(columns.ownBefore), parent);
		columns.after = sumUp(Float64Array.from(columns.ownAfter), parent);
	}
	return columns;
}

// False if the function in focus does not occur.
function useFocus() {
	const name = names.indexOf(focus.name);
	const root = name < 0 ? null : focusTree(name);
	if (!root || !root.kids.size)
		return false;
	const tree = columnsOf(flatten(root));
	use({ data, names, looks, imageOf, lines, count, tree });
	return true;
}

function useShown() {
	if (showsAll && !fullData)
		fullData = readFull();
	use(showsAll ? fullData : fileData);
	if (focus && !useFocus())
		focus = null;
}

function focusWords() {
	return focus ? (focus.isCallers ? 'Callers of ' : 'Calls of ') + focus.name + ': '
		+ share(base.total[0], fileData.tree.total[0]) + ' of the whole. Escape leaves.' : '';
}

function changeShown(path, words) {
	forgetTurn();
	useShown();
	zoomed = nodeOf(path);
	before = [];
	at = -1;
	remark = heard.textContent = focusWords() || words;
	draw();
	find(query);
	showRoot();
	noteState(true);
}

function inlineOver() {
	if (!hasFull)
		return;
	showsAll = !showsAll;
	changeShown(pathOf(zoomed), showsAll ? 'All inlined functions are shown.'
		: 'Small inlined functions of the standard library are part of their callers.');
}

// The function of the frame under the pointer or zoomed; again, and the whole graph is back.
function focusOver(isCallers) {
	const i = at >= 0 ? at : zoomed;
	if (data.chart)
		return;
	if (focus && focus.isCallers === isCallers && (i === 0 || names[tree.name[i]] === focus.name))
		return leaveFocus();
	if (i <= 0 || isStructure(tree.name[i]) || tree.few[i])
		return;
	focus = { name: names[tree.name[i]], isCallers, from: focus ? focus.from : pathOf(zoomed) };
	changeShown([], '');
}

function leaveFocus() {
	const path = focus.from || [];
	focus = null;
	changeShown(path, path.length ? '' : 'The whole graph.');
}
