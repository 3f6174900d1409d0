// The panel of the current row or frame: its whole name, its numbers, and the way on from it.
import { seconds, share } from '../../words/format';
import * as words from '../../words/shell';
import { actionOf, canDo } from '../../state/actions';
import { analysis, current, panel, setCurrent, span, words as treeWords } from '../../state/state';
import { childrenOf, pathOf, type Tree, type Words } from '../../views/tree';
import { modeColour } from '../../views/modes';
import { factsOf } from '../flame/facts';
import { isDark } from '../../state/theme';

const MOST_LISTED = 8;

function List({ title, nodes, whole, tree, names }: { title: string; nodes: number[]; whole: number; tree: Tree; names: Words }) {
	return nodes.length === 0 ? null : <>
		<h3>{title}</h3>
		<ol>{nodes.map(node => <li key={node}><button title={names.name(node)} onClick={() => setCurrent(node)}>
			<span>{names.short(node)}</span><span>{share(tree.total[node], whole)}</span>
		</button></li>)}</ol>
	</>;
}

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
	const whole = tree.total[0];
	const length = span.value[1] - span.value[0];
	const facts = [...factsOf(tree, names, { node, few: 0, weight: tree.total[node] }), names.place(node),
		Number.isFinite(tree.first[node]) && words.firstSeen(seconds(tree.first[node], length))].filter(Boolean);
	const path = pathOf(tree, node);
	return <aside class="details" aria-label={words.details}>
		<h2><span class="grid-kind" style={{ background: modeColour({ tree, words: names, version: shape.version, dark: isDark.value, mode: panel.value.colour }, node) }} />
			{names.name(node)}</h2>
		<ul>{facts.map(fact => <li>{fact}</li>)}</ul>
		<div class="tab-tools">
			{(['copyName', 'copyStack', 'filterTo', 'callers', 'code'] as const).map(actionOf).filter(canDo)
				.map(action => <button key={action.key} onClick={action.run}>{action.title}</button>)}
		</div>
		<List title={words.callees} nodes={[...childrenOf(tree, node, 'weight').slice(0, MOST_LISTED)]} whole={whole} tree={tree} names={names} />
		<List title={words.hottest} nodes={hottestPath(tree, node).slice(0, MOST_LISTED)} whole={whole} tree={tree} names={names} />
		<List title={words.callChain} nodes={path.slice(0, -1).reverse().slice(0, 3 * MOST_LISTED)} whole={whole} tree={tree} names={names} />
	</aside>;
}
