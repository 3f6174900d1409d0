import { bytes } from './format';

export const whole = 'all';
export const unknown = '(unknown)';
export const unknownProcess = '(unknown process)';
export const thread = (tid: number) => `thread ${tid}`;
export const unknownThread = '(unknown thread)';
export const unknownCpu = '(unknown CPU)';
export const unknownModule = '(unknown module)';
export const interrupt = '(interrupt)';
export const notAnnotated = '(not annotated)';
export const size = (from: number) => `${bytes(from)} to ${bytes(2 * from)}`;
// By Kind of views/tree.ts.
export const levels = ['all', 'process', 'process', 'thread', 'processor', 'reason', 'ended by', 'heap', 'allocator', 'size', 'annotation',
	'module', 'function', 'group'];
