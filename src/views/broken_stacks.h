/* Stacks that visibly break off, in inputs whose frames came with their names: text, folded stacks,
 * profiles. Recordings with addresses know where their stacks end (model/resolve.h).
 *
 * `perf record -g` of code without frame pointers gives stumps: one or two functions, or a chain
 * that ends inside a library. Complete stacks may be short as well, and their roots have any name,
 * so a stack counts as broken only if nothing speaks against it, and none is judged unless
 * functions of Linux's kernel or C library show that these are stacks of native code. */
#ifndef WK_VIEWS_BROKEN_STACKS_H
#define WK_VIEWS_BROKEN_STACKS_H

#include "views/filter/filter.h"

struct wk_broken_stacks {
	uint64_t judged; /* samples in view with user code in their stacks */
	uint64_t broken;
	bool has_callers; /* some stack has more than one frame */
};

struct wk_broken_stacks wk_broken_stacks_of(const struct wk_model *model,
					    const struct wk_filter *filter);

#endif
