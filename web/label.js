// As much of a name as fits: for the interactive SVG, whose build drops the word `export`
// (tools/to_c.sed), and for the page. names/label.c does the same; tests/data/short_names.tsv tests
// all of them.

const MOST_CUT = 4096;

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

// Not the suffix of a copy that the compiler made, or of a file.
const STEP = /^(?!constprop|isra|part|cold|lto_priv|llvm|localalias|clone|so|dll|exe)[A-Za-z_<(*]/;

// The same of names of .NET, Java and Go.
function lastDottedStep(name) {
	let last = 0, steps = 0, open = 0;
	for (let i = 0; i < name.length; i++) {
		const c = name[i];
		if ('<([{'.includes(c))
			open++;
		else if (')]}'.includes(c) || (c === '>' && name[i - 1] !== '-'))
			open--;
		if (open > 0)
			continue;
		if (c === ' ')
			return 0;
		if (i && './!'.includes(c) && STEP.test(name.slice(i + 1))) {
			last = i + 1;
			steps += c === '!' ? 2 : 1;
		}
	}
	return steps > 1 ? last : 0;
}

function dropPath(name, room) {
	const last = lastStep(name) || lastDottedStep(name);
	if (!last)
		return name;
	if (name.length - last > room - 1)
		return name.slice(last);
	let from = Math.max(name.length - (room - 1), 0);
	while (from < last && name[from] === ':')
		from++;
	return '\u2026' + name.slice(from);
}

// `room` is a number of characters.
export function fitName(name, room) {
	if (room < 4)
		return '';
	if (name.length <= room)
		return name;
	name = name.length > MOST_CUT ? name : dropPath(name, room);
	return name.length <= room ? name : Array.from(name).slice(0, room - 1).join('') + '\u2026';
}
