import { useLayoutEffect, useRef } from 'preact/hooks';
import * as say from '../../words/time';
import { useBrush } from './brush';
import { colour, drawingOn } from './canvas';
import { highestOf } from './series';
import './time.css';

interface Props {
	bins: Float32Array | undefined; // not counted yet
	dark: boolean;
	width?: number;
	onBrush?(from: number, to: number): void; // shares of the time
}

const HEIGHT = 16;

function textOf(bins: Float32Array, highest: number): string {
	const percent = (bin: number) => Math.round(100 * bin / bins.length);
	const isSome = (value: number) => value > 0;
	return highest ? say.histogram(percent(bins.findIndex(isSome)), percent(bins.findLastIndex(isSome) + 1),
		percent(bins.indexOf(highest) + 0.5)) : say.nothing;
}

export function Histogram({ bins, dark, width = 60, onBrush }: Props) {
	const canvas = useRef<HTMLCanvasElement>(null);
	const highest = bins ? highestOf(bins) : 0;
	const { handlers } = useBrush(() => canvas.current!.getBoundingClientRect(), onBrush);
	useLayoutEffect(() => {
		const context = drawingOn(canvas.current!, width, HEIGHT);
		if (!bins || !highest)
			return;
		context.fillStyle = colour('--accent');
		// What is there at all is seen.
		const wide = Math.max(1, width / bins.length);
		bins.forEach((value, i) => {
			const tall = value && Math.max(1, value / highest * HEIGHT);
			context.fillRect(Math.floor(i * width / bins.length), HEIGHT - tall, wide, tall);
		});
	}, [bins, dark, width]);
	return (
		<canvas ref={canvas} class="time-histogram" role="img"
			aria-label={bins ? textOf(bins, highest) : say.counting}
			style={{ width: width + 'px', height: HEIGHT + 'px' }} {...handlers} />
	);
}
