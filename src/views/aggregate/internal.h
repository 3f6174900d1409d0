/* For views/aggregate/ alone. */
#ifndef WK_VIEWS_AGGREGATE_INTERNAL_H
#define WK_VIEWS_AGGREGATE_INTERNAL_H

#include "views/aggregate/selection.h"

/* As narrow a copy as possible. */
struct wk_number_column wk_number_column_of(const uint64_t *values, uint32_t count);
void wk_number_column_fini(struct wk_number_column *column);

void wk_event_ends_init(struct wk_event_rows *rows);
void wk_event_ends_fini(struct wk_event_rows *rows);

/* A selection as ranges: first rows are added, then ends are, or are subtracted.
 *
 *	for (row = wk_row_next(s.bits, s.low, s.high); row < s.high;
 *	     row = wk_row_next(s.bits, row + 1, s.high))
 *		...
 *	for (i = s.end_low; i < s.end_high; i++)
 *		if (wk_selected_end(&s, i))
 *			... s.sign */
struct wk_selected_rows {
	uint32_t low, high;                 /* rows that are added */
	uint32_t of_ends_low, of_ends_high; /* rows whose ends count */
	const uint64_t *bits;               /* NULL: all */
	uint64_t *own_bits;
	const struct wk_event_ends *ends;
	uint32_t end_low, end_high; /* in `ends` */
	int sign;                   /* of ends: 1 or -1 */
};

void wk_selected_rows_init(struct wk_selected_rows *selected, const struct wk_event_rows *rows,
			   const struct wk_row_selection *selection);
void wk_selected_rows_fini(struct wk_selected_rows *selected);

/* Columns by node may be more than caches hold: nodes of rows that come next are prefetched. */
#define WK_ROWS_AHEAD 16

/* The first selected row from `row` on, or `high`. */
static inline uint32_t wk_row_next(const uint64_t *bits, uint32_t row, uint32_t high)
{
	uint64_t word;

	if (!bits || row >= high)
		return row;
	word = bits[row / 64] >> (row % 64);
	if (word & 1)
		return row;
	while (!word) {
		row = (row / 64 + 1) * 64;
		if (row >= high)
			return high;
		word = bits[row / 64];
	}
	row += (uint32_t)__builtin_ctzll(word);
	return row < high ? row : high;
}

static inline bool wk_selected_end(const struct wk_selected_rows *selected, uint32_t i)
{
	uint32_t row = selected->ends->row[i];

	return row >= selected->of_ends_low && row < selected->of_ends_high &&
	       (!selected->bits || (selected->bits[row / 64] >> (row % 64) & 1));
}

#endif
