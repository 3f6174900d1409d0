import { grouped } from './format';

export const redacted = 'This page was written with --redact: names of users and of the machine, home directories and arguments of command lines are left out.';
export const names = { machine: 'Name of the machine', users: 'Names of users', commands: 'Command lines with arguments', paths: 'Paths of files',
	homes: 'of these in home directories', functions: 'Names of functions', processes: 'Processes', threads: 'Names of threads',
	marks: 'Marks and snapshots with labels', environment: 'Environment variables' } as Record<string, string>;
export const none = 'none';
export const notRecorded = 'none: wick does not record them';
export const list = (n: number, some: string[]) => grouped(n) + (some.length ? `: ${some.join(', ')}${n > some.length ? ' ...' : ''}` : '');
export const how = 'Without names of users and of the machine, home directories and arguments:';
export const limits = 'Names inside other words (alicebuild) and of homes elsewhere (/scratch/alice) are not found: look at the page before you share it.';
export const onlyHere = 'It works on this machine while wick view runs.';
export const withFile = 'Its part from # on works in each copy of this file.';
export const copy = 'Copy the command';
