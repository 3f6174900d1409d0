import { useRef, useState } from 'preact/hooks';

const SHORTEST = 3; // pixels: what is shorter is a click

interface Place { left: number; width: number }

// A part of a width that is chosen by dragging, as shares of it. `placeOf` is where that width is in the
// window now; a press outside of it is none. `drag` is null if there is none.
export function useBrush(placeOf: () => Place, onBrush?: (from: number, to: number) => void) {
	const [drag, setDrag] = useState<[number, number] | null>(null);
	const isDragged = useRef(false); // a click that follows is the end of a drag
	const shareOf = (event: PointerEvent) => {
		const { left, width } = placeOf();
		return (event.clientX - left) / width;
	};
	const end = () => setDrag(null);
	return {
		drag: drag && [Math.min(...drag), Math.max(...drag)], isDragged,
		handlers: {
			onPointerDown(event: PointerEvent) {
				const at = shareOf(event);
				isDragged.current = false;
				if (!onBrush || event.button || at < 0)
					return;
				(event.currentTarget as Element).setPointerCapture(event.pointerId);
				setDrag([at, at]);
			},
			onPointerMove(event: PointerEvent) {
				if (drag)
					setDrag([drag[0], Math.max(0, Math.min(1, shareOf(event)))]);
			},
			onPointerUp() {
				end();
				if (!drag || Math.abs(drag[1] - drag[0]) * placeOf().width < SHORTEST)
					return;
				isDragged.current = true;
				onBrush!(Math.min(...drag), Math.max(...drag));
			},
			onPointerCancel: end,
		},
	};
}
