// Opens the recording in the page: what the first picture needs at once, the rest when it is asked
// for.
import { Damage, readColumns, readJson, type Source } from './blocks';
import type { Ends, Frames, Head, Names, Recording, Samples, ShownTable, Stacks, Uses } from './types';

type Rows<Narrow extends string, Wide extends string> =
	{ rows: number } & Record<Narrow, Uint32Array> & Record<Wide, Float64Array>;

// Columns of 32 bits and those of 53; of one that is left out, all values are 0. Null: there is no such block.
async function readRows<Narrow extends string, Wide extends string = never>(from: Source, name: string,
	narrow: Narrow[], wide: Wide[] = []): Promise<Rows<Narrow, Wide> | null> {
	const columns = await readColumns(from, name, wide);
	if (!columns)
		return null;
	const rows = columns[narrow[0]]?.length ?? 0;
	for (const key of narrow)
		columns[key] ??= new Uint32Array(rows);
	for (const key of wide)
		columns[key] ??= new Float64Array(rows);
	return { ...columns, rows } as Rows<Narrow, Wide>;
}

function checked<T extends ArrayLike<number>>(column: T, count: number, what: string): T {
	for (let i = 0; i < column.length; i++)
		if (column[i] >= count)
			throw new Damage(`a ${what} of the data does not exist`);
	return column;
}

function marked(count: number, list: number[]): Uint8Array {
	const result = new Uint8Array(count);
	for (const i of list)
		result[i] = 1;
	return result;
}

const NO_NAMES: Names = { names: [''], short: [''], image: [0], kind: [7], file: [0], files: [''],
	unnamed: new Uint8Array(1), startup: new Uint8Array(1) };

type RawNames = Omit<Names, 'unnamed' | 'startup'> & { unnamed: number[]; startup: number[] };

export const namesOf = (raw: RawNames): Names =>
	({ ...raw, unnamed: marked(raw.names.length, raw.unnamed), startup: marked(raw.names.length, raw.startup) });

async function readNames(from: Source): Promise<Names> {
	const raw = await readJson(from, 'names') as RawNames | null;
	return raw ? namesOf(raw) : NO_NAMES;
}

const NO_FRAMES: Frames = { count: 1, fn: new Uint32Array(1), line: new Uint32Array(1),
	inlined: new Uint8Array(1) };

async function readFrames(from: Source, names: Names): Promise<Frames> {
	const rows = await readRows(from, 'frames', ['function', 'line', 'inlined']);
	return rows ? { count: rows.rows, line: rows.line, inlined: Uint8Array.from(rows.inlined),
		fn: checked(rows.function, names.names.length, 'function') } : NO_FRAMES;
}

const NO_STACKS: Stacks = { count: 1, parent: new Uint32Array(1), frame: new Uint32Array(1),
	hidden: new Uint32Array(1) };

async function readStacks(from: Source, frames: Frames): Promise<Stacks> {
	const stacks = await readRows(from, 'stacks', ['parent', 'frame', 'hidden']);
	if (stacks?.parent.some((parent, i) => i && parent >= i))
		throw new Damage('a stack of the data is its own caller');
	checked(stacks?.frame ?? [], frames.count, 'frame');
	return stacks ? { ...stacks, count: stacks.rows } : NO_STACKS;
}

async function readEnds(from: Source, event: number, rows: number): Promise<Ends | null> {
	const ends = await readRows(from, 'ends-' + event, ['row', 'left'], ['time', 'weight', 'times']);
	checked(ends?.row ?? [], rows, 'sample');
	return ends;
}

const noSamples = (): Samples => ({ rows: 0, stack: new Uint32Array(0), thread: new Uint32Array(0),
	cpu: new Uint32Array(0), about: new Uint32Array(0), time: new Float64Array(0),
	weight: new Float64Array(0), times: new Float64Array(0), ends: null });

async function readSamples(from: Source, head: Head, stacks: Stacks, event: number): Promise<Samples> {
	const samples = await readRows(from, 'samples-' + event, ['stack', 'thread', 'cpu', 'about', 'ranks'],
		['time', 'weight', 'times']);
	if (!samples)
		return noSamples();
	const { rows, stack, ranks } = samples;
	checked(ranks, stacks.count, 'stack');
	checked(stack, Math.max(ranks.length, 1), 'stack');
	checked(samples.thread, head.threads.length, 'thread');
	checked(samples.about, head.subjects.length, 'subject');
	for (let i = 0; i < rows; i++)
		stack[i] = ranks[stack[i]];
	return { ...samples, ends: head.events[event]?.lifetimes ? await readEnds(from, event, rows) : null };
}

const readUses = (from: Source): Promise<Uses | null> =>
	readRows(from, 'uses', ['process'], ['time', 'resident', 'peak', 'swap', 'commit']);

const VERSION = 1;

// `report` gets what is being read. Fails only if nothing can be shown. `inPart`: without names and stacks,
// which `whole` reads then.
export async function openRecording(from: Source, report: (part: string) => void, inPart = false): Promise<Recording> {
	const damaged = new Map<string, string>();
	const once = new Map<string, Promise<unknown>>();

	// A damaged part is empty, and named; the rest of the page works.
	const part = <T>(name: string, read: () => Promise<T>, empty: T): Promise<T> => {
		let known = once.get(name) as Promise<T> | undefined;
		if (!known) {
			known = read().catch((error: Error) => {
				damaged.set(name, error.message);
				return empty;
			});
			once.set(name, known);
		}
		return known;
	};

	const uses = () => part('uses', () => readUses(from), null);
	const table = (name: string) =>
		part('table-' + name, async () => await readJson(from, 'table-' + name) as ShownTable | null, null);

	const isCut = !from.has('end');
	report('head');
	const head = await readJson(from, 'head').catch((error: Error) => {
		throw isCut ? new Damage('the file is cut off: not even its first part is complete') : error;
	}) as Head | null;
	if (!head)
		throw new Damage('the file is cut off: it has no data');
	if (head.version !== VERSION || ![head.events, head.images, head.processes, head.threads, head.subjects].every(Array.isArray))
		throw new Damage('these are no data of a recording, or those of another wick');
	if (isCut)
		damaged.set('end', 'the file is cut off: what follows the last complete part is missing');
	if (inPart)
		return { head, names: NO_NAMES, frames: NO_FRAMES, stacks: NO_STACKS, damaged, samples: async () => noSamples(),
			uses, table,
			whole: () => openRecording(from, report) };
	report('names');
	const names = await part('names', () => readNames(from), NO_NAMES);
	report('stacks');
	const frames = await part('frames', () => readFrames(from, names), NO_FRAMES);
	const stacks = await part('stacks', () => readStacks(from, frames), NO_STACKS);

	return {
		head, names, frames, stacks, damaged,
		samples: event => part('samples-' + event, () => readSamples(from, head, stacks, event), noSamples()),
		uses, table,
	};
}
