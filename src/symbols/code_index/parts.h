/* The start of a search among the rows of a block.
 *
 * Addresses are divided into intervals of equal length, about two rows each. The code of a unit may
 * be spread over the program, in a few places with very many rows each: an interval with many rows
 * is divided into parts, again of about two rows each, so that every search looks at a few rows.
 * The tables may come from a damaged file: no result points outside the rows. */
#ifndef WK_SYMBOLS_CODE_INDEX_PARTS_H
#define WK_SYMBOLS_CODE_INDEX_PARTS_H

#include <stdint.h>

struct wk_code_packed_row;

struct wk_code_stretch {
	uint32_t row;   /* the first that begins in it or behind it */
	uint32_t parts; /* the first of them, times 32, and the logarithm of how many there are;
			 * 0: it is not divided */
};

struct wk_code_parts {
	uint32_t shift, count, part_count;
	const struct wk_code_stretch *stretches; /* count + 1: the last has the number of rows */
	const uint32_t *rows; /* by part: the first row that begins in it or later; after the last
			       * part of an interval comes the first row of the next interval */
};

/* How stretches will be of rows whose starts are sorted: sets shift and count. */
void wk_code_parts_plan(const struct wk_code_packed_row *rows, uint32_t count,
			struct wk_code_parts *parts);

/* Then builds the tables, which need space for parts->count + 1 intervals and at most as many parts
 * as there are rows. */
void wk_code_parts_make(const struct wk_code_packed_row *rows, uint32_t count,
			struct wk_code_parts *parts, struct wk_code_stretch *stretches,
			uint32_t *part_rows);

/* Narrows the search for the last row that is not above `start`: as many rows are not above it as
 * `low` and those of the rows from there up to `high`. */
static inline void wk_code_parts_narrow(const struct wk_code_parts *parts, uint32_t start,
					uint32_t rows, uint32_t *low, uint32_t *high)
{
	uint32_t stretch = start >> (parts->shift & 31);
	uint32_t bits, part;

	*low = *high = rows;
	if (stretch >= parts->count)
		return;
	*low = parts->stretches[stretch].row;
	*high = parts->stretches[stretch + 1].row;
	bits = parts->stretches[stretch].parts & 31;
	part = parts->stretches[stretch].parts >> 5;
	if (bits && bits <= parts->shift) {
		part += start >> ((parts->shift - bits) & 31) & ((1u << bits) - 1);
		if (part + 1 < parts->part_count) {
			*low = parts->rows[part];
			*high = parts->rows[part + 1];
		}
	}
	*high = *high < rows ? *high : rows;
	*low = *low < *high ? *low : *high;
}

#endif
