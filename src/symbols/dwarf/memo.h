/* Cached answers by offset in a section: the text id of the name there.
 *
 * Offsets that are looked up are close together, so a row chosen by the low bits of the offset has
 * nearly every answer, without hashing and next to its neighbours. Entries that collide go into a
 * map; if that has many, more rows are added. An answer may be dropped. All zero is empty and ready
 * to use. */
#ifndef WK_SYMBOLS_DWARF_MEMO_H
#define WK_SYMBOLS_DWARF_MEMO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/map.h"

struct wk_dwarf_memo_row {
	uint32_t offset; /* 0: free, so offsets are stored plus 1 */
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

/* If it is empty, allocates rows, which grow to the possible number of answers in a section of that
 * size whose entries are at least `apart` bytes from each other. */
void wk_dwarf_memo_start(struct wk_dwarf_memo *memo, uint64_t section_bytes, unsigned apart);

/* The answer in a row; sets `answer` to an arbitrary value if there is none. */
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
