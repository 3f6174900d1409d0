// Filters and verbs: each is a chip that can be removed, and a part of the link. All name what they
// are about by its text, so they mean the same in the next page of the same program.
import type { Recording } from '../data/types';
import { Action, type Shape } from './build';
import { patternOf, ruleOf } from './match';

// Filters keep samples, or with `out` leave them out. Verbs change how their stacks are shown.
export type FilterKind = 'preset' | 'process' | 'pid' | 'tid' | 'function' | 'module' | 'pattern'
	| 'merge' | 'collapse' | 'merge-module' | 'recursion' | 'focus' | 'group' | 'annotate';

export interface Filter { kind: FilterKind; text: string; out?: boolean }

const VERBS: FilterKind[] = ['merge', 'collapse', 'merge-module', 'recursion', 'focus', 'group', 'annotate'];
export const FILTERS: FilterKind[] = ['preset', 'process', 'pid', 'tid', 'function', 'module', 'pattern', ...VERBS];
export const isVerb = (filter: Filter): boolean => VERBS.includes(filter.kind);

const flags = (count: number, is: (i: number) => unknown): Uint8Array =>
	Uint8Array.from({ length: count }, (_, i) => is(i) ? 1 : 0);

function functionsNamed({ names }: Recording, text: string): Uint8Array {
	return flags(names.names.length, i => names.names[i] === text);
}

// By function: 1 if a filter of functions is about it.
function functionsOf(recording: Recording, { kind, text }: Filter): Uint8Array {
	const { names, head } = recording, pattern = kind === 'pattern' && patternOf(text);
	return kind === 'module' ? flags(names.names.length, i => head.images[names.image[i]]?.name === text)
		: kind !== 'pattern' ? functionsNamed(recording, text)
			: flags(names.names.length, i =>
				i > 0 && pattern && (pattern.test(names.names[i]) || pattern.test(names.short[i])));
}

// By stack: 1 if it has one of the functions.
function stacksWith({ stacks, frames }: Recording, functions: Uint8Array): Uint8Array {
	const result = new Uint8Array(stacks.count);
	for (let i = 1; i < stacks.count; i++)
		result[i] = result[stacks.parent[i]] | functions[frames.fn[stacks.frame[i]]];
	return result;
}

function threadsOf({ head }: Recording, filter: Filter): Uint8Array {
	const { kind, text } = filter;
	if (kind === 'preset') {
		const kept = head.presets.find(one => one.preset.name === text)?.processes;
		return flags(head.threads.length, i => !kept || kept.includes(head.threads[i]?.process ?? 0));
	}
	return flags(head.threads.length, i => {
		const thread = head.threads[i];
		const process = thread && head.processes[thread.process];
		return kind === 'tid' ? String(thread?.tid) === text
			: kind === 'pid' ? String(process?.pid) === text : (process?.name ?? '') === text;
	});
}

// In a comparison the number of a process or thread stands for the name of its process.
export const namedBy = ({ head: { processes, threads } }: Recording, filters: Filter[]): Filter[] => filters.flatMap(filter => {
	const { kind, text } = filter;
	const found = kind === 'pid' ? processes.filter(one => String(one?.pid) === text)
		: kind === 'tid' ? threads.filter(one => String(one?.tid) === text).map(one => processes[one!.process]) : [];
	return found.length ? found.map((one): Filter => ({ ...filter, kind: 'process', text: one?.name ?? '' })) : filter;
});

interface KeptBy { threads: Uint8Array | null; stacks: Uint8Array | null }

const OF_THREADS: FilterKind[] = ['preset', 'process', 'pid', 'tid'];
export const isOfThreads = ({ kind }: Filter): boolean => OF_THREADS.includes(kind);
const both = (a: Uint8Array | null, b: Uint8Array | null): Uint8Array | null =>
	a && b ? a.map((is, i) => is & b[i]) : a ?? b;

// Several processes or threads that are kept are alternatives; all else has to be true at once.
export function keptBy(recording: Recording, filters: Filter[]): KeptBy {
	let threads: Uint8Array | null = null, stacks: Uint8Array | null = null, either: Uint8Array | null = null;
	for (const filter of filters) {
		const { kind, out } = filter, hasThreads = isOfThreads(filter);
		if (isVerb(filter) && kind !== 'focus')
			continue;
		const list = hasThreads ? threadsOf(recording, filter)
			: stacksWith(recording, functionsOf(recording, filter));
		const kept = out ? list.map(is => 1 - is) : list, before: Uint8Array | null = either;
		if (!hasThreads)
			stacks = both(stacks, kept);
		else if (out || kind === 'preset')
			threads = both(threads, kept);
		else
			either = before ? kept.map((is, i) => is | before[i]) : kept;
	}
	return { threads: both(threads, either), stacks };
}

// By function: one more than the number of the first rule that its name matches; 0: none.
function rulesOf({ names: { names } }: Recording, texts: string[]): Shape['rules'] {
	const rules = texts.slice(0, 255).map(ruleOf), patterns = rules.map(rule => patternOf(rule.pattern));
	return rules.length ? { labels: rules.map(rule => rule.label),
		of: Uint8Array.from(names, (name, fn) => fn && patterns.findIndex(pattern => pattern?.test(name)) + 1) } : null;
}

// What the verbs change of a tree.
export function verbsOf(recording: Recording, filters: Filter[]):
	Pick<Shape, 'actions' | 'focus' | 'recursion' | 'isModuleMerged' | 'rules'> {
	const { names, head: { images } } = recording;
	const textsOf = (kind: FilterKind) => filters.filter(filter => filter.kind === kind).map(filter => filter.text);
	const merged = textsOf('merge'), collapsed = textsOf('collapse'), modules = textsOf('merge-module');
	const focus = textsOf('focus').at(-1);
	return {
		actions: merged.length + collapsed.length ? Uint8Array.from(names.names, name =>
			merged.includes(name) ? Action.Merge : collapsed.includes(name) ? Action.Collapse : Action.Keep) : null,
		focus: focus === undefined ? null : functionsNamed(recording, focus),
		rules: rulesOf(recording, textsOf('group')),
		recursion: textsOf('recursion').length > 0,
		isModuleMerged: modules.length ? flags(images.length, i => modules.includes(images[i]?.name ?? '')) : null,
	};
}
