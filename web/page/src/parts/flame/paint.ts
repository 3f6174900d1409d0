// Draws the rows in sight on a canvas.
import { colour } from '../time/canvas';
import { EDGE, FADED, fillOf, FONT, gapOf, inkOf, isKernel, labelOf, PAD, ROW, topOf, type Look } from './look';
import type { Frame, Layout } from './layout';

const OTHERS = /[^ -~\u2026]/;
const EDGED = 6; // pixels of a frame that has marks on its edges
const outlined = matchMedia('(prefers-contrast: more), (forced-colors: active)');

export interface Scene extends Look {
	layout: Layout;
	hits: Uint8Array | null;
	flipped: boolean;
	width: number;
	height: number;
	scrolled: number;
}

function hatched(context: CanvasRenderingContext2D): CanvasPattern {
	const tile = document.createElement('canvas');
	tile.width = tile.height = 6;
	const lines = tile.getContext('2d')!;
	lines.fillStyle = colour('--raised');
	lines.fillRect(0, 0, 6, 6);
	lines.strokeStyle = colour('--dim');
	lines.globalAlpha = 0.3;
	for (const x of [-6, 0, 6]) {
		lines.moveTo(x - 1, 7);
		lines.lineTo(x + 7, -1);
	}
	lines.stroke();
	return context.createPattern(tile, 'repeat')!;
}

const words = new Map<string, number>();

// "#rrggbb" as the bytes of an ImageData.
function wordOf(text: string): number {
	let word = words.get(text);
	if (word === undefined) {
		const n = parseInt(text.slice(1), 16);
		words.set(text, word = (0xff000000 | (n & 255) << 16 | (n & 0xff00) | n >> 16) >>> 0);
	}
	return word;
}

const faded = (word: number, page: number): number => {
	const part = (shift: number) => (word >> shift & 255) * FADED + (page >> shift & 255) * (1 - FADED) << shift;
	return (0xff000000 | part(16) | part(8) | part(0)) >>> 0;
};

// Thousands of frames are drawn at once: a line of pixels for each row, which is then stretched.
const strip = document.createElement('canvas');

export function paint(canvas: HTMLCanvasElement, scene: Scene): void {
	const { layout, width, height, hits, flipped, tree } = scene;
	const ratio = Math.min(devicePixelRatio, 2);
	const context = canvas.getContext('2d', { alpha: false })!;
	const wide = Math.round(width * ratio), high = Math.round(height * ratio);
	if (canvas.width !== wide || canvas.height !== high) {
		canvas.width = wide;
		canvas.height = high;
	}
	const plain = (name: string) => {
		context.fillStyle = colour(name); // any CSS colour is "#rrggbb" afterwards
		return wordOf(context.fillStyle as string);
	};
	const line = plain('--line'), raised = plain('--raised'), page = plain('--page');
	context.setTransform(ratio, 0, 0, ratio, 0, 0);
	context.fillRect(0, 0, width, height);
	context.font = FONT;
	context.textBaseline = 'middle';
	context.direction = 'ltr';
	context.imageSmoothingEnabled = false;
	const letter = context.measureText('m').width, ink = colour('--ink'), isOutlined = outlined.matches;
	const dots = new Path2D(), outlines = new Path2D(), edges = new Path2D(), blocks = new Path2D();
	const isAbove = (frame: Frame) => frame.row < layout.above;
	const isFaded = (frame: Frame) => hits !== null && !isAbove(frame) && (frame.few > 0 || !hits[frame.node]);

	const sight = layout.rows
		.map((frames, row) => ({ frames, y: topOf(row, layout, flipped, height) - scene.scrolled }))
		.filter(({ y }) => y > -ROW && y < height);
	strip.width = wide;
	strip.height = sight.length || 1;
	const brush = strip.getContext('2d')!, lines = new ImageData(wide, strip.height);
	const line32 = new Uint32Array(lines.data.buffer).fill(page);
	sight.forEach(({ frames }, k) => frames.forEach(frame => fill(frame, k * wide)));
	brush.putImageData(lines, 0, 0);
	sight.forEach(({ y }, k) => context.drawImage(strip, 0, k, wide, 1, 0, y, width, ROW - 1));
	// Marks first, so that no label is crossed out.
	eachWide(addMarks);
	context.fillStyle = hatched(context);
	context.fill(blocks);
	context.fillStyle = context.strokeStyle = EDGE;
	context.fill(edges);
	context.setLineDash([1.5, 2.5]);
	context.stroke(dots);
	context.setLineDash([]);
	context.strokeStyle = ink;
	context.stroke(outlines);
	eachWide(drawLabel);

	function fill(frame: Frame, at: number): void {
		const left = Math.max(frame.x, 0), right = Math.min(frame.x + frame.width, width);
		const from = Math.round(left * ratio);
		const to = Math.max(Math.round((right - gapOf(right - left)) * ratio), from + 1);
		const word = isAbove(frame) ? line : frame.few ? raised : wordOf(fillOf(scene, frame.node));
		line32.fill(isFaded(frame) ? faded(word, page) : word, at + from, at + Math.min(to, wide));
	}

	function eachWide(visit: (frame: Frame, left: number, y: number, seen: number) => void): void {
		for (const { frames, y } of sight)
			for (const frame of frames) {
				const left = Math.max(frame.x, 0), seen = Math.min(frame.x + frame.width, width) - left;
				if (seen >= EDGED)
					visit(frame, left, y, seen);
			}
	}

	function addMarks(frame: Frame, left: number, y: number, seen: number): void {
		const { node, few } = frame;
		if (isOutlined || (hits && !isFaded(frame) && !isAbove(frame)))
			outlines.rect(left + 0.5, y + 0.5, seen - 2, ROW - 2);
		if (few)
			blocks.rect(left, y, seen - 1, ROW - 1);
		if (few || isAbove(frame) || isFaded(frame))
			return;
		if (isKernel(scene, node))
			edges.rect(left, y, 2, ROW - 1);
		if (tree.inlined[node]) {
			dots.moveTo(left, y + 0.5);
			dots.lineTo(left + seen - 1, y + 0.5);
		}
	}

	function drawLabel(frame: Frame, left: number, y: number, seen: number): void {
		const { node, few } = frame, label = labelOf(scene, frame, seen, letter);
		if (!label)
			return;
		const isItalic = !few && scene.words.isUnnamed(node);
		context.fillStyle = few || isAbove(frame) || isFaded(frame) ? ink
			: inkOf(scene, fillOf(scene, node));
		if (isItalic)
			context.font = 'italic ' + FONT;
		// Characters that are wider than the font's others are squeezed.
		context.fillText(label, left + PAD, y + ROW / 2, OTHERS.test(label) ? seen - 2 * PAD + 1 : undefined);
		if (isItalic)
			context.font = FONT;
	}
}
