import { grouped, plural, share } from './format';

export const label = 'Flame graph';
export const keys = 'Arrows move, Enter zooms, Backspace goes back.';
export const inlined = 'inlined';
export const inlinedMark = ' [inl]';
export const small = (count: number) => plural(count, 'small frame');
export const smallWhy = 'Each is narrower than half a pixel. Click to enlarge.';
export const wholeWidth = (times: number) => `Full width (now ${times < 10 ? times.toFixed(1) : grouped(times)}×)`;
export const total = (amount: string, part: string, whole: string) => `${amount} · ${part} of ${whole} in view`;
export const ofParent = (part: string) => `${part} of its parent`;
export const self = (amount: string, part: string) => `self ${amount} · ${part} of the view`;
export const item = (name: string, part: string) => `${name}, ${part}`;
export const before = (amount: string) => 'before ' + amount;
export const after = (amount: string) => 'after ' + amount;
export function change(before: number, after: number): string {
	if (before === after)
		return 'no change';
	if (!before || !after)
		return before ? '↓ gone' : '↑ new';
	const percent = share(Math.abs(after - before), before);
	return after > before ? `↑ +${percent}` : `↓ −${percent}`;
}
export const searchFor = 'Search (regular expression)';
export const noPicture = 'The browser cannot make a picture of this size.';
export const grew = '↑ ';
export const shrank = '↓ ';
