import { plural } from './format';

export const rules = {
	pattern: 'Functions, a regular expression',
	label: 'Label',
	apply: 'Apply',
	matches: (n: number) => `${plural(n, 'function')} of the recording`,
	wrong: 'not a regular expression',
	slow: 'this pattern takes too long; patterns with a repetition within a repetition, such as (a+)+, do',
	noPreset: (file: string, why: string) => `${file} is not a preset: ${why}`,
	loaded: (name: string) => `preset ${name}`,
	notFiltered: (name: string) => `preset ${name}; its filter needs wick report --preset`,
	noObject: 'it is not an object of JSON',
};
