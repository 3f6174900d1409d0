import { plural } from './format';

export const quality = {
	recording: 'The recording',
	warnings: 'Warnings',
	losses: 'Lost',
	unnamed: 'Programs and libraries without names',
	lost: (event: string, n: number) => `${plural(n, 'sample')} of ${event}`,
	good: 'No warnings.',
};
