import { plural } from './format';

export const pattern = 'Functions, a regular expression';
export const label = 'Label';
export const apply = 'Apply';
export const matches = (n: number) => `${plural(n, 'function')} of the recording`;
export const wrong = 'not a regular expression';
export const slow = 'this pattern takes too long; patterns with a repetition within a repetition, such as (a+)+, do';
export const noPreset = (file: string, why: string) => `${file} is not a preset: ${why}`;
export const loaded = (name: string) => `preset ${name}`;
export const notFiltered = (name: string) => `preset ${name}; its filter needs wick report --preset`;
export const noObject = 'it is not an object of JSON';
