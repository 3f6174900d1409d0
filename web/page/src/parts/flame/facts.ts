// What is said about a frame or a block of small ones, in lines.
import type { Tree, Words } from '../../views/tree';
import { share } from '../../words/format';
import * as flame from '../../words/flame';
import type { Frame } from './layout';

export const titleOf = (words: Words, { node, few }: Pick<Frame, 'node' | 'few'>): string =>
	few ? flame.small(few) : words.name(node);

export function factsOf(tree: Tree, words: Words, frame: Pick<Frame, 'node' | 'few' | 'weight'>): string[] {
	const { node, few, weight } = frame, { total, self, totalTimes, before } = tree;
	const joined = (...parts: string[]) => parts.filter(Boolean).join(' · ');
	const inView = flame.total(words.amount(weight), share(weight, total[0]), words.amount(total[0]));
	if (few)
		return [inView, flame.smallWhy];
	const parent = tree.parent[node];
	return [
		joined(words.detail(node), words.kind(node), tree.inlined[node] ? flame.inlined : ''),
		inView,
		joined(parent ? flame.ofParent(share(weight, total[parent])) : '', words.count(totalTimes[node])),
		flame.self(words.amount(self[node]), share(self[node], total[0])),
		before ? joined(flame.before(words.amount(before[node])), flame.after(words.amount(weight)),
			flame.change(before[node], weight)) : '',
	].filter(Boolean);
}
