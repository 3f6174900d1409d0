// What a tree's nodes are called.
import type { Event, Recording } from '../data/types';
import { amountOf, plural, shown } from '../words/format';
import type { Annotations } from '../state/presets';
import { subjectOf } from './processes';
import { Kind, type Tree, type Words } from './tree';
import * as kinds from '../words/kinds';

// Of the nodes of a served tree: those whose ids are the page's. The others have only a name.
export const HAS_OWN_ID: ReadonlySet<Kind> = new Set([Kind.Whole, Kind.Process, Kind.Pid, Kind.Thread, Kind.Readier, Kind.Size, Kind.Function]);

const STRUCTURE = 8, START_UP = 9, NATIVE = 3, UNKNOWN = 7;

export function treeWords(recording: Recording, tree: Tree, event: Event, annotations: Annotations | null): Words {
	const { head, names, frames } = recording;
	const { kind, id } = tree;

	const processName = (process: number, withPid: boolean) => {
		const of = head.processes[process];
		const name = of?.name || kinds.unknownProcess;
		return withPid && of ? `${name} (${of.pid})` : name;
	};
	const threadName = (thread: number) => {
		const of = head.threads[thread];
		return !of ? kinds.unknownThread : of.name ? `${of.name} (${of.tid})` : kinds.thread(of.tid);
	};
	const subject = (n: number) => head.subjects[n];

	function plainName(node: number): string {
		const n = id[node];
		if (tree.served && !HAS_OWN_ID.has(kind[node]))
			return kind[node] === Kind.Module && !n ? kinds.unknownModule : tree.served.text[node];
		switch (kind[node]) {
		case Kind.Whole: return kinds.whole;
		case Kind.Process: return processName(n, false);
		case Kind.Pid: return processName(n, true);
		case Kind.Thread: return threadName(n);
		case Kind.Cpu: return n ? `CPU ${n - 1}` : kinds.unknownCpu;
		case Kind.Reason:
		case Kind.Allocator: return subject(n)?.what || kinds.unknown;
		case Kind.Readier: return tree.served ? threadName(n) : subject(n)?.interrupt ? kinds.interrupt : threadName(subject(n)?.by ?? 0);
		case Kind.Heap: return head.heaps[subject(n)?.heap ?? 0]?.name || kinds.unknown;
		case Kind.Annotation: return annotations?.labels[n] || kinds.notAnnotated;
		case Kind.Size: return kinds.size(2 ** n);
		case Kind.Module: return head.images[n]?.name || kinds.unknownModule;
		case Kind.Rule: return tree.rules!.labels[n - 1];
		default: return names.names[n];
		}
	}

	const name = (node: number) => shown(plainName(node));
	const isCode = (node: number) => kind[node] >= Kind.Module;

	const module = (node: number) => kind[node] === Kind.Function ? shown(head.images[names.image[id[node]]]?.name ?? '') : '';

	return {
		name, module,
		short: node => kind[node] === Kind.Function ? shown(names.short[id[node]] || names.names[id[node]]) : name(node),
		detail: node => kind[node] === Kind.Pid && head.processes[id[node]] ? shown(subjectOf(head.processes[id[node]]!)) : module(node),
		kind: node => kind[node] === Kind.Function ? head.kinds[names.kind[id[node]]] ?? '' : kinds.levels[kind[node]],
		look: node => !isCode(node) ? STRUCTURE : kind[node] === Kind.Module ? moduleLook(id[node]) : kind[node] === Kind.Rule ? names.kind[tree.rules!.of.indexOf(id[node])]
			: names.startup[id[node]] && names.kind[id[node]] === NATIVE ? START_UP : names.kind[id[node]],
		isUnnamed: node => kind[node] === Kind.Function && names.unnamed[id[node]] === 1,
		place: node => placeOf(node),
		amount: weight => amountOf(weight, event.unit),
		count: times => event.counts ? plural(times, event.row) : '',
	};

	// The kind of most of its functions is that of a module.
	function moduleLook(image: number): number {
		const of = names.image.indexOf(image);
		return of < 0 ? UNKNOWN : names.kind[of];
	}

	function placeOf(node: number): string {
		if (kind[node] !== Kind.Function)
			return '';
		const file = shown(names.files[names.file[id[node]]] ?? '');
		const frame = frames.fn.indexOf(id[node]);
		return file && frame > 0 && frames.line[frame] ? `${file}:${frames.line[frame]}` : file;
	}
}
