// The processes that the filters keep, as `wick show processes` lists them, and what they used in view.
import { computed } from '@preact/signals';
import type { RowObject } from '../parts/table/table';
import { shown } from '../words/format';
import * as words from '../words/processes';
import { addFilter, kept, recording, state } from '../state/state';
import { keptNow, mainInfo, usesNow, weights } from '../parts/lanes/state';
import { crateOf, filterOf, hasUse, peakTimes } from '../views/processes';
import { Shown } from './ShownTables';
import '../parts/lanes/lanes.css';

// Numbers of processes are used again, so a row is of the process that began then.
const nameOf = (pid: unknown, start: unknown, name: unknown) =>
	JSON.stringify([pid || 0, start, name || words.unnamed]);

const ids = computed(() => new Map(recording.value!.head.processes.map((process, i) =>
	[process ? nameOf(process.pid, process.start, process.name) : '', i])));

const idOf = (row: RowObject): number => ids.value.get(nameOf(row.pid, row.start_ns, row.name)) ?? 0;

const lasted = ({ start_ns: start, end_ns: end }: RowObject) =>
	typeof start === 'number' && typeof end === 'number' ? end - start : null;

const extra = computed(() => {
	const event = mainInfo.value, now = weights.value;
	const { processes } = recording.value!.head, uses = usesNow(), hasCommit = uses && hasUse(uses, 'commit');
	const peaks = uses && peakTimes(uses, hasCommit ? 'commit' : 'peak', processes.length);
	return [
		...peaks?.some(time => time !== null) ? [{
			key: 'peak_at_ns', kind: 'moment', title: words.peakAt, after: hasCommit ? 'peak_commit_bytes' : 'peak_working_set_bytes',
			value: (row: RowObject) => peaks[idOf(row)],
		}] : [],
		...event && now ? [{
			key: 'in_view_' + event.unit, isFirst: state.value.range !== null, kind: { ns: 'duration', bytes: 'bytes' }[event.unit] ?? 'count',
			title: event.cpuTime ? words.cpuInView : words.inView(shown(event.name)), value: (row: RowObject) => now[idOf(row)],
		}] : [],
		{ key: 'lasted_ns', kind: 'duration', title: words.lasted, value: lasted },
		...processes.some(process => process && crateOf(process.command)) ? [{
			key: 'crate', kind: 'text', title: words.crate, value: (row: RowObject) => crateOf(String(row.command_line ?? '')),
		}] : [],
	];
});

const keeps = computed(() => kept.value.threads ? (row: RowObject) => keptNow.value[idOf(row)] : undefined);

export function Processes() {
	return <Shown name="processes" lacks="processes" label={words.processes} extra={extra.value} keeps={keeps.value}
		tools={<span class="lanes-hint">{words.filterHint}</span>}
		onRow={row => {
			const process = recording.value!.head.processes[idOf(row)];
			if (process)
				addFilter(filterOf(process));
		}} />;
}
