// Tabs that are tables of `wick show`.
import { signal } from '@preact/signals';
import { useMemo } from 'preact/hooks';
import type { Recording, ShownTable } from '../data/types';
import * as words from '../words/shell';
import { recording } from '../state/state';
import { Table, type RowObject, type TableProps } from '../parts/table/table';
import { Lacks } from './Lacks';

let of: Recording | null = null;
const read = signal(new Map<string, ShownTable | null>());

// undefined while it is being read.
function tableOf(name: string): ShownTable | null | undefined {
	if (of !== recording.value) {
		of = recording.value;
		read.value = new Map();
	}
	if (!read.value.has(name))
		void of!.table(name).then(table => {
			if (!read.value.has(name))
				read.value = new Map(read.value).set(name, table);
		});
	return read.value.get(name);
}

interface Props extends Omit<TableProps, 'table'> {
	name: string;
	lacks?: string;
	keeps?: ((row: RowObject) => unknown) | undefined; // rows that the filters keep
}

export function Shown({ name, lacks, keeps, ...rest }: Props) {
	const whole = tableOf(name);
	const table = useMemo(() => whole && keeps ? { ...whole, rows: whole.rows.filter(keeps) } : whole, [whole, keeps]);
	if (table === undefined)
		return <p class="shell-message">{words.reading(name)}</p>;
	if (!table || whole!.rows.length === 0)
		return lacks ? <Lacks of={lacks} /> : null;
	return <Table table={table} {...rest} />;
}
