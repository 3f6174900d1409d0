// The heat map: a column for each second (or ten, or a hundred of them), a row for each fiftieth of it;
// darker is more. What repeats within a second is a pattern here, and nowhere else.
import { useLayoutEffect, useRef } from 'preact/hooks';
import { duration, seconds } from '../../words/format';
import * as words from '../../words/heat';
import { colour, drawingOn, useWidth } from '../time/canvas';
import { highestOf } from '../time/series';

const ROWS = 50, CELL = 8, MOST_COLUMNS = 400, AXIS = 16, SIDE = 64; // pixels of the axis of the rows
const MARKED = 10; // rows between its labels

export interface HeatProps {
	bins(to: number, count: number): Float64Array; // of the time from 0 to that
	to: number; // the whole time, ns
	range: [number, number] | null;
	dark: boolean;
	onRange(range: [number, number] | null): void;
}

// The time of a column: a second, or longer so that all fit.
function columnTime(to: number): number {
	let time = 1e9;
	while (to / time > MOST_COLUMNS)
		time *= 10;
	return time;
}

export function Heat({ bins: binsOf, to, range, dark, onRange }: HeatProps) {
	const box = useRef<HTMLDivElement>(null), canvas = useRef<HTMLCanvasElement>(null);
	const start = useRef<number | null>(null);
	const width = useWidth(box);
	const step = columnTime(to), columns = Math.max(1, Math.ceil(to / step));
	const cell = Math.max(2, Math.min(24, Math.floor((width - SIDE) / columns)));
	const bins = binsOf(columns * step, columns * ROWS);

	useLayoutEffect(() => {
		if (!width)
			return;
		const drawing = drawingOn(canvas.current!, width, ROWS * CELL + AXIS);
		const most = highestOf(bins) || 1;
		drawing.fillStyle = colour('--accent');
		bins.forEach((weight, i) => {
			const time = i * step / ROWS;
			drawing.globalAlpha = Math.sqrt(Math.max(weight, 0) / most) * (range && (time < range[0] || time >= range[1]) ? .25 : 1);
			drawing.fillRect(Math.floor(i / ROWS) * cell, (ROWS - 1 - i % ROWS) * CELL, cell - (cell > 3 ? 1 : 0), CELL - 1);
		});
		drawing.globalAlpha = 1;
		drawing.fillStyle = colour('--dim');
		for (let i = 0; i < columns; i += Math.ceil(60 / cell))
			drawing.fillText(seconds(i * step, 1e12), i * cell, ROWS * CELL + AXIS / 2);
		// Where in its column a row begins.
		for (let row = 0; row < ROWS; row += MARKED)
			drawing.fillText('+' + duration(row * step / ROWS), columns * cell + 4, (ROWS - row) * CELL - CELL / 2);
	}, [bins, width, dark, range]);

	const timeAt = (event: PointerEvent) => {
		const { left, top } = canvas.current!.getBoundingClientRect();
		const column = Math.max(0, Math.min(columns - 1, Math.floor((event.clientX - left) / cell)));
		const row = Math.max(0, Math.min(ROWS - 1, ROWS - 1 - Math.floor((event.clientY - top) / CELL)));
		return (column * ROWS + row) * step / ROWS;
	};
	const onMove = (event: PointerEvent) => {
		if (start.current === null)
			return;
		const now = timeAt(event);
		onRange([Math.min(start.current, now), Math.max(start.current, now) + step / ROWS]);
	};
	return <div ref={box} class="heat" role="img" aria-label={words.label(seconds(step, 1e12))}
		onPointerDown={event => { start.current = timeAt(event); box.current!.setPointerCapture(event.pointerId); onMove(event); }}
		onPointerMove={onMove} onPointerUp={() => { start.current = null; }} onDblClick={() => onRange(null)}>
		<canvas ref={canvas} aria-hidden="true" />
	</div>;
}
