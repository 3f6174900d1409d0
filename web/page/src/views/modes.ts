// What the colour of a frame means. A name has the same colour in each view and each recording.
import { frameColour, mixed, rgb } from './colours';
import { hashText } from './path';
import { Kind, remembered, type Tree, type Words } from './tree';

export const MODES = ['kind', 'module', 'crate', 'group', 'self', 'classic'] as const;
export type Mode = typeof MODES[number];

export interface Shades { tree: Tree; words: Words; version: number; dark: boolean; mode: Mode }

const STRUCTURE = 8;
const HUE = 6; // degrees: closer ones look the same
const known = new Map<string, string>();

function make(key: string, colour: (hash: number) => string, text: string): string {
	let made = known.get(key);
	if (!made)
		known.set(key, made = colour(hashText(text)[0]));
	return made;
}

const between = (low: number, high: number, hash: number) => low + (high - low) * hash % 256 / 256;

// Hue and lightness by the hash.
const hued = (dark: boolean) => (hash: number) => {
	const hue = hash % 360 - hash % 360 % HUE, light = (dark ? .52 : .66) + (hash >>> 10) % 4 * .04, wide = dark ? .2 : .24;
	return rgb([0, 8, 4].map(n => {
		const k = (n + hue / 30) % 12;
		return 255 * (light - wide * Math.max(-1, Math.min(k - 3, 9 - k, 1)));
	}));
};

const warm = (hash: number) => rgb([between(205, 255, hash), 50 + (hash >>> 8) % 180, (hash >>> 16) % 55]);

// The crate of a Rust function, for others the module.
const crateOf = (words: Words, node: number) => /^[<&]*(?:dyn |mut )?(\w+)::/.exec(words.name(node))?.[1] ?? words.module(node);

// The process, thread ... that a frame is below.
function groupOf(tree: Tree, node: number): number {
	while (tree.kind[node] >= Kind.Module && node)
		node = tree.parent[node];
	return node;
}

const mostSelf = (tree: Tree, version: number): number =>
	remembered(tree, version, 'self', () => tree.self.reduce((a, b) => Math.max(a, b), 0)) || 1;

const LEVELS = 16;

export function modeColour({ tree, words, version, dark, mode }: Shades, node: number): string {
	const kind = tree.kind[node], name = words.name(node);
	if (mode === 'self') {
		const part = Math.round(Math.sqrt(Math.max(tree.self[node], 0) / mostSelf(tree, version)) * LEVELS) / LEVELS;
		return dark ? mixed('#f0a35c', '#3a3f45', part) : mixed('#8a3a08', '#f7ece3', part);
	}
	if (mode === 'group') {
		const group = words.name(groupOf(tree, node));
		return make('group' + dark + group, hued(dark), group);
	}
	if (mode === 'kind' || kind < Kind.Module)
		return frameColour(mode === 'kind' ? words.look(node) : STRUCTURE, name, tree.inlined[node] === 1, dark);
	if (mode === 'classic')
		return make('classic' + name, warm, name);
	const text = kind !== Kind.Function ? name : mode === 'crate' ? crateOf(words, node) : words.module(node);
	return make(mode + dark + text, hued(dark), text);
}

