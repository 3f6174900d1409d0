#include "model/heap_totals.h"

#include <stdlib.h>

#include "base/mem.h"

void wk_heap_lives_fini(struct wk_heap_lives *lives)
{
	wk_free(lives->at);
}

static void add_bytes(struct wk_heap_row *heap, uint64_t bytes, uint64_t time_ns)
{
	heap->left_bytes += bytes;
	if (heap->left_bytes <= heap->peak_bytes)
		return;
	heap->peak_bytes = heap->left_bytes;
	heap->peak_ns = time_ns;
}

void wk_heap_totals_allocate(struct wk_model *model, wk_heap_id heap, uint64_t bytes,
			     uint64_t time_ns)
{
	add_bytes(&model->heaps[heap], bytes, time_ns);
	add_bytes(&model->heaps[0], bytes, time_ns);
}

static void remove_bytes(struct wk_heap_row *heap, uint64_t bytes, uint64_t life_ns)
{
	heap->left_bytes -= bytes;
	heap->frees++;
	if (life_ns > heap->longest_life_ns)
		heap->longest_life_ns = life_ns;
}

/* The same input gives the same output: numbers that only look random are enough. */
static uint64_t scramble(uint64_t number)
{
	number = (number ^ number >> 31) * 0x9e3779b97f4a7c15u;
	return (number ^ number >> 29) * 0xbf58476d1ce4e5b9u;
}

/* The nth replaces one of those that were chosen with the chance that it is chosen itself. */
static void choose_life(struct wk_heap_lives *lives, uint64_t nth, uint64_t life_ns)
{
	__extension__ typedef unsigned __int128 product;
	uint64_t place;

	if (lives->count < WK_HEAP_LIVES) {
		*WK_APPEND(lives->at, lives->count, lives->cap) = life_ns;
		return;
	}
	place = (uint64_t)((product)scramble(nth) * nth >> 64);
	if (place < WK_HEAP_LIVES)
		lives->at[place] = life_ns;
}

void wk_heap_totals_free(struct wk_model *model, wk_heap_id heap, struct wk_heap_lives *lives,
			 uint64_t bytes, uint64_t life_ns)
{
	remove_bytes(&model->heaps[heap], bytes, life_ns);
	remove_bytes(&model->heaps[0], bytes, life_ns);
	choose_life(lives, model->heaps[heap].frees, life_ns);
}

static int shorter_first(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

void wk_heap_totals_finish(struct wk_model *model, wk_heap_id heap, struct wk_heap_lives *lives)
{
	if (!lives->count)
		return;
	qsort(lives->at, lives->count, sizeof(*lives->at), shorter_first);
	model->heaps[heap].median_life_ns = lives->at[(lives->count - 1) / 2];
}
