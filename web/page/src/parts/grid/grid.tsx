// The pivot table: a calling tree as rows, of which only those in view are in the document.

import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { modeColour, type Mode } from '../../views/modes';
import { isWithin, pathOf } from '../../views/tree';
import { share } from '../../words/format';
import * as say from '../../words/grid';
import { announced, copy } from '../copy';
import { ROW, rowByKey, take, useVisibleRows } from '../table/rows';
import { Histogram } from '../time/histogram';
import { Header, type Grouping } from './header';
import {
	chainChild, gridRows, hottestChild, isLeaf, leftOut, moreText, openable, openNode, openTo, openToSplit, rowsText,
	showMore, sortedChildren, type GridColumn, type RowsOf, type Sort,
} from './rows';
import './grid.css';

export { tableText, type GridColumn } from './rows';

export interface GridProps extends Omit<RowsOf, 'open'> {
	open: { value: ReadonlySet<number> }; // a signal
	dark: boolean;
	mode: Mode; // of the colours
	groups: Grouping[]; // the last is the stack
	available: Grouping[]; // what can be added to them
	current: number; // 0: none
	hits: Uint8Array | null; // by node
	onGroups(keys: string[]): void;
	hidden: GridColumn[]; // columns that can be shown
	onSort(sort: Sort): void;
	onToggle(key: string): void; // shows or hides a column
	onCurrent(node: number): void;
	onMenu(node: number, x: number, y: number): void;
	onZoom(node: number): void;
	onChildren(node: number): void; // of a tree that is served: those that were not sent are wanted
	onBrush?(from: number, to: number): void; // shares of the visible time
}

const INDENT = 14;
const GOLD = 5; // width of the bar between groupings and values
const TREE = 260, NARROW_TREE = 200; // least width of the tree's column
const NARROW = 600; // a table that is narrower has two value columns
const LETTER = 8, HEAD = 58, MOST_HEAD = 150; // px: of a title, and what its menu and its arrow need
const WHEN = 76; // width of a histogram's column, to which its text adds
const MANY = 2000; // rows that open without asking
const PAUSE = 60; // ms without a change before histograms are counted

type Bins = Map<string, Map<number, Float32Array>>; // by column and node

// Counting reads all samples, so it waits until rows and weights rest.
function useWhens(columns: GridColumn[], rows: number[], version: number): Bins {
	const [bins, setBins] = useState<Bins>(new Map());
	useEffect(() => {
		const counted = columns.filter(column => column.whens);
		if (!counted.length)
			return;
		const nodes = rows.filter(node => node >= 0);
		let isLate = false;
		const timer = setTimeout(() => void Promise.all(counted.map(async column => [column.key, await column.whens!(nodes)] as const))
			.then(all => isLate || setBins(new Map(all))), PAUSE);
		return () => {
			isLate = true;
			clearTimeout(timer);
		};
	}, [columns, version, rows.join()]);
	return bins;
}

export function Grid(props: GridProps) {
	const { tree, words, current, root, version, sort } = props;
	const open = props.open.value;
	const of: RowsOf = { ...props, open };
	const changeOpen = <T,>(edit: (next: Set<number>) => T): T => {
		const next = new Set(open), result = edit(next);
		props.open.value = next;
		return result;
	};
	const scroller = useRef<HTMLDivElement>(null);
	const wasSeen = useRef(false); // the current row was, before other rows came or went
	const askButton = useRef<HTMLButtonElement>(null);
	const [edition, setEdition] = useState(0); // of how much of long levels is shown
	const [onMore, setOnMore] = useState(0); // the row ~parent that is current; 0: a node is
	const [anchor, setAnchor] = useState<number | null>(null); // the other end of the selected rows
	const [ask, setAsk] = useState<{ rows: number; nodes: number[] } | null>(null);

	const rows = useMemo(() => gridRows(of),
		[tree, version, root, open, sort.key, sort.descending, props.least, edition]);
	const { nodes } = rows;
	const view = useVisibleRows(scroller, nodes.length);
	const isNarrow = view.width > 0 && view.width < NARROW;
	const columns = isNarrow ? props.columns.slice(0, 2) : props.columns;
	const active = onMore || current;
	const at = active ? nodes.indexOf(active) : -1;
	const anchorAt = anchor === null ? -1 : nodes.indexOf(anchor);
	const isSelected = (row: number) =>
		row === at || anchorAt >= 0 && at >= 0 && (row - at) * (row - anchorAt) <= 0;

	useEffect(() => {
		setOnMore(0);
		if (current && at < 0 && isWithin(tree, current, root) && current !== root) {
			changeOpen(next => openTo(of, next, current));
			setEdition(edition + 1);
		}
	}, [current, tree, root]);
	useLayoutEffect(() => view.reveal(at), [active, at >= 0, sort.key, sort.descending, root, tree]);
	useLayoutEffect(() => {
		if (wasSeen.current)
			view.reveal(at);
	}, [at]);
	useLayoutEffect(() => {
		wasSeen.current = at >= view.first && at < view.last;
	});
	const inDocument = nodes.slice(view.first, view.last);
	const slots = Math.max(view.page + 64, inDocument.length);
	const bins = useWhens(props.columns, inDocument, version);
	useEffect(() => {
		if (ask)
			askButton.current!.focus();
	}, [ask]);

	const go = (row: number, extends_ = false) => {
		setAnchor(extends_ ? anchor ?? active : null);
		setOnMore(row < 0 ? row : 0);
		if (row >= 0 && row !== current)
			props.onCurrent(row);
	};
	const openMore = (parent: number) => {
		if (tree.served?.left[parent])
			props.onChildren(parent);
		showMore(of, parent);
		setEdition(edition + 1);
		const next = gridRows(of).nodes[at];
		if (onMore)
			go(next);
	};
	const close = (node: number) => changeOpen(next => next.delete(node));
	// To the row that shows it: the first of a chain, above that the parent.
	const goOut = (node: number) => {
		let up = node;
		while (tree.parent[up] !== root && chainChild(tree, tree.parent[up]) === up)
			up = tree.parent[up];
		const target = up === node ? tree.parent[node] : up;
		if (target !== root)
			go(target);
	};
	const openAndGo = (node: number) => go(changeOpen(next => openNode(tree, next, node)));
	const walkToSplit = (node: number) =>
		go(changeOpen(next => openToSplit(tree, next, node)) || hottestChild(tree, root));
	const openAll = (list: number[]) => {
		changeOpen(next => list.forEach(node => next.add(node)));
		stopAsking();
	};
	const stopAsking = () => {
		setAsk(null);
		scroller.current!.focus();
	};
	const openSubtree = (node: number) => {
		const { rows: count, nodes: list } = openable(tree, node);
		if (count > MANY)
			setAsk({ rows: count, nodes: list });
		else
			openAll(list);
	};
	const menuAtRow = (node: number) => {
		const box = document.getElementById('row' + node)?.getBoundingClientRect();
		if (box)
			props.onMenu(node, box.left + 24, box.bottom);
	};

	const onKey = (event: KeyboardEvent) => {
		if (event.target !== scroller.current || event.altKey || event.metaKey)
			return;
		const { key } = event;
		const node = at >= 0 && active > 0 ? active : 0;
		const target = event.ctrlKey ? -1 : rowByKey(key, at, nodes.length, view.page);
		if (event.ctrlKey) {
			if (!event.shiftKey || key.toLowerCase() !== 'c' || !node)
				return;
			copy(pathOf(tree, node).map(words.name).join('\n') + '\n');
		} else if (target >= 0)
			go(nodes[target], event.shiftKey);
		else if (active < 0 && (key === 'Enter' || key === 'ArrowRight'))
			openMore(~active);
		else if (active < 0 && key === 'ArrowLeft')
			go(~active);
		else if (key === 'ArrowRight' && (node || nodes.length))
			node ? openAndGo(node) : go(nodes[0]);
		else if (key === 'ArrowLeft' && node)
			open.has(node) ? close(node) : goOut(node);
		else if (key === 'Enter')
			walkToSplit(node || root);
		else if (key === '*')
			openSubtree(node || root);
		else if (node && (key === 'ContextMenu' || key === 'F10' && event.shiftKey))
			menuAtRow(node);
		else
			return;
		take(event);
	};
	const onCopy = (event: ClipboardEvent) => {
		if (!getSelection()?.isCollapsed || at < 0)
			return;
		const [first, last] = anchorAt < 0 ? [at, at] : [Math.min(at, anchorAt), Math.max(at, anchorAt)];
		const part = (list: number[]) => list.slice(first, last + 1);
		const text = rowsText({ ...of, columns }, { nodes: part(nodes), indents: part(rows.indents) }, 'tsv');
		// One row alone needs no header.
		event.clipboardData!.setData('text/plain', first < last ? text : text.slice(text.indexOf('\n') + 1));
		event.preventDefault();
		announced.value = say.copied(last - first + 1);
	};

	const widths = columns.map(column => Math.max(column.whens ? WHEN + (column.width ?? 0) : column.width ?? 96,
		Math.min(column.title.length * LETTER + HEAD, MOST_HEAD)));
	const valueWidth = widths.reduce((sum, width) => sum + width, GOLD);
	const treeWidth = Math.max(isNarrow ? NARROW_TREE : TREE, view.width - valueWidth);
	const deepest = Math.floor(treeWidth / 2 / INDENT); // what is deeper is not indented further

	const lead = (row: number, isOpen: boolean | undefined) => {
		const indent = rows.indents[row];
		return (
			<>
				<span class="grid-guides" aria-hidden="true"
					style={{ width: Math.min(indent, deepest) * INDENT + 'px' }} />
				<span class={'grid-twist' + (isOpen === undefined ? ' grid-leaf' : isOpen ? ' grid-open' : '')}
					aria-hidden="true" onClick={event => {
						if (isOpen === undefined)
							return;
						event.stopPropagation();
						go(nodes[row]);
						changeOpen(next => next.delete(nodes[row]) || openNode(tree, next, nodes[row]));
					}} onDblClick={event => event.stopPropagation()} />
				{indent > deepest && <span class="grid-dim">{say.depth(indent)} </span>}
			</>
		);
	};
	const cell = (column: typeof columns[0], node: number) => {
		const value = column.value(node);
		const when = bins.get(column.key)?.get(node);
		const isZero = !value && !column.whens;
		const text = isZero ? '0' : column.text(value, node);
		return (
			<div class="grid-value" role="gridcell" key={column.key}>
				{column.bar && <span class="grid-bar" style={{ width: 100 * column.bar(node) + '%' }} />}
				{column.whens && <span class="grid-when">
					<Histogram bins={when} dark={props.dark} onBrush={props.onBrush} />
				</span>}
				{text && <span class={isZero ? 'grid-text grid-zero' : 'grid-text'}>{text}</span>}
			</div>
		);
	};
	const rowOf = (node: number, row: number) => {
		const parent = node < 0 ? ~node : tree.parent[node];
		const siblings = sortedChildren(of, parent);
		const isOpen = node >= 0 && !isLeaf(tree, node) ? open.has(node) : undefined;
		const isHit = node >= 0 && props.hits !== null && props.hits[node] > 0;
		const common = {
			id: 'row' + node, role: 'row' as const,
			key: row % slots, // elements are used again: that is faster than new ones
			'aria-rowindex': row + 2, 'aria-level': tree.depth[parent] - tree.depth[root] + 1,
			'aria-selected': isSelected(row),
			class: 'grid-row' + (isSelected(row) ? ' grid-selected' : '') + (row === at ? ' grid-current' : '')
				+ (isHit ? ' grid-hit' : ''),
		};
		if (node < 0) {
			const { count, weight } = leftOut(of, parent);
			return (
				<div {...common} onClick={() => openMore(parent)}>
					<div class="grid-name grid-more" role="gridcell"
						title={say.moreHint(count, share(weight, tree.total[0]))}>
						{lead(row, undefined)}{moreText(of, parent)}
					</div>
				</div>
			);
		}
		const detail = words.detail(node), name = words.name(node), inlined = tree.inlined[node] > 0;
		return (
			<div {...common} aria-expanded={isOpen} aria-posinset={siblings.indexOf(node) + 1}
				aria-setsize={siblings.length}
				onClick={event => go(node, event.shiftKey)} onDblClick={() => props.onZoom(node)}
				onContextMenu={event => {
					event.preventDefault();
					go(node);
					props.onMenu(node, event.clientX, event.clientY);
				}}>
				<div class="grid-name" role="gridcell" title={name}>
					{lead(row, isOpen)}
					<span class="grid-kind" aria-hidden="true"
						style={{ background: modeColour(props, node) }} />
					<span class={words.isUnnamed(node) ? 'grid-short grid-unnamed' : 'grid-short'}>
						{words.short(node)}
					</span>
					{inlined && <span class="grid-dim" title={say.inlinedHint}> {say.inlined}</span>}
					{isHit && <span class="hidden"> ({say.match})</span>}
					{detail && <span class="grid-dim"> {detail}</span>}
				</div>
				<span class="grid-gold" role="presentation" />
				{columns.map(column => cell(column, node))}
			</div>
		);
	};
	return (
		<div class="grid-part">
			<div class="grid" role="treegrid" tabIndex={0} ref={scroller} aria-label={say.label}
				aria-rowcount={nodes.length + 1} aria-colcount={columns.length + 1} aria-multiselectable={true}
				aria-activedescendant={at >= view.first && at < view.last ? 'row' + active : undefined}
				style={{
					'--grid-columns': [treeWidth, GOLD, ...widths].map(width => width + 'px').join(' '),
					'--grid-width': treeWidth + valueWidth + 'px',
				}}
				onKeyDown={onKey} onCopy={onCopy}
				onContextMenu={event => event.target === scroller.current && event.preventDefault()}>
				<Header {...props} columns={columns} />
				<div class="grid-rows" role="rowgroup"
					style={{ height: nodes.length * ROW + 'px', paddingTop: view.first * ROW + 'px' }}>
					{inDocument.map((node, i) => rowOf(node, view.first + i))}
				</div>
			</div>
			{ask && (
				<div class="grid-ask" role="alertdialog" aria-label={say.ask(ask.rows)} onKeyDown={event => {
					if (event.key === 'Escape') {
						event.stopPropagation();
						stopAsking();
					}
				}}>
					{say.ask(ask.rows)}{' '}
					<button ref={askButton} onClick={() => openAll(ask.nodes)}>{say.openAll}</button>{' '}
					<button onClick={stopAsking}>{say.cancel}</button>
				</div>
			)}
		</div>
	);
}
