import { share } from './format';

export const title = 'Compare with an earlier recording';
export const drop = 'Drop the page of another recording here, made by wick report.';
export const open = 'or open it:';
export const command = 'Both recordings fit into one page:';
export const example = 'wick report NEW.data --against OLD.data -o page.html';
export const noPage = (file: string) => `${file} is not a page of wick report; wick report ${file} -o page.html makes one of a recording`;
export const what = (before: string, after: string) => `Before: ${before}. After: ${after}.`;
export const range = 'The selected time counts from the start of each.';
export const another = 'Compare with another';
export const worse = 'Worse: functions by self time';
export const better = 'Better: functions by self time';
export const none = 'Nothing.';
export const signed = (n: number, text: (n: number) => string) => (n < 0 ? '\u2212' : n ? '+' : '') + text(Math.abs(n));
export const change = (before: number, after: number, amount: (n: number) => string) => {
	const by = signed(after - before, amount);
	return !before ? `${by}, new` : !after ? `${by}, gone` : `${by}, ${signed(after - before, n => share(n, before))}`;
};
export const before = 'before';
export const after = 'after';
export const changed = 'change';
export const isNew = 'new';
