import type { RefObject } from 'preact';
import { useLayoutEffect, useState } from 'preact/hooks';
import { printed } from '../../state/theme';

export const ROW = 22, HEAD = 28; // heights of rows and of the sticky header above them
const SPARE = 4; // rows in the document above and below those in view

export const MOST_PRINTED = 1000; // rows

export interface VisibleRows {
	first: number;
	last: number; // exclusive
	page: number; // rows that fit
	width: number;
	reveal(row: number): void;
}

// Which rows of a long list are in the document.
export function useVisibleRows(scroller: RefObject<HTMLElement | null>, count: number): VisibleRows {
	const [view, setView] = useState({ top: 0, height: 600, width: 0 });
	useLayoutEffect(() => {
		const element = scroller.current!;
		// In steps, so that most scrolling moves rows that are there already.
		const look = () => setView(old => {
			const top = Math.floor(element.scrollTop / ROW / 4) * 4;
			const { clientHeight: height, clientWidth: width } = element;
			return old.top === top && old.height === height && old.width === width
				? old : { top, height, width };
		});
		const observer = new ResizeObserver(look);
		observer.observe(element);
		element.addEventListener('scroll', look);
		look();
		return () => observer.disconnect();
	}, []);
	const page = Math.max(1, Math.floor((view.height - HEAD) / ROW));
	return {
		first: printed.value ? 0 : Math.max(0, Math.min(view.top, count - page) - SPARE),
		last: Math.min(count, printed.value ? MOST_PRINTED : view.top + page + SPARE + 4),
		page, width: view.width,
		reveal(row) {
			const element = scroller.current, top = row * ROW;
			if (element && row >= 0)
				element.scrollTop = Math.min(top, Math.max(element.scrollTop, top + ROW + HEAD - element.clientHeight));
		},
	};
}

export const hasModifier = (event: KeyboardEvent): boolean => event.ctrlKey || event.altKey || event.metaKey;

// For an event that goes no further.
export function take(event: Event): void {
	event.preventDefault();
	event.stopPropagation();
}

// Where a key of a list leads from that row; -1: it is none of them.
export function rowByKey(key: string, at: number, count: number, page: number): number {
	const steps: Record<string, number> = {
		ArrowDown: at + 1, ArrowUp: at - 1, PageDown: at + page, PageUp: at - page, Home: 0, End: count - 1,
	};
	return key in steps ? Math.max(0, Math.min(count - 1, steps[key])) : -1;
}

// Left and right in a header: its buttons are one stop of the tab key.
export function walkButtons(event: KeyboardEvent): void {
	const step = event.key === 'ArrowLeft' ? -1 : event.key === 'ArrowRight' ? 1 : 0;
	if (!step || event.altKey)
		return;
	const buttons = [...(event.currentTarget as HTMLElement).querySelectorAll('button')];
	buttons[buttons.indexOf(event.target as HTMLButtonElement) + step]?.focus();
	event.preventDefault();
}

// Of a button that sorts: `sign` is that of the order, 0 if another column sorts.
export const ariaSort = (sign: number): 'none' | 'ascending' | 'descending' =>
	sign ? sign < 0 ? 'descending' : 'ascending' : 'none';
export const sortArrow = (sign: number): string => sign ? sign < 0 ? ' \u25be' : ' \u25b4' : '';
