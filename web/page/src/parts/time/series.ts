// What the overview and the charts draw: values over even bins of a time.

import { seriesColour } from '../../views/colours';
import { amountOf, seconds, shown } from '../../words/format';
import * as say from '../../words/time';
import { ticksOf } from './axis';
import { colour, drawingOn } from './canvas';

export interface Series { name: string; unit: string; kind: 'area' | 'line'; bins: Float64Array }
export interface Mark { time: number; label: string }

export interface Look { colour: string; dash: number[] }

export const AXIS = 16; // height of the time labels

const DASHES = [[], [6, 3], [2, 2], [8, 3, 2, 3]];

// Series that share a colour differ by their dashes.
export function looksOf(series: Series[], dark: boolean): Look[] {
	const used: string[] = [];
	return series.map(({ name }) => {
		const own = seriesColour(name, dark), times = used.filter(other => other === own).length;
		used.push(own);
		return { colour: own, dash: DASHES[times % DASHES.length] };
	});
}

export const highestOf = (bins: Float64Array | Float32Array): number => {
	let highest = 0;
	for (const value of bins)
		highest = Math.max(highest, value);
	return highest;
};

// Numbers of processors and the like have a part after the point.
export const valueText = (value: number, unit: string): string =>
	['ns', 'bytes'].includes(unit) || Number.isInteger(value) || value >= 100
		? amountOf(value, unit) : value.toFixed(1) + ' ' + unit;

// The text twin of a series.
export function seriesText({ name, unit, bins }: Series, from: number, to: number): string {
	const highest = highestOf(bins), at = from + (bins.indexOf(highest) + 0.5) / bins.length * (to - from);
	const average = bins.reduce((a, b) => a + b, 0) / bins.length;
	return say.series(shown(name), valueText(highest, unit), seconds(at, to - from), valueText(average, unit));
}

export interface Picture {
	width: number;
	height: number; // with the axis
	from: number;
	to: number;
	series: Series[];
	looks: Look[];
	highest: number[]; // by series: what reaches the top
	marks?: Mark[];
}

function drawSeries(context: CanvasRenderingContext2D, picture: Picture, height: number): void {
	const { width, series, looks, highest } = picture;
	series.forEach(({ bins, kind }, i) => {
		if (!highest[i])
			return;
		const step = width / bins.length;
		context.strokeStyle = context.fillStyle = looks[i].colour;
		context.setLineDash(looks[i].dash);
		context.lineWidth = 1.5;
		context.beginPath();
		bins.forEach((value, k) => {
			const y = height - 1 - value / highest[i] * (height - 3);
			context.lineTo(k * step, y);
			context.lineTo((k + 1) * step, y);
		});
		context.stroke();
		if (kind === 'area') {
			context.lineTo(width, height - 1);
			context.lineTo(0, height - 1);
			context.globalAlpha = 0.45;
			context.fill();
			context.globalAlpha = 1;
		}
	});
	context.setLineDash([]);
}

export function drawPicture(canvas: HTMLCanvasElement, picture: Picture): CanvasRenderingContext2D {
	const { width, from, to, marks = [] } = picture;
	const context = drawingOn(canvas, width, picture.height);
	const height = picture.height - AXIS;
	const xOf = (time: number) => Math.round((time - from) / (to - from || 1) * width);
	drawSeries(context, picture, height);
	context.fillStyle = colour('--ink');
	for (const { time } of marks) {
		context.fillRect(xOf(time), 0, 1, height);
		context.fillRect(xOf(time) - 2, 0, 5, 3);
	}
	context.fillStyle = colour('--line');
	context.fillRect(0, height, width, 1);
	context.fillStyle = colour('--dim');
	for (const { time, label } of ticksOf(from, to, width)) {
		const wide = context.measureText(label).width;
		context.fillRect(xOf(time), height, 1, 4);
		context.fillText(label, Math.max(0, Math.min(width - wide, xOf(time) - wide / 2)), height + AXIS / 2 + 2);
	}
	return context;
}
