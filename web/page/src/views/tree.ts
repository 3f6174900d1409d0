// The calling tree of one event: its shape is made once for a grouping and a set of verbs
// (views/build.ts), its weights for each selection (views/weigh.ts). Nodes are columns; a parent has
// a smaller number than its children, node 0 is the whole.

export const enum Kind { Whole, Process, Pid, Thread, Cpu, Reason, Readier, Heap, Allocator, Size, Annotation, Module, Function, Rule }

// Neighbouring frames of functions that are grouped: their labels, and by function one more than its label.
export interface Rules { labels: string[]; of: Uint8Array }

export interface Tree {
	count: number;
	parent: Uint32Array;
	kind: Uint8Array; // Kind
	id: Uint32Array; // of what the kind says: a function, a process (the first of its name), ...
	depth: Uint16Array;
	inlined: Uint8Array; // wherever it was met it was inlined into its parent
	childAt: Uint32Array; // [count + 1]: children of n are children[childAt[n]] ... before childAt[n + 1]
	children: Uint32Array; // in no order
	first: Float64Array; // when the node was met first, in ns
	firstRow: Uint32Array | null; // and on which row; of a served tree, nodes are in that order

	// Of the selection.
	self: Float64Array;
	total: Float64Array;
	selfTimes: Float64Array; // how many samples or blocks
	totalTimes: Float64Array;
	before: Float64Array | null; // of a comparison: the total of the other recording
	selfBefore: Float64Array | null;
	allocated: Float64Array | null; // of an event with lifetimes: the total of all that was allocated,
	allocations: Float64Array | null; // and in how many blocks
	served: ServedNodes | null; // of a tree that the program that serves the page made
	rules: Rules | null; // of which nodes of Kind.Rule have their names
	cut: number; // inverted: stacks of which only the innermost function is shown
}

// What only the wide nodes and the open ones are sent of.
export interface ServedNodes {
	number: Float64Array; // the server's
	text: string[]; // the name of a node that is not a function
	left: Uint32Array; // how many of its children were not sent
	leftWeight: Float64Array;
}

export type Order = 'weight' | 'name' | 'time';

// What components need to write about nodes. A node's path is stable: the same in each selection,
// grouping permitting, and after reloading.
export interface Words {
	name(node: number): string; // whole
	short(node: number): string; // as labels show it
	module(node: number): string; // '' for what is no code
	detail(node: number): string; // what is said of it behind its name: the module, or what a process is about
	kind(node: number): string; // 'kernel', 'process' ...
	look(node: number): number; // colour: kind of code (0-7), 8 structure, 9 start-up code
	isUnnamed(node: number): boolean;
	place(node: number): string; // 'src/main.rs', or ''
	amount(weight: number): string; // with its unit
	count(times: number): string; // '1,200 samples'; '' if their number means nothing
}

export const hasWeight = (tree: Tree, node: number): boolean =>
	tree.total[node] > 0 || tree.before !== null && tree.before[node] > 0;

// Of equal ones, that which was met first.
const byRow = ({ firstRow }: Tree, a: number, b: number): number => firstRow && firstRow[a] - firstRow[b] || a - b;

// The heaviest first.
export const byWeight = (tree: Tree) => (a: number, b: number): number => tree.total[b] - tree.total[a] || byRow(tree, a, b);

// The children of a node, in that order. Only those with a total.
export function childrenOf(tree: Tree, node: number, order: Order, words?: Words): Uint32Array {
	const list = tree.children.slice(tree.childAt[node], tree.childAt[node + 1])
		.filter(child => hasWeight(tree, child));
	if (order === 'weight')
		return list.sort(byWeight(tree));
	if (order === 'time')
		return list.sort((a, b) => tree.first[a] - tree.first[b] || byRow(tree, a, b));
	return list.sort((a, b) => {
		const x = words!.name(a), y = words!.name(b);
		return x < y ? -1 : x > y ? 1 : byRow(tree, a, b);
	});
}

// The first function on the hottest way from the root.
export function hottestFunction(tree: Tree): number {
	let node = 0;
	do {
		const [child] = childrenOf(tree, node, 'weight');
		if (!child)
			break;
		node = child;
	} while (tree.kind[node] < Kind.Module);
	return node;
}

// The columns `childAt` and `children`.
export function childrenOfParents(parent: Uint32Array): Pick<Tree, 'childAt' | 'children'> {
	const count = parent.length, childAt = new Uint32Array(count + 1), children = new Uint32Array(Math.max(count - 1, 0));
	for (let node = 1; node < count; node++)
		childAt[parent[node] + 1]++;
	for (let node = 0; node < count; node++)
		childAt[node + 1] += childAt[node];
	const next = childAt.slice(0, count);
	for (let node = 1; node < count; node++)
		children[next[parent[node]]++] = node;
	return { childAt, children };
}

export function pathOf(tree: Tree, node: number): number[] {
	const path = [];
	for (let at = node; at; at = tree.parent[at])
		path.push(at);
	return path.reverse();
}

export function isWithin(tree: Tree, node: number, top: number): boolean {
	while (node > top)
		node = tree.parent[node];
	return node === top;
}

const memories = new WeakMap<Tree, { version: number; known: Map<string, unknown> }>();

// What takes long to compute for a tree, such as the sorted children of a wide node, is kept until the
// weights change.
export function remembered<T>(tree: Tree, version: number, key: string, make: () => T): T {
	let memory = memories.get(tree);
	if (memory?.version !== version)
		memories.set(tree, memory = { version, known: new Map() });
	if (!memory.known.has(key))
		memory.known.set(key, make());
	return memory.known.get(key) as T;
}
