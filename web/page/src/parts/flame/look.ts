// What a frame looks like, on the canvas and in an SVG file.
import { modeColour, type Mode } from '../../views/modes';
import { differenceColour, inkOn, lookOfShade, shadeColour, shadeOf } from '../../views/colours';
import { fitName } from '../../views/label';
import type { Tree, Words } from '../../views/tree';
import { share } from '../../words/format';
import * as flame from '../../words/flame';
import type { Frame, Layout } from './layout';

export const ROW = 20; // pixels
export const FONT = '12px ui-monospace,"SF Mono",Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace';
export const PAD = 4; // between a frame's edge and its label
export const FADED = 0.35; // opacity of frames that do not match the search
export const EDGE = '#14171a';

// From the top of all rows.
export const topOf = (row: number, { rows }: Layout, flipped: boolean, height: number): number =>
	flipped ? Math.max(rows.length * ROW, height) - (row + 1) * ROW : row * ROW;

// The gap to the next frame; small frames would vanish in a wide one.
export const gapOf = (width: number): number => width > 8 ? 1 : width > 3 ? 0.5 : 0.2;

export interface Look { tree: Tree; words: Words; version: number; dark: boolean; mode: Mode | 'difference' }

const shades = new WeakMap<Tree, Uint8Array>(); // by node one more than the shade, 0: not known yet

function shadeOfNode({ tree, words }: Look, node: number): number {
	let known = shades.get(tree);
	if (!known)
		shades.set(tree, known = new Uint8Array(tree.count));
	return (known[node] ||= 1 + shadeOf(words.look(node), words.name(node))) - 1;
}

const KERNEL = 4;
export const isKernel = (look: Look, node: number): boolean =>
	lookOfShade(shadeOfNode(look, node)) === KERNEL;

// From -1 to 1: the change as a share of the larger side.
function changeOf(tree: Tree, node: number): number {
	const before = tree.before![node], after = tree.total[node];
	return (after - before) / (Math.max(before, after) || 1);
}

export const fillOf = (look: Look, node: number): string => look.mode === 'difference'
	? differenceColour(changeOf(look.tree, node), look.dark)
	: look.mode !== 'kind' ? modeColour({ ...look, mode: look.mode }, node)
	: shadeColour(shadeOfNode(look, node), look.tree.inlined[node] === 1, look.dark);

export const inkOf = (look: Look, fill: string): string =>
	look.mode !== 'kind' ? inkOn(fill) : look.dark ? '#0e1113' : EDGE;

// The label of a frame or block of that width, in a font of that width.
export function labelOf({ tree, words, mode }: Look, { node, few, weight }: Frame, width: number,
	character: number): string {
	const room = Math.floor((width - 2 * PAD + 1) / character);
	if (few)
		return fitName(`${flame.small(few)}, ${share(weight, tree.total[0])}`, room);
	const change = mode === 'difference' ? changeOf(tree, node) : 0;
	const mark = change > 0 ? flame.grew : change < 0 ? flame.shrank : '';
	const name = words.short(node), inlined = tree.inlined[node] ? flame.inlinedMark : '';
	const whole = mark + name + inlined;
	if (whole.length <= room)
		return whole;
	const label = fitName(name, room - mark.length);
	return label && mark + label;
}
