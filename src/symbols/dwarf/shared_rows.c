/* A line program that several units share is run once, and each unit gets the rows within its own
 * ranges. Some compilers share a program among the units of one object file. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"
#include "symbols/dwarf/internal.h"

/* The row that contains `address`; the first row if it is before all. */
static size_t row_at(const struct wk_dwarf_lines *lines, uint64_t address)
{
	size_t count = wk_sorted_up_to(lines->rows, lines->row_count, sizeof(*lines->rows),
				       offsetof(struct wk_dwarf_row, address), address);

	return count ? count - 1 : 0;
}

static void add_row(struct wk_dwarf_lines *lines, struct wk_dwarf_row row)
{
	*WK_APPEND(lines->rows, lines->row_count, lines->row_cap) = row;
}

/* False when the budget is spent. */
static bool read_rows(struct wk_dwarf *dwarf, uint64_t start, uint64_t end)
{
	const struct wk_dwarf_lines *all = &dwarf->shared_lines;
	size_t first = row_at(all, start), i = first;

	while (i < all->row_count && all->rows[i].address < end)
		i++;
	if (i == first)
		return true;
	if (!wk_dwarf_charge_lines(dwarf, i - first))
		return false;
	for (size_t row = first; row < i; row++) {
		add_row(&dwarf->lines, all->rows[row]);
		if (all->rows[row].address < start)
			dwarf->lines.rows[dwarf->lines.row_count - 1].address = start;
	}
	add_row(&dwarf->lines, (struct wk_dwarf_row){ .address = end, .is_end = true });
	return true;
}

static void read_all(struct wk_dwarf *dwarf, const struct wk_dwarf_ranges *ranges)
{
	struct wk_sort_key *keys = WK_SORT_ORDER(ranges->rows, ranges->count, start);
	uint64_t covered = 0;

	for (size_t i = 0; i < ranges->count; i++) {
		const struct wk_dwarf_range *range = &ranges->rows[keys[i].row];
		uint64_t start = range->start > covered ? range->start : covered;

		if (start >= range->end)
			continue;
		if (!read_rows(dwarf, start, range->end))
			break;
		covered = range->end;
	}
	wk_free(keys);
}

/* The rows of the last program that was run are saved when a second unit needs them. */
static void put_aside(struct wk_dwarf *dwarf)
{
	struct wk_dwarf_lines *lines = &dwarf->lines, *aside = &dwarf->shared_lines;

	wk_free(aside->rows);
	aside->rows = lines->rows;
	aside->row_count = lines->row_count;
	aside->row_cap = lines->row_cap;
	lines->rows = NULL;
	lines->row_cap = 0;
	dwarf->shares_lines = true;
}

void wk_dwarf_share_lines(struct wk_dwarf_unit *unit)
{
	struct wk_dwarf *dwarf = unit->file->dwarf;
	struct wk_dwarf_ranges ranges = { 0 };

	if (!dwarf->shares_lines)
		put_aside(dwarf);
	dwarf->lines.row_count = 0;
	if (!wk_dwarf_unit_ranges(unit, &ranges))
		wk_dwarf_ranges_add(&ranges, 0, UINT64_MAX);
	read_all(dwarf, &ranges);
	wk_free(ranges.rows);
}
