// Processes over time: one lane each, below its parent.
import { computed, signal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { shown } from '../words/format';
import * as words from '../words/processes';
import { detailsOpen, singleKeys } from '../state/actions';
import { isDark } from '../state/theme';
import { weightByPlace } from '../state/over';
import { brushTime, change, recording, setRange, shownTime, span, state } from '../state/state';
import { factsText, Info, subtitleOf, titleOf, processesOf } from '../parts/lanes/info';
import { paintLanes } from '../parts/lanes/paint';
import { forest, keptNow, mainId, mainInfo, timeView } from '../parts/lanes/state';
import { hasModifier, ROW, rowByKey, take, useVisibleRows } from '../parts/table/rows';
import { ticksOf } from '../parts/time/axis';
import { useBrush } from '../parts/time/brush';
import { highestOf } from '../parts/time/series';
import { filterOf, isFold, lanesOf, type Lane } from '../views/processes';
import { Lacks } from './Lacks';
import '../parts/lanes/lanes.css';

const INDENT = 14, DEEPEST = 10; // what is deeper is not indented further
const LABEL = 280, NARROW_LABEL = 150, NARROW = 600;
const STEP = 0.25; // of the time in view
const SHORTEST = 1e4; // ns of time in view

// They stay when another tab is visited.
const toggled = signal<ReadonlySet<number>>(new Set());
const chosen = signal<ReadonlySet<number>>(new Set());
const currentKey = signal(0);

const lanes = computed(() => lanesOf({ forest: forest.value, processes: recording.value!.head.processes,
	kept: keptNow.value, time: shownTime.value, toggled: toggled.value }));

function flipped(set: ReadonlySet<number>, key: number): ReadonlySet<number> {
	const next = new Set(set);
	if (!next.delete(key))
		next.add(key);
	return next;
}

function parentOf(list: Lane[], at: number): number {
	let row = at - 1;
	while (row >= 0 && list[row].depth >= list[at].depth)
		row--;
	return row;
}

// Several are alternatives. Folded ones are too many for a chip each: their name stands for them.
function filterTo(list: Lane[]): void {
	const { filters } = state.value;
	const added = list
		.map(lane => filterOf(isFold(lane) ? { ...processesOf(lane)[0], pid: 0 } : processesOf(lane)[0]))
		.filter((one, i, all) => all.findIndex(other => other.kind === one.kind && other.text === one.text) === i
			&& !filters.some(old => old.kind === one.kind && old.text === one.text && !old.out));
	if (added.length)
		change({ filters: [...filters, ...added] });
	chosen.value = new Set();
}

// Zooms around the middle, moves by a part.
function lookAt(zoom: number, move: number): void {
	const [from, to] = shownTime.value, whole = span.value;
	const length = Math.max(SHORTEST, Math.min(whole[1] - whole[0], (to - from) * zoom));
	const start = Math.max(whole[0], Math.min(whole[1] - length, (from + to - length) / 2 + move * length));
	setRange(length >= whole[1] - whole[0] ? null : [start, start + length]);
}

const LOOKS: Record<string, [number, number]> = { w: [0.5, 0], s: [2, 0], a: [1, -STEP], d: [1, STEP] };

function Axis({ width }: { width: number }) {
	const [from, to] = shownTime.value;
	return <div class="lanes-axis" aria-hidden="true">
		{ticksOf(from, to, width).map(({ time, label }) =>
			<span key={time} style={{ left: (time - from) / (to - from) * width + 3 + 'px' }}>{label}</span>)}
	</div>;
}

function Lanes({ onHover }: { onHover(lane: Lane | null): void }) {
	const scroller = useRef<HTMLDivElement>(null), rows = useRef<HTMLDivElement>(null);
	const canvas = useRef<HTMLCanvasElement>(null);
	const list = lanes.value;
	const { first, last, page, width: whole, reveal } = useVisibleRows(scroller, list.length);
	const label = whole < NARROW ? NARROW_LABEL : LABEL;
	const width = Math.max(0, whole - label);
	const at = list.findIndex(lane => lane.key === currentKey.value);
	const [from, to] = shownTime.value;
	const event = mainInfo.value, dark = isDark.value;
	const visible = useMemo(() => list.slice(first, last), [list, first, last]);
	const place = useMemo(() => {
		const places = new Int32Array(recording.value!.head.processes.length).fill(-1);
		visible.forEach((lane, i) => lane.processes.forEach(process => places[process] = i));
		return places;
	}, [visible]);
	const bins = event && width > 0
		? weightByPlace('lanes', mainId.value, timeView.value, place, visible.length, shownTime.value, width) : null;

	useLayoutEffect(() => reveal(at), [currentKey.value]);
	useLayoutEffect(() => {
		if (!width)
			return;
		const { processes } = recording.value!.head;
		paintLanes(canvas.current!, { width, lanes: visible, processes, time: [from, to], bins, isDark: dark,
			full: event?.cpuTime || !bins ? (to - from) / width : Math.max(1, highestOf(bins)) });
	}, [visible, width, bins, from, to, dark]);

	const go = (row: number) => {
		if (list[row])
			currentKey.value = list[row].key;
	};
	const toggle = (lane: Lane) => { toggled.value = flipped(toggled.value, lane.key); };
	const onKey = (pressed: KeyboardEvent) => {
		const { key } = pressed;
		if (hasModifier(pressed) || pressed.target !== scroller.current)
			return;
		const lane = list[at] as Lane | undefined;
		const target = rowByKey(key, at, list.length, page);
		if (target >= 0)
			go(target);
		else if (singleKeys.value && key in LOOKS)
			lookAt(...LOOKS[key]);
		else if (!lane)
			return;
		else if (key === 'ArrowRight')
			lane.isOpen === false ? toggle(lane) : lane.isOpen && go(at + 1);
		else if (key === 'ArrowLeft')
			lane.isOpen ? toggle(lane) : go(parentOf(list, at));
		else if (key === 'Enter')
			filterTo([lane]);
		else if (key === ' ')
			chosen.value = flipped(chosen.value, lane.key);
		else if (key.toLowerCase() === 'f' && singleKeys.value)
			filterTo(chosen.value.size ? list.filter(one => chosen.value.has(one.key)) : [lane]);
		else
			return;
		take(pressed);
	};

	// A click chooses its own row.
	const onFocus = () => {
		if (at < 0 && scroller.current!.matches(':focus-visible'))
			go(0);
	};

	const rowOf = (moved: MouseEvent) =>
		Math.floor((moved.clientY - rows.current!.getBoundingClientRect().top) / ROW);
	const { drag, isDragged, handlers } = useBrush(
		() => ({ left: rows.current!.getBoundingClientRect().left + label, width }), brushTime);

	const rowElement = (lane: Lane, row: number) => {
		const isChosen = chosen.value.has(lane.key);
		return <div key={lane.key} id={'lane' + row} role="treeitem" aria-level={lane.depth + 1}
			aria-posinset={lane.place} aria-setsize={lane.places} aria-expanded={lane.isOpen ?? undefined}
			aria-selected={isChosen}
			class={'lanes-row' + (isChosen ? ' lanes-chosen' : '') + (row === at ? ' lanes-current' : '')}
			style={{ top: row * ROW + 'px' }}>
			<div class="lanes-label" style={{ paddingLeft: Math.min(lane.depth, DEEPEST) * INDENT + 'px' }}>
				<span class="lanes-twist" aria-hidden="true" data-twist={lane.isOpen === null ? undefined : ''}>
					{lane.isOpen === null ? '' : lane.isOpen ? '\u25be' : '\u25b8'}
				</span>
				{titleOf(lane)} <span class="lanes-dim">{subtitleOf(lane)}</span>
			</div>
			<span class="hidden">{factsText(lane)}</span>
		</div>;
	};
	return <div class="lanes" ref={scroller} role="tree" tabIndex={0} aria-label={words.tree}
		aria-multiselectable={true} aria-describedby="lanes-keys"
		aria-activedescendant={at >= first && at < last ? 'lane' + at : undefined}
		style={{ '--lanes-label': label + 'px' }} onKeyDown={onKey} onFocus={onFocus}>
		<div class="lanes-head" aria-hidden="true"><span>{words.processes}</span><Axis width={width} /></div>
		<div class="lanes-rows" ref={rows} role="presentation" style={{ height: list.length * ROW + 'px' }}
			{...handlers}
			onPointerMove={moved => {
				handlers.onPointerMove(moved);
				onHover(list[rowOf(moved)] ?? null);
			}}
			onPointerLeave={() => onHover(null)}
			onClick={clicked => {
				const row = rowOf(clicked);
				if (isDragged.current || !list[row])
					return;
				go(row);
				if ((clicked.target as HTMLElement).dataset.twist !== undefined)
					toggle(list[row]);
				else if (clicked.ctrlKey || clicked.metaKey)
					chosen.value = flipped(chosen.value, list[row].key);
			}}
			onDblClick={clicked => {
				const lane = list[rowOf(clicked)];
				if (lane && (clicked.target as HTMLElement).dataset.twist === undefined)
					filterTo([lane]);
			}}>
			<canvas ref={canvas} aria-hidden="true"
				style={{ top: first * ROW + 'px', width: width + 'px', height: (last - first) * ROW + 'px' }} />
			{list.slice(first, last).map((lane, i) => rowElement(lane, first + i))}
			{drag && <div class="lanes-brush"
				style={{ left: label + drag[0] * width + 'px', width: (drag[1] - drag[0]) * width + 'px' }} />}
		</div>
		<p id="lanes-keys" class="hidden" aria-hidden="true">{words.treeHint}</p>
	</div>;
}

export function ProcessTree() {
	const [hovered, setHovered] = useState<Lane | null>(null);
	const { head } = recording.value!;
	const list = lanes.value, event = mainInfo.value;
	if (head.processes.length < 2)
		return <Lacks of="process-tree" />;
	if (!list.length)
		return <div class="shell-message">
			<p>{words.noneInView}</p>
			<button onClick={() => change({ range: null, filters: [] })}>{words.showAll}</button>
		</div>;
	const lane = hovered ?? list.find(one => one.key === currentKey.value);
	const selected = list.filter(one => chosen.value.has(one.key));
	const inView = list.reduce((sum, one) => sum + (one.depth ? 0 : one.processes.length + one.below), 0);
	return <div class="shell-main">
		<div class="tab-tools">
			<span role="status">{words.shown(inView, head.processes.filter(Boolean).length)}</span>
			{event && <span class="lanes-hint">
				{event.cpuTime ? words.scale : words.scaleOther(shown(event.name))}
			</span>}
			{state.value.range && <button onClick={() => setRange(null)}>{words.zoomOut}</button>}
		</div>
		<Lanes onHover={setHovered} />
		{detailsOpen.value && <section class="lanes-info" aria-label={words.info}>
			{lane ? <Info lane={lane} selected={selected.length}
				onFilter={() => filterTo(selected.length ? selected : [lane])} />
				: <span class="lanes-hint">{words.treeHint}</span>}
		</section>}
	</div>;
}
