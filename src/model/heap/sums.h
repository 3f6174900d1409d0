/* Blocks that an input added up itself: rows and ends of the source "heap", and rows of "free",
 * "heap-temporary" and "heap-peak".
 *
 * Each sum becomes a row for what was allocated. What was freed is taken from the oldest rows of
 * the same stack and thread: sums do not contain which blocks they were. */
#ifndef WK_MODEL_HEAP_SUMS_H
#define WK_MODEL_HEAP_SUMS_H

#include "model/model.h"

struct wk_heap_sums;

struct wk_heap_sums *wk_heap_sums_new(struct wk_model *model);
void wk_heap_sums_free(struct wk_heap_sums *sums);

/* `who` did it: time, thread, stack and what it is about; the rest of each row is set here. */
void wk_heap_sums_add(struct wk_heap_sums *sums, const struct wk_event_heap_sum *sum,
		      const struct wk_sample *who);

/* Once, after the last event: adds the rows of the peak. */
void wk_heap_sums_finish(struct wk_heap_sums *sums);

#endif
