import { plural } from './format';

export const quality = {
	recording: 'The recording',
	warnings: 'Warnings',
	losses: 'Lost',
	files: 'Programs and libraries, and where their names are from',
	lost: (event: string, n: number) => `${plural(n, 'sample')} of ${event}`,
	good: 'No warnings.',
};
