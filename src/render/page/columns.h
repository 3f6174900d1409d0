/* Columns of whole numbers as the bytes of one block: docs/report-format.md, "Columns".
 *
 * A column has as many bytes for each row as its largest number needs, after the smallest is taken
 * from all and what divides all is divided out. Bytes of one value are stored apart from each
 * other, so that those that are mostly equal are side by side and pack well.
 *
 * Zeroed is ready; wk_columns_write ends it. */
#ifndef WK_RENDER_PAGE_COLUMNS_H
#define WK_RENDER_PAGE_COLUMNS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/out.h"

struct wk_columns {
	struct wk_buf list, planes;
};

/* The largest number that the page can add to others: 2^53 - 1. Larger ones become it. */
#define WK_COLUMN_MOST ((int64_t)((1ull << 53) - 1))

static inline int64_t wk_column_value(uint64_t value)
{
	return value > (uint64_t)WK_COLUMN_MOST ? WK_COLUMN_MOST : (int64_t)value;
}

/* `values` are at most WK_COLUMN_MOST, of either sign, and are overwritten. `by_steps`: each is
 * stored as the difference from the one before, the first from 0. */
void wk_columns_add(struct wk_columns *columns, const char *name, int64_t *values, uint32_t rows,
		    bool by_steps);

/* Writes the block and frees all. */
void wk_columns_write(struct wk_columns *columns, struct wk_buf *block);

#endif
