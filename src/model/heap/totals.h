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

/* The same input gives the same output: numbers that only look random are enough. */
static inline uint64_t wk_heap_lives_scramble(uint64_t number)
{
	number = (number ^ number >> 31) * 0x9e3779b97f4a7c15u;
	return (number ^ number >> 29) * 0xbf58476d1ce4e5b9u;
}

void wk_heap_lives_append(struct wk_heap_lives *lives, uint64_t life_ns);

/* The nth replaces one of those that were chosen with the chance that it is chosen itself. */
static inline void wk_heap_lives_add(struct wk_heap_lives *lives, uint64_t nth, uint64_t life_ns)
{
	__extension__ typedef unsigned __int128 product;
	uint64_t place;

	if (lives->count < WK_HEAP_LIVES) {
		wk_heap_lives_append(lives, life_ns);
		return;
	}
	place = (uint64_t)((product)wk_heap_lives_scramble(nth) * nth >> 64);
	if (place < WK_HEAP_LIVES)
		lives->at[place] = life_ns;
}

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

/* Row 0 gets the rest in the end. */
static inline void wk_heap_totals_free(struct wk_model *model, wk_heap_id id,
				       struct wk_heap_lives *lives, uint64_t bytes,
				       uint64_t life_ns)
{
	struct wk_heap_row *heap = &model->heaps[id];

	model->heaps[0].left_bytes -= bytes;
	heap->left_bytes -= bytes;
	heap->frees++;
	if (life_ns > heap->longest_life_ns)
		heap->longest_life_ns = life_ns;
	wk_heap_lives_add(lives, heap->frees, life_ns);
}

/* Its process ended: nothing of it is there any more, but for views of what was not freed. */
static inline void wk_heap_totals_leave(struct wk_model *model, wk_heap_id heap)
{
	model->heaps[0].left_bytes -= model->heaps[heap].left_bytes;
	model->heaps[heap].left_bytes = 0;
}

/* Once for each heap, after the last event. */
void wk_heap_totals_finish(struct wk_model *model, wk_heap_id heap, struct wk_heap_lives *lives);

#endif
