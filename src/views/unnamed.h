/* What a view lacks that a hint can help with: names of functions, and callers of JIT code. */
#ifndef WK_VIEWS_UNNAMED_H
#define WK_VIEWS_UNNAMED_H

#include "views/filter/filter.h"

/* The program or library with the most frames without a name: a file that exists and has no names
 * for them, or JIT code, which is in no file (WK_IMAGE_ANONYMOUS). Missing files have a message of
 * their own (views/quality.h), as has the kernel. */
struct wk_nameless {
	wk_image_id image; /* 0: none */
	uint64_t unnamed;  /* its frames without a name, in all samples that the filter keeps */
	uint64_t frames;   /* all frames of these samples */
};

struct wk_nameless wk_nameless_of(const struct wk_model *model, const struct wk_filter *filter);

/* Stacks that end in JIT code. A program's own code called that, so these stacks are cut. */
struct wk_memory_roots {
	uint64_t samples, cut; /* that the filter keeps: with a stack, and with a cut stack */
	wk_process_id process; /* of one of them */
};

struct wk_memory_roots wk_memory_roots_of(const struct wk_model *model,
					  const struct wk_filter *filter);

#endif
