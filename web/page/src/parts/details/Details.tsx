// The panel of the current row or frame: its whole name, its numbers, and the way on from it.
import { seconds, share } from '../../words/format';
import * as words from '../../words/shell';
import { actionOf, canDo } from '../../state/actions';
import { analysis, current, panel, setCurrent, span, words as treeWords } from '../../state/state';
import { childrenOf, Kind, pathOf, type Tree } from '../../views/tree';
import { modeColour } from '../../views/modes';
import { factsOf } from '../flame/facts';
import { Functions } from './Functions';
import { isDark } from '../../state/theme';

const MOST_LISTED = 8;

// Down from a node, always to the hottest child.
export function hottestPath(tree: Tree, node: number): number[] {
	const path = [];
	for (;;) {
		const [child] = childrenOf(tree, node, 'weight');
		if (child === undefined || tree.total[child] < tree.total[node] * .5)
			return path;
		path.push(child);
		node = child;
	}
}

export function Details() {
	const shape = analysis.value, names = treeWords.value;
	const node = current.value;
	if (!shape || !names || !node)
		return <aside class="details" aria-label={words.details}>{words.nothingSelected}</aside>;

	const { tree } = shape;
	const length = span.value[1] - span.value[0];
	const facts = [...factsOf(tree, names, { node, few: 0, weight: tree.total[node] }), names.place(node),
		Number.isFinite(tree.first[node]) && words.firstSeen(seconds(tree.first[node], length))].filter(Boolean);
	const list = (title: string, nodes: number[] | Uint32Array) => nodes.length > 0 && <>
		<h3>{title}</h3>
		<Functions onChoose={setCurrent} of={Array.from(nodes, id =>
			({ id, name: names.name(id), short: names.short(id), text: share(tree.total[id], tree.total[0]) }))} />
	</>;
	return <aside class="details" aria-label={words.details}>
		<h2><span class="grid-kind" style={{ background: modeColour({ tree, words: names, version: shape.version, dark: isDark.value, mode: panel.value.colour }, node) }} />
			{names.name(node)}</h2>
		<ul>{facts.map(fact => <li>{fact}</li>)}</ul>
		<div class="tab-tools">
			{(['copyName', 'copyStack', 'filterTo', 'callers', 'code'] as const).map(actionOf).filter(canDo)
				.map(action => <button key={action.key} onClick={action.run}>{action.title}</button>)}
		</div>
		{list(!panel.value.inverted ? words.callees : tree.kind[node] < Kind.Module ? words.innermost : words.callers, childrenOf(tree, node, 'weight').slice(0, MOST_LISTED))}
		{list(words.hottest, hottestPath(tree, node).slice(0, MOST_LISTED))}
		{list(words.callChain, pathOf(tree, node).slice(0, -1).reverse().slice(0, 3 * MOST_LISTED))}
	</aside>;
}
