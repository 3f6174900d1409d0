// Weights of a selection: which rows are in view, what they weigh, and their sums.
import type { Sides } from '../data/combine';
import type { Samples } from '../data/types';
import type { Shaped } from './build';
import type { Tree } from './tree';

// What a row of an event with lifetimes weighs.
export type Measure = 'all' | 'outstanding' | 'gone';

// The rows in view.
export interface Kept {
	from: number; // ns, both included
	to: number;
	threads: Uint8Array | null; // by thread; null: all
	stacks: Uint8Array | null; // by stack; null: all
	measure: Measure;
	// Between two snapshots: the numbers of rows and of ends that there were by then. What ended
	// processes left is gone at snapshots, as it was at that time, but not elsewhere.
	between?: { row: number; end: number }[] | null;
}

const ALL = [{ row: 0, end: 0 }, { row: Infinity, end: Infinity }];

// The first row at or after a time.
function rowAt(time: Float64Array, at: number): number {
	let low = 0, high = time.length;
	while (low < high) {
		const middle = low + high >>> 1;
		if (time[middle] < at)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

// The first row after it.
const rowAfter = (time: Float64Array, at: number): number => rowAt(time, at + 1e-3);

// Calls `add` for each row in view with its weight and how many samples or blocks it stands for.
export function eachRow(samples: Samples, kept: Kept,
	add: (row: number, weight: number, times: number, time: number) => void): void {
	const { time, thread, stack, weight, times, ends } = samples;
	const { threads, stacks } = kept;
	const [first, last] = kept.between ?? ALL;
	const low = Math.max(rowAt(time, kept.from), first.row), high = Math.min(rowAfter(time, kept.to), last.row);

	if (kept.measure !== 'gone')
		for (let row = low; row < high; row++)
			if ((!threads || threads[thread[row]]) && (!stacks || stacks[stack[row]]))
				add(row, weight[row], times[row], time[row]);
	if (kept.measure === 'all' || !ends)
		return;
	const sign = kept.measure === 'gone' ? 1 : -1;
	const endHigh = Math.min(rowAfter(ends.time, kept.to), last.end);
	for (let i = kept.measure === 'gone' ? Math.max(rowAt(ends.time, kept.from), first.end) : 0; i < endHigh; i++) {
		const row = ends.row[i];
		// Between snapshots, what came and went in the meantime is not gone: it was not there before.
		if (!kept.between && ends.left[i])
			continue;
		if (kept.measure === 'gone' ? kept.between && row >= first.row : row < low || row >= high)
			continue;
		if ((!threads || threads[thread[row]]) && (!stacks || stacks[stack[row]]))
			add(row, sign * ends.weight[i], sign * ends.times[i], ends.time[i]);
	}
}

export function weigh({ tree, nodeOf }: Shaped, samples: Samples, kept: Kept): void {
	const { self, selfTimes } = tree;

	tree.allocated = tree.allocations = null;
	if (samples.ends && kept.measure !== 'all') {
		weigh({ tree, nodeOf }, samples, { ...kept, measure: 'all' });
		tree.allocated = tree.total.slice();
		tree.allocations = tree.totalTimes.slice();
	}
	self.fill(0);
	selfTimes.fill(0);
	if (kept.measure === 'all' && !kept.between) {
		weighAll(tree, nodeOf, samples, kept);
	} else {
		eachRow(samples, kept, (row, weight, times) => {
			self[nodeOf[row]] += weight;
			selfTimes[nodeOf[row]] += times;
		});
	}
	sumUp(tree);
}

// Of a comparison, whose first rows are those after.
export function weighSides({ tree, nodeOf }: Shaped, { after, before }: Sides, kept: Kept): void {
	weigh({ tree, nodeOf: nodeOf.subarray(after.rows) }, before, kept);
	tree.before = tree.total.slice();
	tree.selfBefore = tree.self.slice();
	weigh({ tree, nodeOf: nodeOf.subarray(0, after.rows) }, after, kept);
}

// The same as eachRow, without a call for each row: a brush that moves waits for this.
function weighAll({ self, selfTimes }: Tree, nodeOf: Uint32Array, samples: Samples, kept: Kept): void {
	const { time, thread, stack, weight, times } = samples;
	const { threads, stacks } = kept;
	const high = rowAfter(time, kept.to);

	for (let row = rowAt(time, kept.from); row < high; row++) {
		if ((threads && !threads[thread[row]]) || (stacks && !stacks[stack[row]]))
			continue;
		const node = nodeOf[row];
		self[node] += weight[row];
		selfTimes[node] += times[row];
	}
}

function sumUp({ count, parent, self, total, selfTimes, totalTimes }: Tree): void {
	total.set(self);
	totalTimes.set(selfTimes);
	for (let node = count - 1; node > 0; node--) {
		total[parent[node]] += total[node];
		totalTimes[parent[node]] += totalTimes[node];
	}
}

// The weight in view over time: even bins of from..to.
export function binsOf(samples: Samples, kept: Kept, from: number, to: number, count: number): Float64Array {
	const bins = new Float64Array(count);
	const scale = count / Math.max(to - from, 1);
	eachRow(samples, kept, (_row, weight, _times, time) => {
		bins[Math.min(count - 1, Math.max(0, Math.floor((time - from) * scale)))] += weight;
	});
	return bins;
}

// What was there at the end of each bin.
export function levelsOf(samples: Samples, kept: Kept, from: number, to: number, count: number): Float64Array {
	const levels = binsOf(samples, { ...kept, measure: 'outstanding', between: ALL, from: -Infinity, to: Infinity }, from, to, count);
	for (let i = 1; i < count; i++)
		levels[i] += levels[i - 1];
	return levels;
}

// A histogram over the time in view for each of a few nodes: what they and all below them weigh.
export function histograms({ tree, nodeOf }: Shaped, samples: Samples, kept: Kept, nodes: number[],
	from: number, to: number, count: number): Map<number, Float32Array> {
	const place = new Int32Array(tree.count).fill(-1);
	const sorted = [...nodes].sort((a, b) => a - b);
	sorted.forEach((node, i) => place[node] = i);
	const above = sorted.map(node => {
		for (let at = node; at;) {
			at = tree.parent[at];
			if (place[at] >= 0)
				return place[at];
		}
		return -1;
	});
	const top = sorted.length ? sorted[0] : tree.count;
	for (let node = top; node < tree.count; node++)
		if (place[node] < 0 && node)
			place[node] = place[tree.parent[node]];
	const bins = new Float32Array(sorted.length * count);
	const scale = count / Math.max(to - from, 1);
	eachRow(samples, kept, (row, weight, _times, time) => {
		const at = place[nodeOf[row]];
		if (at >= 0)
			bins[at * count + Math.min(count - 1, Math.max(0, Math.floor((time - from) * scale)))] += weight;
	});
	for (let i = sorted.length - 1; i >= 0; i--)
		if (above[i] >= 0)
			for (let k = 0; k < count; k++)
				bins[above[i] * count + k] += bins[i * count + k];
	return new Map(sorted.map((node, i) => [node, bins.subarray(i * count, (i + 1) * count)]));
}
