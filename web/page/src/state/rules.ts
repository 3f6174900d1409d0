// Rules that a person adds: groups of functions and labels of stacks; and presets that keep them.
import type { Preset } from '../data/types';
import * as words from '../words/rules';
import { announced, save } from '../parts/copy';
import { ruleText } from '../views/match';
import { Kind } from '../views/tree';
import { ownRules, presetNamed, rulesOfPreset } from './presets';
import { analysis, change, current, names, panel, panelsWith, recording, setPreset, state } from './state';

// '' if the current node is none.
export function functionOfNode(): string {
	const tree = analysis.value?.tree;
	return tree && tree.kind[current.value] === Kind.Function ? names.value!.names[tree.id[current.value]] : '';
}

// A new label is of no use where labels are not shown.
export function addRule(kind: 'group' | 'annotate', label: string, pattern: string): void {
	const { filters, panels } = state.value, { groups } = panel.value;
	const isShown = kind === 'group' || groups.includes('annotation');
	change({
		filters: [...filters, { kind, text: ruleText(label, pattern) }],
		panels: isShown ? panels : panelsWith({ root: '', groups: [...groups.slice(0, -1), 'annotation', ...groups.slice(-1)] }),
	});
}

// As docs/presets.md describes it. Commands of wick accept it with --preset, and the page if it is dropped.
export function savePreset(): void {
	const { head } = recording.value!, { preset, filters } = state.value, now = panel.value;
	const annotations = [...ownRules(filters, 'annotate'), ...rulesOfPreset(head, preset)], groups = ownRules(filters, 'group');
	const view = { event: now.event, group: now.groups.join(), outstanding: now.measure === 'outstanding', inverted: now.inverted };
	const before = presetNamed(head, preset), tabs = before?.tabs ?? [], isOfTab = (one: { tab: string }) => one.tab === state.value.tab;
	const own = { ...before, ...view, name: 'own', title: undefined, summary: undefined, min: undefined, annotations,
		groups: groups.length ? groups : undefined,
		tabs: [...tabs, ...tabs.some(isOfTab) ? [] : [{ tab: state.value.tab }]].map(one => isOfTab(one) ? { ...one, views: [view] } : one) };
	save('own.json', new Blob([JSON.stringify(own, null, 2) + '\n'], { type: 'application/json' }));
}

const isObject = (value: unknown): value is Record<string, unknown> => !!value && typeof value === 'object' && !Array.isArray(value);
// Has a text or nothing at each of the keys, and a text at the first `needed`.
const hasTexts = (value: unknown, keys: string, needed = 0): value is Record<string, unknown> => isObject(value)
	&& keys.split(' ').every((key, i) => typeof value[key] === 'string' || i >= needed && value[key] === undefined);
const isList = (value: unknown, fits: (one: unknown) => boolean): boolean =>
	value === undefined || Array.isArray(value) && value.length < 256 && value.every(fits);

// What is wrong with the content of a file; ''.
function faultOf(preset: unknown): string {
	if (!isObject(preset))
		return words.noObject;
	const { tabs, groups, annotations } = preset;
	return !hasTexts(preset, 'name title event group filter') ? words.noTexts
		: !isList(tabs, tab => hasTexts(tab, 'tab title', 1) && isList(tab.views, view => hasTexts(view, 'title event group'))) ? words.wrongTabs
			: !isList(groups, rule => hasTexts(rule, 'label function', 2)) ? words.wrongRules('groups')
				: !isList(annotations, rule => hasTexts(rule, 'label function module', 1)) ? words.wrongRules('annotations') : '';
}

export async function openPreset(file: File): Promise<void> {
	const { presets } = recording.value!.head;
	try {
		const content: unknown = JSON.parse(await file.text()), fault = faultOf(content);
		if (fault)
			throw new Error(fault);
		const preset = content as Preset & { filter?: string };
		preset.name ||= file.name.replace(/\.json$/, '');
		presets.splice(0, presets.length, ...presets.filter(one => one.preset.name !== preset.name), { processes: null, preset, isOwn: true });
		setPreset(''); // or one with the same name would change nothing
		setPreset(preset.name);
		announced.value = (preset.filter ? words.notFiltered : words.loaded)(preset.name);
	} catch (error) {
		announced.value = words.noPreset(file.name, (error as Error).message);
	}
}
