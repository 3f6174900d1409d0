export type Form = 'tsv' | 'csv' | 'markdown';

const AMOUNT = /^[+-]?[\d.,]+( \S{1,3})?$/;

// Spreadsheets run a cell that starts like a formula, and names come from traces: an apostrophe
// makes it text.
const harmless = (text: string) => /^[=+@-]/.test(text) && !AMOUNT.test(text) ? "'" + text : text;

const quoted = (text: string) => /[",\n]/.test(text) ? '"' + text.replace(/"/g, '""') + '"' : text;

// The first row is the header.
export function delimited(rows: string[][], form: Form): string {
	if (form === 'tsv')
		return rows.map(row => row.map(harmless).join('\t') + '\n').join('');
	if (form === 'csv')
		return rows.map(row => row.map(cell => quoted(harmless(cell))).join(',') + '\n').join('');
	const line = (row: string[]) =>
		'| ' + row.map(cell => cell.replace(/[\\|`*_<&[\]]/g, '\\$&')).join(' | ') + ' |\n';
	return line(rows[0]) + '|' + ' --- |'.repeat(rows[0].length) + '\n' + rows.slice(1).map(line).join('');
}
