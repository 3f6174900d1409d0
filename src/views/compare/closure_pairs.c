#include "views/compare/closure_pairs.h"

#include <stdbool.h>

#include "base/map.h"
#include "base/mem.h"

#define MOST_COMPARED 250000 /* pairs of lines; functions with more lines are generated */

static uint32_t weight_of(struct wk_lines lines, uint32_t i)
{
	return lines.weight ? lines.weight[i] : 0;
}

static uint32_t smaller(uint32_t a, uint32_t b)
{
	return a < b ? a : b;
}

int64_t wk_line_shift(struct wk_lines before, struct wk_lines after)
{
	struct wk_map votes = { 0 }; /* by the line after and UINT32_MAX, less that before */
	uint32_t most = 0;
	int64_t best = 0;

	if ((uint64_t)before.count * after.count > MOST_COMPARED)
		return 0;
	for (uint32_t i = 0; i < before.count; i++)
		for (uint32_t k = 0; k < after.count; k++) {
			int64_t shift = (int64_t)after.at[k] - before.at[i];
			uint32_t *vote = wk_map_at(&votes, (uint64_t)(shift + UINT32_MAX));
			bool is_less = (shift < 0 ? -shift : shift) < (best < 0 ? -best : best);

			*vote += smaller(weight_of(before, i), weight_of(after, k)) + 1;
			if (*vote > most || (*vote == most && is_less)) {
				most = *vote;
				best = shift;
			}
		}
	wk_map_fini(&votes);
	return best;
}

/* Between two that moved alike: from `i` and `k` up to `i_end` and `k_end`. */
static void pair_between(struct wk_lines after, uint32_t *pairs, uint32_t i, uint32_t i_end,
			 uint32_t k, uint32_t k_end)
{
	if (i_end - i != k_end - k)
		return;
	for (; i < i_end; i++, k++)
		pairs[i] = after.at[k];
}

uint32_t *wk_closure_pairs(struct wk_lines before, struct wk_lines after, int64_t shift)
{
	uint32_t *pairs = wk_alloc_zeroed((size_t)before.count + 1, sizeof(*pairs));
	uint32_t open_before = 0, open_after = 0, k = 0;

	for (uint32_t i = 0; i < before.count; i++) {
		int64_t line = before.at[i] + shift;

		while (k < after.count && after.at[k] < line)
			k++;
		if (k == after.count || after.at[k] != line)
			continue;
		pairs[i] = after.at[k];
		pair_between(after, pairs, open_before, i, open_after, k);
		open_before = i + 1;
		open_after = k + 1;
	}
	pair_between(after, pairs, open_before, before.count, open_after, after.count);
	return pairs;
}
