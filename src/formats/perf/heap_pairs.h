/* Calls of an allocator's functions, as the blocks that they allocate and release.
 *
 * A call's arguments come when it begins, its result when it ends. Functions of an allocator call
 * each other: the outermost call of a thread counts. Which call an end belongs to, and whether one
 * is inside another, is decided by the stack pointer: a call that was left by an exception, or
 * whose end was lost, is dropped when the stack is shorter again.
 *
 * A block is released when the call begins, so that no other thread can have it by then. One that
 * moves is released when the call has succeeded, or when another thread is given its place. */
#ifndef WK_FORMATS_PERF_HEAP_PAIRS_H
#define WK_FORMATS_PERF_HEAP_PAIRS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/allocator_calls.h"

struct wk_heap_pairs;

struct wk_heap_thread_call {
	uint32_t pid, tid;
	uint32_t function; /* any number that distinguishes functions */
	enum wk_allocator_call call;
	uint64_t stack_pointer;
};

/* When a call begins; chains are copied. */
struct wk_heap_begin {
	uint64_t arguments[WK_HEAP_ARGUMENTS];
	const uint64_t *chain; /* of the caller, innermost first */
	size_t chain_count;
};

struct wk_heap_end {
	uint64_t result;
	uint64_t stack[WK_HEAP_STACK_WORDS]; /* from the stack pointer on */
};

struct wk_heap_block_change {
	bool is_freed;
	uint64_t address, size_bytes; /* the size is unknown when it is freed */
	const uint64_t *chain;        /* of what was allocated */
	size_t chain_count;
};

struct wk_heap_changes {
	bool (*change)(void *context, const struct wk_heap_block_change *change);
	void *context;
};

struct wk_heap_pairs *wk_heap_pairs_new(void);
void wk_heap_pairs_free(struct wk_heap_pairs *pairs);

/* False if a change was not accepted. */
bool wk_heap_pairs_begin(struct wk_heap_pairs *pairs, const struct wk_heap_thread_call *call,
			 const struct wk_heap_begin *begin, const struct wk_heap_changes *changes);
bool wk_heap_pairs_end(struct wk_heap_pairs *pairs, const struct wk_heap_thread_call *call,
		       const struct wk_heap_end *end, const struct wk_heap_changes *changes);

/* Events were lost: what has begun may have ended. */
void wk_heap_pairs_forget(struct wk_heap_pairs *pairs);

/* Allocations whose address is not known. */
uint64_t wk_heap_pairs_unknown(const struct wk_heap_pairs *pairs);

#endif
