// What a frame is, near the pointer.
import type { ReadonlySignal } from '@preact/signals';
import { useLayoutEffect, useRef } from 'preact/hooks';
import type { Tree, Words } from '../../views/tree';
import { factsOf, titleOf } from './facts';
import type { Frame } from './layout';

const GAP = 14; // from the pointer
const EDGE = 4; // of the window

export interface Box { left: number; top: number; width: number; height: number }
export interface TipPlace { frame: Frame; x: number; y: number; box: Box }

export const pixels = ({ left, top, width, height }: Box) =>
	({ left: left + 'px', top: top + 'px', width: width + 'px', height: height + 'px' });

export function Tip({ tree, words, at }: { tree: Tree; words: Words; at: ReadonlySignal<TipPlace | null> }) {
	const place = at.value, box = useRef<HTMLDivElement>(null);
	useLayoutEffect(() => {
		if (!box.current || !place)
			return;
		const { style, offsetWidth, offsetHeight } = box.current;
		const isBelow = place.y + GAP + offsetHeight + EDGE <= innerHeight;
		style.left = Math.max(EDGE, Math.min(place.x + GAP, innerWidth - offsetWidth - EDGE)) + 'px';
		style.top = Math.max(EDGE, isBelow ? place.y + GAP : place.y - GAP - offsetHeight) + 'px';
	});
	return place && (
		<div class="flame-tip" ref={box} aria-hidden="true">
			<div class="flame-tip-name" dir="ltr">{titleOf(words, place.frame)}</div>
			{factsOf(tree, words, place.frame).map(line => <div key={line}>{line}</div>)}
		</div>);
}

export function Over({ at }: { at: ReadonlySignal<TipPlace | null> }) {
	return at.value && <div class="flame-over" style={pixels(at.value.box)} />;
}
