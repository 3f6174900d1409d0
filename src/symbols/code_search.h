/* Where in a sorted table of addresses one lies, in two or three looks.
 *
 * A table of hints says, for each stretch of 2^shift addresses, how many entries begin before
 * it; the search then goes on among the few that begin in the stretch. Tables may come from a
 * file: whatever they hold, nothing outside of them is read and every search ends. */
#ifndef WK_SYMBOLS_CODE_SEARCH_H
#define WK_SYMBOLS_CODE_SEARCH_H

#include <stddef.h>
#include <stdint.h>

struct wk_code_hints {
	uint32_t shift, count;
	const uint32_t *at; /* count + 1 of them; the last is the number of entries */
};

/* A stretch for about four entries. `last` is the greatest entry. Sets shift and count. */
static inline struct wk_code_hints wk_code_hints_for(uint64_t last, uint32_t entries)
{
	struct wk_code_hints hints = { 0 };

	if (entries == 0)
		return hints;
	while (last >> hints.shift > entries / 4 + 1) /* so the shift stays below 64 */
		hints.shift++;
	hints.count = (uint32_t)(last >> hints.shift) + 1;
	return hints;
}

/* Narrows a search for `key` among `entries` to from `low` up to `high`. */
static inline void wk_code_hints_narrow(const struct wk_code_hints *hints, uint64_t key,
					uint32_t entries, uint32_t *low, uint32_t *high)
{
	uint64_t stretch = key >> (hints->shift & 63);

	*low = *high = entries;
	if (stretch >= hints->count)
		return;
	*high = hints->at[stretch + 1] < entries ? hints->at[stretch + 1] : entries;
	*low = hints->at[stretch] < *high ? hints->at[stretch] : *high;
}

/* How many of `starts` are not above `key`: the last of them is the one that holds it. */
static inline uint32_t wk_code_search(const uint32_t *starts, uint32_t entries,
				      const struct wk_code_hints *hints, uint32_t key)
{
	uint32_t low, high;

	wk_code_hints_narrow(hints, key, entries, &low, &high);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (starts[middle] <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* The same for wide addresses, hinted by their distance from the first. */
static inline uint32_t wk_code_search_wide(const uint64_t *starts, uint32_t entries,
					   const struct wk_code_hints *hints, uint64_t key)
{
	uint32_t low, high;

	if (entries == 0 || key < starts[0])
		return 0;
	wk_code_hints_narrow(hints, key - starts[0], entries, &low, &high);
	while (low < high) {
		uint32_t middle = low + (high - low) / 2;

		if (starts[middle] <= key)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

#endif
