/* Answers kept by offsets in a section: which text id the name there has.
 *
 * What is asked for lies close together, so a row by the offset's low bits has nearly every
 * answer, found without hashing and beside that of its neighbour. What meets a row of another
 * goes into a map; when that has many, more rows are made. What an answer is may be forgotten.
 * All zero is empty and ready. */
#ifndef WK_SYMBOLS_DWARF_MEMO_H
#define WK_SYMBOLS_DWARF_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct wk_dwarf_memo_row {
	uint32_t offset; /* 0: free, which is why an offset is kept plus 1 */
	uint32_t answer;
};

struct wk_dwarf_memo {
	struct wk_dwarf_memo_row *rows;
	size_t count, most; /* powers of two */
	unsigned apart;
	struct wk_map rest; /* answer + 1 */
	size_t rest_count;
};

void wk_dwarf_memo_fini(struct wk_dwarf_memo *memo);

/* Where it is empty makes rows, which grow to be as many as there may be answers in a section of
 * that size, in which what is asked for lies `apart` bytes, or more, from the next. */
void wk_dwarf_memo_start(struct wk_dwarf_memo *memo, uint64_t section_bytes, unsigned apart);

/* What a row has; sets the answer to something where it has none. */
static inline bool wk_dwarf_memo_look(const struct wk_dwarf_memo *memo, uint64_t offset,
				      uint32_t *answer)
{
	const struct wk_dwarf_memo_row *row;

	if (!memo->rows)
		return false;
	row = &memo->rows[offset / memo->apart & (memo->count - 1)];
	*answer = row->answer;
	return row->offset == offset + 1;
}

bool wk_dwarf_memo_find(const struct wk_dwarf_memo *memo, uint64_t offset, uint32_t *answer);

/* The offset has no answer yet. It must have been started. */
void wk_dwarf_memo_add(struct wk_dwarf_memo *memo, uint64_t offset, uint32_t answer);

#endif
