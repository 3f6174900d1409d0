// Everything that can be done, by name: keys, menus, the list of commands and the help are made from
// this one list.
import { signal } from '@preact/signals';
import * as words from '../words/actions';
import { type Filter } from '../views/filters';
import { ruleOf } from '../views/match';
import { Kind, pathOf } from '../views/tree';
import { copy } from '../parts/copy';
import { served } from '../served/server';
import { TABS, TITLES, type Panel, type Tab, type View } from './link';
import { savePreset } from './rules';
import {
	addFilter, analysis, canRedo, canUndo, change, changePanel, current, names, nextHit, panel, panelsWith, recording, redo, root,
	setCurrent, setRange, setRoot, setTab, shownTime, span, state, undo, words as treeWords,
} from './state';

export interface Action {
	key: keyof typeof words | `tab_${Tab}`;
	title: string;
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
	change({
		filters: [...state.value.filters.filter(f => f.kind !== 'focus'), { kind: 'focus', text }],
		panels: panelsWith({ inverted, root: '' }),
	});
}

function stackText(): string {
	const { tree } = analysis.value!;
	return pathOf(tree, current.value).map(node => treeWords.value!.name(node)).join(panel.value.inverted ? ' < ' : ';');
}

// ---- time

function stepBrush(by: number): void {
	const [from, to] = shownTime.value;
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

const focusOn = (field: string) => () => document.querySelector<HTMLElement>(field)?.focus();
export const openDialog = (which: Dialog) => () => { dialog.value = which; };

export const ACTIONS: Action[] = [
	...TABS.map((tab, i): Action => ({ key: `tab_${tab}`, title: words.goTo(TITLES[tab]), keys: [String((i + 1) % 10)], run: () => { setTab(tab); focusView(); } })),
	{ key: 'search', title: words.search, keys: ['/', 'Ctrl+F'], run: focusOn('#search') },
	{ key: 'nextHit', title: words.nextHit, keys: ['n'], can: () => state.value.search !== '', run: () => nextHit(1) },
	{ key: 'lastHit', title: words.lastHit, keys: ['Shift+N'], can: () => state.value.search !== '', run: () => nextHit(-1) },
	{ key: 'table', title: words.table, keys: ['t'], can: isTab, run: view('table') },
	{ key: 'flame', title: words.flame, keys: ['f'], can: isTab, run: view('flame') },
	{ key: 'both', title: words.both, keys: ['b'], can: isTab, run: view('both') },
	{ key: 'heat', title: words.heat, keys: ['h'], can: isTab, run: view('heat') },
	{ key: 'invert', title: words.invert, keys: ['u'], can: isTab, run: toggle('inverted') },
	{ key: 'allInline', title: words.allInline, keys: [], can: isTab, run: toggle('allInline') },
	{ key: 'flip', title: words.flip, keys: ['v'], can: isTab, run: toggle('flipped') },
	{ key: 'order', title: words.order, keys: ['o'], can: isTab,
		run: () => changePanel({ order: ORDERS[(ORDERS.indexOf(panel.value.order) + 1) % 3] }) },
	{ key: 'foldMore', title: words.foldMore, keys: ['F7'], can: isTab, run: fold(1) },
	{ key: 'foldLess', title: words.foldLess, keys: ['Shift+F7'], can: () => isTab() && panel.value.least > 0, run: fold(-1) },
	{ key: 'zoom', title: words.zoom, keys: [], isOfNode: true, can: hasNode, run: () => setRoot(current.value) },
	{ key: 'back', title: words.back, keys: ['Backspace'], can: () => isTab() && root.value > 0,
		run: () => setRoot(analysis.value!.tree.parent[root.value]) },
	{ key: 'filterTo', title: words.filterTo, keys: ['Shift+F'], isOfNode: true, can: canFilter, run: () => addFilter(filterOfNode()!) },
	{ key: 'filterOut', title: words.filterOut, keys: ['Shift+X'], isOfNode: true, can: canFilter, run: () => addFilter({ ...filterOfNode()!, out: true }) },
	{ key: 'callees', title: words.callees, keys: [], isOfNode: true, can: isFunction, run: () => around(false) },
	{ key: 'callers', title: words.callers, keys: ['F10'], isOfNode: true, can: isFunction, run: () => around(true) },
	{ key: 'merge', title: words.merge, keys: ['m'], isOfNode: true, can: isFunction, run: verb('merge') },
	{ key: 'collapse', title: words.collapse, keys: ['c'], isOfNode: true, can: isFunction, run: verb('collapse') },
	{ key: 'recursion', title: words.recursion, keys: ['r'], isOfNode: true, can: isTab, run: () => addFilter({ kind: 'recursion', text: '' }) },
	{ key: 'mergeModule', title: words.mergeModule, keys: [], isOfNode: true, can: () => isFunction() && moduleName() !== '',
		run: () => addFilter({ kind: 'merge-module', text: moduleName() }) },
	{ key: 'drop', title: words.drop, keys: ['d'], isOfNode: true, can: isFunction,
		run: () => addFilter({ kind: 'function', text: functionName(), out: true }) },
	{ key: 'group', title: words.group, keys: ['g'], isOfNode: true, can: isTab, run: openDialog('group') },
	{ key: 'annotate', title: words.annotate, keys: ['l'], isOfNode: true, can: isTab, run: openDialog('annotate') },
	{ key: 'savePreset', title: words.savePreset, keys: [], can: isTab, run: savePreset },
	{ key: 'copyName', title: words.copyName, keys: [], isOfNode: true, can: hasNode, run: () => copy(treeWords.value!.name(current.value)) },
	{ key: 'copyStack', title: words.copyStack, keys: ['Ctrl+Shift+C'], isOfNode: true, can: hasNode, run: () => copy(stackText()) },
	{ key: 'brushLeft', title: words.brushLeft, keys: ['['], run: () => stepBrush(-1) },
	{ key: 'brushRight', title: words.brushRight, keys: [']'], run: () => stepBrush(1) },
	{ key: 'typeTime', title: words.typeTime, keys: ['Shift+T'], run: focusOn('#time') },
	{ key: 'wholeTime', title: words.wholeTime, keys: ['Shift+Z'], can: () => state.value.range !== null, run: () => setRange(null) },
	{ key: 'clear', title: words.clear, keys: [], can: () => state.value.filters.length > 0 || state.value.range !== null,
		run: () => change({ filters: [], range: null }) },
	{ key: 'undo', title: words.undo, keys: ['Ctrl+Z'], can: () => canUndo.value, run: undo },
	{ key: 'redo', title: words.redo, keys: ['Ctrl+Y', 'Ctrl+Shift+Z'], can: () => canRedo.value, run: redo },
	{ key: 'preset', title: words.preset, keys: ['p'], run: focusOn('#preset') },
	{ key: 'commands', title: words.commands, keys: ['Ctrl+K'], run: openDialog('commands') },
	{ key: 'code', title: words.code, keys: ['e'], isOfNode: true, can: () => served.value !== null && isFunction(), run: openDialog('code') },
	{ key: 'sql', title: words.sql, keys: ['q'], can: () => served.value !== null, run: openDialog('sql') },
	{ key: 'share', title: words.share, keys: ['Shift+S'], run: openDialog('share') },
	{ key: 'link', title: words.link, keys: ['y'], run: () => { hasNode() && setCurrent(current.value); copy(location.href); } },
	{ key: 'details', title: words.details, keys: ['i'], run: () => { detailsOpen.value = !detailsOpen.value; } },
	{ key: 'help', title: words.help, keys: ['?'], run: openDialog('help') },
];

export const canDo = (action: Action): boolean => recording.value !== null && (!action.can || action.can());
export const actionOf = (key: Action['key']): Action => ACTIONS.find(action => action.key === key)!;

// ---- keys

// 'Ctrl+Shift+C', 'a', '?', 'Shift+F'.
function keyOf(event: KeyboardEvent): string {
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
