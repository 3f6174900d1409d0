import { plural } from './format';

export const recording = 'The recording';
export const warnings = 'Warnings';
export const losses = 'Lost';
export const files = 'Programs and libraries, and where their names are from';
export const lost = (event: string, n: number) => `${plural(n, 'sample')} of ${event}`;
export const good = 'No warnings.';
