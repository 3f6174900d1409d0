// What a page has that may be private: how many of each kind, and some of them.
import type { Recording, ShownTable } from '../data/types';

export interface Contents { key: string; count: number; some: string[] }

const MOST_NAMED = 5;
// As render/page/redact.c has it.
const HOME = /(?:^\/u|[/\\](?:homes?\d*|users\d*|documents and settings))[/\\]([^/\\"'<>|:;,()\s]+)/i;

const distinct = (list: (string | undefined)[]): string[] => [...new Set(list.filter((text): text is string => !!text))];

export function contentsOf({ head, names }: Recording, system: ShownTable | null, processes: ShownTable | null): Contents[] {
	const commands = distinct([...head.processes.map(process => process?.command), head.command]);
	const paths = distinct([...head.images.map(image => image?.path), ...names.files]).filter(path => /[/\\]/.test(path));
	const facts = system?.rows ?? [];
	const owners = (processes?.rows ?? []).map(row => row.user as string | undefined);
	const homes = [...paths, ...commands, ...facts.map(row => String(row.value))].map(text => HOME.exec(text)?.[1]);
	const machine = distinct(facts.filter(row => row.key === 'host name').map(row => String(row.value)));
	const list = (key: string, all: string[], isNamed = false): Contents => ({ key, count: all.length, some: isNamed ? all.slice(0, MOST_NAMED) : [] });
	return [
		list('machine', machine, true),
		list('users', distinct([...owners, ...homes]), true),
		list('commands', commands.filter(command => / /.test(command.replace(/( --crate-name \w+)? \.\.\.$/, '')))),
		list('paths', paths),
		list('homes', paths.filter(path => HOME.test(path))),
		list('functions', distinct(names.names)),
		list('processes', distinct(head.processes.map(process => process?.name)), true),
		list('threads', distinct(head.threads.map(thread => thread?.name))),
		list('marks', distinct([...head.marks, ...head.snapshots].map(mark => mark.label))),
	];
}
