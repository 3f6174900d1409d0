import type { Look } from './series';

// How a series is drawn, for a legend.
export const Line = ({ look: { colour, dash } }: { look: Look }) => (
	<svg width="22" height="10" aria-hidden="true">
		<line x2="22" y1="5" y2="5" stroke={colour} stroke-width="3" stroke-dasharray={dash.join() || undefined} />
	</svg>
);
