// What the flame graph shows, as a file: an SVG that works by itself, or a picture.
import * as flame from '../../words/flame';
import { factsOf, titleOf } from './facts';
import { layOut, WHOLE, type Frame, type Shown } from './layout';
import { paint } from './paint';
import { EDGE, FADED, fillOf, FONT, gapOf, inkOf, isKernel, labelOf, PAD, ROW, topOf, type Look } from './look';

const CHARACTER = 7.25; // the script cannot rely on measuring
// Page, ink, frames above the zoomed one, small frames.
const LIGHT = ['#ffffff', EDGE, '#d9dee3', '#eceff2'], DARK = ['#16191d', '#e8ebee', '#343c45', '#2a3138'];

export type SvgProps = Shown & Look & { flipped: boolean; hits: Uint8Array | null };

const escaped = (text: string) => text.replace(/[&<>"']/g, c => `&#${c.charCodeAt(0)};`)
	.replace(/[\ufffe\uffff]/g, '\ufffd'); // characters that XML does not have

// Runs in the file: a click zooms, Ctrl+F searches, Escape ends the search.
function explore(width: number, character: number, question: string): void {
	const frames = [...document.querySelectorAll<SVGElement>('.frame')].map(g => {
		const [x, w, y] = g.dataset.at!.split(' ').map(Number);
		return { g, x, w, y, name: g.dataset.name! };
	});
	const zoom = (left: number, scale: number) => frames.forEach(({ g, x, w, y, name }) => {
		const from = Math.max((x - left) * scale, 0), size = Math.min((x + w - left) * scale, width) - from;
		const room = Math.floor((size - 7) / character);
		g.style.display = size < 0.1 ? 'none' : '';
		g.setAttribute('transform', `translate(${from} ${y})`);
		g.querySelector('rect')!.setAttribute('width', String(Math.max(size - (size > 8 ? 1 : 0.2), 0.1)));
		g.querySelector('line')?.setAttribute('x2', String(size - 1));
		g.querySelector('text')!.textContent = room < 4 ? '' : name.length <= room ? name
			: name.slice(0, room - 1) + '…';
	});
	const find = (pattern: RegExp | null) => frames.forEach(({ g, name }) => {
		g.classList.toggle('hit', pattern !== null && pattern.test(name));
		g.classList.toggle('faded', pattern !== null && !pattern.test(name));
	});
	frames.forEach(({ g, x, w }) => g.addEventListener('click', () => zoom(x, width / w)));
	addEventListener('keydown', event => {
		const isFind = event.ctrlKey && event.key === 'f';
		if (event.key !== 'Escape' && !isFind)
			return;
		event.preventDefault();
		const text = isFind && prompt(question);
		try {
			find(text ? new RegExp(text, 'i') : null);
		} catch {
			find(null);
		}
	});
}

export function flameSvg(props: SvgProps, width: number): string {
	const { tree, words, hits, flipped, dark } = props;
	const layout = layOut(props, WHOLE, width);
	const height = layout.rows.length * ROW;
	const [page, ink, line, small] = dark ? DARK : LIGHT;
	const decimal = (n: number) => Math.round(n * 100) / 100;

	function textOf(frame: Frame): string {
		const { node, few, row, x, width: size } = frame;
		const isAbove = row < layout.above, y = topOf(row, layout, flipped, 0);
		const fill = isAbove ? line : few ? small : fillOf(props, node);
		const isHit = hits && !few && hits[node] === 1, isInlined = !few && tree.inlined[node];
		const kind = few ? 'small' : words.kind(node).toLowerCase().replace(/[^a-z0-9]+/g, '-');
		const classes = ['frame', kind, isAbove && 'above', isInlined && 'inlined',
			!few && words.isUnnamed(node) && 'unnamed', isHit ? 'hit' : hits && !isAbove && 'faded'];
		const name = few ? titleOf(words, frame) : words.short(node);
		return `<g class="${classes.filter(Boolean).join(' ')}" transform="translate(${decimal(x)} ${y})" `
			+ `data-at="${decimal(x)} ${decimal(size)} ${y}" data-name="${escaped(name)}">`
			+ `<title>${escaped([titleOf(words, frame), ...factsOf(tree, words, frame)].join('\n'))}</title>`
			+ `<rect width="${decimal(size - gapOf(size))}" height="${ROW - 1}" fill="${fill}"/>`
			+ (!few && !isAbove && isKernel(props, node) ? `<path d="M0 0h2v${ROW - 1}h-2z" fill="${EDGE}"/>` : '')
			+ (isInlined ? `<line y1=".5" y2=".5" x2="${decimal(size - 1)}"/>` : '')
			+ `<text x="${PAD}" y="${ROW / 2 + 4}" fill="${isAbove || few ? ink : inkOf(props, fill)}">`
			+ `${escaped(labelOf(props, frame, size, CHARACTER))}</text></g>\n`;
	}

	const call = `(${explore})(${width},${CHARACTER},${JSON.stringify(flame.searchFor)})`;
	return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}"
viewBox="0 0 ${width} ${height}">
<title>${escaped(flame.label)}</title><style>text{font:${FONT};pointer-events:none;white-space:pre}
.unnamed text{font-style:italic}.frame{cursor:pointer}line{stroke:${EDGE};stroke-dasharray:1.5 2.5}
.faded>:not(text){opacity:${FADED}}.faded text{fill:${ink}}.hit rect{stroke:${ink}}</style>
<rect width="100%" height="100%" fill="${page}"/>
${layout.rows.flat().map(textOf).join('')}<script><![CDATA[${call.replace(/\]\]>/g, ']] >')}]]></script></svg>
`;
}

// All levels, as wide as they are shown.
export const flamePng = (props: SvgProps, width: number): Promise<Blob> => new Promise((resolve, reject) => {
	const canvas = document.createElement('canvas'), layout = layOut(props, WHOLE, width);
	paint(canvas, { ...props, layout, width, height: layout.rows.length * ROW, scrolled: 0 });
	canvas.toBlob(blob => blob ? resolve(blob) : reject(new Error(flame.noPicture)), 'image/png');
});
