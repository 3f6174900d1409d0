// The recording as the page has it: docs/report-format.md describes the same as bytes. Row 0 of
// each list is none, times are ns since the beginning.

export interface Event {
	name: string;
	unit: string; // 'ns', 'bytes', 'samples', 'cycles' ...
	row: string; // the word for one row: 'sample', 'wait', 'allocation'
	samples: number;
	weight: number;
	lost: number;
	cpuTime: boolean;
	lifetimes: boolean; // what a row weighs can be freed later
	blocks: boolean; // of heaps
	pages: boolean; // of address spaces
	part: boolean; // its rows are parts of those of another event
	counts: boolean; // how many rows there are means something
}

export interface Image { name: string; path: string; named: boolean; reason: string }

export interface Process {
	name: string;
	pid: number;
	parent: number; // pid; 0: unknown
	command: string;
	start: number | null; // null: before the recording
	end: number | null; // null: after it
	exit: number | null;
}

export interface Thread { name: string; tid: number; process: number; start: number | null; end: number | null }
export interface Subject { what: string; by: number; interrupt: boolean; heap: number }
export interface Heap { name: string; process: number }
export interface Snapshot { time: number; process: number; label: string; cause: string; row: number; end: number }
export interface Mark { time: number; process: number; thread: number; label: string; provider: string }

// As `wick preset` prints it.
export interface PresetView { title?: string; event?: string; group?: string; outstanding?: boolean; inverted?: boolean }
export interface Preset {
	name: string;
	title?: string;
	event?: string;
	tabs?: { tab: string; title?: string; views?: PresetView[] }[];
	groups?: { label: string; function: string }[];
	annotations?: { label: string; function?: string; module?: string }[];
}

export interface Head {
	version: number;
	wick: string;
	title: string;
	input: string;
	open: string; // where the page starts, or ''
	command: string;
	began: number | null; // ms since 1970 of time 0
	last: number;
	resolution: number;
	compilesRust: boolean;
	redacted?: boolean;
	events: (Event | null)[];
	event: number;
	images: (Image | null)[];
	processes: (Process | null)[];
	threads: (Thread | null)[];
	subjects: (Subject | null)[];
	heaps: (Heap | null)[];
	snapshots: Snapshot[];
	marks: Mark[];
	quality: string[];
	warnings: string[];
	kinds: string[];
	lacks: Record<string, string>;
	preset: string; // the one that was chosen; '': none
	presets: { processes: number[] | null; preset: Preset; isOwn?: boolean }[]; // isOwn: from a file that was dropped
}

export interface Names {
	names: string[];
	short: string[];
	image: number[];
	kind: number[];
	file: number[];
	files: string[];
	unnamed: Uint8Array; // by function
	startup: Uint8Array;
}

export interface Frames { count: number; fn: Uint32Array; line: Uint32Array; inlined: Uint8Array }
export interface Stacks {
	count: number;
	parent: Uint32Array;
	frame: Uint32Array;
	hidden: Uint32Array; // Hidden: why its innermost frame is shown as a part of its caller
}

export const enum Hidden { Plumbing = 1, OfBlocks = 2, OfPages = 4 }

export interface Ends {
	rows: number;
	time: Float64Array;
	row: Uint32Array;
	weight: Float64Array;
	times: Float64Array;
	left: Uint32Array; // 1: nothing freed it before its process ended, so it is left in the end
}

// Of one event, in order of time.
export interface Samples {
	rows: number;
	time: Float64Array;
	stack: Uint32Array;
	thread: Uint32Array;
	cpu: Uint32Array; // one more than the processor's number; 0: unknown
	weight: Float64Array;
	times: Float64Array; // how many samples or blocks a row stands for
	about: Uint32Array; // of subjects
	ends: Ends | null;
}

export interface Uses {
	rows: number;
	time: Float64Array;
	process: Uint32Array;
	resident: Float64Array;
	peak: Float64Array;
	swap: Float64Array;
	commit: Float64Array;
}

// A table as `wick show --json` prints it.
export interface ShownTable {
	table: string;
	columns?: { key: string; title: string; kind: string; detail?: boolean }[]; // an answer to a query has none
	rows: Record<string, unknown>[];
	notes?: string[];
}

export interface Recording {
	head: Head;
	names: Names;
	frames: Frames;
	stacks: Stacks;
	samples(event: number): Promise<Samples>; // decoded once
	uses(): Promise<Uses | null>;
	table(name: string): Promise<ShownTable | null>;
	damaged: Map<string, string>; // blocks that cannot be read, and why
	whole?(): Promise<Recording>; // of one without names, stacks and samples: with them
}
