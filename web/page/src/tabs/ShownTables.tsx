// Tabs that are tables of `wick show`.
import { signal } from '@preact/signals';
import type { Recording, ShownTable } from '../data/types';
import { shell as words } from '../words/shell';
import { recording } from '../state/state';
import { Table, type TableProps } from '../parts/table/table';
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

export function Shown({ name, lacks, ...rest }: { name: string; lacks?: string } & Omit<TableProps, 'table'>) {
	const table = tableOf(name);
	if (table === undefined)
		return <p class="shell-message">{words.reading(name)}</p>;
	if (!table || table.rows.length === 0)
		return lacks ? <Lacks of={lacks} /> : null;
	return <Table table={table} {...rest} />;
}
