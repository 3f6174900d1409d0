// Where frames are: row by row what is wide enough to be seen.
import { childrenOf, pathOf, remembered, type Order, type Tree, type Words } from '../../views/tree';

export const NARROWEST = 0.5; // pixels of a frame that is drawn

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

// Adds what is called from a frame. Small neighbours are one block; sorted by weight, all of them are at
// the end, and only the wide ones need to be sorted.
function addChildren(into: Frame[], shown: Shown, frame: Frame, scale: number, room: number): void {
	const { tree, version, words, order } = shown, { total, childAt } = tree;
	const { node } = frame, row = frame.row + 1;
	const isByWeight = order === 'weight', wide: number[] = [];
	let { x } = frame, few = 0, small = 0;
	const place = (node: number, few: number, weight: number) => {
		const width = weight * scale;
		if (width >= NARROWEST && x < room && x + width > 0)
			into.push({ node, few, weight, x, width, row });
		x += width;
	};
	const placeSmall = () => {
		place(node, few, small);
		few = small = 0;
	};
	for (const child of isByWeight ? tree.children.subarray(childAt[node], childAt[node + 1])
		: remembered(tree, version, order, node, () => childrenOf(tree, node, order, words))) {
		const own = total[child];
		if (own * scale < NARROWEST) {
			few += +(own > 0);
			small += own;
		} else if (isByWeight) {
			wide.push(child);
		} else {
			placeSmall();
			place(child, 0, own);
		}
	}
	for (const child of wide.sort((a, b) => total[b] - total[a] || a - b))
		place(child, 0, total[child]);
	placeSmall();
}

// From the whole to the zoomed frame a row each, then row by row what is in `view` and wide enough.
export function layOut(shown: Shown, view: View, room: number): Layout {
	const { tree, root } = shown, { total } = tree;
	const path = root ? [0, ...pathOf(tree, tree.parent[root])] : [];
	const rows = path.map((node, row): Frame[] => [{ node, few: 0, weight: total[node], x: 0, width: room, row }]);
	let next: Frame[] = room <= 0 ? [] : [{ node: root, few: 0, weight: total[root], x: -view.from / view.span * room,
		width: room / view.span, row: rows.length }];
	while (next.length) {
		const below: Frame[] = [];
		rows.push(next);
		for (const frame of next)
			if (!frame.few)
				addChildren(below, shown, frame, room / (view.span * (total[root] || 1)), room);
		next = below;
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
