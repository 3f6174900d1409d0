/* The stacks between two sequence points, by number. */
#ifndef WK_FORMATS_NETTRACE_STACKS_H
#define WK_FORMATS_NETTRACE_STACKS_H

#include "base/bytes.h"
#include "base/map.h"

struct wk_nettrace_stacks {
	struct wk_nettrace_stack {
		const uint8_t *at;
		uint32_t size_bytes;
	} * at;
	size_t count, cap;
	struct wk_map row_of; /* number: row + 1 */
	uint64_t forgotten;   /* rows of earlier spans */
	uint64_t *chain;      /* of wk_nettrace_stacks_find */
	size_t chain_cap;
};

void wk_nettrace_stacks_fini(struct wk_nettrace_stacks *stacks);

/* A block of stacks. False if it ends inside one. */
bool wk_nettrace_stacks_add(struct wk_nettrace_stacks *stacks, struct wk_bytes block);
void wk_nettrace_stacks_forget(struct wk_nettrace_stacks *stacks);

struct wk_nettrace_chain {
	const uint64_t *at; /* innermost first */
	size_t count;
	uint64_t unique; /* no other stack of the trace has this number, which is even and not 0 */
};

/* Sets `*chain`, which is valid until the next call. False if there is no such stack; number 0 is
 * an empty one. */
bool wk_nettrace_stacks_find(struct wk_nettrace_stacks *stacks, uint32_t number,
			     uint32_t pointer_bytes, struct wk_nettrace_chain *chain);

/* The innermost address of a stack, or 0. */
uint64_t wk_nettrace_stacks_leaf(const struct wk_nettrace_stacks *stacks, uint32_t number,
				 uint32_t pointer_bytes);

#endif
