#include "symbols/dwarf_memo.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* More would cost more to fill than they save. */
#define MOST_ROWS ((size_t)1 << 15)

void wk_dwarf_memo_fini(struct wk_dwarf_memo *memo)
{
	free(memo->rows);
	wk_map_fini(&memo->rest);
	*memo = (struct wk_dwarf_memo){ 0 };
}

void wk_dwarf_memo_start(struct wk_dwarf_memo *memo, uint64_t section_bytes, unsigned apart)
{
	if (memo->rows)
		return;
	memo->apart = apart;
	memo->count = 1;
	while (memo->count < MOST_ROWS && memo->count < section_bytes / apart)
		memo->count *= 2;
	/* Zeroed by writing: pages that are read first are given by the system twice. */
	memo->rows = wk_alloc(memo->count * sizeof(*memo->rows));
	memset(memo->rows, 0, memo->count * sizeof(*memo->rows));
}

static struct wk_dwarf_memo_row *row_of(const struct wk_dwarf_memo *memo, uint64_t offset)
{
	return &memo->rows[offset / memo->apart & (memo->count - 1)];
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
	struct wk_dwarf_memo_row *row = row_of(memo, offset);

	if (row->offset || offset >= UINT32_MAX)
		wk_map_set(&memo->rest, offset, answer + 1);
	else
		*row = (struct wk_dwarf_memo_row){ (uint32_t)offset + 1, answer };
}
