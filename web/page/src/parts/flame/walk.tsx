// The text twin of the canvas: the current frame with its callers and what it calls, for screen
// readers and the keyboard.
import type { Ref } from 'preact';
import { useMemo } from 'preact/hooks';
import { childrenOf, pathOf, type Order, type Tree, type Words } from '../../views/tree';
import { share } from '../../words/format';
import * as flame from '../../words/flame';

const MOST_CHILDREN = 50; // more are reached with the arrows

export interface WalkProps {
	tree: Tree;
	version: number;
	words: Words;
	order: Order;
	cursor: number;
	element: Ref<HTMLDivElement>;
	onKeyDown(event: KeyboardEvent): void;
}

export function Walk(props: WalkProps) {
	const { tree, version, words, order, cursor } = props;
	const items = useMemo(() => {
		const path = [0, ...pathOf(tree, cursor)];
		const item = (node: number, level: number, siblings: Uint32Array | number[], isOpen: boolean) => (
			<div key={node} id={'frame' + node} role="treeitem" aria-level={level} aria-setsize={siblings.length}
				aria-posinset={siblings.indexOf(node) + 1} aria-selected={node === cursor}
				aria-expanded={tree.childAt[node] < tree.childAt[node + 1] ? isOpen : undefined}>
				{flame.item(words.name(node), share(tree.total[node], tree.total[0]))}
			</div>);
		const children = childrenOf(tree, cursor, order, words);
		return [
			...path.map((node, i) =>
				item(node, i + 1, i ? childrenOf(tree, path[i - 1], order, words) : path.slice(0, 1), true)),
			...Array.from(children.subarray(0, MOST_CHILDREN), node => item(node, path.length + 1, children, false)),
		];
	}, [tree, version, words, order, cursor]);

	return (
		<div class="hidden flame-walk" role="tree" tabIndex={0} ref={props.element} aria-label={flame.label}
			aria-description={flame.keys} aria-activedescendant={'frame' + cursor} onKeyDown={props.onKeyDown}>
			{items}
		</div>);
}
