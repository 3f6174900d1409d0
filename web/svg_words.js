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

function bytes(n) {
	const units = ['KiB', 'MiB', 'GiB', 'TiB', 'PiB', 'EiB'];
	let unit = -1;
	for (; n >= 1024 && unit < 5; unit++)
		n /= 1024;
	return unit < 0 ? n + ' B' : n.toFixed(1) + ' ' + units[unit];
}

function amount(weight) {
	weight *= data.factor;
	if (!data.countName && data.unit === 'bytes')
		return bytes(weight);
	if (data.countName || data.unit !== 'ns')
		return grouped(weight) + ' ' + (data.countName || data.unit);
	return amountOfTime(weight);
}

function amountOfTime(ns) {
	if (ns >= 1e9)
		return (ns / 1e9).toFixed(3) + ' s';
	if (ns >= 1e6)
		return (ns / 1e6).toFixed(1) + ' ms';
	return Math.floor(ns / 1e3) + ' us';
}

const nameOf = i => tree.few[i] ? grouped(tree.few[i]) + ' small frames'
	: tree.isLane && tree.isLane[i] ? laneName(i) : names[tree.name[i]];
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
		parts.push(grouped(tree.samples[i]) + ' ' + (data.rowWord || 'sample')
			+ (tree.samples[i] === 1 ? '' : 's'));
	if (isTimed && !isAboveLanes(i))
		parts.push('from ' + secondsOf(tree.from[i], 1e3) + ' s, ' + amountOfTime(tree.took[i]));
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

// The line with most time in a frame; reversed, in the heaviest of its stacks.
function lineOf(i) {
	let node = i;
	if (tree !== base) {
		let most = -1;
		node = 0;
		tree.ends[i].forEach((end, k) => {
			if (tree.places[i][k] > 0 && base.self[end] > most) {
				most = base.self[end];
				node = tree.places[i][k];
			}
		});
	}
	const place = base.place ? base.place[node] : 0;
	return place ? data.files[lines[2 * place - 2]] + ':' + lines[2 * place - 1] : '';
}

function originOf(i) {
	const name = tree.name[i];
	if (tree.few[i])
		return 'combined because each is small';
	const kind = data.kinds[Math.floor(looks[name] / data.shades)];
	const link = linkOf(i);
	return [kind, data.images[imageOf[name]], lineOf(i), tree.inlined[i] ? 'inlined' : '',
		link && (link[0] || link[1])].filter(Boolean).join(' \u00b7 ');
}

// The most telling piece of a name that has room. names/short_name.c and names/label.c do the
// same; tests/data/short_names.tsv holds them together.
const isNameChar = c => /[\w:\x80-\uffff]/.test(c || '');
const OPERATOR = /operator[-+*/%^&|~!=<>,()[\]]{1,3}$/;
const endsOperator = (name, i) => OPERATOR.test(name.slice(Math.max(i - 11, 0), i));

// Is the bracket there of the operator's name? In "operator<<int>(int)" the second one is not.
const endsInOperator = (name, i) => /operator$/.test(name.slice(Math.max(i - 8, 0), i))
	|| (/operator<$/.test(name.slice(Math.max(i - 9, 0), i)) && !isNameChar(name[i + 1]));

function closeOfKind(name, open, opening, closing) {
	for (let i = open, depth = 0; i < name.length; i++) {
		depth += name[i] === opening;
		if (name[i] === closing && --depth === 0)
			return i;
	}
	return -1;
}

// Closures, lambdas and strings in a word each.
function tidy(name) {
	let out = '', isBroken = false;
	name = name.replace(/std::(?:__cxx11::)?(?:__1::)?/g, 'std::').replace(
		/std::basic_(string|string_view|ostream|istream)<char, std::char_traits<char>(, std::allocator<char>)? ?>/g,
		'std::$1');
	for (let i = 0; i < name.length;) {
		let next = i + 1, word = name[i];
		const llvm = word === '\'' && !isBroken && /^'lambda\d*'/.exec(name.slice(i, i + 30));
		const clang = word === '$' && out.endsWith('::') && /^\$_\d*/.exec(name.slice(i, i + 30));
		if (word === '{' && !isBroken) {
			const close = closeOfKind(name, i, '{', '}');
			isBroken = close < 0;
			if (!isBroken) {
				word = '{' + /^\{*([^(#{}]*)/.exec(name.slice(i, close))[1] + '}';
				next = close + 1;
			}
		} else if (llvm || clang) {
			word = '{lambda}';
			next = i + (llvm || clang)[0].length;
			if (llvm && name[next] === '(') {
				const close = closeOfKind(name, next, '(', ')');
				isBroken = close < 0;
				next = isBroken ? next : close + 1;
			}
		}
		out += word;
		i = next;
		if (word === '{lambda}' && name.startsWith('::operator()', i))
			i += 12;
	}
	return out;
}

function dropResult(name) {
	let begin = 0, depth = 0;
	for (let i = 0; i < name.length; i++) {
		const c = name[i];
		if (!depth && name.startsWith('operator', i))
			break;
		if ('<([{'.includes(c))
			depth++;
		else if (depth && (')]}'.includes(c) || (c === '>' && name[i - 1] !== '-')))
			depth--;
		else if (!depth && c === ' ')
			begin = i + 1;
	}
	return begin === name.length || /( to | for )$/.test(name.slice(0, begin)) ? name
		: name.slice(begin);
}

// Behind a name and its parameters.
const TRAILER = /^(?: const)?(?: volatile)?(?: ?&&?)?(?:$| \(\.| \[clone )/;

// How .NET compiled a method.
const TIER = new RegExp('\\[(?:(?:Optimized|Instrumented)?Tier[01]|OptimizedTier1OSR|QuickJitted|PreJIT'
	+ '|ReadyToRun|Optimized|MinOptJitted)\\]$');

function dropParameters(name) {
	name = name.replace(TIER, '');
	let out = '', open = 0, angles = 0, had = false;
	for (let i = 0; i < name.length; i++) {
		const c = name[i];
		if (!open && c === ' ' && TRAILER.test(name.slice(i, i + 40)))
			break;
		const isOperator = '<('.includes(c) && endsInOperator(name, i);
		if (c === '<' && !isOperator)
			angles++;
		else if (c === '>' && angles && name[i - 1] !== '-')
			angles--;
		if (c === '(' && (open || (!angles && !isOperator
			&& (/[\w>)}\x80-\uffff]/.test(name[i - 1] || '')
				|| endsOperator(name, i)))))
			open++;
		if (!open)
			out += c;
		if (c === ')' && open && --open === 0) {
			had = true;
			if (name.startsWith(' const::', i + 1))
				i += 6;
		}
	}
	return open || !out ? name : had ? dropResult(out) : out;
}

// Where the '<' at `open` is closed, and where `word` stands in it outside of further brackets.
function closeOf(name, open, word) {
	let at = -1;
	for (let i = open, depth = 0; i < name.length; i++) {
		const c = name[i];
		if ('<(['.includes(c))
			depth++;
		else if (')]'.includes(c) || (c === '>' && name[i - 1] !== '-'))
			depth--;
		if (!depth)
			return c === '>' ? [i, at] : [-1, -1];
		if (depth === 1 && at < 0 && name.startsWith(word, i))
			at = i;
	}
	return [-1, -1];
}

// "<SELF as TRAIT>::f" and "<impl TRAIT for SELF>::f" to "SELF::f".
function keepSelf(name) {
	for (let i = 0; i < 8 && name[0] === '<'; i++) {
		const [close, as] = closeOf(name, 0, ' as ');
		if (close < 0 || !name.startsWith('::', close + 1))
			break;
		const self = name.slice(1, as < 0 ? close : as);
		const isAny = /^&?\*?(mut )?(const )?[\w:\x80-\uffff]{0,2}$/.test(self);
		name = (as >= 0 && close > as + 4 && isAny ? name.slice(as + 4, close) : self)
			+ name.slice(close + 1);
	}
	const open = name.indexOf('<');
	if (open < 0 || !name.startsWith('<impl ', open))
		return name;
	const [close, word] = closeOf(name, open, ' for ');
	return close < 0 ? name
		: name.slice(word < 0 ? open + 6 : word + 5, close) + name.slice(close + 1);
}

// What is dropped is all there is to say.
function foldedArguments(before, type) {
	const isPath = before.length > 2 && before.endsWith('::');
	const last = /^(?:[\w:\x80-\uffff]*:)?([\w\x80-\uffff]*)(.*)$/s.exec(type);
	if (isPath)
		before = before.slice(0, -2);
	if (before.endsWith('drop_in_place') && last && last[1] && (!last[2]
		|| (last[2][0] === '<' && closeOf(last[2], 0, '')[0] === last[2].length - 1)))
		return before + '<' + last[1] + '>';
	return isPath ? before : before + '<..>';
}

function foldArguments(name) {
	let out = '', open = 0, begin = 0;
	for (let i = 0; i < name.length; i++) {
		const c = name[i];
		if (c === '<' && (open || isNameChar(name[i - 1]) || name[i - 1] === '}'
			|| endsOperator(name, i)) && !endsInOperator(name, i)
			&& open++ === 0)
			begin = i + 1;
		if (!open)
			out += c;
		if (c === '>' && open && name[i - 1] !== '-' && --open === 0)
			out = foldedArguments(out, name.slice(begin, i));
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

// .NET's "`2[K,V]", arguments and their number.
function dropDotnet(name) {
	for (let at = 0; (at = name.indexOf('`', at)) >= 0;) {
		const digits = /^`\d+/.exec(name.slice(at, at + 12));
		if (!digits) {
			at++;
			continue;
		}
		let end = at + digits[0].length;
		if (name[end] === '[') {
			const close = closeOfKind(name, end, '[', ']');
			end = close < 0 ? end : close + 1;
		}
		name = name.slice(0, at) + name.slice(end);
	}
	return name;
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

const isPlain = () => data.cutsLeft || data.cutsRight;
const MOST_TIDIED = 4096;

// Closures look the same in wide and in narrow frames.
const labelName = name => isPlain() || name.length > MOST_TIDIED ? name : tidy(name);

function cut(name, room) {
	if (room < 4)
		return '';
	name = labelName(name);
	if (name.length <= room)
		return name;
	if (data.cutsLeft)
		return '..' + Array.from(name).slice(2 - room).join('');
	if (data.cutsRight)
		return Array.from(name).slice(0, room - 2).join('') + '..';
	const steps = name.length > MOST_TIDIED ? [] :
		[dropParameters, keepSelf, foldArguments,
			n => n[0] + dropDotnet(n.slice(1).replaceAll('<..>', '')), n => dropPath(n, room)];
	for (const shorter of steps) {
		name = shorter(name);
		if (name.length <= room)
			return name;
	}
	return Array.from(name).slice(0, room - 1).join('') + '\u2026';
}
