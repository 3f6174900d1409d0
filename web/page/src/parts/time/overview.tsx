// The strip above all views: the whole time, and the range that is selected in it.

import { useLayoutEffect, useRef } from 'preact/hooks';
import { duration, seconds } from '../../words/format';
import * as say from '../../words/time';
import { take } from '../table/rows';
import { useWidth } from './canvas';
import { drawPicture, highestOf, looksOf, seriesText, type Mark, type Series } from './series';
import './time.css';

export type { Mark, Series } from './series';
export type Range = [number, number];

export interface OverviewProps {
	from: number;
	to: number;
	range: Range | null; // null: the whole time
	series: Series[];
	dark: boolean;
	marks: Mark[];
	onRange(range: Range | null): void;
}

const HEIGHT = 56;
const LEAST_DRAG = 3; // pixels
const STEPS: Record<string, number> = { ArrowLeft: -0.01, ArrowDown: -0.01, ArrowRight: 0.01, ArrowUp: 0.01,
	PageDown: -0.1, PageUp: 0.1, Home: -1, End: 1 };

type Part = 'start' | 'end' | 'move' | 'new';
const CLASSES = { start: 'time-handle time-start', end: 'time-handle time-end', move: 'time-handle time-move',
	new: '' };

export function Overview({ from, to, range, series, dark, marks, onRange }: OverviewProps) {
	const box = useRef<HTMLDivElement>(null);
	const canvas = useRef<HTMLCanvasElement>(null);
	const drag = useRef<{ part: Part; time: number; range: Range } | null>(null);
	const next = useRef<{ range: Range | null } | null>(null);
	const width = useWidth(box);
	const whole = to - from;
	const [start, end] = range ?? [from, to];

	useLayoutEffect(() => {
		drawPicture(canvas.current!, { width, height: HEIGHT, from, to, series, looks: looksOf(series, dark), marks,
			highest: series.map(({ bins }) => highestOf(bins)) });
	}, [width, from, to, series, dark, marks]);

	// At most once a frame: each range is weighed anew.
	const send = (sent: Range | null) => {
		if (!next.current)
			requestAnimationFrame(() => {
				const { range: last } = next.current!;
				next.current = null;
				onRange(last);
			});
		next.current = { range: sent };
	};
	const sendInside = (first: number, last: number) => {
		const a = Math.max(from, Math.min(first, last)), b = Math.min(to, Math.max(first, last));
		send(a <= from && b >= to ? null : [a, b]);
	};
	const moveTo = (first: number) => {
		const length = end - start, a = Math.max(from, Math.min(to - length, first));
		sendInside(a, a + length);
	};
	const timeAt = (event: PointerEvent) =>
		from + Math.max(0, Math.min(1, (event.clientX - box.current!.getBoundingClientRect().left) / width)) * whole;
	const onDown = (event: PointerEvent) => {
		if (event.button || !event.isPrimary)
			return;
		const part = range ? (event.target as HTMLElement).dataset.part as Part | undefined : 'new';
		drag.current = { part: part ?? 'new', time: timeAt(event), range: [start, end] };
		box.current!.setPointerCapture(event.pointerId);
	};
	const onMove = (event: PointerEvent) => {
		if (!drag.current)
			return;
		const { part, time, range: [first, last] } = drag.current, now = timeAt(event);
		if (part === 'move')
			moveTo(first + now - time);
		else if (part !== 'new')
			sendInside(part === 'start' ? now : first, part === 'end' ? now : last);
		else if (Math.abs(now - time) / whole * width >= LEAST_DRAG)
			sendInside(time, now);
	};
	const onKey = (part: Part) => (event: KeyboardEvent) => {
		const by = STEPS[event.key] * whole;
		if (event.key === 'Delete')
			send(null);
		else if (!by || event.altKey || event.ctrlKey || event.metaKey)
			return;
		else if (part === 'start')
			sendInside(Math.min(start + by, end), end);
		else if (part === 'end' || event.shiftKey)
			sendInside(start, Math.max(end + by, start));
		else
			moveTo(start + by);
		take(event);
	};
	const stop = () => { drag.current = null; };
	const at = (time: number) => 100 * (time - from) / whole + '%';
	const left = `min(${at(start)}, 100% - 24px)`; // room for a target of 24 pixels between start and end
	const text = (time: number) => seconds(time, whole);
	const handle = (part: Part, label: string, value: number, valueText: string, wide?: string) => (
		<div class={CLASSES[part]} role="slider" tabIndex={0} data-part={part}
			style={{ left: part === 'end' ? `max(${at(end)}, ${left} + 24px)` : left, width: wide }}
			aria-label={label} aria-valuemin={from} aria-valuemax={to} aria-valuenow={value}
			aria-valuetext={valueText} onKeyDown={onKey(part)} />
	);
	return (
		<div class={'time-overview' + (range ? '' : ' time-whole')} role="group" aria-label={say.overview} ref={box}
			style={{ height: HEIGHT + 'px' }} onPointerDown={onDown} onPointerMove={onMove} onPointerUp={stop}
			onPointerCancel={stop} onDblClick={() => onRange(null)}>
			<canvas ref={canvas} aria-hidden="true" style={{ width: width + 'px', height: HEIGHT + 'px' }} />
			<div class="time-outside" style={{ left: 0, width: at(start) }} />
			<div class="time-outside" style={{ left: at(end), right: 0 }} />
			{handle('move', say.move, (start + end) / 2,
				range ? say.range(text(start), text(end), duration(end - start)) : say.whole, at(from + end - start))}
			{handle('start', say.start, start, text(start))}
			{handle('end', say.end, end, text(end))}
			<p class="hidden">{series.map(one => seriesText(one, from, to)).join(' ')}</p>
		</div>
	);
}
