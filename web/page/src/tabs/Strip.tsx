// The strip above all tabs: the whole time, and the range of it that is in view.
import { computed } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import { shown } from '../words/format';
import * as words from '../words/processes';
import { isDark } from '../state/theme';
import { levelOver, weightOver } from '../state/over';
import { recording, setRange, span, state } from '../state/state';
import { keptNow, mainId, mainInfo, usesNow, wholeView } from '../parts/lanes/state';
import { Line } from '../parts/time/line';
import { Overview, type Mark, type Range, type Series } from '../parts/time/overview';
import { highestOf, looksOf, valueText } from '../parts/time/series';
import { hasUse, useOver } from '../views/processes';
import '../parts/lanes/lanes.css';

const MOST_BINS = 800, LEAST_BINS = 60;
const ROWS_IN_BIN = 4; // fewer say nothing about how much there was
const SETTLED = 300; // ms: a drag that pauses longer is over, and undone by itself

const activity = computed((): Series[] => {
	const event = mainInfo.value;
	if (!event?.samples)
		return [];
	const [from, to] = span.value;
	const count = Math.max(LEAST_BINS, Math.min(MOST_BINS, Math.floor(event.samples / ROWS_IN_BIN)));
	const rate = count / (to - from);
	const weights = weightOver('activity', mainId.value, wholeView.value, span.value, count);
	if (!weights)
		return [];
	return [event.cpuTime
		? { name: words.cpu, unit: 'CPUs', kind: 'area', bins: weights.map(weight => weight * rate) }
		: { name: words.perSecond(event.name), unit: event.unit, kind: 'area',
			bins: weights.map(weight => weight * rate * 1e9) }];
});

const memory = computed((): Series[] => {
	const { head } = recording.value!;
	const [from, to] = span.value;
	const line = (name: string, bins: Float64Array): Series[] => [{ name, unit: 'bytes', kind: 'line', bins }];
	const ofEvent = (name: string, id: number) => {
		const levels = id > 0 && levelOver('levels', id, wholeView.value, span.value, MOST_BINS);
		return levels ? line(name, levels) : [];
	};
	const idOf = (key: 'pages' | 'blocks') =>
		head.events.findIndex(event => event && event[key] && event.lifetimes && event.samples > 0);
	const uses = usesNow();
	if (uses?.rows) {
		const what = hasUse(uses, 'commit') ? 'commit' : 'resident';
		return line(words.memory[what], useOver(recording.value!, uses, what, keptNow.value, [from, to], MOST_BINS));
	}
	const pages = idOf('pages');
	return pages > 0 ? ofEvent(words.memory.commit, pages) : ofEvent(words.memory.heap, idOf('blocks'));
});

const series = computed(() => [...activity.value, ...memory.value]);

const marks = computed((): Mark[] => {
	const { marks: named, snapshots } = recording.value!.head;
	return [...named.map(({ time, label }) => ({ time, label })),
		...snapshots.map(({ time, label }) => ({ time, label: words.snapshot(label) }))];
});

// What the lines are: the highest value reaches the top.
function Legend({ of, dark }: { of: Series[]; dark: boolean }) {
	const looks = looksOf(of, dark);
	return <div class="lanes-legend" aria-hidden="true">
		{of.map(({ name, unit, bins }, i) => <span key={name}>
			<Line look={looks[i]} /> {words.upTo(shown(name), valueText(highestOf(bins), unit))}
		</span>)}
	</div>;
}

export function Strip() {
	const timer = useRef(0);
	useEffect(() => () => clearTimeout(timer.current), []);
	const onRange = (range: Range | null) => {
		setRange(range, true);
		clearTimeout(timer.current);
		timer.current = window.setTimeout(() => setRange(state.value.range), SETTLED);
	};
	if (span.value[1] - span.value[0] <= 1)
		return null; // a recording without times
	return <section class="lanes-strip" aria-label={words.strip}>
		<Legend of={series.value} dark={isDark.value} />
		<Overview from={span.value[0]} to={span.value[1]} range={state.value.range} series={series.value}
			marks={marks.value} dark={isDark.value} onRange={onRange} />
	</section>;
}
