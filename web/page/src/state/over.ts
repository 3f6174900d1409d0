// What an event's samples weigh over time and by process: added up here or, of a recording in parts, by the
// program that serves the page. null: it is not there yet.
import { decodeColumns } from '../data/blocks';
import { ask, Refusal } from '../served/server';
import { asked, request } from '../served/trees';
import { binsByPlace, weightsOf } from '../views/processes';
import { binsOf, histograms, levelsOf, type Kept } from '../views/weigh';
import { asksSums, recording, samplesOf, selectionWords, span, timeWords, type Analysis } from './state';
import type { Samples } from '../data/types';

type Time = readonly [number, number];

const memos = new Map<string, { of: unknown[]; is: unknown }>();

// Added up again only if something else is asked for. `slot` says what it is for.
function fromSamples<T>(slot: string, event: number, of: unknown[], make: (samples: Samples) => T): T | null {
	const samples = samplesOf(event);
	if (!samples)
		return null;
	const all = [samples, ...of];
	let memo = memos.get(slot);
	if (!memo || memo.of.some((one, i) => one !== all[i]))
		memos.set(slot, memo = { of: all, is: make(samples) });
	return memo.is as T;
}

type Words = Parameters<typeof request>[1];

const column = (name: string) => (plain: Uint8Array) => decodeColumns(plain, [name])[name] as Float64Array;

function fromServer(slot: string, event: number, time: Time, words: Words, name = 'weight'): Float64Array | null {
	const path = request('bins', { ...selectionWords(recording.value!.head.events[event]),
		...timeWords(time), ...words });
	const answer = asked(slot, path, column(name));
	return answer instanceof Refusal ? null : answer;
}

// In even bins of that time.
export const weightOver = (slot: string, event: number, kept: Kept, time: Time, count: number): Float64Array | null =>
	asksSums.value ? fromServer(slot, event, time, { count })
		: fromSamples(slot, event, [kept, ...time, count], samples => binsOf(samples, kept, time[0], time[1], count));

// What was there at the end of each bin.
export const levelOver = (slot: string, event: number, kept: Kept, time: Time, count: number): Float64Array | null =>
	asksSums.value ? fromServer(slot, event, time, { count, levels: true }, 'level')
		: fromSamples(slot, event, [kept, ...time, count], samples => levelsOf(samples, kept, time[0], time[1], count));

const PEAK_BINS = 20000; // as many as the program that serves the page makes

// When the most was there at once, in all the time: the end of that part of it.
export function peakTime(event: number, kept: Kept): number | null {
	const [from, to] = span.value, levels = levelOver('peak', event, kept, span.value, PEAK_BINS);
	const highest = levels?.reduce((bin, level, i) => level > levels[bin] ? i : bin, 0) ?? 0;
	return levels?.[highest] ? Math.ceil(from + (highest + 1) / PEAK_BINS * (to - from)) - 1 : null;
}

// By process, in that time.
export const weightByProcess = (slot: string, event: number, kept: Kept, time: Time): Float64Array | null =>
	asksSums.value ? fromServer(slot, event, time, { sums: 'process' })
		: fromSamples(slot, event, [kept, ...time], samples => weightsOf(recording.value!, samples, kept));

// How many samples or blocks there are in that time, by process. Only of a recording in parts.
export const timesByProcess = (slot: string, event: number, time: Time): Float64Array | null =>
	fromServer(slot, event, time, { sums: 'process' }, 'times');

const MOST_BINS = 1e6; // of all processes

// For some places, in even bins of that time. `place` is by process; -1: none.
export function weightByPlace(slot: string, event: number, kept: Kept, place: Int32Array, places: number, time: Time, count: number): Float32Array | null {
	const { head } = recording.value!;
	if (!asksSums.value)
		return fromSamples(slot, event, [kept, place, ...time, count], samples =>
			binsByPlace(recording.value!, samples, kept, place, places, [...time], count, head.events[event]!.cpuTime));
	const each = Math.max(1, Math.min(count, Math.floor(MOST_BINS / place.length)));
	const all = fromServer(slot, event, time, { by: 'process', count: each, spread: head.events[event]!.cpuTime });
	return all && fromSum(all, place, places, each, count);
}

// Those of the processes at one place together, in as many bins as are drawn.
function fromSum(all: Float64Array, place: Int32Array, places: number, each: number, count: number): Float32Array {
	const bins = new Float32Array(places * count), part = each / count;
	place.forEach((at, process) => {
		for (let i = 0; at >= 0 && i < count; i++)
			bins[at * count + i] += all[process * each + Math.floor(i * part)] * part;
	});
	return bins;
}

// For each of a few nodes, in even bins of that time.
export async function histogramsOver({ shaped, tree, samples, kept, selection }: Analysis, nodes: number[], time: Time, count: number):
	Promise<Map<number, Float32Array>> {
	if (samples)
		return histograms(shaped, samples, kept, nodes, time[0], time[1], count);
	const path = request('bins', { ...selection, ...timeWords(time), count,
		nodes: nodes.map(node => tree.served!.number[node]).join() });
	const answer = await ask(path).catch(() => null); // why is said where the tree is asked for
	if (!answer)
		return new Map();
	const bins = Float32Array.from(column('weight')(new Uint8Array(await answer.arrayBuffer())));
	return new Map(nodes.map((node, i) => [node, bins.subarray(i * count, (i + 1) * count)]));
}
