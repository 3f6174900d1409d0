// What was recorded over time: each event as a row, memory of processes, marks, snapshots and records.
import { useMemo, useRef } from 'preact/hooks';
import { amountOf, grouped, shown } from '../words/format';
import * as words from '../words/processes';
import { isDark } from '../state/theme';
import { PANELS } from '../state/tabs';
import { TITLES, type Tab } from '../state/link';
import { asksSums, brushTime, change, panelsWith, recording, samplesOf, setRange, shownTime } from '../state/state';
import { keptNow, timeView, usesNow } from '../parts/lanes/state';
import { timesByProcess, weightOver } from '../state/over';
import { useWidth } from '../parts/time/canvas';
import { Chart } from '../parts/time/chart';
import { Histogram } from '../parts/time/histogram';
import { hasUse, largestUsers, useOver, type Use } from '../views/processes';
import { eachRow } from '../views/weigh';
import { Shown } from './ShownTables';
import '../parts/lanes/lanes.css';

const MOST_LINES = 8;
const LINE_BINS = 400;
const NARROW = 800, PADDING = 8;
const OTHER_COLUMNS = 692, NARROW_COLUMNS = 316, LEAST_WIDTH = 60; // pixels, as in lanes.css

// ---- events

const openEvent = (tab: Tab, event: string): void =>
	change({ tab, panels: panelsWith({ event, root: '', at: '' }, tab) });

function EventRow({ id, width }: { id: number; width: number }) {
	const { head } = recording.value!;
	const event = head.events[id]!, name = shown(event.name);
	const samples = asksSums.value ? null : samplesOf(id), view = timeView.value, [from, to] = shownTime.value;
	const served = asksSums.value ? weightOver('event-' + id, id, view, shownTime.value, width) : null;
	const servedTimes = asksSums.value ? timesByProcess('times-' + id, id, shownTime.value) : null;
	const sums = useMemo(() => {
		const bins = new Float32Array(width);
		const scale = width / (to - from);
		let times = 0, weight = 0;
		served?.forEach((one, i) => {
			bins[i] = one;
			weight += one;
		});
		servedTimes?.forEach(count => { times += count; });
		if (samples)
			eachRow(samples, view, (_row, one, count, time) => {
				bins[Math.max(0, Math.min(width - 1, Math.floor((time - from) * scale)))] += one;
				times += count;
				weight += one;
			});
		return { bins, times, weight };
	}, [samples, served, servedTimes, view, from, to, width]);
	const tab = (Object.keys(PANELS) as Tab[]).find(key => PANELS[key]!(event, head));
	const isSum = event.weight !== event.samples;
	return <tr>
		<th scope="row" title={name}>{tab
			? <button aria-label={words.open(name, TITLES[tab])} onClick={() => openEvent(tab, event.name)}>
				{name}
			</button> : name}</th>
		<td><Histogram bins={sums.bins} dark={isDark.value} width={width} onBrush={brushTime} /></td>
		<td>{event.counts || !isSum ? grouped(sums.times) : ''}</td>
		<td>{event.counts || !isSum ? grouped(event.samples) : ''}</td>
		<td>{isSum ? amountOf(sums.weight, event.unit) : ''}</td>
		<td>{isSum ? amountOf(event.weight, event.unit) : ''}</td>
	</tr>;
}

function EventTable({ width }: { width: number }) {
	const isNarrow = width < NARROW;
	const wide = Math.max(LEAST_WIDTH, width - (isNarrow ? NARROW_COLUMNS : OTHER_COLUMNS));
	const { events } = recording.value!.head;
	const ids = [...events.keys()].filter(id => events[id] && events[id].samples > 0);
	return ids.length === 0 ? null : <table class={isNarrow ? 'lanes-narrow' : ''}>
		<caption><h2>{words.events}</h2></caption>
		<thead><tr>{words.columns.map(title => <th key={title} scope="col">{title}</th>)}</tr></thead>
		<tbody>{ids.map(id => <EventRow key={id} id={id} width={wide} />)}</tbody>
	</table>;
}

// ---- memory of processes

function UseChart({ what }: { what: Use }) {
	const opened = recording.value!, uses = usesNow(), kept = keptNow.value, time = shownTime.value;
	const largest = useMemo(
		() => uses && hasUse(uses, what) ? largestUsers(uses, what, kept, time, MOST_LINES) : [], [uses, kept, time]);
	const series = useMemo(() => largest.map(id => {
		const { name, pid } = opened.head.processes[id]!;
		const only = new Uint8Array(kept.length);
		only[id] = 1;
		return { name: `${name || words.unnamed} ${pid || ''}`, unit: 'bytes', kind: 'line' as const,
			bins: useOver(opened, uses!, what, only, time, LINE_BINS) };
	}), [largest]);
	return series.length === 0 ? null : <>
		<h2>{words.uses[what]}</h2>
		<Chart from={time[0]} to={time[1]} series={series} dark={isDark.value} label={words.uses[what]}
			onRange={setRange} />
	</>;
}

// ---- tables

type ListName = keyof typeof words.tables;

function List({ name, rows }: { name: ListName; rows: number }) {
	const { marks, last } = recording.value!.head;
	const showTime = (start: unknown) => {
		const next = marks.find(mark => mark.time > Number(start));
		setRange([Number(start), next ? next.time : last]);
	};
	return <>
		<h2>{words.tables[name]}</h2>
		<div class="lanes-box" style={{ '--lanes-box': rows * 22 + 80 + 'px' }}>
			<Shown name={name} label={words.tables[name]}
				onRow={name === 'marks' ? row => showTime(row.time_ns) : undefined}
				tools={name === 'marks' ? <span class="lanes-hint">{words.marksHint}</span> : undefined} />
		</div>
	</>;
}

export function Events() {
	const { marks, snapshots, lacks } = recording.value!.head;
	const box = useRef<HTMLDivElement>(null);
	const width = useWidth(box);
	const missing = (['marks', 'snapshots', 'events'] as ListName[]).filter(name => lacks[name]);
	return <div class="lanes-events" ref={box} tabIndex={0} role="group" aria-label={words.events}>
		{marks.length > 0 && <List name="marks" rows={marks.length} />}
		{snapshots.length > 0 && <List name="snapshots" rows={snapshots.length} />}
		{width > 0 && <EventTable width={width - 2 * PADDING} />}
		<UseChart what="commit" />
		<UseChart what="resident" />
		{!lacks.events && <List name="events" rows={10} />}
		{missing.length > 0 && <><h2>{words.missing}</h2><ul>{missing.map(name =>
			<li key={name}>{shown(lacks[name].replace(/`/g, ''))}</li>)}</ul></>}
	</div>;
}
