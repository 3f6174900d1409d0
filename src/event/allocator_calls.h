/* What functions of allocators do with their arguments, and the names of tracepoints on them.
 *
 * A recorder has two tracepoints for each function: WK_HEAP_POINTS_123:enter_CALL_FUNCTION when it
 * is called, and exit_CALL_FUNCTION when it returns. Their fields are words behind a head that the
 * kernel writes: the first three arguments and the stack pointer; the result, the stack pointer and
 * the words that are on the stack then. A function that releases has no second one. */
#ifndef WK_EVENT_ALLOCATOR_CALLS_H
#define WK_EVENT_ALLOCATOR_CALLS_H

#include "base/str.h"

#define WK_HEAP_POINTS "wick_heap_"
#define WK_HEAP_ENTER  "enter_"
#define WK_HEAP_EXIT   "exit_"

enum {
	WK_HEAP_ENTER_HEAD = 16,
	WK_HEAP_EXIT_HEAD = 24,
	WK_HEAP_ARGUMENTS = 3,
	WK_HEAP_STACK_WORDS = 48,
};

enum wk_allocator_call {
	WK_ALLOCATOR_NONE,
	WK_ALLOCATOR_MALLOC,         /* (size) */
	WK_ALLOCATOR_CALLOC,         /* (count, size) */
	WK_ALLOCATOR_REALLOC,        /* (block, size) */
	WK_ALLOCATOR_REALLOCARRAY,   /* (block, count, size) */
	WK_ALLOCATOR_POSIX_MEMALIGN, /* (&block, alignment, size) */
	WK_ALLOCATOR_FREE,           /* (block) */
	WK_ALLOCATOR_MALLOC_BEHIND,  /* these three behind another argument: an alignment, a heap */
	WK_ALLOCATOR_CALLOC_BEHIND,
	WK_ALLOCATOR_REALLOC_BEHIND,
	WK_ALLOCATOR_PVALLOC,  /* (size), in whole pages */
	WK_ALLOCATOR_INTERNAL, /* nothing that it calls counts */
	WK_ALLOCATOR_CALLS,
};

/* In the name of a tracepoint; no underscores. */
const char *wk_allocator_call_word(enum wk_allocator_call call);

/* Splits the name of a tracepoint, without its system. NONE if it is not one of these. */
enum wk_allocator_call wk_allocator_call_of_point(struct wk_str point, bool *is_exit,
						  struct wk_str *function);

#endif
