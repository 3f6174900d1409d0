export const asking = 'Asking wick ...';
export const answers = { source: 'Source', instructions: 'Instructions' };
export const sql = 'SQL';
export const run = 'Run (Ctrl+Enter)';
export const cancel = 'Cancel';
export const tables = 'Of the whole recording. wick query --tables lists the tables; docs/query.md has examples.';
export const example = 'SELECT f.name, sum(s.weight) AS self_ns FROM samples s\nJOIN stacks k ON k.id = s.stack JOIN functions f ON f.id = k.function\n'
	+ 'GROUP BY f.name ORDER BY self_ns DESC LIMIT 100';
export const symbols = 'Symbols';
export const done = 'All files have been looked for.';
export const searching = (done: number, all: number) => `Looking for files with names: ${done} of ${all}.`;
export const module = 'module';
export const gone = 'wick view has ended: what is shown is its last answer. Start it again for a new page.';
