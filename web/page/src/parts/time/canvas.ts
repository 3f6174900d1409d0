import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';

export function useWidth(element: RefObject<HTMLElement | null>): number {
	const [width, setWidth] = useState(0);
	useLayoutEffect(() => {
		const look = () => setWidth(element.current!.clientWidth);
		const observer = new ResizeObserver(look);
		observer.observe(element.current!);
		look();
		return () => observer.disconnect();
	}, []);
	return width;
}

// Empty, in units of the page's pixels, and with a small font.
export function drawingOn(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
	const scale = devicePixelRatio || 1;
	canvas.width = Math.round(width * scale);
	canvas.height = Math.round(height * scale);
	const context = canvas.getContext('2d')!;
	context.scale(scale, scale);
	context.font = '11px system-ui, sans-serif';
	context.textBaseline = 'middle';
	return context;
}

const colours = new Map<string, string>();
const forced = matchMedia('(forced-colors: active)');
const FORCED: Record<string, string> = { '--accent': 'Highlight', '--line': 'GrayText', '--page': 'Canvas', '--raised': 'Canvas' };
let theme: string | undefined;

// A custom property of the page; read once for each theme.
export function colour(name: string): string {
	if (forced.matches)
		return FORCED[name] ?? 'CanvasText';
	const root = document.documentElement;
	if (theme !== root.dataset.theme) {
		theme = root.dataset.theme;
		colours.clear();
	}
	let value = colours.get(name);
	if (!value)
		colours.set(name, value = getComputedStyle(root).getPropertyValue(name).trim());
	return value;
}
