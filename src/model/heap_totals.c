#include "model/heap_totals.h"

#include <stdlib.h>

#include "base/mem.h"

void wk_heap_lives_fini(struct wk_heap_lives *lives)
{
	wk_free(lives->at);
}

/* The same input gives the same output: numbers that only look random are enough. */
static uint64_t scramble(uint64_t number)
{
	number = (number ^ number >> 31) * 0x9e3779b97f4a7c15u;
	return (number ^ number >> 29) * 0xbf58476d1ce4e5b9u;
}

/* The nth replaces one of those that were chosen with the chance that it is chosen itself. */
void wk_heap_lives_add(struct wk_heap_lives *lives, uint64_t nth, uint64_t life_ns)
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
