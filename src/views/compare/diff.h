/* Two recordings compared: what grew, what shrank, what is new and what is gone.
 *
 * A model with samples of a "before" side (event/event.h) is a comparison. Its tree
 * (views/tree/tree.h) has both sides in every node; this is the flat part: the sides themselves,
 * and a table of the functions that changed most. */
#ifndef WK_VIEWS_COMPARE_DIFF_H
#define WK_VIEWS_COMPARE_DIFF_H

#include "views/compare/chance.h"
#include "views/compare/pairs.h"
#include "views/filter/filter.h"
#include "views/tables/table.h"
#include "views/tree/tree.h"

/* What the two are compared by. The same event on both sides is best, then CPU time, then
 * numbers of samples, then weights in one unit, and failing all of these the share of each
 * function. */
struct wk_diff_measure {
	wk_source_id before, after;
	bool by_samples;  /* weights are numbers of samples */
	bool only_shares; /* amounts cannot be compared */
};

/* `event` and `by_samples` as requested. Fails if samples are requested and one side has only sums
 * of them. A measure without sources is for the filter to explain. */
bool wk_diff_measure_choose(struct wk_diff_measure *measure, const struct wk_model *model,
			    const char *event, bool by_samples, struct wk_err *err);

struct wk_diff_sides {
	uint64_t before, after; /* weights in view */
	uint64_t samples_before, samples_after;
};

struct wk_diff_sides wk_diff_sides(const struct wk_model *model, const struct wk_filter *filter,
				   bool by_samples);

/* "before: 1,200, after: 1,510 samples; +25.8 % in all", or weights if the number of samples is
 * unknown. */
void wk_diff_sides_line(const struct wk_diff_sides *sides, const struct wk_model *model,
			const struct wk_diff_measure *measure, struct wk_buf *line);

struct wk_diff_options {
	struct wk_tree_options tree; /* of its levels, none is used */
	bool by_total;  /* rank by what functions and their callees cost, not by self */
	uint32_t limit; /* at most this many rows; 0: all */

	/* Changes under this share of the larger side are left out; 0: none. */
	double min_percent;
	double whole; /* of that side */

	struct wk_sampling sampling; /* what it may cause is left out as well, */
	bool hides_margins;          /* and what sampling of blocks may cause (diff_margins.h) */
};

/* Rows by how much they changed, most first; those that did not are left out. */
void wk_diff_table(struct wk_table *table, const struct wk_model *model,
		   const struct wk_filter *filter, const struct wk_diff_options *options);

#endif
