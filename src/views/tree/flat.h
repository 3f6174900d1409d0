/* The flat list: each function, image or source line, with its cost.
 *
 * `self` is the weight in it, `total` the weight in it and in everything it called; a stack that
 * contains it more than once counts once. Rows are sorted by self, then total, then name. Rows of
 * functions have the function that others of its name are merged into. */
#ifndef WK_VIEWS_TREE_FLAT_H
#define WK_VIEWS_TREE_FLAT_H

#include "views/compare/pairs.h"
#include "views/tree/tree.h"

enum wk_flat_by {
	WK_FLAT_FUNCTIONS,
	WK_FLAT_IMAGES,
	WK_FLAT_LINES,  /* of a function: lines of unknown number are one row */
	WK_FLAT_PLACES, /* of a file, whatever functions share it: those of unknown number are none
			 */
};

struct wk_flat_row {
	uint32_t id; /* wk_function_id; wk_image_id, 0: code that belongs to none; of a line or a
		      * place the first of the model's named frames with it */
	wk_function_id function; /* of such a row: that of its frame */
	uint64_t self, total;
	uint32_t self_samples, total_samples; /* not for a comparison */
	uint64_t self_before, total_before;   /* for a comparison; self and total are those of its
					       * "after" side */
};

struct wk_flat {
	struct wk_flat_row *rows;
	uint32_t count;
	uint64_t whole;         /* weight of all samples in view */
	uint32_t whole_samples; /* as above */
	struct wk_str unit;     /* as in views/tree/tree.h */
};

/* Of `shown`, what frames are hidden and what own code is charged for are used; NULL: neither. */
void wk_flat_init(struct wk_flat *flat, const struct wk_model *model,
		  const struct wk_filter *filter, enum wk_flat_by by,
		  const struct wk_tree_options *shown);
/* WK_FLAT_PLACES of the functions that are set in `chosen`; NULL: of all. */
void wk_flat_init_places(struct wk_flat *flat, const struct wk_model *model,
			 const struct wk_filter *filter, const uint8_t *chosen,
			 const struct wk_tree_options *shown);
/* The functions of a comparison, `how` being that of its tree but for its levels; functions that
 * exist on the "before" side only are rows as well. */
void wk_flat_compare(struct wk_flat *flat, const struct wk_model *model,
		     const struct wk_filter *filter, const struct wk_tree_options *how);
/* Sorts the rows anew: by total, and those of one total as they stood. */
void wk_flat_sort_by_total(struct wk_flat *flat);
/* By recorded stack: the function that a sample's own weight counts at, as in a flat list; 0: it
 * has no stack. The caller frees it. */
wk_function_id *wk_flat_functions(const struct wk_model *model, const struct wk_filter *filter,
				  const struct wk_tree_options *shown);
void wk_flat_fini(struct wk_flat *flat);

#endif
