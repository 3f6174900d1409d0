// What a lane is, in words.
import type { Process } from '../../data/types';
import { amountOf, duration, grouped, seconds, shown } from '../../words/format';
import * as words from '../../words/processes';
import { copy } from '../copy';
import { isFold, subjectOf, type Lane } from '../../views/processes';
import { recording, setRange, shownTime } from '../../state/state';
import { mainInfo, weights } from './state';

const titles = words.facts;

export const processesOf = (lane: Lane): Process[] =>
	lane.processes.map(id => recording.value!.head.processes[id]!);

export function titleOf(lane: Lane): string {
	const name = shown(processesOf(lane)[0].name || words.unnamed);
	return isFold(lane) ? words.fold(lane.processes.length, name) : name;
}

// What follows the name in the label.
export function subtitleOf(lane: Lane): string {
	const [first] = processesOf(lane);
	const parts = isFold(lane) ? [] : [first.pid > 0 && words.pid(first.pid), shown(subjectOf(first))];
	if (lane.below > 0 && (isFold(lane) || !lane.isOpen))
		parts.push(words.below(lane.below));
	return parts.filter(Boolean).join(' ');
}

const timeOf = (lane: Lane): { start: number | null; end: number | null } => {
	const list = processesOf(lane);
	const ends = list.map(process => process.end);
	return { start: list[0].start, end: ends.includes(null) ? null : Math.max(...ends as number[]) };
};

export function factsOf(lane: Lane): [string, string][] {
	const [first] = processesOf(lane);
	const { start, end } = timeOf(lane);
	const event = mainInfo.value;
	const length = shownTime.value[1] - shownTime.value[0];
	const used = weights.value && lane.processes.reduce((sum, id) => sum + weights.value![id], 0);
	const facts: [string, string | null | false][] = [
		[titles.count, isFold(lane) && grouped(lane.processes.length)],
		[titles.pid, !isFold(lane) && first.pid > 0 && String(first.pid)],
		[titles.parent, first.parent > 0 && String(first.parent)],
		[titles.start, start === null ? words.before : seconds(start, length)],
		[titles.end, end === null ? words.after : seconds(end, length)],
		[titles.lasted, start !== null && end !== null && duration(end - start)],
		[event?.cpuTime ? words.cpuInView : words.inView(shown(event?.name ?? '')),
			used !== null && event !== null && amountOf(used, event.unit)],
		[titles.exit, !isFold(lane) && first.exit !== null && String(first.exit)],
	];
	return facts.filter((fact): fact is [string, string] => Boolean(fact[1]));
}

export const factsText = (lane: Lane): string => factsOf(lane).map(fact => fact.join(' ')).join(', ');

export function Info({ lane, selected, onFilter }: { lane: Lane; selected: number; onFilter(): void }) {
	const { command } = processesOf(lane)[0];
	const { start, end } = timeOf(lane);
	return <>
		<h2>{titleOf(lane)}</h2>
		<dl>{factsOf(lane).map(([title, text]) => <div key={title}><dt>{title}</dt><dd>{text}</dd></div>)}</dl>
		{selected > 0 && <span>{words.selected(selected)}</span>}
		<button onClick={onFilter}>{selected === 0 && isFold(lane)
			? words.filterName(shown(processesOf(lane)[0].name)) : words.filter(selected)}</button>
		{start !== null && end !== null && end > start
			&& <button onClick={() => setRange([start, end])}>{words.showTime}</button>}
		{command && !isFold(lane) && <>
			<button onClick={() => copy(command)}>{words.copyCommand}</button>
			<div class="lanes-command" tabIndex={0} role="group" aria-label={titles.command}>{shown(command)}</div>
		</>}
	</>;
}
