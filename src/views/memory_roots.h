/* How many stacks end in code that was made at run time, as if nobody had called it: such code
 * was begun by a program's own, so these are cut. */
#ifndef WK_VIEWS_MEMORY_ROOTS_H
#define WK_VIEWS_MEMORY_ROOTS_H

#include "views/filter/filter.h"

struct wk_memory_roots {
	uint64_t samples, cut; /* of those that the filter keeps: with a stack, and cut so */
	wk_process_id process; /* of one of them */
};

struct wk_memory_roots wk_memory_roots_of(const struct wk_model *model,
					  const struct wk_filter *filter);

#endif
