// What changed from one recording to the other, by function: self, since a total contains the changes
// of everything that a function calls.
import { Kind, type Tree } from './tree';

export interface Change { node: number; most: number; before: number; after: number } // `node`: of its nodes that which changed most

const MOST_LISTED = 6;
const LEAST = .005; // of the whole, as wick diff has it

export function changesOf(tree: Tree, isInverted: boolean): { worse: Change[]; better: Change[]; more: number; less: number } {
	const known = new Map<number, Change>();
	// Inverted, what is self has the outermost level of functions to itself.
	const [now, was] = isInverted ? [tree.total, tree.before!] : [tree.self, tree.selfBefore!];
	for (let node = 1; node < tree.count; node++) {
		if (tree.kind[node] < Kind.Module || isInverted && tree.kind[tree.parent[node]] >= Kind.Module)
			continue;
		const key = tree.kind[node] * 2 ** 32 + tree.id[node], most = Math.abs(now[node] - was[node]);
		const one = known.get(key) ?? { node, most, before: 0, after: 0 };
		known.set(key, one);
		if (most > one.most)
			Object.assign(one, { node, most });
		one.before += was[node];
		one.after += now[node];
	}
	const most = Math.max(tree.total[0], tree.before![0]);
	const changes = [...known.values()].filter(one => Math.abs(one.after - one.before) > LEAST * most)
		.sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before) || a.node - b.node);
	const worse = changes.filter(one => one.after > one.before), better = changes.filter(one => one.after < one.before);
	const sum = (list: Change[]) => list.reduce((all, one) => all + one.after - one.before, 0);
	return { worse: worse.slice(0, MOST_LISTED), better: better.slice(0, MOST_LISTED), more: sum(worse), less: sum(better) };
}
