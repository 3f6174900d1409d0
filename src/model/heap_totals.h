/* Totals of heaps that no sum of rows contains: the most that was there, and how long blocks lived.
 *
 * Lifetimes of up to WK_HEAP_LIVES blocks of a heap are known exactly; of more, that many are
 * chosen at random, with equal chances. The longest is always exact. */
#ifndef WK_MODEL_HEAP_TOTALS_H
#define WK_MODEL_HEAP_TOTALS_H

#include "model/model.h"

#define WK_HEAP_LIVES 4096

/* Of one heap. All zero is empty. */
struct wk_heap_lives {
	uint64_t *at; /* in ns */
	size_t cap;
	uint32_t count;
};

void wk_heap_lives_fini(struct wk_heap_lives *lives);

void wk_heap_totals_allocate(struct wk_model *model, wk_heap_id heap, uint64_t bytes,
			     uint64_t time_ns);
void wk_heap_totals_free(struct wk_model *model, wk_heap_id heap, struct wk_heap_lives *lives,
			 uint64_t bytes, uint64_t life_ns);

/* Once, after the last event: sets the median. */
void wk_heap_totals_finish(struct wk_model *model, wk_heap_id heap, struct wk_heap_lives *lives);

#endif
