// How the columns of a table of `wick show` are written.

import { bytes, group, grouped, share, shown, timeUnit } from '../../words/format';
import type { ShownTable } from '../../data/types';

export type RowObject = Record<string, unknown>;

type ShownColumn = NonNullable<ShownTable['columns']>[number];
export interface ExtraColumn extends ShownColumn {
	isFirst?: boolean; // right behind the name
	after?: string; // right behind the column with this key
	value(row: RowObject): unknown;
}

export interface TableColumn extends ExtraColumn {
	text(row: RowObject): string; // '' is not known
	isNumber: boolean;
}

// One unit for all rows, chosen by the largest.
function timesText(values: unknown[]): (value: number) => string {
	const largest = values.reduce((most: number, value) => Math.max(most, Math.abs(Number(value))), 0);
	const [size, unit, decimals] = timeUnit(largest);
	return value => group((value / size).toFixed(decimals)) + ' ' + unit;
}

function numberText(kind: string, values: unknown[]): (value: number) => string {
	switch (kind) {
	case 'duration':
	case 'moment':
	case 'start': return timesText(values);
	case 'bytes': return bytes;
	case 'share': return value => share(value, 100);
	case 'number': return String;
	default: return value => Number.isInteger(value) ? grouped(value) : value.toFixed(2);
	}
}

const KINDS: [RegExp, string][] = [[/_ns$/, 'duration'], [/_bytes$/, 'bytes'], [/percent$/, 'share'], [/^/, 'number']];

// An answer to a query says nothing of its columns.
const guessed = (row: RowObject): ShownColumn[] => Object.entries(row).map(([key, value]) => ({ key, title: key,
	kind: typeof value === 'number' ? KINDS.find(([pattern]) => pattern.test(key))![1] : 'text' }));

const FIRST = ['name', 'process', 'thread'];
const rank = ({ key, isFirst }: { key: string; isFirst?: boolean }) =>
	FIRST.includes(key) ? FIRST.indexOf(key) : FIRST.length + +!isFirst;

export function columnsOf({ rows, columns = guessed(rows[0] ?? {}) }: ShownTable, extra: ExtraColumn[],
	showsAll: boolean): TableColumn[] {
	const isPlaced = ({ after }: ExtraColumn) => columns.some(({ key }) => key === after);
	return [...columns.flatMap(column => [{ ...column, value: (row: RowObject) => row[column.key] } as ExtraColumn,
		...extra.filter(({ after }) => after === column.key)]), ...extra.filter(column => !isPlaced(column))]
		.filter(column => showsAll || !column.detail && (column.kind !== 'bytes' || rows.some(row => column.value(row))))
		.sort((a, b) => rank(a) - rank(b))
		.map(column => {
			const write = numberText(column.kind, rows.map(column.value));
			return { ...column, isNumber: column.kind !== 'text', text: row => {
				const value = column.value(row);
				return value === 0 && column.kind === 'bytes' ? '\u00b7' : typeof value === 'number' ? write(value) : shown(String(value ?? ''));
			} };
		});
}

// null is last in either direction.
export function compared(a: unknown, b: unknown, sign: number): number {
	if (a === null || b === null)
		return +(a === null) - +(b === null);
	return sign * (typeof a === 'number' && typeof b === 'number' ? a - b
		: +(String(a) > String(b)) - +(String(a) < String(b)));
}
