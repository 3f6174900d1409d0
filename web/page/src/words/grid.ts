import { grouped } from './format';

export const label = 'Call tree';
export const inlined = '[inl]';
export const inlinedHint = 'inlined into its caller';
export const group = (title: string) => title + ': grouping. Alt+Left and Alt+Right move it, Delete removes it.';
export const stack = (title: string) => title + ': always the last grouping';
export const remove = (title: string) => 'Remove grouping ' + title;
export const add = 'Add a grouping';
export const value = (title: string, canGroup: boolean) =>
	'Sort by ' + title + (canGroup ? '. Alt+Left groups by it.' : '');
export const columnMenu = (title: string) => 'Menu of the column ' + title;
export const descending = 'Sort, largest first';
export const ascending = 'Sort, smallest first';
export const hide = (title: string) => 'Hide ' + title;
export const show = (title: string) => 'Show ' + title;
export const match = 'match';
export const more = (count: number, share: string) => grouped(count) + ' more, ' + share;
export const moreOf = (count: number, name: string, share: string) => grouped(count) + ' more of ' + name + ', ' + share;
export const moreHint = (count: number, share: string) =>
	grouped(count) + ' rows not shown: ' + share + ' of the weight in view. Enter shows the next ones.';
export const depth = (level: number) => 'level ' + grouped(level);
export const ask = (rows: number) => 'This opens ' + grouped(rows) + ' rows.';
export const openAll = 'Open all';
export const cancel = 'Cancel';
export const copied = (rows: number) => rows === 1 ? 'Row copied' : grouped(rows) + ' rows copied';
export const name = 'Name';
export const level = 'Level';
export const module = 'Module';
