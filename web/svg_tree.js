// ---- whose children stand where: the file's tree or the reversed one, sorted as asked

let order = data.order;  // 'weight', 'name'; as the file has them: 'text', 'time'

function sortKids(tree, kids) {
	const { name, total } = tree;
	if (order === 'name')
		return kids.sort((a, b) => name[a] - name[b] || a - b);
	return kids.sort((a, b) => total[b] - total[a] || name[a] - name[b] || a - b);
}

base.sorted = new Map();
base.kids = function (i) {
	if (order !== data.order && this.sorted.has(i))
		return this.sorted.get(i);
	const kids = [];
	for (let kid = i + 1; kid < this.end[i]; kid = this.end[kid])
		kids.push(kid);
	if (order !== data.order && kids.length > 1) {
		sortKids(this, kids);
		this.sorted.set(i, kids);
	}
	return kids;
};
base.size = i => base.end[i] - i;
base.forget = () => base.sorted.clear();

// The reversed tree grows where it is looked at: a node holds the ends of stacks that come by
// it (`ends`) and how far each has been followed back (`places`). Processes and threads stay
// outermost. Nodes far apart cost nothing until they are wide enough to be drawn.
const MOST_STEPS = 8e6;  // in one go; what is left grows at the next zoom

function newReversed() {
	const tree = { depth: [], parent: [], name: [], total: [], samples: [], inlined: [], few: {},
		before: data.comparison ? [] : undefined, after: [], colour: data.colour ? [] : null,
		ends: [], places: [], list: [], steps: 0, isCut: false };
	const ends = [], places = [];
	for (let i = 0; i < count; i++) {
		if (base.self[i] || (data.comparison && (base.ownBefore[i] || base.ownAfter[i]))) {
			ends.push(i);
			places.push(-1);
		}
	}
	addReversed(tree, -1, base.name[0], ends, places);
	tree.total[0] = base.total[0];
	tree.kids = i => reversedKids(tree, i);
	tree.size = () => 1;
	tree.forget = () => tree.list.forEach(kids => kids && sortKids(tree, kids));
	return tree;
}

function addReversed(tree, parent, name, ends, places) {
	const i = tree.parent.length, first = places[0] < 0 ? 0 : places[0];
	let total = 0, samples = 0, before = 0, after = 0, inlined = ends.length ? 1 : 0, few = 0;
	for (let k = 0; k < ends.length; k++) {
		total += base.self[ends[k]];
		samples += base.ownSamples[ends[k]];
		inlined &= places[k] >= 0 ? base.inlined[places[k]] : 0;
		few += base.few[places[k]] || 0;
		if (data.comparison) {
			before += base.ownBefore[ends[k]];
			after += base.ownAfter[ends[k]];
		}
	}
	tree.parent.push(parent);
	tree.depth.push(parent < 0 ? 0 : tree.depth[parent] + 1);
	tree.name.push(name);
	tree.total.push(total);
	tree.samples.push(samples);
	tree.inlined.push(inlined);
	tree.ends.push(ends);
	tree.places.push(places);
	tree.list.push(null);
	if (few)
		tree.few[i] = few;
	if (data.comparison) {
		tree.before.push(before);
		tree.after.push(after);
	}
	if (tree.colour)
		tree.colour.push(base.colour[first]);
	return i;
}

// Where a stack goes next from a node of that depth: down through the processes and threads,
// then from the innermost function back. -1 where it is over.
function nextPlace(end, place, depth) {
	const outside = outerOf(end);
	if (depth < outside.length)
		return outside[depth];
	const next = depth === outside.length ? end : base.parent[place];
	return next > 0 && !isStructure(base.name[next]) ? next : -1;
}

// The processes and threads above a node, outermost first. They stand next to the root, so the
// answer is the same for a whole subtree.
const outer = new Map();
function outerOf(i) {
	let top = i;
	const walked = [];
	while (top > 0 && !isStructure(base.name[top]) && !outer.has(top)) {
		walked.push(top);
		top = base.parent[top];
	}
	let list = outer.get(top);
	if (!list) {
		list = [];
		for (let at = top; at > 0; at = base.parent[at])
			list.unshift(at);
		outer.set(top, list);
	}
	for (const node of walked)
		outer.set(node, list);
	return list;
}

function reversedKids(tree, i) {
	if (tree.list[i])
		return tree.list[i];
	const ends = tree.ends[i], places = tree.places[i];
	if (tree.steps > MOST_STEPS) {
		tree.isCut = true;
		return [];
	}
	tree.steps += ends.length;
	const groups = new Map();
	for (let k = 0; k < ends.length; k++) {
		const place = nextPlace(ends[k], places[k], tree.depth[i]);
		if (place < 0)
			continue;
		const name = base.name[place];
		let group = groups.get(name);
		if (!group)
			groups.set(name, group = { ends: [], places: [] });
		group.ends.push(ends[k]);
		group.places.push(place);
	}
	const kids = [];
	for (const [name, group] of groups)
		kids.push(addReversed(tree, i, name, group.ends, group.places));
	return tree.list[i] = sortKids(tree, kids);
}

function sortBy(asked) {
	order = asked;
	base.forget();
	if (reversed)
		reversed.forget();
}

// ---- the side of a comparison that frames are as wide as

let side = data.side;

function ownOn(i) {
	return side === 'before' ? base.ownBefore[i] : side === 'after' ? base.ownAfter[i]
		: side === 'larger' ? Math.max(base.ownBefore[i], base.ownAfter[i]) : base.ownInFile[i];
}

function showSide(asked) {
	if (asked === side)
		return;
	side = asked;
	base.ownInFile = base.ownInFile || Float64Array.from(base.self);
	for (let i = 0; i < count; i++)
		base.self[i] = ownOn(i);
	base.total.set(base.self);
	sumUp(base.total, base.parent);
	base.forget();
	reversed = null;
	if (tree !== base)
		tree = reversed = newReversed();
}

let tree = base;
let reversed = null;  // made when it is first asked for

function useReversed(isTurned) {
	if (isTurned && !reversed)
		reversed = newReversed();
	tree = isTurned ? reversed : base;
}

// Is the innermost function next to the root?
const isReversed = () => data.reversed !== (tree !== base);

function pathOf(i) {
	const path = [];
	for (; i > 0; i = tree.parent[i])
		path.unshift(names[tree.name[i]]);
	return path;
}

// The node of that path, or as far as there is one.
function nodeOf(path) {
	let at = 0;
	for (const name of path) {
		const next = tree.kids(at).find(kid => names[tree.name[kid]] === name);
		if (next === undefined)
			break;
		at = next;
	}
	return at;
}
