// Processes: their tree, the lanes that show it, and what each used over time.
import type { Head, Process, Recording, Samples, Uses } from '../data/types';
import type { Filter } from './filters';
import { eachRow, type Kept } from './weigh';

// ---- one process

// What `--crate-name X` of a command line says; ''. Cargo asks rustc about a crate ___.
export const crateOf = (command: string): string =>
	/(?:^|\s)"?--crate-name[= ]"?(?!___)([\w-]+)/.exec(command)?.[1] ?? '';

// The package of a build script that cargo compiles or runs.
const PACKAGE = /[\\/]build[\\/]([\w-]+)-[0-9a-f]{16}[\\/"\s]/;
// The script of a shell; the file that is written; the file that the last argument names.
const SUBJECTS = [/^\S*sh(?:\.exe)?"?\s+-\w*c\s+(.+)/s, /\s"?(?:-o\s+"?|[/-]OUT:)(?:[^\s"]*[\\/])?([^\s"=\\/-][^\s"=\\/]*)(?=["\s]|$)/,
	/\s["']?(?:[^\s"']*[\\/])?([^\s"'\\/-][^\s"'\\/]*)["']*\s*$/];

// What distinguishes it from others of its name.
export function subjectOf({ name, command }: Process): string {
	const found = (pattern: RegExp) => pattern.exec(command)?.[1] ?? '';
	const subject = (crateOf(command) || SUBJECTS.map(found).find(Boolean) || '').replace(/-[0-9a-f]{16}$/, '');
	return /^build.script/.test(subject || name) ? `${found(PACKAGE)} ${subject}`.trim() : subject === name ? '' : subject;
}

export const filterOf = ({ pid, name }: Process): Filter =>
	pid ? { kind: 'pid', text: String(pid) } : { kind: 'process', text: name };

// The event that says what processes did: CPU time, or what the recording counts instead.
export function mainEvent({ events, event }: Head): number {
	if (events[event]?.cpuTime)
		return event;
	const cpuTime = events.findIndex(one => one && one.cpuTime && one.samples > 0);
	return cpuTime > 0 ? cpuTime : event;
}

// By process: what it weighs in view.
export function weightsOf({ head }: Recording, samples: Samples, kept: Kept): Float64Array {
	const weights = new Float64Array(head.processes.length), byThread = new Float64Array(head.threads.length);
	const { thread } = samples;
	eachRow(samples, kept, (row, weight) => {
		byThread[thread[row]] += weight;
	});
	head.threads.forEach((one, i) => weights[one?.process ?? 0] += byThread[i]);
	return weights;
}

// By process: 1 if one of its threads is kept.
export function keptProcesses({ head }: Recording, threads: Uint8Array | null): Uint8Array {
	const result = new Uint8Array(head.processes.length).fill(threads ? 0 : 1);
	threads?.forEach((is, i) => result[head.threads[i]?.process ?? 0] |= is);
	return result;
}

// Even bins of the time in view for each place: what its processes weigh in them. `place` is by
// process, -1: none. A sample of CPU time stands for the time before it, which may be many bins.
export function binsByPlace({ head }: Recording, samples: Samples, kept: Kept,
	place: Int32Array, places: number, [from, to]: [number, number], count: number, isTime: boolean): Float32Array {
	const bins = new Float32Array(places * count);
	const binLength = Math.max(to - from, 1) / count;
	const placeOfThread = Int32Array.from(head.threads, one => one ? place[one.process] : -1);
	const { thread } = samples;
	eachRow(samples, kept, (row, weight, _times, time) => {
		const at = placeOfThread[thread[row]];
		if (at < 0)
			return;
		const last = Math.max(0, Math.min(count - 1, Math.floor((time - from) / binLength)));
		const first = isTime ? Math.min(last, Math.floor((time - weight - from) / binLength) + 1) : last;
		for (let i = Math.max(0, first); i <= last; i++)
			bins[at * count + i] += isTime ? Math.min(weight, binLength) : weight;
	});
	return bins;
}

// ---- memory

export type Use = 'commit' | 'resident';

export const hasUse = (uses: Uses, what: Use): boolean => uses[what].some(value => value > 0);

// By process: when it was first seen to have used the most. null: it was looked at once, when it ended perhaps.
// `peak` is the most up to then.
export function peakTimes(uses: Uses, what: 'commit' | 'peak', processes: number): (number | null)[] {
	const most = new Float64Array(processes), looks = new Uint32Array(processes), times = new Float64Array(processes);
	for (let row = 0; row < uses.rows; row++) {
		const process = uses.process[row], value = uses[what][row];
		looks[process]++;
		if (value > most[process]) {
			most[process] = value;
			times[process] = uses.time[row];
		}
	}
	return Array.from(times, (time, i) => looks[i] > 1 && most[i] ? time : null);
}

// In even bins what the kept processes used together. A value is true until the next one, or until
// the process ends.
export function useOver({ head }: Recording, uses: Uses, what: Use, kept: Uint8Array,
	[from, to]: [number, number], count: number): Float64Array {
	const levels = new Float64Array(count), now = new Float64Array(head.processes.length);
	const add = (bin: number, value: number) => {
		if (bin < count)
			levels[Math.max(0, bin)] += value;
	};
	const binOf = (time: number) => Math.floor((time - from) / Math.max(to - from, 1) * count);
	for (let row = 0; row < uses.rows; row++) {
		const process = uses.process[row];
		if (!kept[process])
			continue;
		add(binOf(uses.time[row]), uses[what][row] - now[process]);
		now[process] = uses[what][row];
	}
	head.processes.forEach((process, i) =>
		process && process.end !== null && add(binOf(process.end) + 1, -now[i]));
	for (let i = 1; i < count; i++)
		levels[i] += levels[i - 1];
	return levels;
}

// Those that used the most at once in that time.
export function largestUsers(uses: Uses, what: Use, kept: Uint8Array, [from, to]: [number, number],
	most: number): number[] {
	const peaks = new Map<number, number>();
	for (let row = 0; row < uses.rows && uses.time[row] <= to; row++) {
		const process = uses.process[row], value = uses[what][row];
		if (kept[process])
			peaks.set(process, uses.time[row] < from ? value : Math.max(peaks.get(process) ?? 0, value));
	}
	return [...peaks].sort((a, b) => b[1] - a[1]).slice(0, most).map(([process]) => process);
}

// ---- the tree

interface Forest {
	children: number[][]; // by process, by start; of 0 those without a parent
	order: number[]; // a parent comes before its children
	parent: Uint32Array; // a process; 0: none
}

const startOf = (process: Process | null) => process?.start ?? -Infinity;
const endOf = (process: Process | null) => process?.end ?? Infinity;

// Numbers of processes are used again: a parent is the last one of its number that began before. Those
// that began before the recording are in no order.
function parentsOf(processes: (Process | null)[], sorted: number[]): Uint32Array {
	const parent = new Uint32Array(processes.length), met = new Uint32Array(processes.length);
	const last = new Map<number, number>();
	const add = (id: number) => last.set(processes[id]!.pid, id);
	const isEarlier = (id: number) => processes[id]!.start === null;
	sorted.filter(isEarlier).forEach(add);
	for (const id of sorted) {
		parent[id] = processes[id]!.parent && (last.get(processes[id]!.parent) ?? 0);
		if (!isEarlier(id))
			add(id);
	}
	// A walk up that meets itself is in a circle.
	for (let i = 1; i < processes.length; i++)
		for (let at = i; at && !met[at]; at = parent[at]) {
			met[at] = i;
			if (met[parent[at]] === i)
				parent[at] = 0;
		}
	return parent;
}

export function forestOf(head: Head): Forest {
	const { processes } = head;
	const children: number[][] = processes.map(() => []);
	const starts = processes.map(startOf);
	const sorted = [...processes.keys()].filter(i => processes[i])
		.sort((a, b) => starts[a] === starts[b] ? a - b : starts[a] - starts[b]);
	const parent = parentsOf(processes, sorted);
	for (const process of sorted)
		children[parent[process]].push(process);

	const order: number[] = [], next = [...children[0]].reverse();
	while (next.length) {
		const process = next.pop()!;
		order.push(process);
		for (let i = children[process].length; i-- > 0;)
			next.push(children[process][i]);
	}
	return { children, order, parent };
}

// ---- lanes

export interface Lane {
	key: number; // its process; of folded ones minus the first of them
	processes: number[];
	depth: number;
	isOpen: boolean | null; // null: nothing is below
	below: number; // how many processes are
	place: number; // among those with the same parent, from 1
	places: number;
}

export const isFold = (lane: Lane): boolean => lane.key < 0;

interface LanesOf {
	forest: Forest;
	processes: (Process | null)[];
	kept: Uint8Array; // by process
	time: [number, number]; // in view
	toggled: ReadonlySet<number>; // keys: folds that are open, other lanes that are not
}

const FOLDED = 4; // least number of processes that are folded
const SHORT = 0.01; // of the time in view: what lasts less is short

// By process: how many of it and those below it are shown. Those are the kept ones that live in view;
// parents of what is shown are shown as well.
function shownBelow({ forest, processes, kept, time: [from, to] }: LanesOf): Uint32Array {
	const shown = new Uint32Array(processes.length);
	for (let i = forest.order.length; i-- > 0;) {
		const id = forest.order[i];
		if (shown[id] || (kept[id] && startOf(processes[id]) <= to && endOf(processes[id]) >= from))
			shown[id]++;
		shown[forest.parent[id]] += shown[id];
	}
	return shown;
}

// Only those in view: below a closed lane is nothing.
export function lanesOf(of: LanesOf): Lane[] {
	const { forest, processes, time, toggled } = of;
	const shown = shownBelow(of);
	const longest = (time[1] - time[0]) * SHORT;
	const isShort = (id: number) => endOf(processes[id]) - startOf(processes[id]) < longest;
	const isAlike = (a: number, b: number) =>
		isShort(a) && isShort(b) && processes[a]!.name === processes[b]!.name;

	const laneOf = (ids: number[], isFolded: boolean, depth: number): Lane => {
		const key = isFolded ? -ids[0] : ids[0];
		const below = ids.reduce((sum, id) => sum + shown[id] - 1, 0);
		return { key, processes: ids, depth, below, place: 0, places: 0,
			isOpen: isFolded || below > 0 ? isFolded === toggled.has(key) : null };
	};
	const lanesBelow = (ids: number[], depth: number, folds: boolean): Lane[] => {
		const lanes: Lane[] = [];
		const list = ids.filter(id => shown[id]);
		for (let i = 0; i < list.length;) {
			let end = i + 1;
			while (folds && end < list.length && isAlike(list[i], list[end]))
				end++;
			const isFolded = end - i >= FOLDED;
			lanes.push(laneOf(isFolded ? list.slice(i, end) : [list[i]], isFolded, depth));
			i = isFolded ? end : i + 1;
		}
		lanes.forEach((lane, i) => {
			lane.place = i + 1;
			lane.places = lanes.length;
		});
		return lanes;
	};

	const result: Lane[] = [], next = lanesBelow(forest.children[0], 0, true).reverse();
	for (let lane = next.pop(); lane; lane = next.pop()) {
		result.push(lane);
		if (!lane.isOpen)
			continue;
		const below = isFold(lane) ? lanesBelow(lane.processes, lane.depth + 1, false)
			: lanesBelow(forest.children[lane.key], lane.depth + 1, true);
		for (let i = below.length; i-- > 0;)
			next.push(below[i]);
	}
	return result;
}
