import { grouped, plural } from './format';

export const filter = 'Filter rows';
export const shown = (shown: number, all: number) =>
	(shown === all ? '' : grouped(shown) + ' of ') + plural(all, 'row');
export const wrap = 'Wrap long texts';
export const allColumns = 'All columns';
export const copy = 'Copy';
export const copied = 'Row copied';
export const forms = { tsv: 'TSV', csv: 'CSV', markdown: 'Markdown' };
export const unknown = 'unknown';
export const none = 'No row matches the filter.';
export const rest = (count: number) => grouped(count) + ' more rows: filter, or turn off wrapping to see them';
