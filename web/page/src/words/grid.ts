import { grouped } from './format';

export const grid = {
	label: 'Call tree',
	inlined: '[inl]',
	inlinedHint: 'inlined into its caller',
	group: (title: string) => title + ': grouping. Alt+Left and Alt+Right move it, Delete removes it.',
	stack: (title: string) => title + ': always the last grouping',
	remove: (title: string) => 'Remove grouping ' + title,
	add: 'Add a grouping',
	value: (title: string, canGroup: boolean) =>
		'Sort by ' + title + (canGroup ? '. Alt+Left groups by it.' : ''),
	columnMenu: (title: string) => 'Menu of the column ' + title,
	descending: 'Sort, largest first',
	ascending: 'Sort, smallest first',
	hide: (title: string) => 'Hide ' + title,
	show: (title: string) => 'Show ' + title,
	match: 'match',
	more: (count: number, share: string) => grouped(count) + ' more, ' + share,
	moreOf: (count: number, name: string, share: string) => grouped(count) + ' more of ' + name + ', ' + share,
	moreHint: (count: number, share: string) =>
		grouped(count) + ' rows not shown: ' + share + ' of the weight in view. Enter shows the next ones.',
	depth: (level: number) => 'level ' + grouped(level),
	ask: (rows: number) => 'This opens ' + grouped(rows) + ' rows.',
	openAll: 'Open all',
	cancel: 'Cancel',
	copied: (rows: number) => rows === 1 ? 'Row copied' : grouped(rows) + ' rows copied',
	name: 'Name',
	level: 'Level',
	module: 'Module',
};
