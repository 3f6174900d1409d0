// The shape of a calling tree: which nodes there are, and on which node each row of the samples
// ends. It depends on grouping and verbs; the selection only changes weights (views/weigh.ts).
import { Hidden, type Recording, type Samples } from '../data/types';
import type { Annotations } from '../state/presets';
import { PairMap } from './pairs';
import { childrenOfParents, Kind, type Rules, type Tree } from './tree';

// What is done with a function wherever it is met.
export const enum Action { Keep, Merge, Collapse }

export interface Shape {
	groups: Kind[]; // levels above the stack, outermost first
	hasStack: boolean; // false: the levels are all
	modules: boolean; // frames are modules: neighbours of one module are one
	inverted: boolean;
	recursion: boolean; // a function right below itself is one node with it
	focus: Uint8Array | null; // by function: callers of these are left out
	actions: Uint8Array | null; // Action by function
	isModuleMerged: Uint8Array | null; // by image: neighbours of it are one frame
	rules: Rules | null; // neighbours with one label are one frame
	annotations: Annotations | null;
	hides: number; // Hidden: frames that are parts of their callers
}

export interface Shaped {
	tree: Tree;
	nodeOf: Uint32Array; // by row
}

// Inverted, a stack of n frames has up to n nodes of its own: from here on, stacks keep their
// innermost function only.
const MOST_NODES = 2_000_000;
const MOST_DEPTH = 65_535;
const NOWHERE = 0xffffffff;

class Nodes {
	count = 1;
	parent: Uint32Array;
	kind: Uint8Array; // Kind
	id: Uint32Array;
	depth: Uint16Array;
	inlined: Uint8Array;
	private known: PairMap;

	constructor(expected: number) {
		this.parent = new Uint32Array(expected);
		this.kind = new Uint8Array(expected);
		this.id = new Uint32Array(expected);
		this.depth = new Uint16Array(expected);
		this.inlined = new Uint8Array(expected);
		this.known = new PairMap(1024);
	}

	child(parent: number, kind: Kind, id: number, inlined: number): number {
		const key = (kind << 28 | id) >>> 0;
		let node = this.known.get(parent, key);
		if (node >= 0) {
			this.inlined[node] &= inlined;
			return node;
		}
		node = this.add(parent, kind, id, inlined);
		this.known.add(parent, key, node);
		return node;
	}

	// One that is known to be new.
	add(parent: number, kind: Kind, id: number, inlined: number): number {
		const node = this.count++;
		if (node === this.parent.length)
			this.grow();
		this.parent[node] = parent;
		this.kind[node] = kind;
		this.id[node] = id;
		this.depth[node] = Math.min(this.depth[parent] + 1, MOST_DEPTH);
		this.inlined[node] = inlined;
		return node;
	}

	private grow(): void {
		const copied = <T extends Uint8Array | Uint16Array | Uint32Array>(from: T): T => {
			const to = new (from.constructor as new (n: number) => T)(2 * from.length);
			to.set(from as never);
			return to;
		};
		this.parent = copied(this.parent);
		this.kind = copied(this.kind);
		this.id = copied(this.id);
		this.depth = copied(this.depth);
		this.inlined = copied(this.inlined);
	}
}

// Processes, or images, of one name are one: for each the number of the first.
function firstsOf(list: ({ name: string } | null)[]): Uint32Array {
	const first = new Map<string, number>();
	return Uint32Array.from(list, (one, i) => {
		if (!one)
			return 0;
		if (!first.has(one.name))
			first.set(one.name, i);
		return first.get(one.name)!;
	});
}

// The id of a row on a level; undefined: the level is left out for the row.
function levelOf(recording: Recording, samples: Samples, kind: Kind, shape: Shape): (row: number) => number | undefined {
	const { head } = recording;
	const { thread, cpu, about, weight, times } = samples;
	const process = Uint32Array.from(head.threads, t => t ? t.process : 0);
	const same = firstsOf(head.processes);
	const modules = firstsOf(head.images);
	const leaves = sameStacks(recording, shape.hides).of;
	const leafOf = (row: number) => recording.frames.fn[recording.stacks.frame[leaves[samples.stack[row]]]];
	const ofSubject = (column: 'what' | 'by' | 'heap') => {
		const first = new Map<unknown, number>();
		const ids = head.subjects.map((subject, i) => {
			const key = subject?.[column] || 0;
			if (!first.has(key))
				first.set(key, i);
			return key ? first.get(key)! : undefined;
		});
		return (row: number) => ids[about[row]];
	};
	switch (kind) {
	case Kind.Process: return row => same[process[thread[row]]];
	case Kind.Pid: return row => process[thread[row]];
	case Kind.Thread: return row => thread[row];
	case Kind.Cpu: return row => cpu[row];
	case Kind.Reason:
	case Kind.Allocator: return ofSubject('what');
	case Kind.Readier: return ofSubject('by');
	case Kind.Heap: return ofSubject('heap');
	case Kind.Annotation: return row => shape.annotations?.of[samples.stack[row]] ?? 0;
	case Kind.Module: return row => leafOf(row) ? modules[recording.names.image[leafOf(row)]] : undefined;
	case Kind.Function: return row => leafOf(row) || undefined; // samples without a stack skip these
	case Kind.Size: return row => Math.floor(Math.log2(Math.max(weight[row] / Math.max(times[row], 1), 1)));
	default: return () => undefined;
	}
}

const isOfThread = (kind: Kind) => kind === Kind.Process || kind === Kind.Pid || kind === Kind.Thread;

export function buildTree(recording: Recording, samples: Samples, shape: Shape): Shaped {
	const { stacks, frames, names } = recording;
	const { stack, time } = samples;
	const nodes = new Nodes(stacks.count + 1024);
	const modules = firstsOf(recording.head.images);
	const nodeOf = basesOf(recording, samples, shape, nodes);
	// Of the stacks that were met below one base: where they end. Rows are read base by base.
	const metBelow = new Uint32Array(stacks.count).fill(NOWHERE), endOf = new Uint32Array(stacks.count);
	const isPlain = !shape.modules && !shape.recursion && !shape.focus && !shape.actions && !shape.isModuleMerged && !shape.rules;
	const met = new Uint32Array(stacks.count);
	const same = sameStacks(recording, shape.hides);
	let cut = 0;

	function step(at: number, base: number, of: number): number {
		const fn = frames.fn[stacks.frame[of]];
		const action = shape.actions ? shape.actions[fn] : Action.Keep;
		if (action === Action.Merge)
			return at;
		if (shape.focus && at === base && !shape.focus[fn])
			return at;
		const isCode = at !== base;
		if (isCode && shape.actions && nodes.kind[at] === Kind.Function
			&& shape.actions[nodes.id[at]] === Action.Collapse)
			return at;
		const rule = shape.rules?.of[fn];
		if (rule && !shape.modules)
			return isCode && nodes.kind[at] === Kind.Rule && nodes.id[at] === rule ? at : nodes.child(at, Kind.Rule, rule, 0);
		const image = modules[names.image[fn]];
		if (shape.modules)
			return isCode && nodes.id[at] === image ? at : nodes.child(at, Kind.Module, image, 0);
		if (shape.isModuleMerged?.[names.image[fn]])
			return isCode && nodes.kind[at] === Kind.Module && nodes.id[at] === image
				? at : nodes.child(at, Kind.Module, image, 0);
		if (isCode && shape.recursion && nodes.kind[at] === Kind.Function && nodes.id[at] === fn)
			return at;
		return nodes.child(at, Kind.Function, fn, same.inlined[of]);
	}

	// The stacks of rows and their callers, callers first.
	function stacksOf(base: number, rows: Uint32Array): Uint32Array {
		let count = 0;
		for (let i = 0; i < rows.length; i++)
			for (let at = same.of[stack[rows[i]]]; at && metBelow[at] !== base; at = same.parent[at]) {
				metBelow[at] = base;
				met[count++] = at;
			}
		if (count < stacks.count / 16)
			return met.subarray(0, count).sort();
		count = 0;
		for (let at = 1; at < stacks.count; at++)
			if (metBelow[at] === base)
				met[count++] = at;
		return met.subarray(0, count);
	}

	function fromRoot(base: number, rows: Uint32Array): void {
		const list = stacksOf(base, rows);
		endOf[0] = base;
		for (let i = 0; i < list.length; i++) {
			const at = list[i], caller = endOf[same.parent[at]];
			// Without verbs, each of these stacks is a node of its own.
			endOf[at] = isPlain ? nodes.add(caller, Kind.Function, frames.fn[stacks.frame[at]], same.inlined[at])
				: step(caller, base, at);
		}
		for (let i = 0; i < rows.length; i++)
			nodeOf[rows[i]] = endOf[same.of[stack[rows[i]]]];
	}

	function fromLeaf(base: number, leaf: number): number {
		let node = base;
		if (metBelow[leaf] === base)
			return endOf[leaf];
		for (let at = same.of[leaf]; at; at = same.parent[at]) {
			if (nodes.count > MOST_NODES && node !== base) {
				cut++;
				break;
			}
			node = step(node, base, at);
		}
		metBelow[leaf] = base;
		endOf[leaf] = node;
		return node;
	}

	if (shape.hasStack)
		for (const { base, rows } of rowsOf(nodeOf, nodes.count))
			if (shape.inverted)
				for (const row of rows)
					nodeOf[row] = fromLeaf(base, stack[row]);
			else
				fromRoot(base, rows);
	return { tree: { ...finish(nodes, nodeOf, time, cut), rules: shape.rules }, nodeOf };
}

// By row: the node of the levels above its stack.
function basesOf(recording: Recording, samples: Samples, shape: Shape, nodes: Nodes): Uint32Array {
	const levels = shape.groups.map(kind => ({ kind, of: levelOf(recording, samples, kind, shape) }));
	const areOfThreads = shape.groups.every(isOfThread);
	const known = new Int32Array(recording.head.threads.length).fill(-1); // by thread
	const { thread } = samples;

	const bases = new Uint32Array(thread.length);
	for (let row = 0; row < thread.length; row++) {
		let base = areOfThreads ? known[thread[row]] : -1;
		if (base < 0) {
			base = 0;
			for (const level of levels) {
				const id = level.of(row);
				if (id !== undefined)
					base = nodes.child(base, level.kind, id, 0);
			}
			known[thread[row]] = base;
		}
		bases[row] = base;
	}
	return bases;
}

// By stack: its innermost frame that is shown, and the caller of that.
interface ShownStacks { leaf: Uint32Array; caller: Uint32Array }

// As show_callers of views/tree/tree_shown.c has it.
function shownStacks({ stacks: { count, parent, hidden } }: Recording, hides: number): ShownStacks {
	const leaf = new Uint32Array(count), caller = new Uint32Array(count);
	for (let i = 1; i < count; i++) {
		const above = parent[i];
		caller[i] = hidden[above] & hides & Hidden.Plumbing ? caller[above] : above;
		leaf[i] = hidden[i] & hides ? leaf[above] : i;
	}
	return { leaf, caller };
}

// Stacks that differ only in lines are the same: by stack, the first of them; of that, its parent.
interface SameStacks { of: Uint32Array; parent: Uint32Array; inlined: Uint8Array }
const known = new WeakMap<Recording, Map<number, SameStacks>>();

function sameStacks(recording: Recording, hides: number): SameStacks {
	const byHidden = known.get(recording) ?? new Map<number, SameStacks>();
	known.set(recording, byHidden);
	if (byHidden.has(hides))
		return byHidden.get(hides)!;
	const { stacks: { count, frame, hidden }, frames } = recording;
	const { leaf, caller } = shownStacks(recording, hides);
	const met = new PairMap(count), id = new Uint32Array(count); // as a caller
	const same = { of: new Uint32Array(count), parent: new Uint32Array(count), inlined: new Uint8Array(count) };
	for (let i = 1; i < count; i++) {
		// Hidden at the inner end of a stack, it can be a caller nevertheless.
		same.of[i] = id[leaf[i]]; // its own, if that is itself, follows
		if (hidden[i] & hides & Hidden.Plumbing)
			continue;
		const above = id[caller[i]], fn = frames.fn[frame[i]], inlined = frames.inlined[frame[i]];
		const first = met.get(above, fn);
		id[i] = first < 0 ? i : first;
		same.of[i] = id[leaf[i]];
		if (first < 0) {
			met.add(above, fn, i);
			same.parent[i] = above;
			same.inlined[i] = inlined;
		} else {
			same.inlined[first] &= inlined;
		}
	}
	byHidden.set(hides, same);
	return same;
}

// The rows of each base that has any, before they get nodes below it.
function rowsOf(nodeOf: Uint32Array, count: number): { base: number; rows: Uint32Array }[] {
	const next = new Uint32Array(count + 1), order = new Uint32Array(nodeOf.length);
	for (let row = 0; row < nodeOf.length; row++)
		next[nodeOf[row] + 1]++;
	for (let i = 0; i < count; i++)
		next[i + 1] += next[i];
	const list = Array.from({ length: count }, (_, base) => ({ base, rows: order.subarray(next[base], next[base + 1]) }));
	for (let row = 0; row < nodeOf.length; row++)
		order[next[nodeOf[row]]++] = row;
	return list.filter(({ rows }) => rows.length);
}

function finish(nodes: Nodes, nodeOf: Uint32Array, time: Float64Array, cut: number): Omit<Tree, 'rules'> {
	const { count } = nodes;
	const parent = nodes.parent.slice(0, count);
	const firstRow = new Uint32Array(count).fill(time.length), first = new Float64Array(count);

	for (let row = nodeOf.length - 1; row >= 0; row--)
		firstRow[nodeOf[row]] = row;
	for (let node = 0; node < count; node++)
		first[node] = firstRow[node] < time.length ? time[firstRow[node]] : Infinity;
	// Of a comparison, a later row may have an earlier time.
	for (let node = count - 1; node > 0; node--) {
		const above = parent[node];
		if (firstRow[node] < firstRow[above])
			firstRow[above] = firstRow[node];
		if (first[node] < first[above])
			first[above] = first[node];
	}
	return {
		count, parent, ...childrenOfParents(parent), firstRow, first, cut, served: null, before: null, selfBefore: null, allocated: null, allocations: null,
		kind: nodes.kind.slice(0, count), id: nodes.id.slice(0, count),
		depth: nodes.depth.slice(0, count), inlined: nodes.inlined.slice(0, count),
		self: new Float64Array(count), total: new Float64Array(count),
		selfTimes: new Float64Array(count), totalTimes: new Float64Array(count),
	};
}
