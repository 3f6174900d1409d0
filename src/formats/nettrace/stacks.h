/* The stacks between two sequence points, by number.
 *
 * A stack is decoded when it is first asked for, and then once: many events may have it. */
#ifndef WK_FORMATS_NETTRACE_STACKS_H
#define WK_FORMATS_NETTRACE_STACKS_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/map.h"

/* Of a thread that runs native code: the frame that stands for it, called by the innermost one. No
 * code has this address. */
#define WK_NETTRACE_NATIVE 1

struct wk_nettrace_chain {
	const uint64_t *at; /* innermost first; at[-1] is WK_NETTRACE_NATIVE */
	size_t count;
	size_t kernel_count; /* the innermost ones */
	uint64_t unique;     /* no other stack of the trace has this number, which is even */
	bool is_judged;      /* for the caller: whether it knows the next */
	bool waits;
};

struct wk_nettrace_stacks {
	struct wk_nettrace_stack {
		const uint8_t *at;
		uint32_t size_bytes;
		struct wk_nettrace_chain *chain; /* NULL: not decoded */
	} * at;
	size_t count, cap;
	struct wk_map row_of;   /* number: row + 1 */
	struct wk_arena chains; /* of the span */
	uint64_t forgotten;     /* rows of earlier spans */
	struct wk_nettrace_chain none;
	uint64_t native; /* the only one of `none` */
};

void wk_nettrace_stacks_fini(struct wk_nettrace_stacks *stacks);

/* A block of stacks. False if it ends inside one. */
bool wk_nettrace_stacks_add(struct wk_nettrace_stacks *stacks, struct wk_bytes block);
void wk_nettrace_stacks_forget(struct wk_nettrace_stacks *stacks);

/* Valid until stacks are forgotten. NULL if there is no such stack; number 0 is an empty one. */
struct wk_nettrace_chain *wk_nettrace_stacks_find(struct wk_nettrace_stacks *stacks,
						  uint32_t number, uint32_t pointer_bytes);

/* The innermost address of a stack, or 0. */
uint64_t wk_nettrace_stacks_leaf(const struct wk_nettrace_stacks *stacks, uint32_t number,
				 uint32_t pointer_bytes);

/* Is it an address of the kernel? */
static inline bool wk_nettrace_in_kernel(uint64_t address)
{
	return address >> 63;
}

#endif
