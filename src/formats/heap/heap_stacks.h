/* The stacks that a process's stream of definitions numbers. */
#ifndef WK_FORMATS_HEAP_HEAP_STACKS_H
#define WK_FORMATS_HEAP_HEAP_STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"

/* Zero-initialised is ready. */
struct wk_heap_stacks {
	struct wk_heap_node {
		uint64_t pc;
		uint32_t parent;
	} * nodes;
	size_t count, cap;

	/* Numbers that follow one another, from `first` on, are rows from `at` on; there is more
	 * than one such run if something is missing. */
	struct wk_heap_stack_run {
		size_t at;
		uint32_t first;
	} * runs;
	size_t run_count, run_cap;
	uint32_t next;     /* the number of the next stack */
	uint64_t position; /* in the stream */
	uint64_t last_pc;
	bool is_lost; /* until the next block */
	uint64_t damaged;
};

/* The next bytes of the stream, which begin at `position`. */
void wk_heap_stacks_add(struct wk_heap_stacks *stacks, uint64_t position, struct wk_bytes bytes);

/* The row of `nodes` that a stack's number is, plus 1; 0: it is missing. It stays the same. */
size_t wk_heap_stacks_row_in_runs(const struct wk_heap_stacks *stacks, uint32_t stack);
static inline size_t wk_heap_stacks_row(const struct wk_heap_stacks *stacks, uint32_t stack)
{
	if (stacks->run_count == 1 && stack - stacks->runs[0].first < stacks->count)
		return (size_t)(stack - stacks->runs[0].first) + 1;
	return wk_heap_stacks_row_in_runs(stacks, stack);
}

/* The addresses of the stack in such a row, innermost first, each inside its call: at most `most`.
 */
size_t wk_heap_stacks_get(const struct wk_heap_stacks *stacks, size_t row, uint64_t *chain,
			  size_t most);
void wk_heap_stacks_fini(struct wk_heap_stacks *stacks);

#endif
