/* The flat list: each function, or each image, with its cost.
 *
 * `self` is the weight in it, `total` the weight in it and in everything it called; a stack that
 * contains it more than once counts once. Rows are sorted by self, then total, then name. Rows of
 * functions have the function that others of its name are merged into. */
#ifndef WK_VIEWS_TREE_FLAT_H
#define WK_VIEWS_TREE_FLAT_H

#include "views/compare/pairs.h"

enum wk_flat_by {
	WK_FLAT_FUNCTIONS,
	WK_FLAT_IMAGES,
};

struct wk_flat_row {
	uint32_t id; /* wk_function_id or wk_image_id; image 0: code that belongs to none */
	uint64_t self, total;
	uint32_t self_samples, total_samples;
	uint64_t self_before, total_before; /* for a comparison; self and total are those of its
					     * "after" side */
};

struct wk_flat {
	struct wk_flat_row *rows;
	uint32_t count;
	uint64_t whole; /* weight of all samples in view */
	uint32_t whole_samples;
	struct wk_str unit; /* as in views/tree/tree.h */
};

void wk_flat_init(struct wk_flat *flat, const struct wk_model *model,
		  const struct wk_filter *filter, enum wk_flat_by by);
/* The functions of a comparison; weights of the "before" side are multiplied by `before_factor`,
 * and functions that exist only there are rows as well. */
void wk_flat_compare(struct wk_flat *flat, const struct wk_model *model,
		     const struct wk_filter *filter, const struct wk_pairs *pairs, bool by_samples,
		     double before_factor);
/* Sorts the rows anew: by total, and those of one total as they stood. */
void wk_flat_sort_by_total(struct wk_flat *flat);
void wk_flat_fini(struct wk_flat *flat);

#endif
