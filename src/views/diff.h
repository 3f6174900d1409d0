/* Two recordings beside each other: what grew, what shrank, what is new and what is gone.
 *
 * A model with samples of a "before" side (event/event.h) is a comparison. The tree of it
 * (views/tree.h) has both sides in every node; this is the flat part: the sides themselves,
 * and a table of the functions that changed most. */
#ifndef WK_VIEWS_DIFF_H
#define WK_VIEWS_DIFF_H

#include "views/filter.h"
#include "views/table.h"

struct wk_diff_sides {
	uint64_t before, after; /* weights in view */
	uint64_t samples_before, samples_after;
};

/* `by_samples`: weights are numbers of samples. */
struct wk_diff_sides wk_diff_sides(const struct wk_model *model, const struct wk_filter *filter,
				   bool by_samples);

/* A source that both sides have samples of, CPU time rather than others; 0 if there is none. */
wk_source_id wk_diff_common_source(const struct wk_model *model);

struct wk_diff_options {
	bool by_samples;
	double before_factor; /* of the weights of "before" */
	bool by_total;        /* rank by what functions and their callees cost, not by self */
	uint32_t limit;       /* at most so many rows; 0: all */
};

/* Rows by how much they changed, most first; those that did not are left out. */
void wk_diff_table(struct wk_table *table, const struct wk_model *model,
		   const struct wk_filter *filter, const struct wk_diff_options *options);

#endif
