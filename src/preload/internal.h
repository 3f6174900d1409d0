/* The parts of the heap library: what they share inside.
 *
 * Everything here runs inside the malloc of another program. So nothing allocates, nothing calls a
 * function of libc that could (the exceptions are guarded by wk_heap_busy), no lock is held while
 * something else is called, and `errno` is as it was. */
#ifndef WK_PRELOAD_INTERNAL_H
#define WK_PRELOAD_INTERNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "channel/channel.h"

#define WK_LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define WK_UNLIKELY(condition) __builtin_expect(!!(condition), 0)
/* What programs call. */
#define HOOK __attribute__((visibility("default")))

#define WK_INITIAL_EXEC __attribute__((tls_model("initial-exec")))

/* Deeper stacks are cut: their outermost frames are missing, and they are counted. */
#define WK_HEAP_DEPTH 384

/* ---- the process: process.c */

/* Pages that read as zeros in a child. */
struct wk_heap_wiped {
	union {
		uint8_t state;  /* enum wk_heap_state */
		uint32_t begun; /* WK_HEAP_BEGUN of the epoch and the state */
	};
	/* Recorded blocks by address: see WK_HEAP_SAMPLE_PASSES. */
	_Alignas(WK_CHANNEL_PAGE) _Atomic uint8_t sampled[2 * WK_CHANNEL_PAGE];
};
#define WK_HEAP_BEGUN(epoch, state) ((uint32_t)(epoch) << 8 | (uint32_t)(state))
#define WK_HEAP_NEVER_BEGUN         UINT32_MAX
extern struct wk_heap_wiped wk_heap_wiped;

extern uint8_t *wk_heap_state; /* that one, or another byte before the first beginning */

extern struct wk_channel_head *wk_heap_head;
extern struct wk_heap_control *wk_heap_control;
extern uint32_t wk_heap_when_full;
extern uint32_t wk_heap_records; /* bits of enum wk_channel_records; as if blocks were, at first */
extern uint32_t wk_heap_epoch;   /* how often the process began: forked, or switched on again */

/* Finds the recorder, if there is one. True if events are wanted. */
bool wk_heap_begin(void);

/* A call in a child of a handler that interrupted the library: it is counted once the child begins,
 * after that. Those of the library's own beginning are not. */
void wk_heap_note_early(void);

/* The recorder has ended (OFF), or does not read for a long time (LOSING). */
void wk_heap_stop(enum wk_heap_state state);
extern int wk_heap_recorder; /* its process; 0: unknown */

/* Makes the memory of a slot usable; NULL if the system does not let it. */
uint8_t *wk_heap_open_slot(uint32_t slot);

/* Before slow parts: a lock that a fork cannot leave behind, since a child begins anew. */
void wk_heap_lock(_Atomic uint32_t *lock);
void wk_heap_unlock(_Atomic uint32_t *lock);

/* A moment for others. */
void wk_heap_nap(void);

/* Memory of the library's own: pages of zeros. NULL if there are none. */
void *wk_heap_pages(size_t bytes);

/* Zeros again. Pages that are not used afterwards are given back: to write zeros to those of a
 * parent would copy all of them in each child. */
void wk_heap_clear_pages(void *pages, size_t bytes);

/* ---- threads: thread.c */

struct wk_heap_frame {
	uintptr_t slot; /* where its return address lies */
	uintptr_t pc, bp;
};

struct wk_heap_return {
	uintptr_t slot, pc;
};

#define WK_HEAP_AT_ONCE 4  /* frames that are compared without a branch */
#define WK_HEAP_INNER   2u /* of a tip */
#define WK_HEAP_TIPS    16u

struct wk_heap_thread {
	_Atomic uint32_t is_inside; /* it uses what belongs to the recording */
	uint8_t *block;             /* that `head` is in */
	struct wk_channel_slot *slot;
	uint64_t head, tail; /* the tail as it was seen last */
	uint64_t time, address;
	uint32_t stack;
	uint32_t number; /* of the slot */
	uint32_t epoch;
	uint32_t quick; /* WK_HEAP_BEGUN where nothing but all blocks is recorded: quick.h */
	uint32_t tid;
	uint32_t endings; /* how often its destructor was called */
	bool is_late;
	uint32_t own_next;                       /* of its own blocks, which are used in turns */
	uint64_t own_end[WK_CHANNEL_OWN_BLOCKS]; /* free once the tail is there */
	struct wk_heap_thread *next, **link;     /* of all threads */
	uintptr_t stack_low, stack_high;         /* the thread's own stack; 0: not known yet */
	uintptr_t other_low, other_high;         /* the last other one */

	uint32_t depth;    /* of the last stack that had to be walked */
	uint32_t code;     /* wk_heap_code at that time */
	uint32_t walks;    /* how many there were */
	uintptr_t nothing; /* 0 */

	/* Where stacks end that share the outer frames of that one. */
	struct wk_heap_tip {
		struct wk_heap_frame frame;                 /* the innermost one, ... */
		struct wk_heap_return inner[WK_HEAP_INNER]; /* ... its callers, or &nothing, ... */
		uint32_t outer, node;                       /* ... how many of the last stack's */
		uint32_t since;                             /* what the last of those was */
	} tips[WK_HEAP_TIPS];

	/* That stack, the outermost frame first, after some at &nothing: wk_heap_walk. */
	struct wk_heap_known {
		struct wk_heap_frame frame;
		uint32_t node;
		uint32_t since; /* the walk that found it */
	} known[WK_HEAP_AT_ONCE + WK_HEAP_DEPTH];
	struct wk_heap_frame fresh[WK_HEAP_DEPTH]; /* scratch: the innermost first */
};

extern __thread struct wk_heap_thread *wk_heap_self WK_INITIAL_EXEC;

/* Several threads were recorded at one time, in this process, and their times must be in order. Set
 * before the second one's first event, so that who gets a block of it knows. */
extern _Atomic bool wk_heap_orders_times;

/* Why calls of this thread are not recorded now: they are this library's own, or those of the
 * allocator, whose caller is recorded. */
enum { WK_HEAP_IN_LIBRARY = 1, WK_HEAP_IN_ALLOCATOR = 2 };
extern __thread uint32_t wk_heap_busy WK_INITIAL_EXEC;

/* The calling thread's; NULL if it can have none. */
struct wk_heap_thread *wk_heap_thread_here(void);

/* In a new process. */
bool wk_heap_threads_begin(void);

/* Before another recording begins: once no thread uses the last one, none enters the next one until
 * wk_heap_threads_let_go. False if that takes too long. */
bool wk_heap_threads_hold(void);
void wk_heap_threads_let_go(void);

/* ---- rings: ring.c */

/* Where the next record goes; a record of WK_HEAP_RECORD_BYTES fits. NULL: it is lost. */
#define WK_HEAP_RECORD_BYTES 64
uint8_t *wk_heap_next_block(struct wk_heap_thread *thread);

/* For a record of more bytes, which must fit a block that is new. */
static inline uint8_t *wk_heap_room_for(struct wk_heap_thread *thread, uint32_t bytes)
{
	uint32_t used = thread->head % WK_HEAP_BLOCK_BYTES;

	/* Of 0, which is a new block as well, 1 less is more than that. */
	if (WK_UNLIKELY(used - 1 >= WK_HEAP_BLOCK_BYTES - bytes))
		return wk_heap_next_block(thread);
	return thread->block + used;
}

static inline uint8_t *wk_heap_room(struct wk_heap_thread *thread)
{
	return wk_heap_room_for(thread, WK_HEAP_RECORD_BYTES);
}

/* Waits until all before `tail` is read. False: it never will be. */
bool wk_heap_wait(struct wk_channel_ring *ring, uint64_t tail);

/* What a new thread of a slot writes to, and what the last one leaves. */
void wk_heap_stream_begin(struct wk_heap_thread *thread);
void wk_heap_stream_end(struct wk_heap_thread *thread);

static inline uint8_t *wk_heap_put(uint8_t *at, uint64_t number)
{
	while (number >= 0x80) {
		*at++ = (uint8_t)(number | 0x80);
		number >>= 7;
	}
	*at++ = (uint8_t)number;
	return at;
}

static inline uint64_t wk_heap_fold(int64_t number)
{
	return (uint64_t)number << 1 ^ (uint64_t)(number >> 63);
}

/* ---- sampling: sample.c */

extern uint64_t wk_heap_sample_bytes; /* 0: every block is recorded */

/* WK_HEAP_BEGUN of a recording of some blocks and of nothing else; WK_HEAP_ALL_NOTED: it is
 * another. */
#define WK_HEAP_ALL_NOTED UINT32_MAX
extern uint32_t wk_heap_passing;

/* The next block of the calling thread that is recorded. */
struct wk_heap_next {
	uint32_t passing;  /* of the recording that it is for */
	uint32_t epoch;    /* of that one */
	uint64_t distance; /* bytes until then, 0 where that is not known, as in a new thread */
};
extern __thread struct wk_heap_next wk_heap_next WK_INITIAL_EXEC;

bool wk_heap_sample_begin(uint64_t bytes, uint64_t seed);

/* Of a new block: true if it is not recorded, as almost all are while sampling. */
static inline bool wk_heap_is_passed(size_t size)
{
	if (WK_UNLIKELY(!wk_heap_sample_bytes || size >= wk_heap_next.distance ||
			*wk_heap_state != WK_HEAP_ON || wk_heap_next.epoch != wk_heap_epoch))
		return false;
	wk_heap_next.distance -= size;
	return true;
}

/* The same for a call that leads to nothing but the allocator's, with fewer conditions: what has
 * begun is another number if the state, the recording or the process changes. */
static inline bool wk_heap_passes(size_t size)
{
	struct wk_heap_next *next = &wk_heap_next;

	if (WK_UNLIKELY(next->passing != *(volatile uint32_t *)&wk_heap_wiped.begun ||
			size >= next->distance))
		return false;
	next->distance -= size;
	return true;
}

/* Exponentially distributed. Whenever another one is drawn, what is left of the last one does not
 * matter. */
uint64_t wk_heap_sample_distance(void);

/* How many recorded blocks there are at addresses like this one, and these bits. Neighbours share a
 * cache line, as blocks that a program uses together do. */
#define WK_HEAP_SAMPLE_PASSES 0x80 /* nothing but some blocks is recorded */
#define WK_HEAP_SAMPLE_LOST   0x40 /* more than can be named: all releases are recorded */

static inline _Atomic uint8_t *wk_heap_sampled_like(const void *block)
{
	return &wk_heap_wiped.sampled[((uintptr_t)block >> 6) % sizeof(wk_heap_wiped.sampled)];
}

/* Of a block that is released: true if it was certainly not recorded. */
static inline bool wk_heap_was_passed(const void *block)
{
	uint8_t sampled = atomic_load_explicit(wk_heap_sampled_like(block), memory_order_relaxed);

	return WK_LIKELY(wk_heap_sample_bytes) && WK_LIKELY(*wk_heap_state == WK_HEAP_ON) &&
	       WK_LIKELY(!(sampled & ~WK_HEAP_SAMPLE_PASSES));
}

/* ... and its release is nothing but the allocator's call. Never of a block of real.c's store. A
 * recording that is about to begin does not need releases of blocks from before. */
static inline bool wk_heap_release_passes(const void *block)
{
	return WK_LIKELY(atomic_load_explicit(wk_heap_sampled_like(block), memory_order_relaxed) ==
			 WK_HEAP_SAMPLE_PASSES);
}

/* From now on, no release of it passes. */
void wk_heap_sample_avoid(const void *block);

/* A recorded block; and whether one is, which it is not afterwards. */
void wk_heap_sample_add(const void *block);
bool wk_heap_sample_remove(const void *block);

/* ---- stacks: walk.c, stack.c, unwind.c, nodes.c */

/* The number of the stack of the function whose frame begins at `frame`, without that function. */
uint32_t wk_heap_walk(struct wk_heap_thread *thread, const void *frame);

/* Of a new thread, or in another recording: no stack is known. */
void wk_heap_walk_begin(struct wk_heap_thread *thread);

/* The mapping that `address` is in, if it may be read: a stack. */
bool wk_heap_find_stack(uintptr_t address, uintptr_t *low, uintptr_t *high);

/* How to get from a frame to its caller, by the table of the code at `pc` - 1. */
enum wk_heap_unwind_kind {
	WK_HEAP_UNWIND_NONE,   /* the caller is unknown */
	WK_HEAP_UNWIND_SP,     /* CFA: stack pointer + offset */
	WK_HEAP_UNWIND_BP,     /* CFA: frame pointer + offset */
	WK_HEAP_UNWIND_AT_BP,  /* CFA: in memory at frame pointer + offset */
	WK_HEAP_UNWIND_SIGNAL, /* the kernel's frame of a signal is at the stack pointer */
	WK_HEAP_UNWIND_ROOT,   /* there is no caller */
};
#define WK_HEAP_BP_SAME INT16_MIN /* the frame pointer was not saved */

struct wk_heap_unwind {
	int32_t offset;
	int16_t bp; /* where the caller's frame pointer is, from the CFA */
	uint8_t kind;
};

struct wk_heap_unwind wk_heap_unwind_at(uintptr_t pc);

/* Of a frame at `pc` whose CFA depends on the frame pointer: how far that is from where its own
 * return address lies. True if it was another number before: alloca and arrays of variable length
 * do that. A frame with the same return address at the same place may then have another caller. */
bool wk_heap_unwind_varies(uintptr_t pc, uintptr_t bytes);
bool wk_heap_unwind_begin(bool is_again);

/* After code was unloaded: other code may come to its addresses. wk_heap_code counts that up. */
void wk_heap_forget_code(void);
extern _Atomic uint32_t wk_heap_code;

/* The number of the stack (`parent`, `pc`), defined for the recorder if it is new. */
uint32_t wk_heap_node(uint32_t parent, uintptr_t pc);
bool wk_heap_nodes_begin(bool is_again);
void wk_heap_forget_nodes(void);

/* ---- files whose calls are bound already: patch.c */

extern bool wk_heap_is_late; /* the library was loaded into a program that ran */

/* The hooks for files that were loaded since the last time. */
void wk_heap_patch_new(void);

/* ---- functions of other names: patched.c */

/* Of the recorder's answer, for the next one. */
extern struct wk_channel_patch wk_patch_list[WK_CHANNEL_PATCHES];

/* Where on the stack a patched function was called that has not returned; 0: there is none. */
extern __thread uintptr_t wk_patched_frame WK_INITIAL_EXEC;

/* Before events are recorded: patches functions of the list. Those of another list are only passed
 * on to. */
void wk_patched_begin(uint64_t patches);

/* In files that were loaded since the last time. */
void wk_patched_look_again(void);

/* Has the function that set it been left by longjmp? */
static inline bool wk_patched_is_left(const void *frame)
{
	return wk_heap_busy == WK_HEAP_IN_ALLOCATOR && wk_patched_frame &&
	       (uintptr_t)frame > wk_patched_frame;
}

/* ---- events: record.c */

struct wk_heap_thread *wk_heap_enter(void);

static inline void wk_heap_leave(struct wk_heap_thread *thread)
{
	atomic_store_explicit(&thread->is_inside, 0, memory_order_release);
	wk_heap_busy = 0;
}

void wk_heap_allocated(const void *block, size_t size, enum wk_heap_function function,
		       const void *frame);
void wk_heap_moved(const void *block, size_t size, enum wk_heap_function function,
		   const void *frame);
/* False if nothing was recorded. */
bool wk_heap_released(const void *block, enum wk_heap_record record);

/* A call that changes the address space: enum wk_heap_call. Its stack is that of the function whose
 * frame begins at `frame`, without that function; NULL: it begins, and has none. */
void wk_heap_called(unsigned call, uint64_t result,
		    const uint64_t arguments[WK_HEAP_CALL_ARGUMENTS], const void *frame);

/* ---- what malloc does to the address space: space.c */

/* The pages of a block that has a mapping of its own. */
struct wk_space_pages {
	uintptr_t start;
	size_t size; /* 0: the block has none */
};

/* Before a recording begins. */
void wk_space_begin(bool was_running);

/* After the allocator has returned a block; before and after it frees or moves one. */
void wk_space_allocated(const void *block, const void *frame);
struct wk_space_pages wk_space_releasing(const void *block);
void wk_space_released(struct wk_space_pages before, const void *frame);
struct wk_space_pages wk_space_moving(const void *block);
void wk_space_moved(struct wk_space_pages before, const void *moved, const void *frame);

static inline bool wk_space_is_wanted(void)
{
	return WK_UNLIKELY(wk_heap_records & WK_CHANNEL_MEMORY) && *wk_heap_state != WK_HEAP_OFF &&
	       !(wk_heap_busy & WK_HEAP_IN_LIBRARY);
}

/* What wick/mark.h calls: the library's interface to programs, which is never changed. `kind` is 1
 * for a snapshot, 2 for a mark; others are ignored. */
void wick_heap_library_mark_1(int kind, const char *text);

#endif
