import { grouped } from './format';

export const share = {
	redacted: 'This page was written with --redact: names of users and of the machine, home directories and arguments of command lines are left out.',
	names: { machine: 'Name of the machine', users: 'Names of users', commands: 'Command lines with arguments', paths: 'Paths of files',
		homes: 'of these in home directories', functions: 'Names of functions', processes: 'Processes', threads: 'Names of threads',
		marks: 'Marks and snapshots with labels', environment: 'Environment variables' } as Record<string, string>,
	none: 'none',
	notRecorded: 'none: wick does not record them',
	list: (n: number, some: string[]) => grouped(n) + (some.length ? `: ${some.join(', ')}${n > some.length ? ' ...' : ''}` : ''),
	how: 'Without names of users and of the machine, home directories and arguments:',
	copy: 'Copy the command',
};
