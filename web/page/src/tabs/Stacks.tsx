// The tabs of call chains: CPU, Memory, Heap, Waits. A pivot table and a flame graph of one tree.
import { useMemo, useRef } from 'preact/hooks';
import { grouped, seconds, share, shown } from '../words/format';
import * as comparison from '../words/compare';
import * as words from '../words/shell';
import { detailsOpen, focusView } from '../state/actions';
import { GROUPS, type Panel, type View } from '../state/link';
import { isDark } from '../state/theme';
import { panelOf, viewsOf } from '../state/presets';
import { histogramsOver, peakTime, weightOver } from '../state/over';
import { PANELS } from '../state/tabs';
import {
	analysis, askChildren, brushTime, change, changePanel, current, eventId, hits, openNodes, panel, panelsWith, place, recording, root, setCurrent, setRange, setRoot, shownTime, span, state,
	words as treeWords, type Analysis,
} from '../state/state';
import { Details, hottestPath } from '../parts/details/Details';
import { Flame, flamePng, flameSvg } from '../parts/flame/flame';
import { Heat } from '../parts/heat/heat';
import { wholeView } from '../parts/lanes/state';
import { Grid, tableText, type GridColumn } from '../parts/grid/grid';
import { openMenu } from '../parts/shell/Menu';
import { announced, copy, save } from '../parts/copy';
import { MODES } from '../views/modes';
import { peaksOf, sizesOf } from '../views/sizes';
import { childrenOf, hottestFunction, type Words } from '../views/tree';
import { isWaiting } from '../served/trees';
import { Lacks } from './Lacks';

const WHEN_BINS = 30;

function Choice<T extends string>({ title, value, of, onChange }: { title: string; value: T; of: [T, string][]; onChange(value: T): void }) {
	return <label>{title}<select value={value} onChange={event => onChange(event.currentTarget.value as T)}>
		{of.map(([key, text]) => <option key={key} value={key}>{text}</option>)}
	</select></label>;
}

function Tools({ shape }: { shape: Analysis }) {
	const { head } = recording.value!;
	const now = panel.value;
	const isFit = PANELS[state.value.tab]!;
	const events = head.events.filter(event => event && event.samples > 0 && isFit(event, head));
	const set = (part: Partial<Panel>) => changePanel(part);
	const views = viewsOf(head, state.value.preset, state.value.tab);
	const view = views.findIndex(one => Object.entries(panelOf(one)).every(([key, value]) =>
		value === undefined || String(value) === String(now[key as keyof Panel])));
	return <div class="tab-tools">
		{views.length > 1 && <Choice title={words.panel} value={String(view)} of={[...view < 0 ? [['-1', words.ownView] as [string, string]] : [],
			...views.map((one, i): [string, string] => [String(i), shown(one.title ?? one.group ?? '')])]}
			onChange={i => views[Number(i)] && set({ ...panelOf(views[Number(i)]), root: '' })} />}
		{events.length > 1 && <Choice title={words.event} value={now.event} onChange={event => set({ event, root: '' })}
			of={events.map(event => [event!.name, shown(event!.name)])} />}
		{shape.event.lifetimes && <Choice title={words.measure} value={now.measure} onChange={measure => set({ measure })}
			of={(['outstanding', 'all', 'gone'] as const).map(key =>
				[key, (shape.event.pages ? words.measuresOfPages : words.measures)[key]])} />}
		{shape.tree.total[0] > 0 && <AtPeak />}
		{state.value.tab === 'heap' && <Snapshots />}
		<div class="tab-switch" role="group">
			{Object.entries(words.views).map(([key, title]) => <button key={key} aria-pressed={now.view === key}
				onClick={() => set({ view: key as View })}>{title}</button>)}
		</div>
		<button aria-pressed={now.inverted} onClick={() => set({ inverted: !now.inverted, root: '' })}>{words.inverted}</button>
		<button aria-pressed={now.flipped} onClick={() => set({ flipped: !now.flipped })}>{words.upward}</button>
		<Choice title={words.order} value={now.order} onChange={order => set({ order })}
			of={Object.entries(words.orders) as [Panel['order'], string][]} />
	</div>;
}

// What is outstanding at the end of this time is what was there at once at most.
function AtPeak() {
	const peak = state.value.tab === 'memory' && peakTime(eventId.value, wholeView.value);
	return peak ? <button title={words.atPeakHint} onClick={() => change({ range: [span.value[0], peak], panels: panelsWith({ measure: 'outstanding' }) })}>
		{words.atPeak}</button> : null;
}

// Which blocks are shown, by snapshots: those that are there at one and were not at an earlier one.
function Snapshots() {
	const { snapshots } = recording.value!.head;
	const [from, to] = panel.value.snapshots ?? [0, 0];
	const named: [string, string][] = snapshots.map((one, i) => [String(i + 1), words.snapshot(i + 1, seconds(one.time, span.value[1]), shown(one.label))]);
	const set = (a: number, b: number) => changePanel({ snapshots: b ? [a < b ? a : 0, b] : null });
	return snapshots.length === 0 ? null : <>
		<Choice title={words.atSnapshot} value={String(to)} of={[['0', state.value.range ? words.atRangeEnd : words.atEnd], ...named]} onChange={value => set(from, Number(value))} />
		{to > 0 && <Choice title={words.sinceSnapshot} value={String(from)} of={[['0', words.sinceStart], ...named.slice(0, to - 1)]}
			onChange={value => set(Number(value), to)} />}
	</>;
}

// The first answer: where the most is.
function Answer({ shape, names }: { shape: Analysis; names: Words }) {
	const { tree } = shape;
	const [top] = childrenOf(tree, 0, 'weight');
	if (top === undefined)
		return null;
	const part = (node: number) => share(tree.total[node], tree.total[0]);
	const { inverted } = panel.value;
	const end = inverted ? hottestFunction(tree) : hottestPath(tree, top).pop() ?? top;
	return <p class="tab-answer">
		{(inverted ? words.answerInverted : words.answer)(part(top), names.name(top), names.short(end), part(end))}{' '}
		<button onClick={() => { setCurrent(end); focusView(); }}>{words.walk}</button>
	</p>;
}

function columnsOf(shape: Analysis, names: Words): GridColumn[] {
	const { tree, event, samples, kept, shaped, version } = shape;
	const whole = tree.total[0];
	const amount = event.unit === 'ns' || event.unit === 'bytes' ? names.amount : grouped; // the title has the unit
	const columns: GridColumn[] = [
		{ key: 'total', title: amount === grouped ? event.unit : words.total, value: node => tree.total[node], text: amount,
			bar: node => whole ? tree.total[node] / whole : 0 },
		{ key: 'share', title: '%', value: node => 100 * tree.total[node] / whole, text: (_, node) => share(tree.total[node], whole) },
		{ key: 'self', title: words.self, value: node => tree.self[node], text: amount,
			bar: node => whole ? tree.self[node] / whole : 0 },
	];
	if (event.counts && event.unit !== event.row + 's')
		columns.push({ key: 'count', title: tree.allocated ? words.blocksLeft : event.row + 's', value: node => tree.totalTimes[node],
			text: value => names.count(value).split(' ')[0] });
	if (tree.allocated) {
		const { allocated, allocations } = tree;
		columns.push(
			{ key: 'allocated', title: event.pages ? words.committed : words.allocated, value: node => allocated[node], text: names.amount },
			{ key: 'average', title: words.average, value: node => Math.round(allocated[node] / allocations![node]), text: names.amount });
	}
	const known = (text: (n: number) => string) => (n: number) => Number.isFinite(n) ? text(n) : '';
	const amountKnown = known(names.amount), time = known(ns => seconds(ns, span.value[1]));
	if (samples) {
		const sizes = () => sizesOf(shaped, samples, kept, version);
		if (tree.allocated)
			columns.push({ key: 'peak', title: words.peak, isExtra: true, value: node => peaksOf(shaped, samples, kept, version)[node], text: names.amount },
				{ key: 'least', title: words.least, isExtra: true, value: node => sizes().least[node], text: amountKnown },
				{ key: 'largest', title: words.largest, isExtra: true, value: node => sizes().largest[node], text: amountKnown });
		columns.push({ key: 'first', title: words.first, isExtra: true, value: node => sizes().first[node], text: time },
			{ key: 'last', title: words.last, isExtra: true, value: node => sizes().last[node], text: time });
	}
	columns.push({ key: 'when', title: words.when, width: 0, value: node => -tree.first[node], text: () => '',
		whens: nodes => histogramsOver(shape, nodes, shownTime.value, WHEN_BINS) });
	return columns;
}

function columnsOfBoth({ tree }: Analysis, names: Words): GridColumn[] {
	const change = (node: number) => tree.total[node] - tree.before![node];
	const most = Math.max(tree.total[0], tree.before![0]);
	return [
		{ key: 'change', title: comparison.changed, value: change, text: value => comparison.signed(value, names.amount), bar: node => Math.abs(change(node)) / most },
		{ key: 'percent', title: '%', value: node => tree.before![node] ? 100 * change(node) / tree.before![node] : Infinity,
			text: (_, node) => tree.before![node]
				? comparison.signed(change(node), n => share(n, tree.before![node])) : comparison.isNew },
		{ key: 'before', title: comparison.before, value: node => tree.before![node], text: names.amount },
		{ key: 'total', title: comparison.after, value: node => tree.total[node], text: names.amount },
	];
}

// Those that mean something for the event.
function groupsAvailable({ event }: Analysis): { key: string; title: string }[] {
	const ofBlocks = ['heap', 'allocator', 'size'], ofWaits = ['wait-reason', 'readied-by'];
	return Object.keys(GROUPS).filter(key => (event.lifetimes || !ofBlocks.includes(key))
		&& (state.value.tab === 'waits' || !ofWaits.includes(key))).map(key => ({ key, title: key }));
}

export function Stacks() {
	const shape = analysis.value, names = treeWords.value;
	const canvas = useRef<HTMLDivElement>(null);
	const all = useMemo(() => !shape || !names ? [] : shape.tree.before ? columnsOfBoth(shape, names) : columnsOf(shape, names),
		[shape, names]);
	const changed = panel.value.columns, isHidden = (column: GridColumn) => !column.isExtra === changed.includes(column.key);
	const columns = useMemo(() => all.every(isHidden) ? all : all.filter(one => !isHidden(one)), [all, changed.join()]);
	if (!eventId.value)
		return <Lacks of={state.value.tab} />;
	if (!shape || !names)
		return <p class="shell-message">{words.reading(words.parts.samples)}</p>;

	const { tree, version } = shape;
	const broken = recording.value!.damaged.get('samples-' + eventId.value);
	if (broken)
		return <p class="shell-message" role="alert">{shown(broken)}</p>;
	const isGone = shape.event.lifetimes && panel.value.measure !== 'all';
	if (tree.total[0] <= 0)
		return <><Tools shape={shape} /><div class="shell-message">
			<p>{(isGone ? words.nothingLeft : words.emptyRange)(shape.event.row, shape.event.samples)}</p>
			<AtPeak />{' '}
			{isGone && <button onClick={() => changePanel({ measure: 'all', snapshots: null })}>
				{(shape.event.pages ? words.measuresOfPages : words.measures).all}</button>}{' '}
			<button onClick={() => change({ range: null, filters: [] })}>{words.showAll}</button>
		</div></>;

	const now = panel.value;
	const flame = { tree, version, words: names, root: root.value, current: current.value, order: now.order, flipped: now.flipped,
		hits: hits.value, dark: isDark.value, mode: tree.before ? 'difference' as const : now.colour, onCurrent: setCurrent, onRoot: setRoot,
		onMenu: (node: number, x: number, y: number) => { setCurrent(node); openMenu(x, y); } };
	const title = recording.value!.head.title || 'wick';
	const key = now.sort.replace('-', '') || (tree.before ? 'change' : 'total');
	const sort = { key: key === 'name' || all.some(one => one.key === key) ? key : all[0].key, descending: now.sort[0] === '-' || !now.sort };
	const grid = { tree, version, words: names, root: 0, columns, sort, least: now.least };
	return <div class="shell-view">
		<div class="shell-main">
			<Tools shape={shape} />
			{!state.value.range && state.value.filters.length === 0 && <Answer shape={shape} names={names} />}
			<div class="tab-body" aria-busy={isWaiting.value}>
				{now.view === 'heat' && <div class="tab-half tab-text">
					<Heat bins={(to, count) => weightOver('heat', eventId.value, wholeView.value, [0, to], count) ?? new Float64Array(count)} to={span.value[1]} range={state.value.range} dark={isDark.value}
						onRange={range => setRange(range, true)} />
				</div>}
				{now.view !== 'flame' && now.view !== 'heat' && <div class="tab-half">
					<Grid {...grid} groups={now.groups.map(key => ({ key, title: key }))} available={groupsAvailable(shape)}
						onGroups={groups => changePanel({ groups, root: '' })} current={current.value} hits={hits.value}
						open={openNodes} hidden={all.filter(isHidden)}
						onSort={next => place({ sort: (next.descending ? '-' : '') + next.key })}
						onToggle={one => changePanel({ columns: changed.includes(one) ? changed.filter(other => other !== one) : [...changed, one] })} onCurrent={setCurrent}
						onMenu={flame.onMenu} onZoom={setRoot} onChildren={askChildren} dark={isDark.value} mode={now.colour}
						onBrush={brushTime} />
					<div class="tab-tools">{words.copyTable}{(['tsv', 'csv', 'markdown', 'folded'] as const).map(form =>
						<button key={form} onClick={() => copy(tableText({ ...grid, open: openNodes.value }, form))}>{words.forms[form]}</button>)}</div>
				</div>}
				{(now.view === 'flame' || now.view === 'both') && <div class="tab-half" ref={canvas}>
					<Flame {...flame} />
					<div class="tab-tools">
						{!tree.before && <Choice title={words.colour} value={now.colour} of={MODES.map(mode => [mode, words.colours[mode]])}
							onChange={colour => changePanel({ colour })} />}
						<button onClick={() => save(title + '.svg', new Blob([flameSvg(flame, canvas.current!.clientWidth)],
							{ type: 'image/svg+xml' }))}>{words.saveFlame}</button>
						<button onClick={() => void flamePng(flame, canvas.current!.clientWidth)
							.then(blob => save(title + '.png', blob), (error: Error) => { announced.value = error.message; })}>{words.savePng}</button>
					</div>
				</div>}
			</div>
		</div>
		{detailsOpen.value && <Details />}
	</div>;
}
