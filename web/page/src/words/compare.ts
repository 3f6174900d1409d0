import { share } from './format';

export const compare = {
	title: 'Compare with an earlier recording',
	drop: 'Drop the page of another recording here, made by wick report.',
	open: 'or open it:',
	command: 'Both recordings fit into one page:',
	example: 'wick report NEW.data --against OLD.data -o page.html',
	noPage: (file: string) => `${file} is not a page of wick report; wick report ${file} -o page.html makes one of a recording`,
	what: (before: string, after: string) => `Before: ${before}. After: ${after}.`,
	another: 'Compare with another',
	worse: 'Worse: functions by self time',
	better: 'Better: functions by self time',
	none: 'Nothing.',
	change: (before: number, after: number, amount: (n: number) => string) => {
		const sign = after > before ? '+' : '\u2212';
		const by = sign + amount(Math.abs(after - before));
		return !before ? `${by}, new` : !after ? `${by}, gone` : `${by}, ${sign}${share(Math.abs(after - before), before)}`;
	},
	before: 'before',
	after: 'after',
	changed: 'change',
	isNew: 'new',
	asShares: 'As if both took the same',
};
