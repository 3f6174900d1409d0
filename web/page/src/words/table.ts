import { grouped } from './format';

export const table = {
	filter: 'Filter rows',
	shown: (shown: number, all: number) =>
		(shown === all ? '' : grouped(shown) + ' of ') + grouped(all) + (all === 1 ? ' row' : ' rows'),
	wrap: 'Wrap long texts',
	allColumns: 'All columns',
	copy: 'Copy',
	copied: 'Row copied',
	forms: { tsv: 'TSV', csv: 'CSV', markdown: 'Markdown' },
	unknown: 'unknown',
	none: 'No row matches the filter.',
	rest: (count: number) => grouped(count) + ' more rows: filter, or turn off wrapping to see them',
};
