// Numbers as people read them: for the interactive SVG, whose build drops the word `export`
// (tools/to_c.sed), and for the page. As base/num.h writes them; tests/browser/test_amounts.js tests it.

export function grouped(n) {
	return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',');
}

export function share(part, whole) {
	const percent = whole ? 100 * part / whole : 0;
	if (!part)
		return '0 %';
	if (percent < 0.05)
		return '<0.1 %';
	if (percent >= 99.95 && part < whole)
		return '>99.9 %';
	return percent.toFixed(1) + ' %';
}

export function bytes(n) {
	const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
	let unit = -1;
	for (; Math.abs(n) >= 1024 && unit < 5; unit++)
		n /= 1024;
	return unit < 0 ? n + ' B' : n.toFixed(1) + ' ' + units[unit];
}

export function amountOfTime(ns) {
	if (Math.abs(ns) >= 1e9)
		return (ns / 1e9).toFixed(3) + ' s';
	if (Math.abs(ns) >= 1e6)
		return (ns / 1e6).toFixed(1) + ' ms';
	return Math.trunc(ns / 1e3) + ' us';
}
