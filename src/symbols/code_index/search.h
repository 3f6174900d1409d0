/* The start of a search in a sorted table of addresses.
 *
 * A table of hints stores, for each 2^shift addresses, how many rows begin before them; the search
 * continues among the few rows that begin there. The hints may come from a damaged file: no result
 * points outside the rows. */
#ifndef WK_SYMBOLS_CODE_INDEX_SEARCH_H
#define WK_SYMBOLS_CODE_INDEX_SEARCH_H

#include <stdint.h>

struct wk_code_hints {
	uint32_t shift, count;
	const uint32_t *at; /* count + 1 of them; the last is the number of rows */
};

/* A stretch for about two rows. `last` is the greatest address. Sets shift and count. */
static inline struct wk_code_hints wk_code_hints_for(uint64_t last, uint32_t rows)
{
	struct wk_code_hints hints = { 0 };

	if (rows == 0)
		return hints;
	while (last >> hints.shift > rows / 2 + 1) /* so the shift stays below 64 */
		hints.shift++;
	hints.count = (uint32_t)(last >> hints.shift) + 1;
	return hints;
}

/* Narrows the search for the last row that is not above `key`: as many rows are not above it as
 * `low` and those of the rows from there up to `high`. */
static inline void wk_code_hints_narrow(const struct wk_code_hints *hints, uint64_t key,
					uint32_t rows, uint32_t *low, uint32_t *high)
{
	uint64_t stretch = key >> (hints->shift & 63);

	*low = *high = rows;
	if (stretch >= hints->count)
		return;
	*high = hints->at[stretch + 1] < rows ? hints->at[stretch + 1] : rows;
	*low = hints->at[stretch] < *high ? hints->at[stretch] : *high;
}

#endif
