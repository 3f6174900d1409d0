#include "model/heap/totals.h"

#include <stdlib.h>

#include "base/mem.h"

void wk_heap_lives_fini(struct wk_heap_lives *lives)
{
	wk_free(lives->at);
}

void wk_heap_lives_append(struct wk_heap_lives *lives, uint64_t life_ns)
{
	*WK_APPEND(lives->at, lives->count, lives->cap) = life_ns;
}

static int shorter_first(const void *left, const void *right)
{
	uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;

	return (a > b) - (a < b);
}

void wk_heap_totals_finish(struct wk_model *model, wk_heap_id id, struct wk_heap_lives *lives)
{
	struct wk_heap_row *heap = &model->heaps[id], *all = &model->heaps[0];

	all->frees += heap->frees;
	if (heap->longest_life_ns > all->longest_life_ns)
		all->longest_life_ns = heap->longest_life_ns;
	if (!lives->count)
		return;
	qsort(lives->at, lives->count, sizeof(*lives->at), shorter_first);
	heap->median_life_ns = lives->at[(lives->count - 1) / 2];
}
