import { grouped, plural } from './format';

// the strip
export const strip = 'The whole time';
export const upTo = (name: string, highest: string) => `${name}, up to ${highest}`;
export const cpu = 'CPU';
export const perSecond = (event: string) => `${event} per second`;
export const memory = { commit: 'committed memory', resident: 'resident memory', heap: 'heap' };
export const snapshot = (label: string) => label ? `snapshot: ${label}` : 'snapshot';

// processes
export const processes = 'Processes';
export const cpuInView = 'CPU in view';
export const inView = (event: string) => `${event} in view`;
export const crate = 'crate';
export const peakAt = 'peak at';
export const lasted = 'lasted';
export const filterHint = 'Enter or double click: keep only this process';

// process tree
export const tree = 'Process tree';
export const treeHint = 'Arrow keys move, Right opens, Left closes, Enter keeps only the process, Space selects, '
	+ 'F keeps the selected ones, W and S zoom, A and D move in time, dragging selects a time';
export const shown = (shown: number, all: number) =>
	shown === all ? plural(all, 'process') : `${grouped(shown)} of ${plural(all, 'process')} in view`;
export const scale = 'Full height: one processor; darker: more';
export const scaleOther = (event: string) => `Full height: the most ${event} of a row in view`;
export const fold = (n: number, name: string) => `${grouped(n)} \u00d7 ${name}`;
export const below = (n: number) => `+${grouped(n)} below`;
export const unnamed = '(unknown)';
export const pid = (pid: number) => `pid ${pid}`;
export const exit = (code: number) => `exit ${code}`;
export const before = 'before the recording';
export const after = 'after the recording';
export const noneInView = 'No process is in view.';
export const showAll = 'Show all';
export const zoomOut = 'Whole time';
export const filter = (n: number) => n > 1 ? `Keep only these ${grouped(n)}` : 'Keep only this process';
export const filterName = (name: string) => `Keep all named ${name}`;
export const showTime = 'Zoom to its time';
export const copyCommand = 'Copy the command line';
export const facts = {
	pid: 'PID', parent: 'parent', start: 'start', end: 'end', lasted: 'lasted', exit: 'exit code', count: 'processes',
	command: 'command line',
};
export const info = 'The process';
export const selected = (n: number) => `${grouped(n)} selected`;

// events
export const events = 'Events';
export const missing = 'Not recorded';
export const columns = ['event', 'over the time in view', 'in view', 'of', 'weight in view', 'of all'];
export const open = (event: string, tab: string) => `Show ${event} in ${tab}`;
export const uses = {
	commit: 'Committed memory of the largest processes', resident: 'Resident memory of the largest processes',
};
export const tables = { marks: 'Marks', snapshots: 'Snapshots of heaps', events: 'Records of each kind' };
export const marksHint = 'Enter or double click: show the time from this mark to the next one';
