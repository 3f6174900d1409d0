// Numbers, times and hostile text as people read them.
import { amountOfTime as duration, bytes, grouped, share } from '../../../amounts.js';

export { bytes, duration, grouped, share };

// Of at most three decimals.
export const group = (digits: string): string => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',');

// With its name and its usual decimals.
type Unit = [size: number, name: string, decimals: number];
const UNITS: Unit[] = [[1e9, 's', 3], [1e6, 'ms', 1], [1e3, 'us', 0], [1, 'ns', 0]];

export const timeUnit = (ns: number): Unit => UNITS.find(([size]) => Math.abs(ns) >= size) ?? UNITS[3];

// A moment: always in seconds, with as many decimals as a span of that length needs.
export function seconds(ns: number, span = 1e9): string {
	const decimals = span >= 2e10 ? 1 : span >= 2e9 ? 2 : span >= 2e8 ? 3 : span >= 2e6 ? 5 : 6;
	return (ns / 1e9).toFixed(decimals) + ' s';
}

export function amountOf(weight: number, unit: string): string {
	if (unit === 'ns')
		return duration(weight);
	if (unit === 'bytes')
		return bytes(weight);
	return grouped(weight) + ' ' + unit;
}

export const plural = (n: number, word: string): string =>
	grouped(n) + ' ' + word + (Math.round(n) === 1 ? '' : /(s|ch)$/.test(word) ? 'es' : 's');

// Text of a trace is data: characters that change the direction of text, move the cursor or cannot
// be seen are shown by their numbers.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

export function shown(text: string): string {
	return text.replace(HIDDEN, c => '\\u' + c.codePointAt(0)!.toString(16).padStart(4, '0'));
}
