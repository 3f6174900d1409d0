/* The unit of each address of an image: a sorted table without overlaps.
 *
 * One run of bytes, identical in memory and in a file, used in place. */
#ifndef WK_SYMBOLS_CODE_INDEX_RANGES_H
#define WK_SYMBOLS_CODE_INDEX_RANGES_H

#include <stdbool.h>

#include "symbols/code_index/code_index.h"
#include "symbols/code_index/search.h"

struct wk_code_range_row {
	uint64_t start; /* reaches to the next one's */
	uint32_t unit;  /* WK_NO_UNIT: no unit */
	uint32_t unused;
};

struct wk_code_ranges {
	const struct wk_code_range_row *rows;
	uint32_t count;
	struct wk_code_hints hints;
};

/* Writes the table at the end of `out`, which must stand at a multiple of 8. */
void wk_code_ranges_make(const struct wk_code_range *ranges, size_t count, struct wk_buf *out);

/* False if the bytes are too few for what they claim. They must start at a multiple of 8. */
bool wk_code_ranges_open(struct wk_code_ranges *ranges, const void *bytes, size_t len);

/* The interval around `vaddr` that belongs to one unit. WK_NO_UNIT: no unit, or before the
 * first. */
struct wk_code_range wk_code_ranges_find(const struct wk_code_ranges *ranges, uint64_t vaddr);

#endif
