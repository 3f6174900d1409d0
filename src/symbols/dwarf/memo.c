#include "symbols/dwarf/memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* More would cost more to fill than they save. */
#define MOST_ROWS  ((size_t)1 << 15)
#define FIRST_ROWS ((size_t)1 << 8)

void wk_dwarf_memo_fini(struct wk_dwarf_memo *memo)
{
	wk_free(memo->rows);
	wk_map_fini(&memo->rest);
	*memo = (struct wk_dwarf_memo){ 0 };
}

static void make_rows(struct wk_dwarf_memo *memo, size_t count)
{
	memo->count = count;
	/* Zeroed by writing: pages that are read first are faulted in twice. */
	memo->rows = wk_alloc(count * sizeof(*memo->rows));
	memset(memo->rows, 0, count * sizeof(*memo->rows));
}

void wk_dwarf_memo_start(struct wk_dwarf_memo *memo, uint64_t section_bytes, unsigned apart)
{
	if (memo->rows)
		return;
	memo->apart = apart;
	memo->most = 1;
	while (memo->most < MOST_ROWS && memo->most < section_bytes / apart)
		memo->most *= 2;
	make_rows(memo, memo->most < FIRST_ROWS ? memo->most : FIRST_ROWS);
}

static struct wk_dwarf_memo_row *row_of(const struct wk_dwarf_memo *memo, uint64_t offset)
{
	return &memo->rows[offset / memo->apart & (memo->count - 1)];
}

/* What met a row of another is forgotten: it may have one of its own now. */
static void grow(struct wk_dwarf_memo *memo)
{
	struct wk_dwarf_memo_row *old = memo->rows;
	size_t old_count = memo->count;

	make_rows(memo, old_count * 4 < memo->most ? old_count * 4 : memo->most);
	for (size_t i = 0; i < old_count; i++)
		if (old[i].offset)
			*row_of(memo, old[i].offset - 1) = old[i];
	wk_free(old);
	wk_map_fini(&memo->rest);
	memo->rest_count = 0;
}

bool wk_dwarf_memo_find(const struct wk_dwarf_memo *memo, uint64_t offset, uint32_t *answer)
{
	const struct wk_dwarf_memo_row *row;
	uint32_t kept;

	if (!memo->rows)
		return false;
	row = row_of(memo, offset);
	if (row->offset == offset + 1) {
		*answer = row->answer;
		return true;
	}
	kept = row->offset ? wk_map_find(&memo->rest, offset) : 0;
	*answer = kept - 1;
	return kept != 0;
}

void wk_dwarf_memo_add(struct wk_dwarf_memo *memo, uint64_t offset, uint32_t answer)
{
	struct wk_dwarf_memo_row *row;

	if (memo->rest_count > memo->count / 8 && memo->count < memo->most)
		grow(memo);
	row = row_of(memo, offset);
	if (row->offset || offset >= UINT32_MAX) {
		wk_map_set(&memo->rest, offset, answer + 1);
		memo->rest_count++;
	} else {
		*row = (struct wk_dwarf_memo_row){ (uint32_t)offset + 1, answer };
	}
}
