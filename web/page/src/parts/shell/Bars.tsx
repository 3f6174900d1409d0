// The bars around a view: title, tabs, chips with search, status.
import { mainSamples } from '../lanes/state';
import { useEffect, useRef, useState } from 'preact/hooks';
import { plural, seconds, shown } from '../../words/format';
import { searching, sql } from '../../words/served';
import * as words from '../../words/shell';
import { actionOf, canDo, openDialog } from '../../state/actions';
import { theme, type Theme } from '../../state/theme';
import { lackingEvent, tabsOf } from '../../state/presets';
import { savePreset } from '../../state/rules';
import {
	analysis, change, changePanel, hasData, hits, nextHit, panel, recording, removeFilter, searchPattern, searchResult, setPreset, setRange, setTab, span, state,
} from '../../state/state';
import { Refusal, served, symbols } from '../../served/server';
import { trouble } from '../../served/trees';
import { announced } from '../copy';

const warningCount = () => (void mainSamples.value, recording.value!.head.warnings.length + recording.value!.damaged.size);

const SAVE = '\0'; // no name of a preset

export function Title() {
	const { head } = recording.value!;
	const parts = [plural(head.processes.length - 1, 'process'), seconds(head.last, head.last),
		...head.events.filter((event, id) => event && event.samples > 0 && !event.part && (id === head.event || event.lifetimes))
			.map(event => `${plural(event!.samples, event!.row)} of ${shown(event!.name)}`)];
	return <header class="shell-title">
		<h1>{shown(head.title || head.input)}</h1>
		<span class="shell-facts">{parts.join(' \u00b7 ')}</span>
		<label class="shell-theme"><span>{words.preset}</span>
			<select id="preset" aria-label={words.preset} value={state.value.preset} onChange={event => {
				if (event.currentTarget.value !== SAVE)
					return setPreset(event.currentTarget.value);
				event.currentTarget.value = state.value.preset;
				savePreset();
			}}>
				<option value="">{words.noPreset}</option>
				{head.presets.map(({ preset }) => <option key={preset.name} value={preset.name}>{shown(preset.title ?? preset.name)}</option>)}
				{analysis.value && <option value={SAVE}>{words.savePreset}</option>}
			</select>
		</label>
		<label class="shell-theme"><span>{words.theme}</span>
			<select aria-label={words.theme} value={theme.value} onChange={event => { theme.value = event.currentTarget.value as Theme; }}>
				{Object.entries(words.themes).map(([key, title]) => <option key={key} value={key}>{title}</option>)}
			</select>
		</label>
		<button onClick={openDialog('commands')}>{words.commands}</button>
		{served.value && <button onClick={openDialog('sql')}>{sql}</button>}
		<button onClick={openDialog('share')}>{words.share}</button>
		<button aria-label={words.help} onClick={openDialog('help')}>{words.helpShort}</button>
	</header>;
}

export function Tabs() {
	const now = state.value.tab, list = tabsOf(recording.value!.head, state.value.preset);
	const move = (event: KeyboardEvent) => {
		const i = list.findIndex(info => info.tab === now);
		const next = { ArrowRight: i + 1, ArrowLeft: i - 1 + list.length, Home: 0, End: list.length - 1 }[event.key];
		if (next === undefined)
			return;
		event.preventDefault();
		setTab(list[next % list.length].tab);
	};
	useEffect(() => {
		if (document.activeElement?.getAttribute('role') === 'tab')
			document.getElementById('tab-' + now)?.focus();
		document.getElementById('tab-' + now)?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
	}, [now]);
	return <nav aria-label={words.tabs}><div class="shell-tabs" role="tablist" aria-label={words.tabs} onKeyDown={move}>
		{list.map(({ tab, title }) => <button key={tab} id={'tab-' + tab} role="tab" aria-selected={tab === now}
			aria-controls="view" tabIndex={tab === now ? 0 : -1} class={hasData(tab) ? '' : 'shell-empty'} onClick={() => setTab(tab)}>
			{title}{tab === 'quality' && warningCount() > 0 ? ` (${warningCount()})` : ''}
		</button>)}
	</div></nav>;
}

function Chip({ text, onRemove }: { text: string; onRemove(): void }) {
	return <li class="shell-chip"><span>{text}</span>
		<button aria-label={words.remove(text)} onClick={onRemove}>{'\u00d7'}</button></li>;
}

// The selected time in seconds, to be typed: "1-2", or "10%-20%".
function TimeField() {
	const { range } = state.value;
	const [typed, setTyped] = useState(range ? range.map(ns => +(ns / 1e9).toFixed(5)).join('-') : '');
	const set = () => {
		const found = /^\s*([\d.]*)\s*(%?)s?\s*-\s*([\d.]*)\s*(%?)s?\s*$/.exec(typed), end = span.value[1];
		const ns = (text: string, percent: string) => Number(text) * (percent ? end / 100 : 1e9);
		const from = found ? ns(found[1], found[2]) : NaN, to = found?.[3] ? ns(found[3], found[4]) : end;
		if (!typed.trim())
			setRange(null);
		else if (from < to && from < end)
			setRange([from, Math.min(to, end)]);
		else
			announced.value = words.noTime(typed);
	};
	return <input id="time" type="text" size={10} aria-label={words.timeField} placeholder={words.timeShort} value={typed}
		onInput={event => setTyped(event.currentTarget.value)} onKeyDown={event => event.key === 'Enter' ? set() : event.key === 'Escape' && event.currentTarget.blur()} />;
}

export function Chips() {
	const { range, filters, preset } = state.value, lacking = lackingEvent(recording.value!.head, preset);
	const length = range ? range[1] - range[0] : 0;
	const clear = actionOf('clear'), undo = actionOf('undo'), redo = actionOf('redo');
	return <div class="shell-chips">
		<TimeField key={range?.join()} />
		<ul aria-label={words.selection}>
			{range && <Chip text={words.time(seconds(range[0], length), seconds(range[1], length))} onRemove={() => setRange(null)} />}
			{analysis.value && panel.value.least > 0 && <Chip text={words.folded(panel.value.least)} onRemove={() => changePanel({ least: 0 })} />}
			{filters.map(filter => {
				const of = ['group', 'annotate'].includes(filter.kind) ? filter.text.replace('=', ' = ') : filter.text;
				const text = [words.filters[filter.kind], shown(of)].filter(Boolean).join(': ');
				return <Chip key={filter.kind + filter.text} text={filter.out ? words.without(text) : text}
					onRemove={() => removeFilter(filter)} />;
			})}
		</ul>
		{lacking && <span role="status">{words.lacksEvent(shown(preset), shown(lacking))}</span>}
		{canDo(clear) && <button onClick={clear.run}>{words.clear}</button>}
		<button disabled={!canDo(undo)} onClick={undo.run}>{words.undo}</button>
		<button disabled={!canDo(redo)} onClick={redo.run}>{words.redo}</button>
		<Search />
	</div>;
}

function Search() {
	const [typed, setTyped] = useState(state.value.search);
	const own = useRef(''); // what was searched from here: more may have been typed since
	const search = (text: string): boolean => {
		const isNew = text !== state.value.search;
		own.current = text;
		if (isNew)
			change({ search: text }, true);
		return isNew;
	};
	useEffect(() => {
		if (own.current !== state.value.search)
			setTyped(own.current = state.value.search);
	}, [state.value.search]);
	useEffect(() => {
		const timer = setTimeout(() => search(typed), 60);
		return () => clearTimeout(timer);
	}, [typed]);
	const isWrong = state.value.search !== '' && !searchPattern.value;
	const found = searchResult.value, isSlow = hits.value && searchPattern.value?.isSlow;
	const result = isWrong ? words.wrongPattern : isSlow ? words.slowPattern : found instanceof Refusal ? shown(found.message)
		: found ? words.matches(found.nodes, found.weight, analysis.value!.tree.total[0]) : '';
	return <div class="shell-search" role="search">
		<input id="search" type="search" aria-label={words.search} placeholder={words.searchShort} value={typed} spellcheck={false}
			aria-invalid={isWrong || !!isSlow} aria-describedby="search-result" onInput={event => setTyped(event.currentTarget.value)}
			onKeyDown={event => {
				if (event.key === 'Escape') {
					setTyped('');
					event.currentTarget.blur();
				} else if (event.key === 'Enter') {
					nextHit(search(event.currentTarget.value) ? 0 : event.shiftKey ? -1 : 1);
				}
			}} />
		<span id="search-result" role="status">{result}</span>
	</div>;
}

export function Status() {
	const opened = recording.value!;
	const shape = analysis.value;
	const parts = [shape && words.inView(shape.tree.totalTimes[0], shape.event.samples, shape.event.row),
		shape && words.lost(shape.event.lost), shape && words.cut(shape.tree.cut), opened.damaged.size > 0 && words.damaged(opened.damaged.size)];
	return <footer class="shell-status">
		<span>{parts.filter(Boolean).join(' \u00b7 ')}</span>
		{symbols.value?.state === 'searching' && <span>{searching(symbols.value.searched, symbols.value.searches)}</span>}
		{trouble.value && <span role="alert">{shown(trouble.value)}</span>}
		<span role="status">{announced.value}</span>
		<span class="shell-facts">{`wick ${opened.head.wick}`}</span>
	</footer>;
}
