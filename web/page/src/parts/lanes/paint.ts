// The bars of the lanes in the document: from start to exit, filled by what was used over time.
import type { Process } from '../../data/types';
import * as words from '../../words/processes';
import { shown } from '../../words/format';
import { seriesColour } from '../../views/colours';
import type { Lane } from '../../views/processes';
import { ROW } from '../table/rows';
import { ticksOf } from '../time/axis';
import { colour, drawingOn } from '../time/canvas';
import { highestOf } from '../time/series';

const TOP = 3; // of a bar in its row
const TALL = ROW - 2 * TOP;
const BANDS = 4; // what is more than so many times the full height is not seen as more

export interface Picture {
	width: number;
	lanes: Lane[];
	processes: (Process | null)[];
	time: [number, number];
	bins: Float32Array | null; // one for each pixel of each lane
	full: number; // the value of the full height
	isDark: boolean;
}

// Returns where it ends, -1: it is out of view.
function paintBar(context: CanvasRenderingContext2D, { width, time: [from, to] }: Picture, process: Process,
	y: number, fill: string): number {
	const xOf = (time: number) => Math.round((time - from) / (to - from) * width);
	const start = process.start === null ? -1 : xOf(process.start);
	const end = process.end === null ? width + 1 : xOf(process.end);
	const x = Math.max(-2, start), right = Math.min(width + 2, Math.max(end, start + 2));
	if (right < 0 || x > width)
		return -1;
	context.fillStyle = fill;
	context.globalAlpha = 0.2;
	context.fillRect(x, y, right - x, TALL);
	context.globalAlpha = 1;
	context.fillStyle = colour('--dim');
	context.fillRect(x, y + TALL - 1, right - x, 1);
	context.fillRect(x, y, 1, TALL);
	context.fillRect(right - 1, y, 1, TALL);
	return right;
}

// More than the full height is drawn over it, darker.
function paintUse(context: CanvasRenderingContext2D, { width, bins, full }: Picture,
	lane: number, y: number): void {
	const own = bins!.subarray(lane * width, (lane + 1) * width);
	const highest = highestOf(own) / full;
	context.globalAlpha = 0.5;
	for (let band = 0; band < Math.min(BANDS, highest); band++) {
		context.beginPath();
		for (let x = 0; x < width; x++) {
			const tall = Math.min(1, own[x] / full - band) * TALL;
			if (tall > 0)
				context.rect(x, y + TALL - Math.max(1, tall), 1, Math.max(1, tall));
		}
		context.fill();
	}
	context.globalAlpha = 1;
}

export function paintLanes(canvas: HTMLCanvasElement, picture: Picture): void {
	const { width, lanes, processes, time: [from, to], bins, isDark } = picture;
	const context = drawingOn(canvas, width, lanes.length * ROW);
	context.fillStyle = colour('--line');
	for (const tick of ticksOf(from, to, width))
		context.fillRect(Math.round((tick.time - from) / (to - from) * width), 0, 1, lanes.length * ROW);

	lanes.forEach((lane, i) => {
		const y = i * ROW + TOP;
		const fill = seriesColour(processes[lane.processes[0]]!.name, isDark);
		let end = 0;
		for (const id of lane.processes)
			end = paintBar(context, picture, processes[id]!, y, fill);
		context.fillStyle = fill;
		if (bins)
			paintUse(context, picture, i, y);
		const { exit } = processes[lane.processes[0]]!;
		if (exit && end > 0 && lane.processes.length === 1) {
			context.fillStyle = colour('--warn');
			context.fillText(shown(words.exit(exit)), end + 4, y + TALL / 2);
		}
	});
}
