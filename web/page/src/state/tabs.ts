// The tabs: which events each is about, and what it needs.
import type { Event, Head } from '../data/types';
import type { Measure } from '../views/weigh';
import type { Tab } from './link';

export interface TabInfo {
	tab: Tab;
	title: string;
	lacks: string; // the key of the sentence for a recording without its data
	hasData(head: Head): boolean;
}

const isMemory = (event: Event) => event.lifetimes && event.pages;
const isHeap = (event: Event) => event.blocks;
const WAITS = ['wait', 'ready', 'readying'];
const isWait = (event: Event) => WAITS.includes(event.name);
const isOther = (event: Event) => !isMemory(event) && !isHeap(event) && !isWait(event);

// The tabs of stacks, and the events that they show.
export const PANELS: Partial<Record<Tab, (event: Event, head: Head) => boolean>> = {
	cpu: isOther, memory: isMemory, heap: isHeap, waits: isWait, compare: () => true,
};

const always = () => true;
const never = () => false;

export const TAB_LIST: TabInfo[] = [
	{ tab: 'system', title: 'System', lacks: '', hasData: always },
	{ tab: 'processes', title: 'Processes', lacks: 'processes', hasData: head => head.processes.length > 1 },
	{ tab: 'tree', title: 'Process tree', lacks: 'process-tree', hasData: head => head.processes.length > 1 },
	{ tab: 'cpu', title: 'CPU', lacks: 'cpu', hasData: never },
	{ tab: 'memory', title: 'Memory', lacks: 'memory', hasData: never },
	{ tab: 'heap', title: 'Heap', lacks: 'heap', hasData: never },
	{ tab: 'waits', title: 'Waits', lacks: 'waits', hasData: never },
	{ tab: 'events', title: 'Events', lacks: 'events', hasData: always },
	{ tab: 'compare', title: 'Compare', lacks: '', hasData: always },
	{ tab: 'quality', title: 'Quality', lacks: '', hasData: always },
];

export const tabOf = (tab: Tab): TabInfo => TAB_LIST.find(info => info.tab === tab)!;

// Of programs that all ended nothing is outstanding in the end, but leaks are.
export const usualMeasure = (tab: Tab, head: Head | undefined): Measure =>
	tab === 'heap' || (tab === 'memory' && head?.processes.some(process => process && process.end === null)) ? 'outstanding' : 'all';

export const usualGroups = (tab: Tab): string[] =>
	tab === 'waits' ? ['process', 'thread', 'wait-reason', 'stack'] : ['process', 'stack'];
