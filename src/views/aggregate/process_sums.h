/* What each process weighs in a selection, in all and over time. */
#ifndef WK_VIEWS_AGGREGATE_PROCESS_SUMS_H
#define WK_VIEWS_AGGREGATE_PROCESS_SUMS_H

#include "views/aggregate/histogram.h"

/* Of something outstanding, sums can be negative: rows of the selection's time only. */
struct wk_process_sum {
	int64_t weight, times;
};

/* `sums`: [process_count]. */
void wk_process_sums(const struct wk_event_rows *rows, const struct wk_row_selection *selection,
		     struct wk_process_sum *sums);

/* `sums`: [process_count][bins->count]. `spreads`: weights are times, and a row stands for the time
 * before it, in one bin or many. */
void wk_histogram_of_processes(const struct wk_event_rows *rows,
			       const struct wk_row_selection *selection,
			       const struct wk_time_bins *bins, bool spreads, double *sums);

#endif
