#include "symbols/code_index/ranges.h"

#include <stdlib.h>

#include "base/bisect.h"
#include "base/mem.h"
#include "base/sort.h"

/* The header; rows and hints follow. */
struct head {
	uint32_t count, hint_shift, hint_count, unused;
};

struct settled {
	struct wk_code_range_row *rows;
	uint32_t count;
};

/* From `start` on it is `unit`'s. */
static void begin(struct settled *settled, uint64_t start, uint32_t unit)
{
	if (settled->count > 0 && settled->rows[settled->count - 1].start == start)
		settled->count--;
	if (settled->count > 0 && settled->rows[settled->count - 1].unit == unit)
		return;
	settled->rows[settled->count++] = (struct wk_code_range_row){ start, unit, 0 };
}

/* The ranges that have begun and not ended, the one that began last on top. */
struct open_ranges {
	const struct wk_code_range **at;
	size_t count;
};

/* Advances to `address`: an entry that ends before it uncovers those that are still open below. */
static void advance(struct open_ranges *open, uint64_t address, struct settled *settled)
{
	while (open->count > 0 && open->at[open->count - 1]->end <= address) {
		uint64_t end = open->at[--open->count]->end;

		while (open->count > 0 && open->at[open->count - 1]->end <= end)
			open->count--;
		begin(settled, end, open->count ? open->at[open->count - 1]->unit : WK_NO_UNIT);
	}
}

/* By start, then the wider first, then the last added first. */
static struct wk_sort_key *order_of(const struct wk_code_range *ranges, size_t *count)
{
	struct wk_sort_key *keys = wk_alloc(*count * sizeof(*keys));
	size_t used = 0;

	for (size_t i = *count; i-- > 0;)
		if (ranges[i].start < ranges[i].end && ranges[i].unit != WK_NO_UNIT)
			keys[used++] = (struct wk_sort_key){ ~ranges[i].end, (uint32_t)i };
	wk_sort_keys(keys, used);
	for (size_t i = 0; i < used; i++)
		keys[i].key = ranges[keys[i].row].start;
	wk_sort_keys(keys, used);
	*count = used;
	return keys;
}

static void settle(const struct wk_code_range *ranges, size_t count, struct settled *settled)
{
	struct wk_sort_key *order = order_of(ranges, &count);
	struct open_ranges open = { wk_alloc(count * sizeof(void *)), 0 };

	/* Each range begins once and ends once. */
	settled->rows = wk_alloc(count * 2 * sizeof(*settled->rows));
	for (size_t i = 0; i < count; i++) {
		const struct wk_code_range *range = &ranges[order[i].row];

		advance(&open, range->start, settled);
		open.at[open.count++] = range;
		begin(settled, range->start, range->unit);
	}
	advance(&open, UINT64_MAX, settled);
	WK_FREE_ALL(open.at, order);
}

static void add_hints(struct wk_buf *out, const struct settled *settled,
		      const struct wk_code_hints *hints)
{
	uint64_t first = settled->count ? settled->rows[0].start : 0, stretch = 0;

	for (uint32_t i = 0; i < settled->count; i++)
		for (; stretch <= (settled->rows[i].start - first) >> hints->shift; stretch++)
			wk_buf_add(out, &i, sizeof(i));
	wk_buf_add(out, &settled->count, sizeof(settled->count));
}

void wk_code_ranges_make(const struct wk_code_range *ranges, size_t count, struct wk_buf *out)
{
	struct settled settled = { 0 };
	struct wk_code_hints hints = { 0 };
	struct head head = { 0 };

	/* Rows are counted in 32 bits, two for each range. */
	settle(ranges, count < UINT32_MAX / 2 ? count : UINT32_MAX / 2, &settled);
	if (settled.count > 0)
		hints = wk_code_hints_for(settled.rows[settled.count - 1].start -
						  settled.rows[0].start,
					  settled.count);
	head = (struct head){ settled.count, hints.shift, hints.count, 0 };
	wk_buf_add(out, &head, sizeof(head));
	wk_buf_add(out, settled.rows, settled.count * sizeof(*settled.rows));
	add_hints(out, &settled, &hints);
	wk_free(settled.rows);
}

bool wk_code_ranges_open(struct wk_code_ranges *ranges, const void *bytes, size_t len)
{
	const struct head *head = bytes;
	uint64_t need = sizeof(*head) + sizeof(uint32_t);

	*ranges = (struct wk_code_ranges){ 0 };
	if (len < need)
		return false;
	need += (uint64_t)head->count * sizeof(*ranges->rows);
	need += (uint64_t)head->hint_count * sizeof(uint32_t);
	if (len < need)
		return false;
	ranges->count = head->count;
	ranges->rows = (const struct wk_code_range_row *)(head + 1);
	ranges->hints = (struct wk_code_hints){
		.shift = head->hint_shift,
		.count = head->hint_count,
		.at = (const uint32_t *)(ranges->rows + head->count),
	};
	return true;
}

/* Rows of a damaged file may be unsorted: the search then ends at the start of the row. */
static struct wk_code_range range_of(const struct wk_code_ranges *ranges, uint32_t row)
{
	const struct wk_code_range_row *rows = ranges->rows;
	uint64_t end = row + 1 < ranges->count ? rows[row + 1].start : UINT64_MAX;

	return (struct wk_code_range){ rows[row].start, end, rows[row].unit };
}

struct wk_code_range wk_code_ranges_find(const struct wk_code_ranges *ranges, uint64_t vaddr)
{
	static const struct wk_code_range nobodys = { 0, 0, WK_NO_UNIT };
	uint32_t low, high;

	if (ranges->count == 0 || vaddr < ranges->rows[0].start)
		return nobodys;
	wk_code_hints_narrow(&ranges->hints, vaddr - ranges->rows[0].start, ranges->count, &low,
			     &high);
	WK_BISECT(low, high, ranges->rows[middle].start <= vaddr);
	return low ? range_of(ranges, low - 1) : nobodys;
}
