// The flame graph. The canvas is as large as what can be seen of it; the element around it scrolls.
import './flame.css';
import { useSignal } from '@preact/signals';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { singleKeys } from '../../state/actions';
import { childrenOf, type Order, type Tree, type Words } from '../../views/tree';
import type { Mode } from '../../views/modes';
import * as flame from '../../words/flame';
import { hasModifier, take } from '../table/rows';
import { clampView, frameAt, frameOf, layOut, WHOLE, type Frame, type View } from './layout';
import { ROW, topOf } from './look';
import { paint } from './paint';
import { Over, pixels, Tip, type TipPlace } from './tip';
import { Walk } from './walk';

export { flamePng, flameSvg } from './svg';

const TIP_DELAY = 80; // ms
const DRAG_FROM = 4; // pixels until a press is a drag
const ZOOM_STEP = 1.25, PAN_STEP = 0.1;
const WHEEL_STEP = 300; // pixels of a wheel that zoom by e

export interface FlameProps {
	tree: Tree;
	version: number; // changes with each weighing
	words: Words;
	root: number; // the zoomed node
	current: number; // the selected one, 0: none
	order: Order;
	flipped: boolean; // false: the root is on top
	hits: Uint8Array | null; // by node: 1 is a match
	dark: boolean;
	mode: Mode | 'difference';
	onCurrent(node: number): void;
	onRoot(node: number): void;
	onMenu(node: number, x: number, y: number): void;
}

interface Press { x: number; y: number; view: View; scrolled: number; isDrag: boolean }

export function Flame(props: FlameProps) {
	const { tree, version, words, root, current, order, flipped } = props;
	const scroller = useRef<HTMLDivElement>(null), canvas = useRef<HTMLCanvasElement>(null);
	const walk = useRef<HTMLDivElement>(null);
	const size = useSignal({ width: 0, height: 0 });
	const view = useSignal<View>(WHOLE);
	const cursor = useSignal(current || root);
	const tip = useSignal<TipPlace | null>(null);
	// What changes without being drawn by Preact.
	const own = useMemo(() => ({ tree, root, current, past: [] as number[], frame: 0, timer: 0, below: 0,
		pointer: 0.5, press: null as Press | null, draw: () => {} }), []);

	if (own.tree !== tree || own.root !== root)
		view.value = WHOLE;
	if (own.tree !== tree) {
		own.past = [];
		tip.value = null;
		cursor.value = current || root;
	} else if (own.current !== current && current) {
		cursor.value = current;
	}
	Object.assign(own, { tree, root, current });

	const { width, height } = size.value;
	const layout = useMemo(() => layOut(props, view.value, width),
		[tree, version, words, root, order, view.value, width]);
	const content = Math.max(layout.rows.length * ROW, height);
	const at = frameOf(layout, tree, cursor.value);

	function boxOf(frame: Frame) {
		const left = Math.max(frame.x, 0);
		return { left, top: topOf(frame.row, layout, flipped, height), height: ROW - 1,
			width: Math.max(Math.min(frame.x + frame.width, width) - left - 1, 1) };
	}

	// Scrolls as little as brings the frame between these parts of the height.
	function scrollTo(frame: Frame | undefined, from: number, to: number): void {
		if (!frame || !height)
			return;
		const { top } = boxOf(frame), element = scroller.current!;
		element.scrollTop = Math.max(Math.min(element.scrollTop, top - from * height), top + ROW - to * height);
	}

	own.draw = () => {
		own.frame = 0;
		if (canvas.current && width)
			paint(canvas.current, { ...props, layout, width, height, scrolled: scroller.current!.scrollTop });
	};

	function drawSoon(): void {
		own.frame ||= requestAnimationFrame(() => own.draw());
	}

	useLayoutEffect(() => {
		const observer = new ResizeObserver(([{ contentRect: { width, height } }]) => {
			size.value = { width: Math.floor(width), height: Math.floor(height) };
		});
		observer.observe(scroller.current!);
		return () => {
			observer.disconnect();
			cancelAnimationFrame(own.frame);
			clearTimeout(own.timer);
		};
	}, []);
	// Upside down, rows keep their distance to the lower edge.
	useLayoutEffect(() => {
		own.below = 0;
		scroller.current!.scrollTop = flipped ? content : 0;
	}, [flipped]);
	useLayoutEffect(() => {
		if (flipped)
			scroller.current!.scrollTop = content - height - own.below;
	}, [content, height]);
	useLayoutEffect(() => {
		if (view.value.span < 1 && at && at.node !== cursor.value)
			view.value = WHOLE;
		scrollTo(at, 0, 1);
	}, [cursor.value, tree]);
	// What the zoomed frame calls has at least half of the room.
	useLayoutEffect(() => scrollTo(layout.rows[layout.above]?.[0], flipped ? 0.5 : 0, flipped ? 1 : 0.5),
		[root, tree, height > 0]);
	useLayoutEffect(drawSoon);

	function onScroll(): void {
		own.below = content - height - scroller.current!.scrollTop;
		drawSoon();
	}

	// ---- input

	function zoomTo(node: number): void {
		if (node === root)
			return;
		own.past.push(root);
		props.onRoot(node);
	}

	// False if everything is shown already.
	function goBack(): boolean {
		if (view.value.span < 1)
			view.value = WHOLE;
		else if (root)
			props.onRoot(own.past.pop() ?? tree.parent[root]);
		else
			return false;
		return true;
	}

	function moveTo(node: number): void {
		cursor.value = node;
		props.onCurrent(node);
	}

	function moveToSibling(step: number): void {
		const node = cursor.value;
		if (tree.depth[node] <= layout.above)
			return;
		const siblings = childrenOf(tree, tree.parent[node], order, words);
		moveTo(siblings[siblings.indexOf(node) + step] ?? node);
	}

	// The place of the pointer stays where it is.
	function zoomBy(factor: number): void {
		const { from, span } = view.value, next = Math.min(span / factor, 1);
		view.value = clampView({ from: from + own.pointer * (span - next), span: next });
	}

	function panBy(part: number, { from, span } = view.value): void {
		view.value = clampView({ from: from + part * span, span });
	}

	const moves: Record<string, () => unknown> = {
		ArrowLeft: () => moveToSibling(-1),
		ArrowRight: () => moveToSibling(1),
		[flipped ? 'ArrowDown' : 'ArrowUp']: () => moveTo(tree.parent[cursor.value]),
		[flipped ? 'ArrowUp' : 'ArrowDown']: () =>
			moveTo(childrenOf(tree, cursor.value, 'weight')[0] ?? cursor.value),
		Home: () => moveTo(root),
		Enter: () => zoomTo(cursor.value),
		Backspace: goBack,
		...singleKeys.value && { w: () => zoomBy(ZOOM_STEP), s: () => zoomBy(1 / ZOOM_STEP),
			a: () => panBy(-PAN_STEP), d: () => panBy(PAN_STEP) },
	};

	function onKeyDown(event: KeyboardEvent): void {
		hideTip();
		if (!hasModifier(event) && !event.shiftKey && Object.hasOwn(moves, event.key) && moves[event.key]() !== false)
			take(event);
	}

	const placeOf = (event: MouseEvent) => {
		const { left, top } = canvas.current!.getBoundingClientRect();
		return { x: event.clientX - left, y: event.clientY - top };
	};

	function frameUnder(event: MouseEvent): Frame | undefined {
		const { x, y } = placeOf(event), down = y + scroller.current!.scrollTop;
		return frameAt(layout, Math.floor((flipped ? content - down : down) / ROW), x);
	}

	function hideTip(): void {
		clearTimeout(own.timer);
		tip.value = null;
	}

	function onPointerDown(event: PointerEvent): void {
		hideTip();
		if (event.button)
			return;
		canvas.current!.setPointerCapture(event.pointerId); // or the release could be missed
		own.press = { x: event.clientX, y: event.clientY, view: view.value,
			scrolled: scroller.current!.scrollTop, isDrag: false };
	}

	function onPointerMove(event: PointerEvent): void {
		const { press } = own;
		own.pointer = placeOf(event).x / width;
		if (!press) {
			showTip(event);
			return;
		}
		const right = event.clientX - press.x, down = event.clientY - press.y;
		if (!press.isDrag && Math.hypot(right, down) < DRAG_FROM)
			return;
		press.isDrag = true;
		hideTip();
		panBy(-right / width, press.view);
		if (event.pointerType === 'mouse')
			scroller.current!.scrollTop = press.scrolled - down;
	}

	function showTip(event: PointerEvent): void {
		const frame = frameUnder(event);
		const place = frame ? { frame, x: event.clientX, y: event.clientY, box: boxOf(frame) } : null;
		clearTimeout(own.timer);
		if (tip.peek() || !place)
			tip.value = place;
		else
			own.timer = window.setTimeout(() => { tip.value = place; }, TIP_DELAY);
	}

	const takeFocus = () => walk.current!.focus({ preventScroll: true });

	function onPointerUp(event: PointerEvent): void {
		const { press } = own;
		if (!press)
			return;
		own.press = null;
		takeFocus();
		const frame = press.isDrag ? undefined : frameUnder(event);
		if (frame?.few) {
			const { from, span } = view.value;
			view.value = clampView({ from: from + frame.x / width * span, span: frame.width / width * span });
		} else if (frame) {
			moveTo(frame.node);
			zoomTo(frame.node);
		}
	}

	function onPointerLeave(): void {
		own.pointer = 0.5;
		hideTip();
	}

	function onWheel(event: WheelEvent): void {
		hideTip();
		if (event.ctrlKey)
			zoomBy(Math.exp(-event.deltaY / WHEEL_STEP));
		else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
			panBy((event.deltaX || event.deltaY) / width);
		else
			return;
		event.preventDefault();
	}

	// The menu key's event is that of the focused element.
	function onContextMenu(event: MouseEvent): void {
		const isKey = event.target === walk.current;
		const frame = isKey ? at : frameUnder(event);
		event.preventDefault();
		hideTip();
		takeFocus();
		if (!frame || (frame.few && !isKey))
			return;
		const node = isKey ? cursor.value : frame.node, { left, top } = boxOf(frame);
		const corner = canvas.current!.getBoundingClientRect();
		moveTo(node);
		props.onMenu(node, isKey ? corner.left + left : event.clientX,
			isKey ? corner.top + top - scroller.current!.scrollTop + ROW : event.clientY);
	}

	return (
		<div class="flame" ref={scroller} onScroll={onScroll} onWheel={onWheel} onContextMenu={onContextMenu}>
			<div class="flame-space" style={{ height: content + 'px' }}>
				{view.value.span < 1 && <div class="flame-corner">
					<button onClick={() => { goBack(); takeFocus(); }}>{flame.wholeWidth(1 / view.value.span)}</button>
				</div>}
				<div class="flame-sight">
					<canvas class="flame-canvas" ref={canvas} aria-hidden="true"
						style={{ width: width + 'px', height: height + 'px' }}
						onPointerDown={onPointerDown} onPointerMove={onPointerMove} onPointerUp={onPointerUp}
						onPointerCancel={() => { own.press = null; }} onPointerLeave={onPointerLeave} />
					<Walk tree={tree} version={version} words={words} order={order} cursor={cursor.value} element={walk}
						onKeyDown={onKeyDown} />
				</div>
				{at && <div class="flame-ring" style={pixels(boxOf(at))} />}
				<Over at={tip} />
			</div>
			<Tip tree={tree} words={words} at={tip} />
		</div>);
}
