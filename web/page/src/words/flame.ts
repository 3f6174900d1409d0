import { grouped, share } from './format';

export const flame = {
	label: 'Flame graph',
	keys: 'Arrows move, Enter zooms, Backspace goes back.',
	inlined: 'inlined',
	inlinedMark: ' [inl]',
	small: (count: number) => grouped(count) + (count === 1 ? ' small frame' : ' small frames'),
	smallWhy: 'Each is narrower than half a pixel. Click to enlarge.',
	wholeWidth: (times: number) => `Full width (now ${times < 10 ? times.toFixed(1) : grouped(times)}×)`,
	total: (amount: string, part: string, whole: string) => `${amount} · ${part} of ${whole} in view`,
	ofParent: (part: string) => `${part} of its parent`,
	self: (amount: string, part: string) => `self ${amount} · ${part} of the view`,
	item: (name: string, part: string) => `${name}, ${part}`,
	before: (amount: string) => 'before ' + amount,
	after: (amount: string) => 'after ' + amount,
	change(before: number, after: number): string {
		if (before === after)
			return 'no change';
		if (!before || !after)
			return before ? '↓ gone' : '↑ new';
		const percent = share(Math.abs(after - before), before);
		return after > before ? `↑ +${percent}` : `↓ −${percent}`;
	},
	searchFor: 'Search (regular expression)',
	noPicture: 'The browser cannot make a picture of this size.',
	grew: '↑ ',
	shrank: '↓ ',
};
