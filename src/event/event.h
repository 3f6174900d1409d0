/* The event interface: one struct for everything that a recorder observes or a file contains.
 *
 * Readers and recorders fill a wk_event and emit it to a sink (event/sink.h); they know nothing of
 * later steps. All pointers inside an event are borrowed and valid only during the call. An unset
 * event is all zero.
 *
 * Times are nanoseconds of the recording's clock; 0 means "before the recording started": such
 * events describe what already ran. Events come in order of time, except that those with time 0
 * come first. Ids of processes and threads are the system's own numbers; a process exists from its
 * first PROCESS or THREAD event, or from the first event that names it. */
#ifndef WK_EVENT_EVENT_H
#define WK_EVENT_EVENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"
#include "base/trie.h"
#include "event/traits.h"

#define WK_NO_CPU UINT32_MAX

/* The kernel, as the owner of images that every process sees. */
#define WK_KERNEL_PID UINT32_MAX

/* For events of an unknown owner. */
#define WK_UNKNOWN_PID (UINT32_MAX - 2)

/* For samples of an input that does not speak of processes (folded stacks, for one). */
#define WK_NO_PID (UINT32_MAX - 1)

enum wk_event_kind {
	WK_EVENT_NONE,
	WK_EVENT_SYSTEM,  /* a fact about the machine or the recording: key and value */
	WK_EVENT_SOURCE,  /* a sampled event: a number that samples refer to, name, unit */
	WK_EVENT_PROCESS, /* a process began (forked), was replaced (exec), or ended */
	WK_EVENT_THREAD,  /* a thread began, was named, or ended */
	WK_EVENT_IMAGE,   /* a file (or the kernel) is mapped at an address range */
	WK_EVENT_SYMBOL,  /* a name that came with the recording, for an address range */
	WK_EVENT_CALLS,   /* what came with the recording on the functions at one address */
	WK_EVENT_BOUNDS,  /* the bounds of a function in an image, without its name */
	WK_EVENT_FRAME,   /* a frame that came with its name, and its number */
	WK_EVENT_STACKS,  /* stacks of such frames, and the numbers they go by */
	WK_EVENT_SAMPLE,
	WK_EVENT_SUMS,     /* samples added up, only if the reader was asked to */
	WK_EVENT_LISTS,    /* the same with lists of frames as stacks, for sinks that accept them */
	WK_EVENT_MEMORY,   /* address space was reserved, committed or released */
	WK_EVENT_HEAP,     /* a block of a heap was allocated, moved or freed; or a whole heap */
	WK_EVENT_HEAP_SUM, /* blocks of one stack added up, from recorders that keep only sums */
	WK_EVENT_SNAPSHOT, /* a moment whose allocated blocks are to be shown */
	WK_EVENT_SNAPSHOT_REQUEST, /* which moments are to be snapshots, of those that events show
				    */
	WK_EVENT_BLOCKS, /* many HEAP events of heaps without a handle, for sinks that accept those
			  * at once: event/blocks.h */
	WK_EVENT_HEAP_STREAM, /* rows of the heap library: many events, as they were recorded */
	WK_EVENT_SWITCH,      /* a processor went from one thread to another */
	WK_EVENT_READY,       /* a thread that waited may run on */
	WK_EVENT_MARK,        /* a named moment */
	WK_EVENT_COUNT,       /* how many records of one kind an input has */
	WK_EVENT_LOST,        /* records or samples that the kernel or the recorder dropped */
	WK_EVENT_NOTE,        /* something a person should know: a bad record, a gap ... */
	WK_EVENT_OTHER, /* an event that no view uses, as text: only if details are requested */
	WK_EVENT_KINDS
};

enum wk_process_change {
	WK_PROCESS_SEEN, /* it already ran; parent and command line if known */
	WK_PROCESS_FORK, /* begins as a copy of `parent_pid`: its mappings and name too */
	WK_PROCESS_EXEC, /* all its mappings are gone; `name` is the new name */
	WK_PROCESS_EXIT,
	WK_PROCESS_START, /* begins by itself: of `parent_pid` it has nothing but the number */
};

enum wk_process_trait {
	WK_PROCESS_IS_32BIT = 1, /* on a 64-bit system */
	WK_PROCESS_IS_PROTECTED = 2,
	WK_PROCESS_IS_PACKAGED = 4,
};

/* What the system counted for a process by now. */
struct wk_process_use {
	bool is_known;
	uint32_t page_faults, handles;
	uint64_t peak_working_set_bytes, peak_commit_bytes, peak_virtual_bytes;
	uint64_t working_set_bytes, commit_bytes; /* now */
	uint64_t swap_bytes;                      /* now; these are of Linux */
	uint64_t share_bytes;                /* pages of several processes count in part (PSS) */
	uint64_t huge_bytes, huge_tlb_bytes; /* in huge pages: of the working set, and beyond it */
	/* Parts of the working set: without a file, of files, and shared memory; of the first, that
	 * of the break and of the main stack. */
	uint64_t anonymous_bytes, file_bytes, shared_bytes;
	uint64_t heap_bytes, stack_bytes;
};

struct wk_event_process {
	enum wk_process_change change;
	uint32_t parent_pid;
	struct wk_str name;         /* empty if unknown */
	struct wk_str command_line; /* arguments joined by spaces; empty if unknown */
	bool has_exit_code;
	int exit_code;
	uint32_t parent_tid;    /* the parent's thread; 0 if unknown */
	bool threads_apart;     /* threads have numbers of their own: none has the process's */
	struct wk_str user;     /* its user; this and the next are empty if unknown */
	struct wk_str package;  /* the full name of the package that installed it */
	struct wk_str services; /* the names of those that run in it, joined by ", " */
	bool has_session;
	uint32_t session;
	uint32_t traits; /* enum wk_process_trait */
	struct wk_process_use use;
};

enum wk_thread_change {
	WK_THREAD_SEEN,
	WK_THREAD_START, /* a new thread in process `pid` */
	WK_THREAD_NAME,
	WK_THREAD_EXIT,
};

struct wk_event_thread {
	enum wk_thread_change change;
	uint32_t parent_tid;
	struct wk_str name;
	uint32_t parent_pid; /* of the process; known only when a thread ends */
};

/* Which file a mapping shows, so that the same file is known again elsewhere. */
struct wk_build_id {
	uint8_t size; /* 0 if unknown, at most 20 */
	uint8_t bytes[20];
};

struct wk_event_image {
	uint64_t start, size_bytes; /* the address range in the process */
	uint64_t file_offset;       /* of `start` in the file; for the kernel see below */
	struct wk_str path;         /* "[vdso]", "//anon", "/usr/bin/sh" ... as the system says */
	bool is_kernel;             /* pid is WK_KERNEL_PID; file_offset is then not an offset in a
				     * file. Not set for a file that the kernel has mapped (a
				     * driver) */
	bool is_data;               /* mapped without the right to execute */
	bool is_gone;               /* from now on nothing is mapped there any more */
	uint32_t device_major, device_minor;
	uint64_t inode, inode_generation;
	uint32_t protection, flags; /* as mmap's */
	struct wk_build_id build_id;
	/* Of an image of Windows, in whose recordings the build id is that of its PDB. */
	struct wk_str pdb_path; /* as linked; empty if unknown */
	uint32_t time_stamp;    /* with image_bytes the key of its file; 0 if unknown */
	uint32_t image_bytes;   /* of all of it in memory */
};

/* The kind of code of a frame, if the input contains it. */
enum wk_frame_kind {
	WK_FRAME_UNKNOWN,
	WK_FRAME_USER,
	WK_FRAME_KERNEL,
	WK_FRAME_JIT,
	WK_FRAME_JIT_PROGRAM, /* generated at run time from a file that came with the program */
};

static inline bool wk_frame_kind_is_jit(enum wk_frame_kind kind)
{
	return kind == WK_FRAME_JIT || kind == WK_FRAME_JIT_PROGRAM;
}

/* From `address` on, up to the next one's. */
struct wk_jit_map_line {
	uint64_t address;
	uint32_t line;
	struct wk_str file;
};

/* For an address range of an image (by path and build id) or, with an empty path, of the process
 * `pid` itself (JIT code) or of the kernel: valid from this moment on, and replaces whatever it
 * overlaps. */
struct wk_event_symbol {
	struct wk_str image_path;
	struct wk_build_id build_id;
	uint64_t start, size_bytes;          /* file offset in the image, else address */
	struct wk_str name;                  /* as linked, not demangled */
	const struct wk_jit_map_line *lines; /* of JIT code; sorted */
	size_t line_count;
	enum wk_frame_kind kind; /* of such code; WK_FRAME_UNKNOWN if the input does not contain
				  * it */
};

struct wk_event_call {
	struct wk_str function; /* as linked, not demangled */
	struct wk_str file;     /* of its source; empty if unknown */
	uint32_t line;          /* 0 if unknown */
};

/* The function at an address of an image (by path and build id), and the calls inlined into it,
 * each into the previous one. */
struct wk_event_calls {
	struct wk_str image_path;
	struct wk_build_id build_id;
	uint64_t address; /* file offset in the image, else address */
	const struct wk_event_call *calls;
	size_t count;
};

/* A function as unwind tables describe it: enough to know that two addresses are in the same one,
 * and whether it has callers, if neither names nor the image itself are available any more. */
struct wk_event_bounds {
	struct wk_str image_path;
	struct wk_build_id build_id;
	uint64_t start; /* file offset in the image */
	uint32_t size_bytes;
	bool is_root; /* a program or a thread begins in it */
};

/* Registers by their DWARF numbers of the machine: x86-64 0-15 rax rdx rcx rbx rsi rdi rbp
 * rsp r8-r15 and 16 the program counter; aarch64 0-30, 31 sp, 32 the program counter. */
#define WK_REGISTERS 33

enum wk_machine {
	WK_MACHINE_UNKNOWN,
	WK_MACHINE_X86_64,
	WK_MACHINE_AARCH64,
	WK_MACHINE_X86,
	WK_MACHINE_ARM,
};

/* User registers and a copy of the stack from sp on, as sampled: what unwinding needs. */
struct wk_event_stack {
	enum wk_machine machine;
	uint64_t valid; /* bit n: value[n] was sampled */
	uint64_t value[WK_REGISTERS];
	const uint8_t *bytes; /* memory from the stack pointer up */
	size_t size_bytes;
	bool is_full; /* the copy ended at its limit, not at the stack's end */
};

/* Text formats name their frames themselves. Each distinct frame is emitted once, before the first
 * stack that contains it; numbers count from 1 without a gap, or across inputs if a sink stores
 * them (event/sink.h). */
struct wk_event_frame {
	uint32_t number;
	struct wk_str name;  /* as the input has it; readable, not demangled further */
	struct wk_str image; /* path or name of its file; empty if unknown */
	struct wk_str file;  /* of its source; empty if unknown */
	uint32_t line;       /* 0 if unknown */
	uint64_t address;    /* 0 if unknown */
	enum wk_frame_kind kind;
	bool is_inlined; /* into its caller */
	bool is_unnamed; /* the input had no name: `name` is an address or the like */
	bool is_lasting; /* the texts stay in place until the input ends */
	bool is_before;  /* as in struct wk_event_sample */
};

/* A stack is its caller's stack and the innermost frame; parent 0: the frame is the outermost.
 * Numbers count from 1 without a gap, so a parent's is smaller. No two are the same stack. Many are
 * emitted at once: their numbers are `first`, first + 1 ... */
struct wk_event_stacks {
	uint32_t first, count;
	const struct wk_trie_entry *entries; /* the label is the frame's number */
	/* The expected total number of these and of samples, so that space can be allocated at
	 * once. 0: unknown. */
	uint32_t expected, expected_samples;
};

/* A jump that the processor remembered. */
struct wk_event_branch {
	uint64_t from, to, flags; /* flags as perf has them: bit 0 mispredicted, 1 predicted ... */
};

/* Which parts the samples of a source have. */
enum wk_detail {
	WK_DETAIL_ADDRESS = 1 << 0,
	WK_DETAIL_BRANCHES = 1 << 1,
	WK_DETAIL_CPU = 1 << 2,
	WK_DETAIL_TIME = 1 << 3,
	WK_DETAIL_THREAD = 1 << 4,
	WK_DETAIL_CHAIN = 1 << 5,
	WK_DETAIL_USER_REGISTERS = 1 << 6,
};

/* As perf numbers them, which is not as DWARF does. */
struct wk_event_registers {
	uint64_t abi;     /* 1 of 32 bits, 2 of 64 */
	uint64_t sampled; /* bit n: value[n] */
	uint64_t value[64];
};

struct wk_trace_formats;

/* Fields that a recorder may add to a sample and that no view weighs by: for printing single
 * samples. Those that were not recorded are 0. */
struct wk_event_details {
	uint64_t data_address, physical_address, weight, data_source, transaction, cgroup,
		data_page_bytes, code_page_bytes;
	const struct wk_event_registers *user_registers; /* NULL if there are none */
	struct wk_str trace; /* a tracepoint's fields as its own format prints them */
	/* The bytes that `trace` is made from and their formats, for sinks that can name kernel
	 * functions in it (formats/tracepoint/format.h). A recorder has only the bytes. */
	struct wk_str trace_raw;
	struct wk_trace_formats *trace_formats;
	const struct wk_event_branch *branches; /* the latest first */
	size_t branch_count;
};

struct wk_event_sample {
	uint32_t source;  /* number of a SOURCE event */
	uint64_t weight;  /* in the source's unit: the period */
	uint64_t address; /* the sampled program counter */
	bool in_kernel;   /* the sample was taken in kernel mode */

	/* Call chains, innermost frame first, kernel part and user part separate. The first entry
	 * of each part is the current address; later ones are return addresses, unless
	 * `user_is_exact`: then every user entry is already inside its call instruction and is
	 * looked up unchanged. */
	const uint64_t *kernel_chain;
	size_t kernel_count;
	const uint64_t *user_chain;
	size_t user_count;
	bool user_is_exact;
	uint64_t chain_number; /* if it is not 0, all samples of the process with this number have
				* these chains: they need not be looked up again */

	/* Instead of chains: the number of a stack that came with its names; 0: none. */
	uint32_t named_stack;

	/* Belongs to the "before" side of a comparison; all others are on the "after" side. */
	bool is_before;

	/* Set when the user part still has to be unwound; then user_chain is empty or
	 * only what frame pointers gave. */
	const struct wk_event_stack *stack;

	const struct wk_event_details *details; /* NULL if there are none */
};

/* The samples of one stack, thread and source. */
struct wk_event_sum {
	uint64_t time_ns, until_ns; /* when the first was, and the last */
	uint64_t weight;            /* of all; UINT64_MAX: that or more */
	uint64_t times;             /* how many there were */
	uint32_t stack;             /* the number of one that came with its names; 0: none */
	uint32_t whose;             /* which of the event's */
	uint32_t cpu;               /* of the first */
};

struct wk_event_whose {
	uint32_t pid, tid;
	uint32_t source;
};

/* Many at once, in the order of their first samples. */
struct wk_event_sums {
	const struct wk_event_sum *at;
	size_t count;
	const struct wk_event_whose *whose;
	size_t whose_count;
	bool is_before; /* as in a sample */
};

/* A sum of samples of source 0 and no process. */
struct wk_event_list {
	uint64_t weight;
	uint32_t frame_count; /* of its stack */
};

/* Many at once. Equal stacks need not be known as such, which saves the reader their numbers. */
struct wk_event_lists {
	const struct wk_event_list *at;
	size_t count;
	const uint32_t *frames; /* numbers of frames, outermost first, one list behind the other */
	bool is_before;         /* as in a sample */
};

/* How many frames they have in all. */
static inline size_t wk_event_lists_frames(const struct wk_event_lists *lists)
{
	size_t count = 0;

	for (size_t i = 0; i < lists->count; i++)
		count += lists->at[i].frame_count;
	return count;
}

/* An operation on a range of a process's address space; one call may do several. */
enum wk_memory_change {
	WK_MEMORY_RESERVE = 1 << 0,
	WK_MEMORY_COMMIT = 1 << 1, /* pages that are committed already stay whose they are */
	WK_MEMORY_DECOMMIT = 1 << 2,
	WK_MEMORY_RELEASE = 1 << 3, /* decommits as well; size 0: the whole reservation at
				     * `start` */
	WK_MEMORY_SEEN = 1 << 4,    /* nothing was done: it is known to be so from before */
	WK_MEMORY_DISCARD = 1 << 5, /* pages are given back, but stay committed */
};

/* The event's pid and tid, and its stack, are those of the caller. */
struct wk_event_memory {
	uint32_t changes;   /* enum wk_memory_change */
	uint32_t owner_pid; /* whose address space it is */
	uint64_t start, size_bytes;
	struct wk_event_sample sample; /* chains; source and weight are the builder's */
};

enum wk_heap_change {
	WK_HEAP_CREATE,
	WK_HEAP_DESTROY, /* with all blocks in it */
	WK_HEAP_SEEN,    /* it was there before, with blocks that are unknown */
	WK_HEAP_ALLOCATE,
	WK_HEAP_REALLOCATE,
	WK_HEAP_FREE,
};

struct wk_event_heap {
	enum wk_heap_change change;
	uint64_t heap;                        /* the heap of the process; 0 if it has only one */
	uint64_t address, size_bytes;         /* of the block; its size is unknown when freed */
	uint64_t old_address, old_size_bytes; /* of one that moves; the same address: in place */
	/* Of a sampled block: how many blocks and bytes it stands for; 0: it stands for itself. */
	uint64_t of_blocks, of_bytes;
	/* The time may be a little too early: of events of several threads at one address, the
	 * order may be wrong. */
	bool has_loose_time;
	struct wk_str made_by;         /* which part of the allocator; may be empty */
	struct wk_event_sample sample; /* chains; source and weight are the builder's */
};

/* The blocks that one stack allocated, since the previous event of its kind with that stack, pid
 * and tid. Freed ones were allocated in it or earlier. Parts that a recorder does not count are 0.
 */
/* A block that was allocated or freed, as one of BLOCKS. */
struct wk_event_block {
	uint64_t time_ns, address, size_bytes; /* the size is unknown when it is freed */
	uint32_t stack;  /* that allocated it, in its thread's group; 0: unknown */
	uint16_t thread; /* of `threads` */
	uint8_t part;    /* of `parts` */
	bool is_freed;
};

/* How many blocks and bytes a sampled block stands for; 0: it stands for itself. */
struct wk_block_estimate {
	uint64_t blocks, bytes;
};

struct wk_block_thread {
	uint32_t pid, tid;
	uint32_t group;       /* of stacks, counted from 0 or 1 */
	bool has_loose_times; /* as in struct wk_event_heap */
};

#define WK_MOST_BLOCKS 1024 /* of an event */

/* The event's time, pid and tid are those of the first. */
struct wk_event_blocks {
	const struct wk_event_block *at;
	size_t count;
	const struct wk_block_estimate *estimates; /* of each block; NULL: none was sampled */
	uint64_t sample_bytes;                     /* with this mean distance */
	const struct wk_block_thread *threads;
	size_t thread_count;
	const struct wk_str *parts; /* of the allocator */
	size_t part_count;
	bool is_before; /* as in struct wk_event_sample */

	/* The addresses of a stack, innermost first, each inside its call: at most `most`. They
	 * stay the same as long as the input lasts. */
	size_t (*chain)(const void *context, uint32_t group, uint32_t stack, uint64_t *addresses,
			size_t most);
	const void *context;
};

struct wk_event_heap_sum {
	uint64_t allocated_bytes, allocated_blocks; /* of bytes without blocks the number of these
						     * is unknown */
	uint64_t freed_bytes, freed_blocks;
	uint64_t temporary_bytes,
		temporary_blocks;         /* freed before their thread did anything else */
	uint64_t peak_bytes, peak_blocks; /* there when the process had the most: the last event
					   * that has them replaces those of earlier ones */
	struct wk_event_sample sample;    /* chains; source and weight are the builder's */
};

/* Why a snapshot was taken. */
enum wk_snapshot_cause {
	WK_SNAPSHOT_USER,     /* a user requested it */
	WK_SNAPSHOT_PROGRAM,  /* the program itself did */
	WK_SNAPSHOT_INTERVAL, /* it is one of a series */
	WK_SNAPSHOT_PEAK,     /* there was more than ever before */
	WK_SNAPSHOT_SIZE,     /* there was more than a limit */
	WK_SNAPSHOT_EXIT,     /* the process ended */
};

/* Of the event's process, or of all if that is WK_NO_PID. It contains what was allocated by the
 * events before it and not freed by them. */
struct wk_event_snapshot {
	struct wk_str label; /* may be empty */
	enum wk_snapshot_cause cause;
};

/* Of each process that follows in the input. */
struct wk_event_snapshot_request {
	bool at_exit, at_peak;
	uint64_t over_bytes; /* when it first has more, and at each doubling of that; 0: not */
};

/* Rows (channel/stream.h), each preceded by its length as a little-endian u32: what a recorder has,
 * and what a reader emits instead of HEAP events if that is requested. */
struct wk_event_heap_stream {
	struct wk_str rows;
};

enum wk_wait_mode {
	WK_WAIT_UNTOLD,
	WK_WAIT_KERNEL, /* the kernel waits for itself */
	WK_WAIT_USER,   /* for the program, whose stack may be paged out meanwhile */
};

/* The event's pid and tid run from now on. */
struct wk_event_switch {
	uint32_t old_pid, old_tid; /* ran until now */
	bool old_waits;            /* for something; else it could run on */
	enum wk_wait_mode wait_mode;
	struct wk_str wait_reason;     /* what for, or why it had to go, as the system says; may be
					* empty */
	struct wk_event_sample sample; /* chains of the thread that runs now: where it had been
					* waiting */
};

/* The event's pid and tid readied it, or were interrupted by what did. */
struct wk_event_ready {
	uint32_t ready_pid, ready_tid; /* may run on */
	bool is_interrupt;
	struct wk_event_sample sample; /* chains of the readying thread */
};

struct wk_event_mark {
	struct wk_str label;
	struct wk_str provider; /* the source of the mark; may be empty */
};

struct wk_event_count {
	struct wk_str provider; /* "Windows Kernel", a provider's name or number */
	struct wk_str name;     /* of the kind of record, or its number */
	uint64_t count;
	bool is_used; /* a view uses it; others are only counted */
};

/* The unit of samples of which an input counts parts: weights are thousandths of one. */
#define WK_UNIT_THOUSANDTHS "1/1000 samples"

struct wk_event_source {
	uint32_t source;
	struct wk_str name;        /* "cycles", "cpu-clock", "sched:sched_switch" ... */
	struct wk_str unit;        /* "ns", "cycles", "events" ...: what weights count */
	bool is_cpu_time;          /* weights are time or cycles spent on a CPU */
	bool is_weighed;           /* a sample represents any number: the number of samples means
				    * nothing */
	bool is_perf;              /* the next three are known */
	uint32_t perf_type;        /* of perf's attr: 0 hardware, 1 software, 2 tracepoint ... */
	uint32_t details;          /* fields of its samples: enum wk_detail */
	uint64_t user_registers;   /* sampled with copies of stacks, as perf numbers them */
	uint32_t user_stack_bytes; /* the most that is copied of each; 0: none */
	uint32_t name_width;       /* of the longest name in the recording */
	/* For a tracepoint whose samples contain its fields (trace_raw): the kernel's descriptions
	 * of all such tracepoints of the recording, as perf's section TRACING_DATA has them, and
	 * its number in there. Empty for others. */
	struct wk_str tracing_data;
	uint64_t trace_id;
};

struct wk_event_lost {
	uint64_t count;
	bool samples_only;
	bool has_source; /* all of them are samples of `source`; otherwise that is unknown */
	bool is_before;  /* of the first of two recordings that are compared */
	uint32_t source;
	/* So many more were part of the `count` of earlier events, as samples of an unknown source.
	 */
	uint64_t count_before;
};

/* What a note means for the reader of a view. */
enum wk_note_severity {
	WK_NOTE_REMARK,
	WK_NOTE_FAULT,      /* part of the input could not be used, which views must show */
	WK_NOTE_INCOMPLETE, /* part of the recording is missing: an unknown amount was lost */
};

struct wk_event_note {
	uint64_t offset; /* in the input, or WK_NOWHERE */
	struct wk_str text;
	enum wk_note_severity severity;
};

/* A context switch, a namespace, a cgroup's path ... */
struct wk_event_other {
	struct wk_str what, text;
};

struct wk_event_system {
	struct wk_str key; /* "host name", "kernel", "cpu", "memory", "command line" ... */
	struct wk_str value;
	struct wk_str section; /* the part it belongs to: "disk 0", "services" ...; empty: the
				* system */
	const struct wk_traits *traits; /* of the fact "system": what it is like; else NULL */
};

struct wk_event {
	enum wk_event_kind kind;
	uint64_t time_ns;
	uint32_t pid, tid;
	uint32_t cpu; /* WK_NO_CPU if unknown */
	union {
		struct wk_event_system system;
		struct wk_event_source source;
		struct wk_event_process process;
		struct wk_event_thread thread;
		struct wk_event_image image;
		struct wk_event_symbol symbol;
		struct wk_event_calls calls;
		struct wk_event_bounds bounds;
		struct wk_event_frame frame;
		struct wk_event_stacks stacks;
		struct wk_event_sample sample;
		struct wk_event_sums sums;
		struct wk_event_lists lists;
		struct wk_event_memory memory;
		struct wk_event_heap heap;
		struct wk_event_heap_sum heap_sum;
		struct wk_event_blocks blocks;
		struct wk_event_snapshot snapshot;
		struct wk_event_snapshot_request snapshot_request;
		struct wk_event_heap_stream heap_stream;
		struct wk_event_switch switched;
		struct wk_event_ready ready;
		struct wk_event_mark mark;
		struct wk_event_count count;
		struct wk_event_lost lost;
		struct wk_event_note note;
		struct wk_event_other other;
	};
};

/* The chains of an event that has them, and their side of a comparison; NULL for others. */
static inline struct wk_event_sample *wk_event_sample_in(struct wk_event *event)
{
	switch (event->kind) {
	case WK_EVENT_SAMPLE:
		return &event->sample;
	case WK_EVENT_MEMORY:
		return &event->memory.sample;
	case WK_EVENT_HEAP:
		return &event->heap.sample;
	case WK_EVENT_HEAP_SUM:
		return &event->heap_sum.sample;
	case WK_EVENT_SWITCH:
		return &event->switched.sample;
	case WK_EVENT_READY:
		return &event->ready.sample;
	default:
		return NULL;
	}
}

/* "user", "program", "interval", "peak", "limit" or "exit". */
const char *wk_snapshot_cause_name(enum wk_snapshot_cause cause);

/* "kernel", "user" or "". */
const char *wk_wait_mode_name(enum wk_wait_mode mode);

static inline bool wk_build_id_eq(const struct wk_build_id *a, const struct wk_build_id *b)
{
	return a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

#endif
