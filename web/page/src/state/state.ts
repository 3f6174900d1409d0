// The state of the page and what follows from it. Everything a person can change is in `state`, which
// is also the link; it is replaced, never edited, so undo is a list of links.
import { batch, computed, effect, signal, untracked, type Signal } from '@preact/signals';
import { combine, rowsOfBoth, type Combined, type Sides } from '../data/combine';
import { jsonOf } from '../data/blocks';
import { treeOf } from '../data/tree';
import { Hidden, type Event, type Names, type Recording, type Samples, type Snapshot } from '../data/types';
import { Refusal } from '../served/server';
import { asked, forget, isInParts, request } from '../served/trees';
import { buildTree, type Shape, type Shaped } from '../views/build';
import { isOfThreads, keptBy, namedBy, verbsOf, isVerb, type Filter } from '../views/filters';
import { patternOf } from '../views/match';
import { findPath, findPaths, pathHashes, pathName, type PathHashes } from '../views/path';
import { byWeight, childrenOf, hasWeight, hottestFunction, Kind, pathOf, type Tree, type Words } from '../views/tree';
import { treeWords } from '../views/words';
import { weigh, weighSides, type Kept } from '../views/weigh';
import { annotationsOf, groupsOf, panelOf, viewsOf, type Annotations } from './presets';
import { GROUPS, linkOf, readLink, type Panel, type State, type Tab } from './link';
import { PANELS, usualGroups, usualMeasure } from './tabs';

export const recording = signal<Recording | null>(null);
export const loading = signal('');
export const failure = signal('');
export const state = signal<State>({ tab: 'cpu', range: null, filters: [], search: '', preset: '', panels: {} });

const past: string[] = [], future: string[] = [];
export const canUndo = signal(false);
export const canRedo = signal(false);

// ---- changes

function show(next: State, isNew: boolean): void {
	const link = linkOf(next);
	state.value = next;
	if (link === location.hash)
		return;
	// A page in a frame may not do that; the page works without.
	try {
		history[isNew ? 'pushState' : 'replaceState'](null, '', link);
	} catch { /* see above */ }
}

let isPassing = false; // the last change is part of one that goes on, such as a brush that is dragged

// `passes`: more of the same change follows, and all is undone at once.
export function change(part: Partial<State>, passes = false): void {
	if (!isPassing) {
		past.push(linkOf(state.value));
		future.length = 0;
	}
	show({ ...state.value, ...part }, !isPassing);
	isPassing = passes;
	canUndo.value = past.length > 0;
	canRedo.value = false;
}

function travel(from: string[], to: string[]): void {
	const link = from.pop();
	if (link === undefined)
		return;
	to.push(linkOf(state.value));
	show(readLink(link, state.value), false);
	canUndo.value = past.length > 0;
	canRedo.value = future.length > 0;
}

export const undo = (): void => travel(past, future);
export const redo = (): void => travel(future, past);

// A link may be from another recording: its time is cut to this one.
function fromLink(link: string): State {
	const next = readLink(link, state.value), [from, to] = span.value;
	const range = next.range && [Math.max(next.range[0], from), Math.min(next.range[1], to)] as [number, number];
	return { ...next, range: range && range[0] < range[1] ? range : null };
}

export function followLink(link: string): void {
	state.value = fromLink(link);
}

// All panels, that of the tab changed.
export function panelsWith(part: Partial<Panel>, tab = state.value.tab): State['panels'] {
	const { panels } = state.value;
	return { ...panels, [tab]: { ...panels[tab], ...part } };
}

export const changePanel = (part: Partial<Panel>): void => change({ panels: panelsWith(part) });

// The place in a tree is in the link, but it is nothing to undo.
export const place = (part: Partial<Panel>): void => show({ ...state.value, panels: panelsWith(part) }, false);

export function addFilter(filter: Filter): void {
	const { filters } = state.value;
	if (!filters.some(f => f.kind === filter.kind && f.text === filter.text && !f.out === !filter.out))
		change({ filters: [...filters, filter] });
}

export const removeFilter = (filter: Filter): void =>
	change({ filters: state.value.filters.filter(f => f !== filter) });

export const setRange = (range: [number, number] | null, passes = false): void => change({ range }, passes);
// Its tabs and panels in place of those before, and its filter.
function withPreset(name: string): Partial<State> {
	const { head } = recording.value!, before = groupsOf(head, state.value.preset).map(filter => filter.text);
	const filters = state.value.filters.filter(({ kind, text }) => kind !== 'preset' && !(kind === 'group' && before.includes(text)));
	filters.push(...groupsOf(head, name));
	if (head.presets.some(one => one.preset.name === name && one.processes !== null))
		filters.push({ kind: 'preset', text: name });
	return { preset: name, panels: {}, filters };
}

export const setPreset = (name: string): void => change(withPreset(name));
export const setTab = (tab: Tab): void => change({ tab });

// ---- what follows

export const span = computed<[number, number]>(() => {
	const head = recording.value?.head;
	return [0, Math.max(head?.last ?? 0, 1)];
});

export const shownTime = computed<[number, number]>(() => state.value.range ?? span.value);

// Selects a part of the time in view; `from` and `to` are shares of it.
export function brushTime(from: number, to: number): void {
	const [start, end] = shownTime.value;
	setRange([start + from * (end - start), start + to * (end - start)]);
}

export const panel = computed<Panel>(() => {
	const { tab, panels } = state.value;
	const head = recording.value?.head;
	const [view] = head ? viewsOf(head, state.value.preset, tab) : [];
	const usual = view && state.value.preset ? panelOf(view) : {};
	const own = panels[tab] ?? {};
	const event = eventOf(tab, own.event ?? usual.event ?? '');
	return {
		view: 'both', inverted: usual.inverted ?? false, allInline: false, order: 'weight', flipped: false, root: '', at: '', least: 0, colour: 'kind', sort: '', columns: [], snapshots: null,
		...own,
		event: recording.value?.head.events[event]?.name ?? '',
		measure: own.measure ?? usual.measure ?? usualMeasure(tab, head),
		groups: own.groups ?? usual.groups ?? usualGroups(tab),
	};
});

// The id of the event that a tab shows, 0 if the recording has none of its kind.
function eventOf(tab: Tab, name: string): number {
	const head = recording.value?.head;
	const isFit = PANELS[tab];
	if (!head || !isFit)
		return 0;
	const isElsewhere = tab === 'cpu' && head.events.some(event => event?.lifetimes && event.samples > 0)
		&& !head.events.some(event => event?.cpuTime && event.samples > 0);
	if (isElsewhere)
		return 0;
	const fit = (event: Event | null): event is Event => event !== null && event.samples > 0 && isFit(event, head);
	const named = head.events.findIndex(event => fit(event) && event.name === name);
	if (named > 0)
		return named;
	return fit(head.events[head.event] ?? null) ? head.event : Math.max(head.events.findIndex(fit), 0);
}

export const hasData = (tab: Tab): boolean => tab === 'processes' || tab === 'tree' ? recording.value!.head.processes.length > 1
	: tab === 'compare' || !PANELS[tab] || eventOf(tab, '') > 0;

export const eventId = computed(() => eventOf(state.value.tab, panel.value.event));

// The other recording of a comparison, and both as one.
export const other = signal<Recording | null>(null);
const isCompared = computed(() => state.value.tab === 'compare');

// With all names and stacks. Those of a recording that the page has only parts of are read once they are
// needed: for a comparison, and for rules that the program that serves the page does not know.
const wholeOf = (one: Signal<Recording | null>) => {
	const completed = signal<{ of: Recording; whole: Recording } | null>(null);
	return computed(() => {
		const opened = one.value, known = completed.value;
		if (!opened?.whole || known?.of === opened)
			return opened?.whole ? known!.whole : opened;
		void opened.whole().then(read => { completed.value = { of: opened, whole: read }; });
		return null;
	});
};
const whole = wholeOf(recording), wholeOther = wholeOf(other);
const read = signal(new Map<number, Samples>());

// null while they are being read.
export function samplesOf(event: number): Samples | null {
	const known = read.value.get(event), of = whole.value;
	if (known || !event || !of)
		return known ?? null;
	void of.samples(event).then(samples => {
		if (untracked(() => read.value.get(event)) !== samples)
			read.value = new Map(read.value).set(event, samples);
	});
	return null;
}

const combined = computed<Combined | null>(() => {
	const before = wholeOther.value, after = whole.value; // both are read at once
	return before && after && combine(after, before);
});

// What the program that serves the page refused: patterns that only JavaScript has, for example. Then the
// samples are read, as those of a small recording.
const refused = signal('');
const refusable = computed(() => JSON.stringify([state.value.filters, state.value.preset, panel.value.groups]));
export const asksSums = computed(() => isInParts() && refused.value !== refusable.value);

const isOwnRule = ({ kind }: Filter) => kind === 'group' || kind === 'annotate';
const asksServer = computed(() => asksSums.value && !isCompared.value && !state.value.filters.some(isOwnRule)
	&& !(panel.value.groups.includes('annotation') && recording.value?.head.presets.find(one => one.preset.name === state.value.preset)?.isOwn));

// What the current tab is about.
export const subject = computed<Recording | null>(() =>
	isCompared.value ? combined.value : isInParts() && !asksServer.value ? whole.value : recording.value);

const sidesRead = signal<{ of: Combined; event: number; sides: Sides } | null>(null);

const sides = computed<Sides | null>(() => {
	const of = combined.value, event = eventId.value, known = sidesRead.value;
	if (known && known.of === of && known.event === event)
		return known.sides;
	if (of && event)
		void of.samplesOfBoth(event).then(both => { sidesRead.value = { of, event, sides: both }; });
	return null;
});

const samples = computed(() => asksServer.value ? null : !isCompared.value ? samplesOf(eventId.value) : sides.value && rowsOfBoth(sides.value));

// Texts, so that a computation that depends on them is not repeated for an equal one.
const filterKey = computed(() => JSON.stringify(state.value.filters.filter(f => !isVerb(f) || f.kind === 'focus')));
const shapeKey = computed(() => JSON.stringify([state.value.preset, isCompared.value, eventId.value, panel.value.groups, panel.value.inverted, panel.value.allInline,
	state.value.filters.filter(isVerb)]));

// Of a recording in parts, stacks are for the program that serves it.
export const kept = computed(() => {
	void filterKey.value;
	const chosen = untracked(() => state.value.filters), filters = isCompared.value ? namedBy(recording.value!, chosen) : chosen;
	return subject.value ? keptBy(subject.value, subject.value.whole ? filters.filter(isOfThreads) : filters) : { threads: null, stacks: null };
});

// Of the heap tab: what there was by the first and the second of the chosen snapshots, 0 being the
// beginning; and the threads of their process.
const NOTHING: Snapshot = { time: 0, process: 0, label: '', cause: '', row: 0, end: 0 };
const measure = computed(() => panel.value.measure);
const snapshotsKey = computed(() => panel.value.snapshots?.join());
const between = computed(() => {
	void snapshotsKey.value;
	const { snapshots } = untracked(() => panel.value), list = recording.value?.head.snapshots ?? [];
	const last = snapshots && list[snapshots[1] - 1];
	return last ? [list[snapshots[0] - 1] ?? NOTHING, last] : null;
});

const threadsBetween = computed(() => {
	const process = between.value?.[1].process;
	const before = kept.value.threads;
	return !process ? before : Uint8Array.from(recording.value!.head.threads, (thread, i) =>
		thread?.process === process && (!before || before[i]) ? 1 : 0);
});

const rangeKey = computed(() => state.value.range?.join() ?? '');

const keptRows = computed<Kept>(() => {
	void rangeKey.value;
	const range = untracked(() => state.value.range);
	return { between: between.value, from: range?.[0] ?? -Infinity, to: range?.[1] ?? Infinity, measure: measure.value,
		stacks: kept.value.stacks, threads: threadsBetween.value };
});

// ---- a tree that the program that serves the page makes

// What of the selection requests have in common.
export function selectionWords(event: Event | null) {
	const filters = state.value.filters.filter(one => !isOwnRule(one));
	return { event: event?.name, filters: filters.length && JSON.stringify(filters) };
}

// Times in the page are cut to its resolution.
export const timeWords = ([from, to]: readonly [number, number]) =>
	({ from: Math.round(from), to: Math.round(to) + recording.value!.head.resolution - 1 });

const askedOpen = signal<ReadonlySet<string>>(new Set()); // paths of open nodes whose children were not sent
const askedCurrent = signal(''); // the path of the current node, if it was not sent

function selectTree() {
	const { groups, inverted, allInline, snapshots } = panel.value, { range, preset } = state.value;
	const event = recording.value?.head.events[eventId.value] ?? null;
	return {
		...selectionWords(event), group: groups.join(), inverted, 'all-inline': allInline, preset: groups.includes('annotation') && preset,
		...range && timeWords(range), measure: event?.lifetimes && panel.value.measure,
		between: state.value.tab === 'heap' && snapshots?.join(),
	};
}

const treeSelection = computed(selectTree);

const answeredTree = computed(() => {
	const event = eventId.value;
	if (!event || !asksServer.value)
		return null;
	const selection = treeSelection.value;
	const path = request('tree', { ...selection, root: panel.value.root, current: askedCurrent.value,
		open: [...askedOpen.value].map(one => one || '0').join() });
	return asked('tree', path, plain => ({ ...treeOf(plain, event), selection }));
});

effect(() => {
	if (answeredTree.value instanceof Refusal)
		refused.value = untracked(() => refusable.value);
});

const servedTree = computed(() => {
	const answer = answeredTree.value;
	return answer instanceof Refusal || answer?.event !== eventId.value ? null : answer;
});

// Of the functions in the tree.
export const names = computed<Names | null>(() => servedTree.value?.names ?? subject.value?.names ?? null);

const NO_ROWS = new Uint32Array(0);

let labels: Annotations | null = null; // of `shaped`
const shaped = computed<Shaped | null>(() => {
	if (asksServer.value)
		return servedTree.value && { tree: servedTree.value.tree, nodeOf: NO_ROWS };
	void shapeKey.value;
	const rows = samples.value, opened = subject.value;
	if (!rows || !opened)
		return null;
	return untracked(() => {
		const { groups, inverted } = panel.value;
		const event = opened.head.events[eventId.value]!;
		const annotations = groups.includes('annotation') ? annotationsOf(opened, state.value.preset, state.value.filters) : null;
		labels = annotations;
		const last = groups[groups.length - 1], hasStack = last !== 'function';
		const levels = groups.slice(0, hasStack ? -1 : undefined).map(name => GROUPS[name]);
		const shape: Shape = { groups: levels, hasStack, modules: last === 'module', inverted, annotations,
			hides: panel.value.allInline ? 0 : Hidden.Plumbing | (event.blocks ? Hidden.OfBlocks : event.pages ? Hidden.OfPages : 0),
			...verbsOf(opened, state.value.filters) };
		return buildTree(opened, rows, shape);
	});
});

export interface Analysis {
	shaped: Shaped;
	tree: Tree;
	samples: Samples | null; // null: they are not in the page
	event: Event;
	kept: Kept;
	selection: ReturnType<typeof selectTree> | null; // that a served tree is of
	version: number;
}

let version = 0;
export const analysis = computed<Analysis | null>(() => {
	const shape = shaped.value, rows = samples.value;
	if (!shape || !rows && !shape.tree.served)
		return null;
	if (isCompared.value)
		weighSides(shape, sides.value!, keptRows.value);
	else if (rows)
		weigh(shape, rows, keptRows.value);
	return { shaped: shape, tree: shape.tree, samples: rows, kept: keptRows.value, version: ++version, selection: servedTree.value?.selection ?? null,
		event: recording.value!.head.events[untracked(() => eventId.value)]! };
});

export const words = computed<Words | null>(() => {
	const shape = shaped.value;
	return shape && treeWords({ ...subject.value!, names: names.value! }, shape.tree, untracked(() => recording.value!.head.events[eventId.value]!), labels);
});

const paths = computed(() => shaped.value && words.value && pathHashes(shaped.value.tree, words.value.name));

const nodeOf = (path: string): number => path && paths.value ? findPath(paths.value, path) : 0;
const rootPath = computed(() => panel.value.root), currentPath = computed(() => panel.value.at);
export const root = computed(() => nodeOf(rootPath.value));
const chosen = computed(() => nodeOf(currentPath.value)); // 0: the tree does not have it
let way: string[] = []; // to the node that was chosen last, from the root: paths

// The chosen node or, if that is not in view, the nearest of its callers that is.
export const current = computed(() => {
	const path = currentPath.value, shape = analysis.value, known = paths.value;
	let node = chosen.value;
	if (!shape || !known)
		return 0;
	const { tree } = shape;
	if (node)
		way = pathOf(tree, node).map(one => pathName(known, one));
	else if (way[way.length - 1] === path)
		for (const step of way) {
			const next = childrenOf(tree, node, 'weight').find(child => pathName(known, child) === step);
			if (!next)
				break;
			node = next;
		}
	while (node && !hasWeight(tree, node))
		node = tree.parent[node];
	return node;
});
export const setRoot = (node: number): void => changePanel({ root: pathName(paths.value!, node), at: pathName(paths.value!, node) });
export const setCurrent = (node: number): void => place({ at: pathName(paths.value!, node) });

// Rows that are open: found again by their paths if the tree is another one, also after it was one that
// does not have them.
export const openNodes = signal<ReadonlySet<number>>(new Set());
let openIn: { tree: Tree; paths: PathHashes; inverted: boolean } | null = null;
let openElsewhere = new Set<string>();

effect(() => {
	const tree = shaped.value?.tree, before = openIn, open = openNodes.peek();
	if (!tree || tree === before?.tree)
		return;
	const now = paths.value!, { inverted } = untracked(() => panel.value);
	openIn = { tree, paths: now, inverted };
	const all = new Set([...openElsewhere, ...before ? [...open].map(node => pathName(before.paths, node)) : []]);
	const found = findPaths(now, all);
	found.forEach(node => all.delete(pathName(now, node)));
	openElsewhere = all;
	// The hottest of the innermost functions are seen at once.
	if (inverted && !before?.inverted)
		pathOf(tree, untracked(() => hottestFunction(analysis.value!.tree))).slice(0, -1).forEach(node => found.add(node));
	openNodes.value = found;
});

// What is open, or was chosen, is asked for if it was not sent.
const MOST_ASKED = 500;
export function askChildren(node: number): void {
	const path = pathName(paths.value!, node);
	if (!askedOpen.value.has(path))
		askedOpen.value = new Set([...askedOpen.value, path].slice(-MOST_ASKED));
}

effect(() => {
	const open = openNodes.value, served = shaped.value?.tree.served, at = currentPath.value;
	if (!served)
		return;
	untracked(() => {
		open.forEach(node => served.left[node] && askChildren(node));
		if (at && !chosen.value)
			askedCurrent.value = at;
	});
});

// ---- search

const searchText = computed(() => state.value.search);
export const searchPattern = computed(() => searchText.value ? patternOf(searchText.value) : null);

// By function: 1 is a match.
const functionHits = computed(() => {
	const pattern = searchPattern.value, of = names.value;
	return pattern && of && Uint8Array.from(of.names, (name, i) =>
		i && (pattern.test(name) || pattern.test(of.short[i])) ? 1 : 0);
});

// By node.
export const hits = computed(() => {
	const byFunction = functionHits.value, pattern = searchPattern.value, tree = shaped.value?.tree;
	if (!byFunction || !pattern || !tree)
		return null;
	const result = new Uint8Array(tree.count);
	for (let node = 1; node < tree.count; node++)
		result[node] = tree.kind[node] === Kind.Function ? byFunction[tree.id[node]]
			: pattern.test(words.value!.name(node)) ? 1 : 0;
	return result;
});

// The heaviest match, and from there the next one; with a step of 0 the heaviest.
export function nextHit(step: number): void {
	const found = hits.value, tree = analysis.value?.tree;
	if (!found || !tree)
		return;
	const list = [...found.keys()].filter(node => found[node] && tree.total[node] > 0)
		.sort(byWeight(tree));
	const at = list.indexOf(current.value);
	if (list.length)
		setCurrent(list[at < 0 || !step ? 0 : (at + step + list.length) % list.length]);
}

export interface Found { nodes: number; weight: number }

// How many nodes match, and the weight of the stacks with a match, each counted once.
export const searchResult = computed<Found | Refusal | null>(() => {
	const found = hits.value, shape = analysis.value;
	if (!found || !shape)
		return null;
	const { tree } = shape;
	if (tree.served) // not all nodes were sent
		return asked('search', request('search', { ...treeSelection.value, pattern: searchText.value }), plain => jsonOf(plain) as Found);
	const has = found.slice();
	let weight = 0, nodes = 0;
	for (let node = 1; node < tree.count; node++) {
		nodes += +(has[node] > 0 && hasWeight(tree, node));
		has[node] |= has[tree.parent[node]];
		if (has[node])
			weight += tree.self[node];
	}
	return { nodes, weight };
});

export function start(opened: Recording, link: string): void {
	batch(() => {
		forget();
		read.value = new Map();
		recording.value = opened;
		loading.value = '';
		const { head } = opened;
		const hasTime = head.events.some(event => event?.cpuTime && event.samples > 0);
		const tab = hasTime ? 'cpu' : (['memory', 'heap', 'cpu'] as const).find(one => eventOf(one, '')) ?? 'system';
		state.value = { ...state.value, tab };
		const chosen = head.preset || (head.compilesRust ? 'rustc' : '');
		if (link || head.open)
			state.value = fromLink(link || head.open);
		else if (chosen)
			state.value = { ...state.value, ...withPreset(chosen) };
	});
}
