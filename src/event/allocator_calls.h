/* The names of tracepoints on functions of allocators.
 *
 * A recorder has two tracepoints for each function: WK_HEAP_POINTS_123:enter_CALL_FUNCTION when it
 * is called, and exit_CALL_FUNCTION when it returns. Their fields are words behind a head that the
 * kernel writes: the first three arguments and the stack pointer; the result, the stack pointer and
 * the words that are on the stack then. A function that releases has no second one. */
#ifndef WK_EVENT_ALLOCATOR_CALLS_H
#define WK_EVENT_ALLOCATOR_CALLS_H

#include "base/str.h"
#include "channel/patch.h"

#define WK_HEAP_POINTS "wick_heap_"
#define WK_HEAP_ENTER  "enter_"
#define WK_HEAP_EXIT   "exit_"

enum {
	WK_HEAP_ENTER_HEAD = 16,
	WK_HEAP_EXIT_HEAD = 24,
	WK_HEAP_ARGUMENTS = 3,
	WK_HEAP_STACK_WORDS = 48,
};

/* In the name of a tracepoint; no underscores. */
const char *wk_allocator_call_word(enum wk_allocator_call call);

/* Splits the name of a tracepoint, without its system. NONE if it is not one of these. */
enum wk_allocator_call wk_allocator_call_of_point(struct wk_str point, bool *is_exit,
						  struct wk_str *function);

#endif
