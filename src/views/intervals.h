/* What threads did in the time in view, from the model's intervals: one that began before it or
 * lasted longer counts for its part. */
#ifndef WK_VIEWS_INTERVALS_H
#define WK_VIEWS_INTERVALS_H

#include "views/filter/filter.h"

/* Did any of it lie in the time in view? One that took no time does where it began. Rows that stand
 * for several intervals have no times of their own, and always do. */
bool wk_interval_is_in_view(const struct wk_interval *interval, const struct wk_filter *filter);

/* How much of it did. */
uint64_t wk_interval_ns_in_view(const struct wk_interval *interval, const struct wk_filter *filter);

struct wk_interval_sums {
	uint64_t running_ns, waiting_ns, ready_ns;
	uint64_t switches; /* how often it began to run in the time in view */
};

/* By thread, of all processes. The caller frees it; NULL if the model has no intervals. */
struct wk_interval_sums *wk_intervals_of_threads(const struct wk_model *model,
						 const struct wk_filter *filter);

#endif
