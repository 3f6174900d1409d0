/* The samples that a filter keeps, thread by thread and by time, for formats of viewers that show
 * single samples.
 *
 * Threads are ordered by process, with the main thread first. The cost is linear in the samples and
 * threads of the model. */
#ifndef WK_VIEWS_FILTER_BY_THREAD_H
#define WK_VIEWS_FILTER_BY_THREAD_H

#include "views/filter/filter.h"

struct wk_thread_samples {
	wk_thread_id thread;   /* 0: of samples without one */
	uint32_t first, count; /* of the rows */
	uint64_t weight;       /* of all of them */
};

struct wk_by_thread {
	struct wk_thread_samples *threads; /* those with samples in view */
	uint32_t thread_count;
	uint32_t *rows; /* of the model's samples; one row may count several */
	uint32_t row_count;
};

void wk_by_thread_init(struct wk_by_thread *by, const struct wk_model *model,
		       const struct wk_filter *filter);
void wk_by_thread_fini(struct wk_by_thread *by);

#endif
