// Regular expressions of a person, on names of a recording. Some take exponential time, and a browser
// cannot interrupt them: a pattern that could is first tried on the beginnings of each name, and is given
// up when one takes long.
export interface Pattern {
	test(text: string): boolean;
	isSlow: boolean; // given up: from then on it matches nothing
}

const FIRST = 12, STEP = 4; // characters: less is always fast, and time cannot grow much in one step
const MOST_MS = 4, MOST_IN_ALL_MS = 1500;
const RISKY = /\)(?:[*+]|\{\d+,)|(?:[*+].*){3}/; // a repeated group, or three repetitions

export function guarded(expression: RegExp): Pattern {
	const isRisky = RISKY.test(expression.source);
	let spent = 0;
	const time = (text: string) => {
		const start = performance.now();
		expression.test(text);
		return performance.now() - start;
	};
	const tries = (text: string) => {
		// What cannot follow makes it try everything.
		for (let length = FIRST; length < text.length + STEP; length += STEP) {
			const beginning = text.slice(0, length) + '\0';
			const ms = time(beginning);
			spent += ms;
			// A second look: the first may have met something else that took the processor.
			if (spent > MOST_IN_ALL_MS || (ms > MOST_MS && time(beginning) > MOST_MS))
				return false;
		}
		return true;
	};
	const pattern: Pattern = {
		isSlow: false,
		test(text) {
			if (isRisky && !pattern.isSlow && !tries(text))
				pattern.isSlow = true;
			return !pattern.isSlow && expression.test(text);
		},
	};
	return pattern;
}

export function patternOf(text: string): Pattern | null {
	try {
		return guarded(new RegExp(text, /[A-Z]/.test(text) ? 'u' : 'iu'));
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
