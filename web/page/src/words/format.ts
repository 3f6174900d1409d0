// Numbers, times and hostile text as people read them: as base/num.h writes them.

// Of at most three decimals.
export const group = (digits: string): string => digits.replace(/\B(?=(\d{3})+(?!\d))/g, ',');

export const grouped = (n: number): string => group(String(Math.round(n)));

export function share(part: number, whole: number): string {
	const percent = whole ? 100 * part / whole : 0;
	if (!part)
		return '0 %';
	if (percent < 0.05)
		return '<0.1 %';
	if (percent >= 99.95 && part < whole)
		return '>99.9 %';
	return percent.toFixed(1) + ' %';
}

export function bytes(n: number): string {
	const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
	let unit = -1;
	for (; Math.abs(n) >= 1024 && unit < units.length - 1; unit++)
		n /= 1024;
	return unit < 0 ? grouped(n) + ' B' : n.toFixed(1) + ' ' + units[unit];
}

// With its name and its usual decimals.
type Unit = [size: number, name: string, decimals: number];
const UNITS: Unit[] = [[1e9, 's', 3], [1e6, 'ms', 1], [1e3, 'us', 0], [1, 'ns', 0]];

export const timeUnit = (ns: number): Unit => UNITS.find(([size]) => Math.abs(ns) >= size) ?? UNITS[3];

export function duration(ns: number): string {
	if (Math.abs(ns) >= 1e9)
		return (ns / 1e9).toFixed(3) + ' s';
	if (Math.abs(ns) >= 1e6)
		return (ns / 1e6).toFixed(1) + ' ms';
	return Math.trunc(ns / 1e3) + ' us';
}

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
	grouped(n) + ' ' + word + (Math.round(n) === 1 ? '' : 's');

// Text of a trace is data: characters that change the direction of text, move the cursor or cannot
// be seen are shown by their numbers.
const HIDDEN = /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufeff\ufff9-\ufffb\u{e0000}-\u{e007f}]/gu;

export function shown(text: string): string {
	return text.replace(HIDDEN, c => '\\u' + c.codePointAt(0)!.toString(16).padStart(4, '0'));
}
