/* What the heap library writes about each allocation and each change of the address space, and how
 * its bytes are read.
 *
 * A thread has a stream of events, a process one of definitions. A stream is a sequence of blocks
 * of WK_HEAP_BLOCK_BYTES; a block begins with numbers that the others are relative to, so that it
 * can be read without those before it. A record never crosses the end of its block: a zero byte
 * says that the rest of the block is empty. All is little-endian; signed numbers are folded (0, -1,
 * 1, -2 ...).
 *
 * Events: u64 time at the start of a block, then records. Almost all are packed, and what they are
 * is in the lowest two bits of their first byte:
 *
 *     WK_HEAP_PACKED_FREED, _RELEASED: 5 bytes, from the lowest bit on: 2 bits of that, 14 of the
 *     time since the last record, 24 of the address
 *     WK_HEAP_PACKED_ALLOCATED: 10 bytes; these bits, then 16 of the stack, 4 of the function,
 * which says as well if it is MOVED, 20 of the size
 *
 * Before each of the others is a byte WK_HEAP_RECORD_OTHER, where numbers are larger:
 *
 *     u8 kind | function << 3 | WK_HEAP_RECORD_WIDE, then numbers:
 *     ALLOCATED, MOVED: time since the last record, address, size, stack
 *     FREED, RELEASED, KEPT: time since the last record, address
 *     SNAPSHOT, MARK: time since the last record; then u8 length of a text, the text
 *
 * A u8 with two bits for each number, the lowest ones for the first, precedes them: how many bytes
 * it has, less 1. In a wide record there is no such byte, and numbers have 8 bytes each.
 *
 *     u8 call << 3 | WK_HEAP_RECORD_WIDE, of enum wk_heap_call, then as in other wide records: time
 *     since the last record, result, four arguments in the order of the system call, stack
 *
 * An address is the difference to the last one of the block (0 at its start), divided by 8, folded;
 * in a wide record it is not divided. A stack is the difference to the last one of the block,
 * folded. Times are ticks of the machine's counter. They are in order within a stream; of two
 * streams see WK_CHANNEL_LOOSE.
 *
 * A block that realloc moves is RELEASED before the call, then MOVED, or KEPT if the call failed:
 * the order of times is the order in which addresses were free.
 *
 * Of a call that unmaps, what it begins with comes as a record as well, without a result and a
 * stack: other threads may get the addresses before it has ended.
 *
 * Definitions: u32 number of the next stack and u64 address at the start of a block, then records:
 *
 *     u8 1, and as LEB128: number of the stack less that of its caller's; address less the last
 *     one, folded
 *
 * Stacks are numbered from 1; a caller 0 is none. An address is inside the call instruction once 1
 * is subtracted. */
#ifndef WK_CHANNEL_STREAM_H
#define WK_CHANNEL_STREAM_H

#define WK_HEAP_BLOCK_BYTES 4096

enum wk_heap_record {
	WK_HEAP_RECORD_END, /* of what the block holds */
	WK_HEAP_RECORD_ALLOCATED,
	WK_HEAP_RECORD_FREED,
	WK_HEAP_RECORD_RELEASED,
	WK_HEAP_RECORD_MOVED,
	WK_HEAP_RECORD_KEPT,
	WK_HEAP_RECORD_SNAPSHOT,
	WK_HEAP_RECORD_MARK,
};
#define WK_HEAP_RECORD_BITS  3
#define WK_HEAP_RECORD_WIDE  0x80
#define WK_HEAP_RECORD_OTHER 4 /* a byte before records that are not packed */

enum wk_heap_packed {
	WK_HEAP_PACKED_NONE,
	WK_HEAP_PACKED_FREED,
	WK_HEAP_PACKED_ALLOCATED,
	WK_HEAP_PACKED_RELEASED,
};
#define WK_HEAP_PACKED_BITS 2

/* Where the numbers of packed records begin, and how many bits they have. */
#define WK_HEAP_PACKED_TIME          WK_HEAP_PACKED_BITS
#define WK_HEAP_PACKED_TIME_BITS     14
#define WK_HEAP_PACKED_ADDRESS       (WK_HEAP_PACKED_TIME + WK_HEAP_PACKED_TIME_BITS)
#define WK_HEAP_PACKED_ADDRESS_BITS  24
#define WK_HEAP_PACKED_STACK         (WK_HEAP_PACKED_ADDRESS + WK_HEAP_PACKED_ADDRESS_BITS)
#define WK_HEAP_PACKED_STACK_BITS    16
#define WK_HEAP_PACKED_FUNCTION      (WK_HEAP_PACKED_STACK + WK_HEAP_PACKED_STACK_BITS)
#define WK_HEAP_PACKED_FUNCTION_BITS 4
#define WK_HEAP_PACKED_SIZE          (WK_HEAP_PACKED_FUNCTION + WK_HEAP_PACKED_FUNCTION_BITS)
#define WK_HEAP_PACKED_SIZE_BITS     20
#define WK_HEAP_PACKED_SHORT_BYTES   5u
#define WK_HEAP_PACKED_LONG_BYTES    10u

/* The most of a text of a snapshot or a mark. */
#define WK_HEAP_TEXT_BYTES 200

enum wk_heap_function {
	WK_HEAP_MALLOC,
	WK_HEAP_CALLOC,
	WK_HEAP_REALLOC,
	WK_HEAP_REALLOCARRAY,
	WK_HEAP_POSIX_MEMALIGN,
	WK_HEAP_ALIGNED_ALLOC,
	WK_HEAP_MEMALIGN,
	WK_HEAP_VALLOC,
	WK_HEAP_PVALLOC,
	WK_HEAP_FUNCTIONS
};

/* In a packed record, these as well: MOVED by realloc and reallocarray. */
#define WK_HEAP_PACKED_MOVED       WK_HEAP_FUNCTIONS
#define WK_HEAP_PACKED_MOVED_ARRAY (WK_HEAP_FUNCTIONS + 1)
#define WK_HEAP_PACKED_FUNCTIONS   (WK_HEAP_FUNCTIONS + 2)

/* Of records whose kind is WK_HEAP_RECORD_END. */
enum wk_heap_call {
	WK_HEAP_CALL_MMAP = 1,
	WK_HEAP_CALL_MUNMAP,
	WK_HEAP_CALL_MREMAP,
	WK_HEAP_CALL_MPROTECT,
	WK_HEAP_CALL_MADVISE,
	WK_HEAP_CALLS,
	WK_HEAP_CALL_ENDED = 8, /* added to it: it has ended */
};
#define WK_HEAP_CALL_ARGUMENTS 4

#define WK_HEAP_DEFINED_STACK 1

/* What the recorder makes of the streams: rows, of little-endian numbers that follow a u8 kind.
 *
 *     PROCESS      u32 process, u32 pid, u64 ns: since then; u64 bytes: blocks are sampled with
 *                  this mean distance, 0: all are recorded
 *     PACKED       u32 process, u32 thread, u32 tid, u64 position, u32 length, the bytes
 *     EVENTS       the same of recorders until 2026-11, without packed records and without
 *                  WK_HEAP_RECORD_OTHER
 *     DEFINITIONS  u32 process, u64 position, u32 length, the bytes
 *     PASS         u64 ticks, u64 ns: all events until then are in the rows before
 *     COUNTS       u32 process, then the fields of struct wk_channel_counts as u64: until now
 *     GONE         u32 process: nothing more comes from it
 *     SETTLED      u64 ns: the kernel's records until then are in front of this row
 *     MOMENTS      u32 0, u8 which (bits of enum wk_heap_moment), u64 bytes: which moments are to
 *                  be snapshots when the events are read; before all events
 *     SEEN         u32 process: it ran before, and has blocks that are unknown; after PROCESS
 *     LOOSE        u32 process: WK_CHANNEL_LOOSE; after PROCESS
 *     SNAPSHOT     u32 process or 0 for all, u64 ticks, u8 cause (enum wk_heap_snapshot_cause),
 *                  u32 length, the label: in order of ticks
 *
 *     SPACE        u32 process, u64 ticks, u8 flags (enum wk_heap_space_flag), u32 pid, u64 from,
 *                  u64 to, then for each range of addresses between them that was mapped then, in
 *                  order: u64 from, u64 to, u8 use (enum wk_heap_space_use)
 *
 * Processes are numbered from 1 as they come; threads are numbers of rings, which several threads
 * use one after the other. A position counts the bytes of the stream before it; what is missing
 * was lost. Bytes of a row end where a record does. */
enum wk_heap_stream_row {
	WK_HEAP_ROW_PROCESS = 1,
	WK_HEAP_ROW_EVENTS,
	WK_HEAP_ROW_DEFINITIONS,
	WK_HEAP_ROW_PASS,
	WK_HEAP_ROW_COUNTS,
	WK_HEAP_ROW_GONE,
	WK_HEAP_ROW_SNAPSHOT,
	WK_HEAP_ROW_MOMENTS,
	WK_HEAP_ROW_SEEN,
	WK_HEAP_ROW_SETTLED,
	WK_HEAP_ROW_SPACE,
	WK_HEAP_ROW_LOOSE,
	WK_HEAP_ROW_PACKED,
};

enum wk_heap_space_flag {
	WK_HEAP_SPACE_BEGINS = 1,      /* the process runs a program that is new ... */
	WK_HEAP_SPACE_FROM_BEFORE = 2, /* ... or ran before, or was forked */
};

/* Of mappings, in the order of their rights; others are readable. */
enum wk_heap_space_use {
	WK_HEAP_SPACE_OF_FILE = 1, /* shared with a file */
	WK_HEAP_SPACE_WRITABLE,
	WK_HEAP_SPACE_READ_ONLY,
	WK_HEAP_SPACE_NO_RIGHTS,
};

enum wk_heap_moment {
	WK_HEAP_MOMENT_EXIT = 1,
	WK_HEAP_MOMENT_PEAK = 2,
	WK_HEAP_MOMENT_OVER = 4, /* a process has more than the bytes of the row */
};

/* Why the recorder took a snapshot; those of programs are in their events. */
enum wk_heap_snapshot_cause {
	WK_HEAP_SNAPSHOT_USER = 1, /* `wick snapshot` */
	WK_HEAP_SNAPSHOT_INTERVAL,
};

#endif
