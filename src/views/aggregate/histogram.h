/* What a selection weighs over time. */
#ifndef WK_VIEWS_AGGREGATE_HISTOGRAM_H
#define WK_VIEWS_AGGREGATE_HISTOGRAM_H

#include "views/aggregate/selection.h"
#include "views/aggregate/tree_shape.h"

/* Bins of equal width; the last one ends with `to_ns`, which is part of it. Rows before and after
 * them are in none. */
struct wk_time_bins {
	uint64_t from_ns, to_ns; /* of the recording's clock */
	uint32_t count;          /* at least 1 */
};

/* `sums`: [bins->count]. If the measure is what is outstanding, sums are by how much more is there
 * at the end of a bin than before it. */
void wk_histogram(const struct wk_event_rows *rows, const struct wk_row_selection *selection,
		  const struct wk_time_bins *bins, int64_t *sums);

/* What is there at the end of each bin, of rows of any time: the selection's time, measure and
 * snapshots do not count. What processes left when they ended is gone then. */
void wk_histogram_levels(const struct wk_event_rows *rows, const uint64_t *bits,
			 const struct wk_time_bins *bins, int64_t *levels);

/* The same as the first for each of some nodes, with everything below them: `sums` is
 * [count][bins->count]. */
void wk_histogram_of_nodes(const struct wk_tree_shape *shape,
			   const struct wk_row_selection *selection,
			   const struct wk_time_bins *bins, const uint32_t *nodes, uint32_t count,
			   int64_t *sums);

#endif
