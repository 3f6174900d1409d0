import { plural } from './format';

export const pattern = 'Functions, a regular expression';
export const label = 'Label';
export const apply = 'Apply';
export const matches = (n: number) => `${plural(n, 'function')} of the recording`;
export const wrong = 'not a regular expression, or one with look-around, back references or very many repetitions';
export const slow = 'this pattern takes too long; patterns with a repetition within a repetition, such as (a+)+, do';
export const noPreset = (file: string, why: string) => `${file} is not a preset: ${why}`;
export const loaded = (name: string) => `preset ${name}`;
export const notFiltered = (name: string) => `preset ${name}; its filter needs wick report --preset`;
export const noObject = 'it is not an object of JSON';
export const noTexts = 'its name, title, event, group and filter have to be texts';
export const wrongTabs = 'tabs have to be a list of objects with the text tab and a list of views, whose title, event and group are texts';
export const wrongRules = (key: string) => `${key} have to be a list of at most 255 objects with texts, one of them label`;
