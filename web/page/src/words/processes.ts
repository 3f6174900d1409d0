import { grouped } from './format';

const processes = (n: number) => grouped(n) + (n === 1 ? ' process' : ' processes');

export const lanes = {
	// the strip
	strip: 'The whole time',
	upTo: (name: string, highest: string) => `${name}, up to ${highest}`,
	cpu: 'CPU',
	perSecond: (event: string) => `${event} per second`,
	memory: { commit: 'committed memory', resident: 'resident memory', heap: 'heap' },
	snapshot: (label: string) => label ? `snapshot: ${label}` : 'snapshot',

	// processes
	processes: 'Processes',
	cpuInView: 'CPU in view',
	inView: (event: string) => `${event} in view`,
	crate: 'crate',
	lasted: 'lasted',
	filterHint: 'Enter or double click: keep only this process',

	// process tree
	tree: 'Process tree',
	treeHint: 'Arrow keys move, Right opens, Left closes, Enter keeps only the process, Space selects, '
		+ 'F keeps the selected ones, W and S zoom, A and D move in time, dragging selects a time',
	shown: (shown: number, all: number) =>
		shown === all ? processes(all) : `${grouped(shown)} of ${processes(all)} in view`,
	scale: 'Full height: one processor; darker: more',
	scaleOther: (event: string) => `Full height: the most ${event} of a row in view`,
	fold: (n: number, name: string) => `${grouped(n)} \u00d7 ${name}`,
	below: (n: number) => `+${grouped(n)} below`,
	unnamed: '(unknown)',
	pid: (pid: number) => `pid ${pid}`,
	exit: (code: number) => `exit ${code}`,
	before: 'before the recording',
	after: 'after the recording',
	noneInView: 'No process is in view.',
	showAll: 'Show all',
	zoomOut: 'Whole time',
	filter: (n: number) => n > 1 ? `Keep only these ${grouped(n)}` : 'Keep only this process',
	filterName: (name: string) => `Keep all named ${name}`,
	showTime: 'Zoom to its time',
	copyCommand: 'Copy the command line',
	facts: {
		pid: 'PID', parent: 'parent', start: 'start', end: 'end', lasted: 'lasted', exit: 'exit code', count: 'processes',
		command: 'command line',
	},
	info: 'The process',
	selected: (n: number) => `${grouped(n)} selected`,

	// events
	events: 'Events',
	missing: 'Not recorded',
	columns: ['event', 'over the time in view', 'in view', 'of', 'weight in view', 'of all'],
	open: (event: string, tab: string) => `Show ${event} in ${tab}`,
	uses: {
		commit: 'Committed memory of the largest processes', resident: 'Resident memory of the largest processes',
	},
	tables: { marks: 'Marks', snapshots: 'Snapshots of heaps', events: 'Records of each kind' },
	marksHint: 'Enter or double click: show the time from this mark to the next one',
};
