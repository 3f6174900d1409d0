// By node, of the rows in view: the least and the largest size, the most that was there at once, and when
// the first and the last row were.
import type { Samples } from '../data/types';
import type { Shaped } from './build';
import { remembered } from './tree';
import { eachRow, type Kept } from './weigh';

interface Sizes { least: Float64Array; largest: Float64Array; first: Float64Array; last: Float64Array }

export function sizesOf({ tree, nodeOf }: Shaped, samples: Samples, kept: Kept, version: number): Sizes {
	return remembered(tree, version, 'sizes', () => {
		const filled = (value: number) => new Float64Array(tree.count).fill(value);
		const least = filled(Infinity), largest = filled(0), first = filled(Infinity), last = filled(-Infinity);
		const add = (node: number, low: number, high: number, from: number, to: number) => {
			least[node] = Math.min(least[node], low);
			largest[node] = Math.max(largest[node], high);
			first[node] = Math.min(first[node], from);
			last[node] = Math.max(last[node], to);
		};
		eachRow(samples, { ...kept, measure: 'all' }, (row, weight, times, time) => {
			const size = weight / Math.max(times, 1);
			add(nodeOf[row], size, size, time, time);
		});
		for (let node = tree.count - 1; node > 0; node--)
			add(tree.parent[node], least[node], largest[node], first[node], last[node]);
		return { least, largest, first, last };
	});
}

// Of an event with lifetimes. Times are rounded: what began and ended within one of them counts.
export function peaksOf({ tree, nodeOf }: Shaped, samples: Samples, kept: Kept, version: number): Float64Array {
	return remembered(tree, version, 'peaks', () => {
		const nodes: number[] = [], weights: number[] = [], times: number[] = [];
		eachRow(samples, { ...kept, measure: 'outstanding', between: null }, (row, weight, _times, time) => {
			nodes.push(nodeOf[row]);
			weights.push(weight);
			times.push(time);
		});
		const now = new Float64Array(tree.count), peaks = new Float64Array(tree.count);
		for (const i of Uint32Array.from(nodes.keys()).sort((a, b) => times[a] - times[b] || a - b))
			for (let node = nodes[i], at = -1; at !== 0; node = tree.parent[node]) {
				now[node] += weights[i];
				peaks[node] = Math.max(peaks[node], now[node]);
				at = node;
			}
		return peaks;
	});
}
