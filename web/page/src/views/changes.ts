// What changed from one recording to the other, by function: self, since a total contains the changes
// of everything that a function calls.
import { Kind, type Tree } from './tree';

export interface Change { fn: number; before: number; after: number }

const MOST_LISTED = 6;
const LEAST = .005; // of the whole, as wick diff has it

export function changesOf(tree: Tree): { worse: Change[]; better: Change[]; more: number; less: number } {
	const before = new Map<number, number>(), after = new Map<number, number>();
	for (let node = 1; node < tree.count; node++)
		if (tree.kind[node] === Kind.Function) {
			const fn = tree.id[node];
			before.set(fn, (before.get(fn) ?? 0) + tree.selfBefore![node]);
			after.set(fn, (after.get(fn) ?? 0) + tree.self[node]);
		}
	const most = Math.max(tree.total[0], tree.before![0]);
	const changes = [...after].map(([fn, now]): Change => ({ fn, before: before.get(fn)!, after: now }))
		.filter(one => Math.abs(one.after - one.before) > LEAST * most)
		.sort((a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before) || a.fn - b.fn);
	const worse = changes.filter(one => one.after > one.before), better = changes.filter(one => one.after < one.before);
	const sum = (list: Change[]) => list.reduce((all, one) => all + one.after - one.before, 0);
	return { worse: worse.slice(0, MOST_LISTED), better: better.slice(0, MOST_LISTED), more: sum(worse), less: sum(better) };
}
