// Regular expressions of a person, on names of a recording. Some take exponential time, and a browser
// cannot interrupt them: a pattern that could is first tried on the beginnings of each name, and is given
// up when one takes long.
export interface Pattern {
	test(text: string): boolean;
	isSlow: boolean; // given up: from then on it matches nothing
}

const STEP = 2, FAR = 12; // characters: from FAR on twice as many; time cannot grow much in one step
const MOST_MS = 4, MOST_IN_ALL_MS = 1500, MOST_REPEATED = 1000, MOST_CHOICES = 16;

// Without what is in classes, escaped or lazy; a back reference is like look-around.
const plainOf = (source: string): string => source
	.replace(/\\([1-9k])|\\[pPu]\{[^}]*\}|\\.|\[(?:\\.|[^\]\\])*\]/gs, (_, back) => back ? '(?=' : '.')
	.replace(/\(\?(?::|<\w+>)/g, '(').replace(/([*+?}])\?/g, '$1');

// Look-around and back references can hide from the trial what takes long. What is repeated very often,
// or has many groups of alternatives, can take for ever at once, and not little by little.
const isUnfit = (plain: string): boolean => {
	const product = (counts: RegExp) => [...plain.matchAll(counts)].reduce((all, [, least, most]) => all * Math.max(+least, +most, 1), 1);
	return /\(\?<?[=!]/.test(plain) || product(/\{(\d+),?(\d*)/g) > MOST_REPEATED
		|| plain.includes('|') && (plain.split(')').length - 1) * product(/\)\{(\d+),?(\d*)/g) > MOST_CHOICES;
};

// A group is repeated, or there are three repetitions or groups of alternatives.
const isRisky = (plain: string): boolean => /\)[*+{]/.test(plain)
	|| plain.split(plain.includes('|') ? /[*+?{)]/ : /[*+?{]/).length > 3;

export function guarded(expression: RegExp): Pattern {
	const plain = plainOf(expression.source), risky = isRisky(plain);
	let spent = 0;
	const time = (text: string, next: string) => {
		const start = performance.now();
		for (const end of ['', '\uf8f0', next])
			expression.test(text + end);
		return performance.now() - start;
	};
	const tries = (text: string) => {
		// What cannot follow makes it try everything: nothing, a character that no name has, and one of this name.
		for (let length = STEP; length < text.length + 2 * STEP; length += length < FAR ? STEP : 2 * STEP) {
			const beginning = text.slice(0, length), next = /\W/.exec(text.slice(length))?.[0] ?? '\0';
			const ms = time(beginning, next);
			spent += ms;
			// A second look: the first may have met something else that took the processor.
			if (spent > MOST_IN_ALL_MS || (ms > MOST_MS && time(beginning, next) > MOST_MS))
				return false;
		}
		return true;
	};
	const pattern: Pattern = {
		isSlow: isUnfit(plain),
		test(text) {
			if (risky && !pattern.isSlow && !tries(text))
				pattern.isSlow = true;
			return !pattern.isSlow && expression.test(text);
		},
	};
	return pattern;
}

// null: it is none, or one that is not tried at all.
export function patternOf(text: string): Pattern | null {
	try {
		const pattern = guarded(new RegExp(text, /[A-Z]/.test(text) ? 'u' : 'iu'));
		return pattern.isSlow ? null : pattern;
	} catch {
		return null;
	}
}

// ---- rules: a label for what a pattern matches, as one text "label=pattern"

export interface Rule { label: string; pattern: string }

export const ruleText = (label: string, pattern: string): string => label.replace(/=/g, ' ').trim() + '=' + pattern;

export function ruleOf(text: string): Rule {
	const at = text.indexOf('=');
	return { label: text.slice(0, at), pattern: text.slice(at + 1) };
}

export const literal = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');

// For the functions of the same crate, or only for this one.
export function crateRule(name: string): Rule {
	const crate = /^[<&]*(\w+)::/.exec(name)?.[1];
	return crate ? { label: crate, pattern: `^[<&]*${crate}::` } : { label: name, pattern: `^${literal(name)}$` };
}
