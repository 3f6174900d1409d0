/* The outer parts of deep stacks, read from their processes soon after a sample.
 *
 * A stack is walked some tens of milliseconds after its sample, when all records up to it are in
 * order. A short-lived process has ended by then, or runs another program. So as soon as a copy is
 * seen to be full, the memory around and above it is read once and kept for its thread; it is read
 * again when it is old or does not cover the stack any more. */
#ifndef WK_STAGES_OUTER_STACKS_H
#define WK_STAGES_OUTER_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct wk_outer_stacks;

struct wk_outer_stacks *wk_outer_stacks_new(void);
void wk_outer_stacks_free(struct wk_outer_stacks *stacks);

/* The copy of this thread's stack was full; `sp` is its stack pointer. Errors are no news: then
 * there is nothing to keep. */
void wk_outer_stacks_look(struct wk_outer_stacks *stacks, uint32_t pid, uint32_t tid, uint64_t sp,
			  uint64_t now_ns);

/* Whether a full copy of the thread's stack was too small, or held all of it with something above.
 * The next ones are expected to do the same. */
void wk_outer_stacks_need(struct wk_outer_stacks *stacks, uint32_t tid, bool is_needed);

/* Was anything kept for the thread? */
bool wk_outer_stacks_has(struct wk_outer_stacks *stacks, uint32_t tid);

/* Copies up to `size` bytes of what was kept for the thread, and returns how many. */
size_t wk_outer_stacks_read(struct wk_outer_stacks *stacks, uint32_t tid, uint64_t address,
			    void *bytes, size_t size);

#endif
