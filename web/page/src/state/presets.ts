// Presets: which tabs there are, what their panels show, and labels of call chains by rules.
import type { Head, Preset, PresetView, Recording } from '../data/types';
import { GROUPS, TABS, TITLES, type Panel, type Tab } from './link';
import { guarded, ruleOf, ruleText, type Pattern } from '../views/match';
import type { Filter } from '../views/filters';

const NAMES: Record<string, string> = { tree: 'process-tree' };
const nameOf = (tab: Tab) => NAMES[tab] ?? tab;

export const presetNamed = (head: Head, name: string): Preset | undefined =>
	head.presets.find(one => one.preset.name === name)?.preset;

// In the order of the preset, then all others: nothing disappears.
export function tabsOf(head: Head, name: string): { tab: Tab; title: string }[] {
	const wanted = presetNamed(head, name)?.tabs ?? [];
	const first = wanted.flatMap(one => TABS.filter(tab => nameOf(tab) === one.tab)
		.map(tab => ({ tab, title: one.title ?? TITLES[tab] })));
	return [...first, ...TABS.filter(tab => !first.some(one => one.tab === tab)).map(tab => ({ tab, title: TITLES[tab] }))];
}

// The panels of a tab: those of the preset, or else of the one that the tab has its name from.
export function viewsOf(head: Head, name: string, tab: Tab): PresetView[] {
	for (const preset of [name, nameOf(tab)]) {
		const views = presetNamed(head, preset)?.tabs?.find(one => one.tab === nameOf(tab))?.views;
		if (views?.length)
			return views;
	}
	return [];
}

export const panelOf = (view: PresetView): Partial<Panel> => ({
	event: view.event,
	groups: view.group?.split(',').filter(one => one === 'stack' || Object.hasOwn(GROUPS, one)),
	measure: view.outstanding ? 'outstanding' : 'all',
	inverted: view.inverted ?? false,
});

// The event that a preset is about, if the recording does not have it; ''.
export function lackingEvent(head: Head, name: string): string {
	const wanted = presetNamed(head, name)?.event;
	return wanted && !head.events.some(event => event && event.name === wanted && event.samples > 0) ? wanted : '';
}

export const groupsOf = (head: Head, name: string): Filter[] =>
	(presetNamed(head, name)?.groups ?? []).map(rule => ({ kind: 'group', text: ruleText(rule.label, rule.function) }));

// ---- annotations

// The classes of POSIX, which patterns of JavaScript do not have.
const CLASSES: Record<string, string> = { alpha: 'A-Za-z', digit: '0-9', alnum: 'A-Za-z0-9', upper: 'A-Z', lower: 'a-z',
	space: '\\s', blank: ' \\t', punct: '!-\\/:-@\\[-`{-~', xdigit: '0-9A-Fa-f' };

const pattern = (text: string | undefined): RegExp | null => {
	try {
		return text ? new RegExp(text.replace(/\[:(\w+):\]/g, (all, name: string) => CLASSES[name] ?? all)
			.replace(/\\[<>]/g, '\\b')) : null;
	} catch {
		return /(?!)/; // it matches nothing
	}
};

export interface Annotations { labels: string[]; of: Uint8Array } // by stack: a label; 0: none

// Those that were added by hand.
export const ownRules = (filters: Filter[], kind: 'annotate' | 'group'): NonNullable<Preset['annotations']> =>
	filters.filter(filter => filter.kind === kind).map(({ text }) => {
		const { label, pattern } = ruleOf(text);
		return { label, function: pattern };
	});

export const rulesOfPreset = (head: Head, name: string): NonNullable<Preset['annotations']> =>
	presetNamed(head, name)?.annotations ?? head.presets.flatMap(one => one.preset.annotations ?? []);

// From the root on, the first frame that a rule matches gives a stack its label.
export function annotationsOf(recording: Recording, name: string, filters: Filter[]): Annotations {
	const { head, names, frames, stacks } = recording;
	// Only what was typed or dropped here is guarded: that costs time, of which many functions have too much.
	const isDropped = head.presets.some(one => one.isOwn);
	const rules = [ownRules(filters, 'annotate'), rulesOfPreset(head, name)].flatMap((list, i) => {
		const test = (text: string | undefined): Pick<Pattern, 'test'> | null => {
			const expression = pattern(text);
			return expression && (i && !isDropped ? expression : guarded(expression));
		};
		return list.map(rule => ({ label: rule.label, function: test(rule.function), module: test(rule.module) }));
	});
	const labels = ['', ...new Set(rules.map(rule => rule.label))].slice(0, 256);
	const byFunction = Uint8Array.from(names.names, (text, fn) => {
		const module = head.images[names.image[fn]]?.name ?? names.files[names.file[fn]] ?? '';
		const rule = rules.find(one => (!one.function || one.function.test(text)) && (!one.module || one.module.test(module)));
		return fn && rule ? Math.max(labels.indexOf(rule.label), 0) : 0;
	});
	const of = new Uint8Array(stacks.count);
	for (let i = 1; i < stacks.count; i++)
		of[i] = of[stacks.parent[i]] || byFunction[frames.fn[stacks.frame[i]]];
	return { labels, of };
}
