// The rows of the tree as they are listed: open nodes are followed by their children.

import { share } from '../../words/format';
import * as say from '../../words/grid';
import { childrenOf, hasWeight, pathOf, type Tree, type Words } from '../../views/tree';
import { delimited, type Form } from '../table/delimited';

const LONG = 2000; // a longer level starts with its first rows
const STEP = 500;
const WHOLE = 0.9995; // a child with that share of its parent continues a chain

export interface GridColumn {
	key: string;
	title: string;
	isExtra?: boolean; // hidden by default
	width?: number; // px; of a column with histograms what its text needs
	value(node: number): number;
	text(value: number, node: number): string;
	bar?: (node: number) => number; // 0 to 1
	// Histograms over the visible time, for the rows in the document.
	whens?: (nodes: number[]) => Promise<Map<number, Float32Array>>;
}

export interface Sort { key: string; descending: boolean } // key of a column, or 'name'

export interface RowsOf {
	tree: Tree;
	version: number;
	words: Words;
	root: number;
	columns: GridColumn[];
	sort: Sort;
	least: number; // percent of the whole: lighter rows are left out at first
	open: ReadonlySet<number>;
}

// A row is a node, or ~parent: the children of parent that are left out.
export interface GridRows { nodes: number[]; indents: number[] }

// What is kept of a tree between calls, so that opening a node sorts only its children.
interface Memory {
	state: string;
	lists: Map<number, Uint32Array>;
	least: number;
	limits: Map<number, number>; // by parent: how many children are listed
}
const memories = new WeakMap<Tree, Memory>();

function memoryOf(of: RowsOf): Memory {
	let memory = memories.get(of.tree);
	if (!memory)
		memories.set(of.tree, memory = { state: '', least: of.least, lists: new Map(), limits: new Map() });
	const state = [of.version, of.sort.key, of.sort.descending, of.least].join();
	if (memory.state !== state) {
		memory.state = state;
		memory.lists.clear();
		if (memory.least !== of.least)
			memory.limits.clear();
		memory.least = of.least;
	}
	return memory;
}

function sortedList(of: RowsOf, node: number): Uint32Array {
	const { key, descending } = of.sort;
	if (key === 'name') {
		const list = childrenOf(of.tree, node, 'name', of.words);
		return descending ? list.reverse() : list;
	}
	const list = childrenOf(of.tree, node, 'weight');
	const column = of.columns.find(one => one.key === key);
	if (!column || list.length < 2)
		return list;
	const sign = descending ? 1 : -1;
	const values = Float64Array.from(list, child => sign * column.value(child));
	if (values.every((value, i) => !i || value <= values[i - 1]))
		return list; // most often: by weight
	return Uint32Array.from(values.keys()).sort((a, b) => values[b] - values[a] || a - b).map(i => list[i]);
}

export function sortedChildren(of: RowsOf, node: number): Uint32Array {
	const { lists } = memoryOf(of);
	let list = lists.get(node);
	if (!list) {
		list = sortedList(of, node);
		if (of.least) // those that are left out are the last ones
			list = Uint32Array.from([...list.filter(child => !isLight(of, child)), ...list.filter(child => isLight(of, child))]);
		lists.set(node, list);
	}
	return list;
}

const isLight = ({ tree, least }: RowsOf, node: number): boolean =>
	Math.max(tree.total[node], tree.before?.[node] ?? 0) < least / 100 * Math.max(tree.total[0], tree.before?.[0] ?? 0);

export function hottestChild(tree: Tree, node: number): number {
	let hottest = 0;
	for (let i = tree.childAt[node]; i < tree.childAt[node + 1]; i++) {
		const child = tree.children[i];
		if (hasWeight(tree, child) && (!hottest || tree.total[child] > tree.total[hottest]))
			hottest = child;
	}
	return hottest;
}

// Children may be there that were not sent yet.
export const isLeaf = (tree: Tree, node: number): boolean => !hottestChild(tree, node) && !tree.served?.left[node];

// The child that continues a chain, or 0.
export function chainChild(tree: Tree, node: number): number {
	const hottest = tree.served?.left[node] ? 0 : hottestChild(tree, node);
	if (!hottest || tree.total[hottest] >= WHOLE * tree.total[node])
		return hottest;
	for (let i = tree.childAt[node]; i < tree.childAt[node + 1]; i++)
		if (tree.children[i] !== hottest && hasWeight(tree, tree.children[i]))
			return 0;
	return hottest;
}

// In a chain the tiny siblings of its next step are left out at first: they would part it.
function limitOf(of: RowsOf, parent: number, list: Uint32Array, isChain: boolean): number {
	const known = memoryOf(of).limits.get(parent);
	if (known !== undefined || isChain)
		return Math.min(list.length, known ?? 0);
	const light = of.least ? list.findIndex(child => isLight(of, child)) : -1;
	return Math.min(light < 0 ? list.length : light, list.length > LONG ? STEP : list.length);
}

function othersOf(of: RowsOf, parent: number): { list: Uint32Array; chain: number } {
	const list = sortedChildren(of, parent), chain = parent === of.root ? 0 : chainChild(of.tree, parent);
	return { chain, list: chain ? list.filter(child => child !== chain) : list };
}

export function gridRows(of: RowsOf): GridRows {
	const { tree, root, open } = of;
	const rows: GridRows = { nodes: [], indents: [] };
	const waiting: number[] = [], indents: number[] = []; // next row last
	const push = (row: number, indent: number) => {
		waiting.push(row);
		indents.push(indent);
	};
	const pushChildren = (parent: number, indent: number) => {
		const { list, chain } = othersOf(of, parent);
		const limit = limitOf(of, parent, list, chain > 0);
		if (limit < list.length || tree.served?.left[parent])
			push(~parent, chain ? indent : indent + 1);
		for (let i = limit; i-- > 0;)
			push(list[i], indent + 1);
		if (chain)
			push(chain, indent);
	};
	pushChildren(root, -1);
	while (waiting.length) {
		const row = waiting.pop()!, indent = indents.pop()!;
		rows.nodes.push(row);
		rows.indents.push(indent);
		if (row >= 0 && open.has(row))
			pushChildren(row, indent);
	}
	return rows;
}

// Of a row ~parent: how many children and how much of their weight.
export function leftOut(of: RowsOf, parent: number): { count: number; weight: number; isChain: boolean } {
	const { list, chain } = othersOf(of, parent);
	const hidden = list.subarray(limitOf(of, parent, list, chain > 0));
	const { served } = of.tree;
	return {
		count: hidden.length + (served?.left[parent] ?? 0), isChain: chain > 0,
		weight: hidden.reduce((sum, child) => sum + of.tree.total[child], served?.leftWeight[parent] ?? 0),
	};
}

export function showMore(of: RowsOf, parent: number): void {
	const { count, isChain } = leftOut(of, parent);
	const listed = sortedChildren(of, parent).length - (isChain ? 1 : 0) - count + (of.tree.served?.left[parent] ?? 0);
	memoryOf(of).limits.set(parent, listed + STEP);
}

export function moreText(of: RowsOf, parent: number): string {
	const { count, weight, isChain } = leftOut(of, parent);
	const part = share(weight, of.tree.total[0]);
	return isChain ? say.moreOf(count, of.words.short(parent), part) : say.more(count, part);
}

// Opens what leads to the node, so that it is a row.
export function openTo(of: RowsOf, open: Set<number>, node: number): void {
	const { tree, root } = of, { limits } = memoryOf(of);
	for (let at = node; at > root; at = tree.parent[at]) {
		const parent = tree.parent[at];
		open.add(parent);
		const { list, chain } = othersOf(of, parent), index = list.indexOf(at);
		if (index >= limitOf(of, parent, list, chain > 0))
			limits.set(parent, Math.ceil((index + 1) / STEP) * STEP);
	}
}

// Opens a node, and with it a chain of single children. Answers where the chain ends, or the
// hottest child.
export function openNode(tree: Tree, open: Set<number>, node: number): number {
	const hottest = hottestChild(tree, node);
	if (isLeaf(tree, node))
		return node;
	open.add(node);
	if (!hottest)
		return node;
	let at = chainChild(tree, node), end = hottest;
	while (at) {
		end = at;
		at = chainChild(tree, end);
		if (at)
			open.add(end);
	}
	return end;
}

// The node where the weight splits, and opens what leads there. From such a node that is open
// already it goes on to the next.
export function openToSplit(tree: Tree, open: Set<number>, node: number): number {
	const wasOpen = open.has(node);
	let at = node, next = hottestChild(tree, at);
	while (next) {
		open.add(at);
		const splits = tree.total[next] < 0.6 * tree.total[at];
		if (splits && !(wasOpen && at === node))
			break;
		at = next;
		next = hottestChild(tree, at);
	}
	return at;
}

// The nodes of a subtree that have children, and how many rows they open.
export function openable(tree: Tree, node: number): { rows: number; nodes: number[] } {
	const nodes: number[] = [], waiting = [node];
	let rows = 0;
	while (waiting.length) {
		const at = waiting.pop()!, before = waiting.length;
		for (let i = tree.childAt[at]; i < tree.childAt[at + 1]; i++)
			if (hasWeight(tree, tree.children[i]))
				waiting.push(tree.children[i]);
		rows += waiting.length - before;
		if (waiting.length > before)
			nodes.push(at);
	}
	return { rows, nodes };
}

// Rows as text: levels by indentation where people read it, as a column where programs do.
export function rowsText(of: RowsOf, { nodes, indents }: GridRows, form: Form): string {
	const { tree, words } = of;
	const columns = of.columns.filter(column => !column.whens), isCsv = form === 'csv';
	const line = (i: number, level: string, name: string, module: string, values: string[]) => isCsv
		? [level, name, module, ...values]
		: [(form === 'markdown' ? '\u2003' : '  ').repeat(indents[i] ?? 0) + (module && module + '!') + name,
			...values];
	return delimited([line(-1, say.level, say.name, isCsv ? say.module : '', columns.map(column => column.title)),
		...nodes.map((node, i) => {
			const level = tree.depth[node < 0 ? ~node : node] - tree.depth[of.root] + (node < 0 ? 1 : 0);
			return node < 0 ? line(i, String(level), moreText(of, ~node), '', columns.map(() => ''))
				: line(i, String(level), words.name(node), words.module(node), columns.map(column =>
					isCsv ? String(column.value(node)) : column.text(column.value(node), node)));
		})], form);
}

// Each row is a stack with what its own rows below do not have, so that the sum stays.
function foldedText({ tree, words, root }: RowsOf, { nodes }: GridRows): string {
	const left = new Map<number, number>();
	for (const node of [root, ...nodes])
		if (node > 0) {
			left.set(node, tree.total[node]);
			const parent = tree.parent[node];
			if (left.has(parent))
				left.set(parent, left.get(parent)! - tree.total[node]);
		}
	return [...left].filter(([, weight]) => Math.round(weight) > 0).map(([node, weight]) =>
		pathOf(tree, node).map(at => words.name(at).replace(/;/g, ':')).join(';') + ` ${Math.round(weight)}\n`)
		.join('');
}

export function tableText(of: RowsOf, form: Form | 'folded'): string {
	const rows = gridRows(of);
	return form === 'folded' ? foldedText(of, rows) : rowsText(of, rows, form);
}
