/* Which unit each address of an image belongs to: a sorted table without overlaps.
 *
 * It is one run of bytes, the same in memory and in a file, and is used where it lies. */
#ifndef WK_SYMBOLS_CODE_INDEX_RANGES_H
#define WK_SYMBOLS_CODE_INDEX_RANGES_H

#include <stdbool.h>

#include "symbols/code_index/code_index.h"
#include "symbols/code_index/search.h"

struct wk_code_range_row {
	uint64_t start; /* reaches to the next one's */
	uint32_t unit;  /* WK_NO_UNIT: nobody's */
	uint32_t unused;
};

struct wk_code_ranges {
	const struct wk_code_range_row *rows;
	uint32_t count;
	struct wk_code_hints hints;
};

/* Writes the table at the end of `out`, which must stand at a multiple of 8. */
void wk_code_ranges_make(const struct wk_code_range *ranges, size_t count, struct wk_buf *out);

/* False where the bytes are too few for what they claim. They must lie at a multiple of 8. */
bool wk_code_ranges_open(struct wk_code_ranges *ranges, const void *bytes, size_t len);

/* The stretch around `vaddr` that is all of one unit. WK_NO_UNIT: nobody's, or before all. */
struct wk_code_range wk_code_ranges_find(const struct wk_code_ranges *ranges, uint64_t vaddr);

#endif
