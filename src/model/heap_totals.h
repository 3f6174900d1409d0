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

/* The nth. */
void wk_heap_lives_add(struct wk_heap_lives *lives, uint64_t nth, uint64_t life_ns);

static inline void wk_heap_row_add(struct wk_heap_row *heap, uint64_t bytes, uint64_t time_ns)
{
	heap->left_bytes += bytes;
	if (heap->left_bytes <= heap->peak_bytes)
		return;
	heap->peak_bytes = heap->left_bytes;
	heap->peak_ns = time_ns;
}

static inline void wk_heap_totals_allocate(struct wk_model *model, wk_heap_id heap, uint64_t bytes,
					   uint64_t time_ns)
{
	wk_heap_row_add(&model->heaps[heap], bytes, time_ns);
	wk_heap_row_add(&model->heaps[0], bytes, time_ns);
}

static inline void wk_heap_row_remove(struct wk_heap_row *heap, uint64_t bytes, uint64_t life_ns)
{
	heap->left_bytes -= bytes;
	heap->frees++;
	if (life_ns > heap->longest_life_ns)
		heap->longest_life_ns = life_ns;
}

static inline void wk_heap_totals_free(struct wk_model *model, wk_heap_id heap,
				       struct wk_heap_lives *lives, uint64_t bytes,
				       uint64_t life_ns)
{
	wk_heap_row_remove(&model->heaps[heap], bytes, life_ns);
	wk_heap_row_remove(&model->heaps[0], bytes, life_ns);
	wk_heap_lives_add(lives, model->heaps[heap].frees, life_ns);
}

/* Once, after the last event: sets the median. */
void wk_heap_totals_finish(struct wk_model *model, wk_heap_id heap, struct wk_heap_lives *lives);

#endif
