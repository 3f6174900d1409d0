// Two recordings as one, for a comparison: functions of one name are the same, in the module of that
// name or, if the other recording has no such module, in any.
import type { Event, Names, Recording, Samples } from './types';

export interface Sides { after: Samples; before: Samples } // with the ids of the combined recording

export interface Combined extends Recording {
	samplesOfBoth(event: number): Promise<Sides>;
}

// Columns with the rows of `b`, from `first` on, behind those of `a`.
function joined<T extends object>(a: T, b: T, first: number): T {
	const join = (x: unknown, y: unknown) => {
		if (typeof x === 'number')
			return x + (y as number) - first;
		if (!y || !(x instanceof Uint32Array || x instanceof Uint8Array || x instanceof Float64Array))
			return x;
		const more = (y as Uint32Array).subarray(first);
		const result = new (x.constructor as new (n: number) => Uint32Array)(x.length + more.length);
		result.set(x);
		result.set(more, x.length);
		return result;
	};
	return Object.fromEntries(Object.entries(a).map(([key, x]) => [key, join(x, b[key as keyof T])])) as T;
}

// Rows behind those of `first`; row 0 stays none.
const moved = (list: Uint32Array, by: number) => list.map(id => id && id + by);

function combineNames(a: Recording, b: Recording): { names: Names; map: Uint32Array } {
	const byModule = new Map<string, number>(), byName = new Map<string, number>();
	const moduleName = (of: Recording, fn: number) => of.head.images[of.names.image[fn]]?.name ?? '';
	const modules = new Set(a.head.images.map(image => image?.name ?? ''));
	const added: number[] = []; // functions of b
	a.names.names.forEach((name, fn) => {
		byModule.set(moduleName(a, fn) + '\n' + name, fn);
		byName.set(name, fn);
	});
	const map = Uint32Array.from(b.names.names, (name, fn) => {
		if (!fn)
			return 0;
		const module = moduleName(b, fn);
		return byModule.get(module + '\n' + name) ?? (modules.has(module) ? undefined : byName.get(name))
			?? a.names.names.length - 1 + added.push(fn);
	});
	const all = <T,>(key: keyof Names, change = (value: T) => value): T[] =>
		[...a.names[key] as T[], ...added.map(fn => change((b.names[key] as T[])[fn]))];
	return { map, names: {
		names: all('names'), short: all('short'), kind: all('kind'), files: [...a.names.files, ...b.names.files],
		image: all('image', image => image && image + a.head.images.length - 1),
		file: all('file', file => file + a.names.files.length),
		unnamed: Uint8Array.from(all<number>('unnamed')), startup: Uint8Array.from(all<number>('startup')),
	} };
}

function movedSamples(samples: Samples, by: { stacks: number; threads: number; subjects: number }): Samples {
	return { ...samples, stack: moved(samples.stack, by.stacks), thread: moved(samples.thread, by.threads),
		about: moved(samples.about, by.subjects) };
}

// `after` is the recording of the page.
export function combine(after: Recording, before: Recording): Combined {
	const { names, map } = combineNames(after, before);
	const a = after.head, b = before.head;
	const processes = a.processes.length - 1, threads = a.threads.length - 1, subjects = a.subjects.length - 1;
	const frameCount = after.frames.count - 1, stackCount = after.stacks.count - 1;
	const frames = joined(after.frames, { ...before.frames, fn: before.frames.fn.map(fn => map[fn]) }, 1);
	const stacks = joined(after.stacks, { ...before.stacks, parent: moved(before.stacks.parent, stackCount),
		frame: moved(before.stacks.frame, frameCount) }, 1);
	const otherEvent = (event: number) => {
		const of = a.events[event];
		const alike = (one: Event | null, other: Event | null | undefined) => one && other && one.unit === other.unit
			&& one.cpuTime === other.cpuTime && one.blocks === other.blocks && one.pages === other.pages;
		const same = b.events.findIndex(one => alike(one, of) && one!.name === of!.name);
		return same > 0 ? same : b.events.findIndex(one => alike(one, of)); // -1: it has none
	};
	// Ids of one recording mean nothing in the other, names do.
	const keptOf = (ids: number[] | null) => {
		const kept = ids && new Set(ids.map(id => a.processes[id]?.name));
		return kept && [...ids!, ...b.processes.flatMap((process, id) => process && kept.has(process.name) ? id + processes : [])];
	};
	return {
		...after, names, frames, stacks,
		damaged: new Map([...after.damaged, ...before.damaged]),
		head: {
			...a,
			images: [...a.images, ...b.images.slice(1)],
			processes: [...a.processes, ...b.processes.slice(1)],
			presets: a.presets.map(one => ({ ...one, processes: keptOf(one.processes) })),
			threads: [...a.threads, ...b.threads.slice(1).map(thread => thread
				&& { ...thread, process: thread.process && thread.process + processes })],
			subjects: [...a.subjects, ...b.subjects.slice(1).map(subject => subject
				&& { ...subject, by: subject.by && subject.by + threads })],
		},
		samplesOfBoth: async event => ({ after: await after.samples(event),
			before: movedSamples(await before.samples(otherEvent(event)), { stacks: stackCount, threads, subjects }) }),
	};
}

// All rows, first those after; not in order of time.
export const rowsOfBoth = ({ after, before }: Sides): Samples => ({ ...joined(after, before, 0), ends: null });
