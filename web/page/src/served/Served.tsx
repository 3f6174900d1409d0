// Source code and SQL: what only the served page has.
import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { ShownTable } from '../data/types';
import * as words from '../words/served';
import { plural, shown } from '../words/format';
import { Table } from '../parts/table/table';
import { annotate, cancelQuery, query, symbols, type Annotation } from './server';

function Answer({ title, of }: { title: string; of: ShownTable | { error: string } | null }) {
	return !of ? <p>{words.asking}</p> : 'error' in of ? <p role="alert">{title}: {shown(of.error)}</p>
		: <div class="tab-half">{of.notes?.map(text => <p key={text} class="tab-answer">{shown(text)}</p>)}<Table table={of} label={title} empty="" /></div>;
}

// On a narrow screen, "All columns" has what is not needed to read the code.
const narrowed = <T extends ShownTable | { error: string }>(table: T): T => 'columns' in table && innerWidth <= 600
	? { ...table, columns: table.columns!.map(column => ({ ...column, detail: !['self_percent', 'text'].includes(column.key) })) } : table;

export function Code({ name, by }: { name: string; by: string }) {
	const [found, setFound] = useState<Annotation | null>(null);
	const [which, setWhich] = useState<'source' | 'instructions'>('source');
	useEffect(() => {
		const fail = (error: Error) => setFound({ function: name, source: { error: error.message }, instructions: { error: error.message } });
		annotate(name, by).then(({ source, instructions, ...rest }) =>
			setFound({ ...rest, source: narrowed(source), instructions: narrowed(instructions) }), fail);
	}, [name, by]);
	return <>
		<h2>{shown(name)}</h2>
		<div class="tab-switch">{(['source', 'instructions'] as const).map(key =>
			<button key={key} aria-pressed={which === key} onClick={() => setWhich(key)}>{words.answers[key]}</button>)}</div>
		<Answer title={words.answers[which]} of={found && found[which]} />
	</>;
}

// They stay when the dialog is closed. null: wick is asked.
const statement = signal(words.example);
const result = signal<ShownTable | { error: string } | null | undefined>(undefined);

export function Sql() {
	const found = result.value;
	const run = () => {
		if (found === null)
			return cancelQuery();
		result.value = null;
		query(statement.value).catch((error: Error) => ({ error: error.message })).then(answer => { result.value = answer; });
	};
	return <>
		<textarea aria-label={words.sql} rows={5} spellcheck={false} value={statement.value} autofocus
			onInput={event => { statement.value = event.currentTarget.value; }}
			onKeyDown={event => event.key === 'Enter' && event.ctrlKey && found !== null && run()} />
		<div class="tab-tools"><button onClick={run}>{found === null ? words.cancel : words.run}</button><span>{words.tables}</span></div>
		{found !== undefined && <Answer title={words.sql} of={found} />}
	</>;
}

// A row for each module: its source, and why it has no names.
export function SymbolsOfModules() {
	const news = symbols.value;
	if (!news)
		return null;
	const busy = news.files.filter(file => !file.done);
	return <>
		<h2>{words.symbols}</h2>
		<p role="status">{news.state === 'done' ? words.done : words.searching(news.searched, news.searches)}
		</p>
		<ul>{busy.map(file => <li key={file.name}>{shown(file.name)} <progress value={file.bytes} max={file.size || undefined} aria-label={file.name} /> {shown(file.source)}</li>)}</ul>
		{news.complaints.length > 0 && <ul>{news.complaints.map(text => <li key={text}>{shown(text)}</li>)}</ul>}
		<div class="served-modules"><Table table={news.modules} label={plural(news.modules.rows.length, words.module)} /></div>
	</>;
}
