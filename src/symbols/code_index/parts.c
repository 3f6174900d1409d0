#include "symbols/code_index/parts.h"

#include "symbols/code_index/block.h"
#include "symbols/code_index/search.h"

/* Up to this number of rows are searched one by one. */
#define FEW_ROWS 8

#define MOST_PARTS ((UINT32_MAX >> 5) / 2)

struct maker {
	const struct wk_code_packed_row *rows;
	uint32_t count;
	struct wk_code_parts *parts;
	uint32_t *part_rows;
};

/* From row `at` on the first that begins at `start` or behind it. */
static uint32_t row_from(const struct maker *maker, uint32_t at, uint64_t start)
{
	while (at < maker->count && maker->rows[at].start < start)
		at++;
	return at;
}

static unsigned bits_for(const struct maker *maker, uint32_t rows)
{
	unsigned bits = 0;

	if (rows <= FEW_ROWS || maker->parts->part_count > MOST_PARTS)
		return 0;
	while (bits < maker->parts->shift && rows >> (bits + 1) > 1)
		bits++;
	return bits;
}

/* The stretch that begins with `first` and ends before `end`. It has fewer parts than rows. */
static uint32_t divide(struct maker *maker, uint32_t stretch, uint32_t first, uint32_t end)
{
	unsigned bits = bits_for(maker, end - first), shift = maker->parts->shift - bits;
	uint32_t parts = maker->parts->part_count << 5 | bits;
	uint64_t start = (uint64_t)stretch << maker->parts->shift;

	if (bits == 0)
		return 0;
	for (uint64_t i = 0; i <= (uint64_t)1 << bits; i++) {
		first = row_from(maker, first, start + (i << shift));
		maker->part_rows[maker->parts->part_count++] = first;
	}
	return parts;
}

void wk_code_parts_plan(const struct wk_code_packed_row *rows, uint32_t count,
			struct wk_code_parts *parts)
{
	struct wk_code_hints hints = { 0 };

	if (count > 0)
		hints = wk_code_hints_for(rows[count - 1].start, count);
	*parts = (struct wk_code_parts){ .shift = hints.shift, .count = hints.count };
}

void wk_code_parts_make(const struct wk_code_packed_row *rows, uint32_t count,
			struct wk_code_parts *parts, struct wk_code_stretch *stretches,
			uint32_t *part_rows)
{
	struct maker maker = { rows, count, parts, part_rows };
	uint32_t row = 0;

	for (uint32_t i = 0; i < parts->count; i++) {
		uint32_t end = row_from(&maker, row, (uint64_t)(i + 1) << parts->shift);

		stretches[i] = (struct wk_code_stretch){ row, divide(&maker, i, row, end) };
		row = end;
	}
	stretches[parts->count] = (struct wk_code_stretch){ count, 0 };
}
