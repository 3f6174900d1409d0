// Where frames are: row by row what is wide enough to be seen.
import { byWeight, childrenOf, pathOf, remembered, type Order, type Tree, type Words } from '../../views/tree';

const NARROWEST = 0.5; // pixels of a frame that is drawn

// The part of the zoomed frame's width that is shown, as shares of it.
export interface View { from: number; span: number }

export const WHOLE: View = { from: 0, span: 1 };
const LEAST_SPAN = 1e-7;

export const clampView = ({ from, span }: View): View => {
	span = Math.min(Math.max(span, LEAST_SPAN), 1);
	return { from: Math.min(Math.max(from, 0), 1 - span), span };
};

export interface Shown { tree: Tree; version: number; words: Words; root: number; order: Order }

export interface Frame {
	node: number; // of small frames: their parent
	few: number; // how many small frames this stands for; 0: it is a frame
	weight: number;
	x: number; // CSS pixels from the left edge of what is shown
	width: number;
	row: number;
}

export interface Layout {
	rows: Frame[][]; // from left to right
	above: number; // rows above the zoomed frame
}

// From the whole to the zoomed frame a row each, then row by row what is in `view` and wide enough.
export function layOut(shown: Shown, view: View, room: number): Layout {
	const { tree, version, words, root, order } = shown, { total, children, childAt, served } = tree;
	const path = root ? [0, ...pathOf(tree, tree.parent[root])] : [];
	const rows = path.map((node, row): Frame[] => [{ node, few: 0, weight: total[node], x: 0, width: room, row }]);
	const scale = room / (view.span * (total[root] || 1)), isByWeight = order === 'weight';
	let below: Frame[] = [];
	const wide: number[] = [];

	// The result is where the next one begins.
	function place(node: number, few: number, weight: number, x: number): number {
		const width = weight * scale;
		if (width >= NARROWEST && x < room && x + width > 0)
			below.push({ node, few, weight, x, width, row: rows.length });
		return x + width;
	}

	// Adds what is called from a frame. Small neighbours are one block; sorted by weight, all of them are at
	// the end, and only the wide ones need to be sorted.
	function placeChildren(frame: Frame): void {
		const { node } = frame;
		let { x } = frame, few = 0, small = 0;
		wide.length = 0;
		const list = isByWeight ? children
			: remembered(tree, version, order + node, () => childrenOf(tree, node, order, words));
		const end = isByWeight ? childAt[node + 1] : list.length;
		for (let i = isByWeight ? childAt[node] : 0; i < end; i++) {
			const child = list[i], own = total[child];
			if (own * scale < NARROWEST) {
				few += +(own > 0);
				small += own;
			} else if (isByWeight) {
				wide.push(child);
			} else {
				x = place(child, 0, own, place(node, few, small, x));
				few = small = 0;
			}
		}
		if (wide.length > 1)
			wide.sort(byWeight(tree));
		for (const child of wide)
			x = place(child, 0, total[child], x);
		place(node, few + (served?.left[node] ?? 0), small + (served?.leftWeight[node] ?? 0), x);
	}

	place(root, 0, total[root], -view.from / view.span * room);
	while (below.length) {
		const next = below;
		rows.push(next);
		below = [];
		for (const frame of next)
			if (!frame.few)
				placeChildren(frame);
	}
	return { rows, above: path.length };
}

// The frame or block of that row at `x`.
export const frameAt = ({ rows }: Layout, row: number, x: number): Frame | undefined =>
	rows[row]?.find(frame => frame.x <= x && x < frame.x + frame.width);

// Where a node is drawn; for one that is not, the block that it is part of, or else the nearest frame that
// it is called from.
export function frameOf(layout: Layout, tree: Tree, node: number): Frame | undefined {
	const row = layout.rows[tree.depth[node]] ?? [];
	return row.find(frame => !frame.few && frame.node === node)
		?? row.find(frame => frame.few && frame.node === tree.parent[node])
		?? (node ? frameOf(layout, tree, tree.parent[node]) : undefined);
}
