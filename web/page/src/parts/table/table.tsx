// A flat table, as `wick show` prints it.

import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { ShownTable } from '../../data/types';
import * as say from '../../words/table';
import '../grid/grid.css';
import { announced, copy } from '../copy';
import { delimited, type Form } from './delimited';
import { columnsOf, compared, type ExtraColumn, type RowObject, type TableColumn } from './format';
import { printed } from '../../state/theme';
import { ariaSort, hasModifier, MOST_PRINTED, ROW, rowByKey, sortArrow, take, useVisibleRows, walkButtons } from './rows';
import './table.css';

export type { ExtraColumn, RowObject } from './format';

export interface TableProps {
	table: ShownTable;
	label: string;
	extra?: ExtraColumn[]; // computed columns, after those of the table
	empty?: string; // in place of numbers that are null
	tools?: JSX.Element; // further parts of the tool bar
	onRow?(row: RowObject): void; // Enter, double click
}

const MOST_WRAPPED = MOST_PRINTED; // rows of unequal height are all in the document
const NONE: never[] = [];
const LONG = 40; // characters: a longer text is worth wrapping

export function Table({ table, label, extra = NONE, empty = say.unknown, tools, onRow }: TableProps) {
	const id = table.table + '-';
	const scroller = useRef<HTMLDivElement>(null);
	const [filter, setFilter] = useState('');
	const [sort, setSort] = useState<{ key: string; sign: number }>({ key: '', sign: 0 });
	const [wraps, setWraps] = useState(false);
	const [showsAll, setShowsAll] = useState(false);
	const [current, setCurrent] = useState<RowObject | null>(null);

	const columns = useMemo(() => columnsOf(table, extra, showsAll), [table, extra, showsAll]);
	const rows = useMemo(() => {
		const word = filter.toLowerCase(), by = columns.find(column => column.key === sort.key);
		const kept = table.rows.filter(row =>
			!word || columns.some(column => column.text(row).toLowerCase().includes(word)));
		return by && sort.sign ? kept.sort((a, b) => compared(by.value(a), by.value(b), sort.sign)) : kept;
	}, [columns, filter, sort]);
	const view = useVisibleRows(scroller, rows.length);
	const at = current ? rows.indexOf(current) : -1;
	const widths = useMemo(() => columns.map(column => table.rows.slice(0, 1000).reduce(
		(most, row) => Math.max(most, (column.text(row) || column.isNumber && empty || '').length), column.title.length + 2)), [columns]);
	const longest = widths.indexOf(Math.max(...widths)); // takes the room that is left

	useEffect(() => setCurrent(null), [table]);
	useLayoutEffect(() => wraps ? document.getElementById(id + at)?.scrollIntoView({ block: 'nearest' })
		: view.reveal(at), [current, rows]);

	const text = (form: Form, of: RowObject[]) => delimited([
		columns.map(column => form === 'csv' ? column.key : column.title),
		...of.map(row => columns.map(column => {
			const value = column.value(row);
			return form === 'csv' && typeof value === 'number' ? String(value) : column.text(row);
		})),
	], form);
	const onKey = (event: KeyboardEvent) => {
		if (event.target !== scroller.current || hasModifier(event))
			return;
		const target = rowByKey(event.key, at, rows.length, view.page);
		if (target >= 0)
			setCurrent(rows[target] ?? null);
		else if (event.key === 'Enter' && current && onRow)
			onRow(current);
		else
			return;
		take(event);
	};
	const onCopy = (event: ClipboardEvent) => {
		if (!current || !getSelection()?.isCollapsed)
			return;
		event.clipboardData!.setData('text/plain', text('tsv', [current]).split('\n')[1]);
		event.preventDefault();
		announced.value = say.copied;
	};
	// Numbers: largest first.
	const sortBy = ({ key, isNumber }: TableColumn) => {
		const first = isNumber ? -1 : 1;
		setSort({ key, sign: sort.key !== key || !sort.sign ? first : sort.sign === first ? -first : 0 });
	};
	const cell = (row: RowObject, column: TableColumn) => {
		const value = column.text(row);
		return (
			<div class={'table-cell' + (column.isNumber ? ' table-number' : '')} role="gridcell" key={column.key}
				title={value.length > LONG && !wraps ? value : undefined}>
				{value || (column.isNumber ? <span class="table-dim">{empty}</span> : '')}
			</div>
		);
	};
	const from = wraps ? 0 : view.first, to = wraps ? Math.min(rows.length, MOST_WRAPPED) : view.last;
	const lengths = widths.map((width, i) => Math.min(width, LONG) + (i === longest ? 0 : 3));
	const toggle = (title: string, is: boolean, set: (is: boolean) => void) =>
		<button aria-pressed={is} onClick={() => set(!is)}>{title}</button>;
	return (
		<div class="grid-part">
			<div class="tab-tools">
				<input type="search" value={filter} placeholder={say.filter} aria-label={say.filter}
					onInput={event => setFilter(event.currentTarget.value)}
					onKeyDown={event => {
						if (event.key === 'ArrowDown') {
							scroller.current!.focus();
							event.preventDefault();
						}
					}} />
				<span role="status">{say.shown(rows.length, table.rows.length)}</span>
				{Math.max(...widths) > LONG && toggle(say.wrap, wraps, setWraps)}
				{table.columns?.some(column => column.detail) && toggle(say.allColumns, showsAll, setShowsAll)}
				{tools}
				<span class="table-copy tab-tools" role="group" aria-label={say.copy}>
					{say.copy}:{' '}
					{(Object.keys(say.forms) as Form[]).map(form => (
						<button key={form} onClick={() => copy(text(form, rows))}>{say.forms[form]}</button>
					))}
				</span>
			</div>
			<div class={'grid table-grid' + (wraps ? ' table-wraps' : '')} role="grid" tabIndex={0} ref={scroller}
				aria-label={label} aria-rowcount={rows.length + 1} aria-colcount={columns.length}
				aria-activedescendant={at >= from && at < to ? id + at : undefined}
				style={{
					'--grid-columns': lengths.map((length, i) =>
						i === longest ? `minmax(${length}ch, 1fr)` : length + 'ch').join(' '),
					'--grid-width': lengths.reduce((sum, length) => sum + length, 0) + 'ch',
				}}
				onKeyDown={onKey} onCopy={onCopy}>
				<div class="grid-row grid-header" role="row" aria-rowindex={1} onKeyDown={walkButtons}>
					{columns.map((column, i) => {
						const sign = sort.key === column.key ? sort.sign : 0;
						return (
							<div role="columnheader" key={column.key} aria-sort={ariaSort(sign)}
								class={'table-cell table-head' + (column.isNumber ? ' table-number' : '')}>
								<button tabIndex={i ? -1 : 0} onClick={() => sortBy(column)}>
									{column.title}<span aria-hidden="true">{sortArrow(sign)}</span>
								</button>
							</div>
						);
					})}
				</div>
				<div class="grid-rows" role="rowgroup" style={wraps ? undefined
					: { height: rows.length * ROW + 'px', paddingTop: from * ROW + 'px' }}>
					{rows.slice(from, to).map((row, i) => (
						<div id={id + (from + i)} role="row" key={from + i} aria-rowindex={from + i + 2}
							aria-selected={row === current}
							class={'grid-row' + (row === current ? ' grid-selected grid-current' : '')}
							onClick={() => setCurrent(row)} onDblClick={() => onRow?.(row)}>
							{columns.map(column => cell(row, column))}
						</div>
					))}
				</div>
			</div>
			{to < rows.length && (wraps || printed.value) && <p class="table-note">{say.rest(rows.length - to)}</p>}
			{!rows.length && table.rows.length > 0 && <p class="table-note">{say.none}</p>}
		</div>
	);
}
