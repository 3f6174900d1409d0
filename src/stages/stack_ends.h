/* Where the stacks of threads end: a copy of one needs no more than that.
 *
 * The kernel copies as much as it is asked for, and most of it is above the outermost frame. Walks
 * that reach a root show where that is. One thread learns, and any other may ask. */
#ifndef WK_STAGES_STACK_ENDS_H
#define WK_STAGES_STACK_ENDS_H

#include <stdbool.h>
#include <stdint.h>

#include "event/stack_end.h"

struct wk_stack_ends;

struct wk_stack_ends *wk_stack_ends_new(void);
void wk_stack_ends_free(struct wk_stack_ends *ends);

/* A walk of the thread's stack reached a root. `address` is the highest that it read from, and
 * `value` what is there. They are believed once several walks agree, and as long as all do:
 * coroutines have stacks of their own, and later ones may lie over the end of an earlier one. */
void wk_stack_ends_learn(struct wk_stack_ends *ends, uint32_t tid, uint64_t address,
			 uint64_t value);

/* A copy did not suffice that was not full: perhaps it ended too early. */
void wk_stack_ends_doubt(struct wk_stack_ends *ends, uint32_t tid);

/* The thread is another one now, or runs another program. */
void wk_stack_ends_forget(struct wk_stack_ends *ends, uint32_t tid);

/* False if it is not known. */
bool wk_stack_ends_find(const struct wk_stack_ends *ends, uint32_t tid, struct wk_stack_end *end);

#endif
