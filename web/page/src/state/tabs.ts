// Which events each tab is about.
import type { Event, Head } from '../data/types';
import type { Measure } from '../views/weigh';
import type { Tab } from './link';

const isMemory = (event: Event) => event.lifetimes && event.pages;
const isHeap = (event: Event) => event.blocks;
const WAITS = ['wait', 'ready', 'readying'];
const isWait = (event: Event) => WAITS.includes(event.name);
const isOther = (event: Event) => !isMemory(event) && !isHeap(event) && !isWait(event);

// The tabs of stacks, and the events that they show.
export const PANELS: Partial<Record<Tab, (event: Event, head: Head) => boolean>> = {
	cpu: isOther, memory: isMemory, heap: isHeap, waits: isWait, compare: () => true,
};

// Of programs that all ended nothing is outstanding in the end, but leaks are.
export const usualMeasure = (tab: Tab, head: Head | undefined): Measure =>
	tab === 'heap' || (tab === 'memory' && head?.processes.some(process => process && process.end === null)) ? 'outstanding' : 'all';

export const usualGroups = (tab: Tab): string[] =>
	tab === 'waits' ? ['process', 'thread', 'wait-reason', 'stack'] : ['process', 'stack'];
