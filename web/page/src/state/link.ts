// The whole state as the readable part of an address behind '#', and back.
//
//	#cpu&t=120.4-180.9&f=process:rustc&f=-function:memcpy&view=flame&group=process,stack
import { Kind } from '../views/tree';
import { FILTERS, type Filter, type FilterKind } from '../views/filters';
import { MODES, type Mode } from '../views/modes';
import type { Measure } from '../views/weigh';
import type { Order } from '../views/tree';

// The tabs in their order.
export const TITLES = {
	system: 'System', processes: 'Processes', tree: 'Process tree', cpu: 'CPU', memory: 'Memory', heap: 'Heap', waits: 'Waits',
	events: 'Events', compare: 'Compare', quality: 'Quality',
};
export type Tab = keyof typeof TITLES;
export const TABS = Object.keys(TITLES) as Tab[];
export type View = 'table' | 'flame' | 'both' | 'heat';

// The names that `wick show --group` has.
export const GROUPS: Record<string, Kind> = {
	'process': Kind.Process, 'pid': Kind.Pid, 'thread': Kind.Thread, 'cpu': Kind.Cpu,
	'wait-reason': Kind.Reason, 'readied-by': Kind.Readier, 'heap': Kind.Heap, 'allocator': Kind.Allocator,
	'size': Kind.Size, 'annotation': Kind.Annotation, 'module': Kind.Module, 'function': Kind.Function,
};

// How a tab of stacks shows them.
export interface Panel {
	event: string; // its name; '': the default one of the tab
	groups: string[]; // outermost first; the last one is 'stack' or 'module'
	measure: Measure;
	inverted: boolean;
	allInline: boolean; // small functions of the standard library, and allocators, are shown
	view: View;
	order: Order;
	flipped: boolean;
	root: string; // a path (views/path.ts) that the flame graph is zoomed to; '': the whole
	at: string; // the path of the current row; '': none
	sort: string; // the key of a column, '-' before it: descending; '': the default
	columns: string[]; // keys of columns that are shown or hidden other than by default
	colour: Mode; // what the colours of frames mean
	least: number; // percent of what is in view: lighter rows are one row; 0: all are shown
	snapshots: [number, number] | null; // numbers from 1: what is there at the second and not at the first
}

export interface State {
	tab: Tab;
	range: [number, number] | null; // ns
	filters: Filter[];
	search: string;
	preset: string; // its name; '': none
	panels: Partial<Record<Tab, Partial<Panel>>>;
}

const decimal = (ns: number) => String(Math.round(ns / 1e4) / 1e5);

// Readable: only what would end a part is escaped.
const escaped = (text: string) => text.replace(/[%&#\s]/g, encodeURIComponent);

function unescaped(text: string): string {
	try {
		return decodeURIComponent(text);
	} catch {
		return text;
	}
}

export function linkOf(state: State): string {
	const parts: string[] = [state.tab];
	const add = (key: string, value: string | undefined | false) => value && parts.push(key + '=' + escaped(value));
	const panel = state.panels[state.tab] ?? {};

	if (state.range)
		add('t', decimal(state.range[0]) + '-' + decimal(state.range[1]));
	for (const { kind, text, out } of state.filters)
		add('f', (out ? '-' : '') + kind + ':' + text);
	add('preset', state.preset);
	add('search', state.search);
	add('by', panel.event);
	add('group', panel.groups?.join(','));
	add('measure', panel.measure);
	add('inverted', panel.inverted && '1');
	add('all-inline', panel.allInline && '1');
	add('view', panel.view);
	add('order', panel.order);
	add('flipped', panel.flipped && '1');
	add('sort', panel.sort);
	add('columns', panel.columns?.join(','));
	add('colour', panel.colour);
	add('least', panel.least ? String(panel.least) : '');
	add('snapshots', panel.snapshots?.join('-'));
	add('root', panel.root);
	add('at', panel.at);
	return '#' + parts.join('&');
}

const oneOf = <T extends string>(list: readonly T[], value: string): T | undefined =>
	list.find(item => item === value);

function numbers(text: string): [number, number] | null {
	const found = /^(-?[\d.]+)-(-?[\d.]+)$/.exec(text);
	const [from, to] = found ? [Number(found[1]), Number(found[2])] : [NaN, NaN];
	return from <= to ? [from, to] : null;
}

function filterOf(text: string): Filter | null {
	const out = text.startsWith('-');
	const colon = text.indexOf(':');
	const kind = text.slice(out ? 1 : 0, colon);
	return FILTERS.includes(kind as FilterKind) ? { kind: kind as FilterKind, text: text.slice(colon + 1), out } : null;
}

// The last one says what stacks are shown as.
const LAST = ['stack', 'module', 'function'];
function groupsOf(text: string): string[] {
	const groups = text.split(',').filter((name, i, all) => name === 'stack' ? i === all.length - 1 : Object.hasOwn(GROUPS, name));
	return LAST.includes(groups[groups.length - 1]) ? groups : [...groups, 'stack'];
}

const pathOf = (text: string): string => /^[0-9a-f]{16}$/.test(text) ? text : '';

// Parts that are unknown or wrong are left out: a link may be from another version.
export function readLink(link: string, before: State): State {
	const [first, ...rest] = link.replace(/^#/, '').split('&');
	const tab = oneOf(TABS, first) ?? before.tab;
	const panel: Partial<Panel> = {};
	const state: State = { tab, range: null, filters: [], search: '', preset: '', panels: { ...before.panels, [tab]: panel } };

	for (const part of rest) {
		const equals = part.indexOf('=');
		const value = unescaped(part.slice(equals + 1));
		switch (part.slice(0, equals)) {
		case 't': {
			const range = numbers(value);
			state.range = range && [range[0] * 1e9, range[1] * 1e9];
			break;
		}
		case 'f': {
			const filter = filterOf(value);
			if (filter)
				state.filters.push(filter);
			break;
		}
		case 'preset': state.preset = value; break;
		case 'search': state.search = value; break;
		case 'by': panel.event = value; break;
		case 'group':
			panel.groups = groupsOf(value);
			break;
		case 'measure': panel.measure = oneOf(['all', 'outstanding', 'gone'], value); break;
		case 'inverted': panel.inverted = value === '1'; break;
		case 'all-inline': panel.allInline = value === '1'; break;
		case 'view': panel.view = oneOf(['table', 'flame', 'both', 'heat'], value); break;
		case 'order': panel.order = oneOf(['weight', 'name', 'time'], value); break;
		case 'flipped': panel.flipped = value === '1'; break;
		case 'sort': panel.sort = value; break;
		case 'columns': panel.columns = value.split(',').filter(Boolean); break;
		case 'colour': panel.colour = oneOf(MODES, value); break;
		case 'least': panel.least = Math.min(Math.max(Number(value), 0), 100) || 0; break;
		case 'snapshots': panel.snapshots = numbers(value); break;
		case 'root': panel.root = pathOf(value); break;
		case 'at': panel.at = pathOf(value); break;
		}
	}
	return state;
}
