import { bytes } from './format';

export const words = {
	whole: 'all',
	unknown: '(unknown)',
	unknownProcess: '(unknown process)',
	thread: (tid: number) => `thread ${tid}`,
	unknownThread: '(unknown thread)',
	unknownCpu: '(unknown CPU)',
	unknownModule: '(unknown module)',
	interrupt: '(interrupt)',
	notAnnotated: '(not annotated)',
	size: (from: number) => `${bytes(from)} to ${bytes(2 * from)}`,
	// By Kind of views/tree.ts.
	levels: ['all', 'process', 'process', 'thread', 'processor', 'reason', 'ended by', 'heap', 'allocator', 'size', 'annotation',
		'module', 'function', 'group'],
};
