export const served = {
	asking: 'Asking wick ...',
	source: 'Source',
	instructions: 'Instructions',
	sql: 'SQL',
	run: 'Run (Ctrl+Enter)',
	tables: 'Of the whole recording. wick query --tables lists the tables; docs/query.md has examples.',
	example: 'SELECT f.name, sum(s.weight) AS self_ns FROM samples s\nJOIN stacks k ON k.id = s.stack JOIN functions f ON f.id = k.function\n'
		+ 'GROUP BY f.name ORDER BY self_ns DESC LIMIT 100',
	symbols: 'Symbols',
	done: 'All files have been looked for.',
	searching: (done: number, all: number) => `Looking for files with names: ${done} of ${all}.`,
	module: 'module',
	gone: 'wick view has ended: what is shown is its last answer. Start it again for a new page.',
};
