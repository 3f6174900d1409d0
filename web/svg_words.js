// ---- words

function grouped(n) {
	return String(Math.round(n)).replace(/\B(?=(\d{3})+$)/g, ',');
}

function share(part, whole) {
	const percent = whole ? 100 * part / whole : 0;
	if (!part)
		return '0 %';
	if (percent < 0.05)
		return '<0.1 %';
	if (percent >= 99.95 && part < whole)
		return '>99.9 %';
	return percent.toFixed(1) + ' %';
}

function amount(weight) {
	weight *= data.factor;
	if (data.countName || data.unit !== 'ns')
		return grouped(weight) + ' ' + (data.countName || data.unit);
	if (weight >= 1e9)
		return (weight / 1e9).toFixed(3) + ' s';
	if (weight >= 1e6)
		return (weight / 1e6).toFixed(1) + ' ms';
	return Math.floor(weight / 1e3) + ' us';
}

const nameOf = i => tree.few[i] ? grouped(tree.few[i]) + ' small frames' : names[tree.name[i]];
const toldName = i => (data.nameType ? data.nameType + ' ' : '') + nameOf(i);
const linkOf = i => data.links && data.links[tree.name[i]];
const isUnknown = i => data.unknown.includes(Math.floor(looks[tree.name[i]] / data.shades));

// Before, after and by how much: as a share of what it was.
function changeWords(i) {
	const before = tree.before[i], after = tree.after[i];
	const words = 'before ' + amount(before) + ', after ' + amount(after);
	if (before === after)
		return words + ', the same';
	if (!before || !after)
		return words + (before ? ', gone' : ', new');
	const percent = 100 * (after - before) / before;
	return words + ', ' + (percent > 0 ? '+' : '\u2212') + Math.abs(percent).toFixed(1) + ' %';
}

function numbersOf(i) {
	const parts = [share(tree.total[i], tree.total[0]) + ' of ' + amount(tree.total[0])];
	if (zoomed && isBelow(i, zoomed))
		parts.push(share(tree.total[i], tree.total[zoomed]) + ' of the zoomed frame');
	if (tree.before)
		parts.push(changeWords(i));
	else if (data.unit !== 'samples' || data.countName)
		parts.push(amount(tree.total[i]));
	if (!tree.before && !data.countName)
		parts.push(grouped(tree.samples[i]) + (tree.samples[i] === 1 ? ' sample' : ' samples'));
	// Reversed, a frame holds the time of the function it begins from, not its own.
	if (!isReversed() && !tree.before)
		parts.push('self ' + share(tree.self[i], tree.total[0]));
	return parts.join(' \u00b7 ');
}

function isBelow(i, top) {
	while (i > top && tree.depth[i] > tree.depth[top])
		i = tree.parent[i];
	return i === top;
}

function originOf(i) {
	const name = tree.name[i];
	if (tree.few[i])
		return 'folded: --most-frames sets how many stand alone';
	const kind = data.kinds[Math.floor(looks[name] / data.shades)];
	const link = linkOf(i);
	return [kind, data.images[imageOf[name]], tree.inlined[i] ? 'inlined' : '',
		link && (link[0] || link[1])].filter(Boolean).join(' \u00b7 ');
}

// The most telling piece of a name that has room; render/label.c does the same. First the
// parameters of C++ go, then the arguments ("Vec<..>::push", "Vec::push"), then the path, from
// its start, then the end.
function dropParameters(name) {
	let out = '', open = 0, angles = 0;
	for (let i = 0; i < name.length; i++) {
		const c = name[i];
		if (!open && c === ' ' && /^ const$|^ \(\.llvm\.|^ \[clone /.test(name.slice(i, i + 9)))
			break;
		const isOperator = '<('.includes(c)
			&& /operator<?$/.test(name.slice(Math.max(i - 9, 0), i));
		if (c === '<' && !isOperator)
			angles++;
		else if (c === '>' && angles && name[i - 1] !== '-')
			angles--;
		if (c === '(' && (open || (!angles && !isOperator
			&& /[\w>)\x80-\uffff]/.test(name[i - 1] || ''))))
			open++;
		if (!open)
			out += c;
		if (c === ')' && open)
			open--;
	}
	return open || !out ? name : out;
}

function foldArguments(name) {
	let out = '', open = 0;
	for (let i = 0; i < name.length; i++) {
		const c = name[i];
		if (c === '<' && (open || /[\w:\x80-\uffff]/.test(name[i - 1] || ''))
			&& !/operator<?$/.test(name.slice(Math.max(i - 9, 0), i)))
			open++;
		if (!open)
			out += c;
		if (c === '>' && open && name[i - 1] !== '-' && --open === 0)
			out = out.length > 2 && out.endsWith('::') ? out.slice(0, -2) : out + '<..>';
	}
	return open ? name : out;
}

function lastStep(name) {
	let last = 0, open = 0;
	for (let i = 0; i + 2 < name.length; i++) {
		const c = name[i];
		if ('<([{'.includes(c))
			open++;
		else if (')]}'.includes(c) || (c === '>' && name[i - 1] !== '-'))
			open--;
		else if (open <= 0 && c === ':' && name[i + 1] === ':')
			last = i + 2;
	}
	return last;
}

function dropPath(name, room) {
	const last = lastStep(name);
	if (!last)
		return name;
	if (name.length - last > room - 1)
		return name.slice(last);
	let from = Math.max(name.length - (room - 1), 0);
	while (from < last && name[from] === ':')
		from++;
	return '\u2026' + name.slice(from);
}

function cut(name, room) {
	if (room < 4)
		return '';
	if (name.length <= room)
		return name;
	if (data.cutsLeft)
		return '..' + Array.from(name).slice(2 - room).join('');
	if (data.cutsRight)
		return Array.from(name).slice(0, room - 2).join('') + '..';
	const steps = name.length > 4096 ? [] :
		[dropParameters, foldArguments, n => n[0] + n.slice(1).replaceAll('<..>', ''),
			n => dropPath(n, room)];
	for (const shorter of steps) {
		name = shorter(name);
		if (name.length <= room)
			return name;
	}
	return Array.from(name).slice(0, room - 1).join('') + '\u2026';
}
