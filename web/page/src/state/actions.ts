// Everything that can be done, by name: keys, menus, the list of commands and the help are made from
// this one list.
import { batch, signal } from '@preact/signals';
import { actions as words, goTo } from '../words/actions';
import { type Filter } from '../views/filters';
import { ruleOf } from '../views/match';
import { Kind, pathOf } from '../views/tree';
import { copy } from '../parts/copy';
import { served } from '../served/server';
import { TABS, type Panel, type Tab, type View } from './link';
import { savePreset } from './rules';
import { TAB_LIST } from './tabs';
import {
	addFilter, analysis, canRedo, canUndo, change, changePanel, current, names, nextHit, panel, recording, redo, root, setCurrent,
	setRange, setRoot, setTab, span, state, undo, words as treeWords,
} from './state';

export interface Action {
	key: keyof typeof words | `tab_${Tab}`;
	keys: string[]; // as `keyOf` writes them
	isOfNode?: boolean; // in the menu of frames and rows
	can?(): boolean;
	run(): void;
}

export type Dialog = '' | 'help' | 'commands' | 'sql' | 'code' | 'group' | 'annotate' | 'share';
export const dialog = signal<Dialog>('');
export const detailsOpen = signal(true);
export const singleKeys = signal(true);

// What the keys of a tab are for.
export function focusView(): void {
	requestAnimationFrame(() => document.querySelector<HTMLElement>('#view :is([role=treegrid],[role=grid],[role=tree])')?.focus());
}

// ---- what is about the current node

const isTab = () => analysis.value !== null;
const hasNode = () => isTab() && current.value > 0;
const kindOf = () => analysis.value!.tree.kind[current.value];
const isFunction = () => hasNode() && kindOf() === Kind.Function;

// The filter that keeps what the current node stands for.
function filterOfNode(): Filter | null {
	const { head } = recording.value!;
	const id = analysis.value!.tree.id[current.value];
	switch (kindOf()) {
	case Kind.Process: return { kind: 'process', text: head.processes[id]?.name ?? '' };
	case Kind.Pid: return { kind: 'pid', text: String(head.processes[id]?.pid) };
	case Kind.Thread: return { kind: 'tid', text: String(head.threads[id]?.tid) };
	case Kind.Module: return { kind: 'module', text: head.images[id]?.name ?? '' };
	case Kind.Rule: return { kind: 'pattern', text: state.value.filters.filter(f => f.kind === 'group').map(f => ruleOf(f.text).pattern)[id - 1] };
	case Kind.Function: return { kind: 'function', text: names.value!.names[id] };
	default: return null;
	}
}

const canFilter = () => hasNode() && filterOfNode() !== null;
export const functionName = () => names.value!.names[analysis.value!.tree.id[current.value]];
const verb = (kind: Filter['kind']) => () => addFilter({ kind, text: functionName() });

function moduleName(): string {
	const { head } = recording.value!;
	return head.images[names.value!.image[analysis.value!.tree.id[current.value]]]?.name ?? '';
}

function around(inverted: boolean): void {
	const text = functionName();
	batch(() => {
		change({
			filters: [...state.value.filters.filter(f => f.kind !== 'focus'), { kind: 'focus', text }],
			panels: { ...state.value.panels, [state.value.tab]: { ...state.value.panels[state.value.tab], inverted, root: '', at: '' } },
		});
	});
}

export function stackText(): string {
	const { tree } = analysis.value!;
	return pathOf(tree, current.value).map(node => treeWords.value!.name(node)).join(panel.value.inverted ? ' < ' : ';');
}

// ---- time

function stepBrush(by: number): void {
	const [from, to] = state.value.range ?? span.value;
	const length = state.value.range ? to - from : (to - from) / 10;
	const start = Math.min(Math.max(state.value.range ? from + by * length : span.value[0], span.value[0]), span.value[1] - length);
	setRange([start, start + length]);
}

// ---- the list

const view = (name: View) => () => changePanel({ view: name });
const toggle = <K extends keyof Panel>(key: K) => () => changePanel({ [key]: !panel.value[key] } as Partial<Panel>);
const LEASTS = [0, .1, .2, .5, 1, 2, 5, 10, 20];
const fold = (step: number) => () => {
	const at = LEASTS.findLastIndex(least => least <= panel.value.least);
	changePanel({ least: LEASTS[Math.min(Math.max(at + step, 0), LEASTS.length - 1)] });
};
const ORDERS = ['weight', 'name', 'time'] as const;

export const ACTIONS: Action[] = [
	...TABS.map((tab, i): Action => ({ key: `tab_${tab}`, keys: [String((i + 1) % 10)], run: () => { setTab(tab); focusView(); } })),
	{ key: 'search', keys: ['/', 'Ctrl+F'], run: () => document.querySelector<HTMLElement>('#search')?.focus() },
	{ key: 'nextHit', keys: ['n'], can: () => state.value.search !== '', run: () => nextHit(1) },
	{ key: 'lastHit', keys: ['Shift+N'], can: () => state.value.search !== '', run: () => nextHit(-1) },
	{ key: 'table', keys: ['t'], can: isTab, run: view('table') },
	{ key: 'flame', keys: ['f'], can: isTab, run: view('flame') },
	{ key: 'both', keys: ['b'], can: isTab, run: view('both') },
	{ key: 'heat', keys: ['h'], can: isTab, run: view('heat') },
	{ key: 'invert', keys: ['u'], can: isTab, run: toggle('inverted') },
	{ key: 'allInline', keys: [], can: isTab, run: toggle('allInline') },
	{ key: 'flip', keys: ['v'], can: isTab, run: toggle('flipped') },
	{ key: 'order', keys: ['o'], can: isTab,
		run: () => changePanel({ order: ORDERS[(ORDERS.indexOf(panel.value.order) + 1) % 3] }) },
	{ key: 'foldMore', keys: ['F7'], can: isTab, run: fold(1) },
	{ key: 'foldLess', keys: ['Shift+F7'], can: () => isTab() && panel.value.least > 0, run: fold(-1) },
	{ key: 'zoom', keys: [], isOfNode: true, can: hasNode, run: () => setRoot(current.value) },
	{ key: 'back', keys: ['Backspace'], can: () => isTab() && root.value > 0,
		run: () => setRoot(analysis.value!.tree.parent[root.value]) },
	{ key: 'filterTo', keys: ['Shift+F'], isOfNode: true, can: canFilter, run: () => addFilter(filterOfNode()!) },
	{ key: 'filterOut', keys: ['Shift+X'], isOfNode: true, can: canFilter, run: () => addFilter({ ...filterOfNode()!, out: true }) },
	{ key: 'callees', keys: [], isOfNode: true, can: isFunction, run: () => around(false) },
	{ key: 'callers', keys: ['F10'], isOfNode: true, can: isFunction, run: () => around(true) },
	{ key: 'merge', keys: ['m'], isOfNode: true, can: isFunction, run: verb('merge') },
	{ key: 'collapse', keys: ['c'], isOfNode: true, can: isFunction, run: verb('collapse') },
	{ key: 'recursion', keys: ['r'], isOfNode: true, can: isTab, run: () => addFilter({ kind: 'recursion', text: '' }) },
	{ key: 'mergeModule', keys: [], isOfNode: true, can: () => isFunction() && moduleName() !== '',
		run: () => addFilter({ kind: 'merge-module', text: moduleName() }) },
	{ key: 'drop', keys: ['d'], isOfNode: true, can: isFunction,
		run: () => addFilter({ kind: 'function', text: functionName(), out: true }) },
	{ key: 'group', keys: ['g'], isOfNode: true, can: isTab, run: () => { dialog.value = 'group'; } },
	{ key: 'annotate', keys: ['l'], isOfNode: true, can: isTab, run: () => { dialog.value = 'annotate'; } },
	{ key: 'savePreset', keys: [], can: isTab, run: savePreset },
	{ key: 'copyName', keys: [], isOfNode: true, can: hasNode, run: () => copy(treeWords.value!.name(current.value)) },
	{ key: 'copyStack', keys: ['Ctrl+Shift+C'], isOfNode: true, can: hasNode, run: () => copy(stackText()) },
	{ key: 'brushLeft', keys: ['['], run: () => stepBrush(-1) },
	{ key: 'brushRight', keys: [']'], run: () => stepBrush(1) },
	{ key: 'typeTime', keys: ['Shift+T'], run: () => document.querySelector<HTMLElement>('#time')?.focus() },
	{ key: 'wholeTime', keys: ['Shift+Z'], can: () => state.value.range !== null, run: () => setRange(null) },
	{ key: 'clear', keys: [], can: () => state.value.filters.length > 0 || state.value.range !== null,
		run: () => change({ filters: [], range: null }) },
	{ key: 'undo', keys: ['Ctrl+Z'], can: () => canUndo.value, run: undo },
	{ key: 'redo', keys: ['Ctrl+Y', 'Ctrl+Shift+Z'], can: () => canRedo.value, run: redo },
	{ key: 'preset', keys: ['p'], run: () => document.querySelector<HTMLElement>('#preset')?.focus() },
	{ key: 'commands', keys: ['Ctrl+K'], run: () => { dialog.value = 'commands'; } },
	{ key: 'code', keys: ['e'], isOfNode: true, can: () => served.value !== null && isFunction(), run: () => { dialog.value = 'code'; } },
	{ key: 'sql', keys: ['q'], can: () => served.value !== null, run: () => { dialog.value = 'sql'; } },
	{ key: 'share', keys: ['Shift+S'], run: () => { dialog.value = 'share'; } },
	{ key: 'link', keys: ['y'], run: () => copy(location.href) },
	{ key: 'details', keys: ['i'], run: () => { detailsOpen.value = !detailsOpen.value; } },
	{ key: 'help', keys: ['?'], run: () => { dialog.value = 'help'; } },
];

export const canDo = (action: Action): boolean => recording.value !== null && (!action.can || action.can());
export const actionOf = (key: Action['key']): Action => ACTIONS.find(action => action.key === key)!;

// ---- keys

// 'Ctrl+Shift+C', 'a', '?', 'Shift+F'.
export function keyOf(event: KeyboardEvent): string {
	const name = event.key.length === 1 && (event.ctrlKey || event.metaKey || /[a-z]/i.test(event.key) && event.shiftKey)
		? event.key.toUpperCase() : event.key;
	const hasShift = event.shiftKey && (event.key.length > 1 || /[a-z]/i.test(event.key));
	return (event.ctrlKey || event.metaKey ? 'Ctrl+' : '') + (event.altKey ? 'Alt+' : '') + (hasShift ? 'Shift+' : '') + name;
}

const isTyped = (target: EventTarget | null) => target instanceof HTMLElement
	&& (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));

export function onKey(event: KeyboardEvent): void {
	const key = keyOf(event);
	const isPlain = key.length === 1 || key.startsWith('Shift+');
	if (event.defaultPrevented || document.querySelector('dialog[open]'))
		return;
	if ((isTyped(event.target) && key !== 'Ctrl+K') || (isPlain && !singleKeys.value))
		return;
	const action = ACTIONS.find(one => one.keys.includes(key) && canDo(one));
	if (action) {
		event.preventDefault();
		action.run();
	}
}

export const titleOf = (action: Action): string => {
	const tab = TAB_LIST.find(info => action.key === `tab_${info.tab}`);
	return tab ? goTo(tab.title) : words[action.key as keyof typeof words];
};
export { setCurrent };
