// The graph of a tab: several series over the time in view.

import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import { seconds, shown } from '../../words/format';
import * as say from '../../words/time';
import { useBrush } from './brush';
import { useWidth } from './canvas';
import { Line } from './line';
import { AXIS, drawPicture, highestOf, looksOf, seriesText, valueText, type Series } from './series';
import './time.css';

export interface ChartProps {
	from: number; // the time in view; the bins of all series cover it
	to: number;
	series: Series[]; // of one unit, so that they have one scale
	dark: boolean;
	label: string;
	onRange(range: [number, number]): void;
}

const HEIGHT = 160;
const MOST = 8; // series whose values are written at the pointer

export function Chart({ from, to, series, dark, label, onRange }: ChartProps) {
	const box = useRef<HTMLDivElement>(null);
	const canvas = useRef<HTMLCanvasElement>(null);
	const [hidden, setHidden] = useState<readonly string[]>([]);
	const [pointer, setPointer] = useState<number | null>(null); // a share of the time
	const width = useWidth(box);
	const length = Math.max(1, to - from);
	const looks = looksOf(series, dark);
	const isVisible = ({ name }: Series) => !hidden.includes(name);
	const visible = series.filter(isVisible);
	const placeOf = () => box.current!.getBoundingClientRect();
	const timeAt = (share: number) => from + share * length;
	const { drag, handlers } = useBrush(placeOf, (a, b) => onRange([timeAt(a), timeAt(b)]));

	useLayoutEffect(() => {
		const highest = Math.max(0, ...visible.map(({ bins }) => highestOf(bins)));
		const context = drawPicture(canvas.current!, {
			width, height: HEIGHT, from, to, series: visible, highest: visible.map(() => highest),
			looks: looks.filter((_look, i) => isVisible(series[i])),
		});
		if (visible.length)
			context.fillText(valueText(highest, visible[0].unit), 4, 8);
	}, [width, from, to, series, dark, hidden]);

	const valuesAt = (share: number) => visible
		.map(({ name, unit, bins }) =>
			({ name, unit, value: bins[Math.min(bins.length - 1, Math.floor(share * bins.length))] }))
		.sort((a, b) => b.value - a.value).slice(0, MOST);
	const percent = (share: number) => 100 * share + '%';
	return (
		<div class="time-chart">
			<div class="time-canvas" ref={box} style={{ height: HEIGHT + 'px' }} role="img" aria-label={label}
				{...handlers}
				onPointerMove={event => {
					handlers.onPointerMove(event);
					setPointer(Math.max(0, Math.min(1, (event.clientX - placeOf().left) / width)));
				}}
				onPointerLeave={() => setPointer(null)}>
				<canvas ref={canvas} aria-hidden="true" style={{ width: width + 'px', height: HEIGHT + 'px' }} />
				{drag && <div class="time-brush" style={{
					left: percent(drag[0]), width: percent(drag[1] - drag[0]), bottom: AXIS + 'px',
				}} />}
				{pointer !== null && (
					<div class="time-pointer" aria-hidden="true" style={{ left: percent(pointer), bottom: AXIS + 'px' }}>
						<div class={'time-values' + (pointer > 0.5 ? ' time-values-left' : '')}>
							<b>{seconds(timeAt(pointer), length)}</b>
							{valuesAt(pointer).map(({ name, unit, value }) =>
								<div key={name}>{shown(name)} {valueText(value, unit)}</div>)}
						</div>
					</div>
				)}
			</div>
			{series.length > 1 && (
				<div class="time-legend" role="group" aria-label={say.legend}>
					{series.map((one, i) => (
						<button key={one.name} aria-pressed={isVisible(one)} onClick={() => setHidden(isVisible(one)
							? [...hidden, one.name] : hidden.filter(name => name !== one.name))}>
							<Line look={looks[i]} /> {shown(one.name)}
						</button>
					))}
				</div>
			)}
			<p class="hidden">{visible.map(one => seriesText(one, from, to)).join(' ')}</p>
		</div>
	);
}
