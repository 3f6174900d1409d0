/* What is inside a unit of a code index, packed: one run of bytes, the same in memory and in a
 * file, and used where it lies.
 *
 * Spans and lines become one table, so that a question is one search: a row of 16 bytes where
 * either of them changes. Neighbours that say the same are one. Files go by numbers of the unit's
 * own; columns above 65,535, and files after the 65,535th, are not kept. */
#ifndef WK_SYMBOLS_CODE_BLOCK_H
#define WK_SYMBOLS_CODE_BLOCK_H

#include <stdbool.h>

#include "symbols/code_index.h"
#include "symbols/code_search.h"

struct wk_code_packed_node {
	uint32_t parent, function, call_line;
	uint16_t call_file, call_column;
};

struct wk_code_packed_row {
	uint32_t start, node, line; /* 0: none is known */
	uint16_t file, column;
};

struct wk_code_packed {
	uint64_t base;
	uint32_t node_count, row_count, file_count;
	const struct wk_code_packed_node *nodes;
	const struct wk_code_packed_row *rows;
	const uint32_t *files; /* text ids; file 0 is none */
	struct wk_code_hints hints;
	size_t size_bytes; /* of all of it: a multiple of 8 */
};

/* On the heap; how many bytes is in `size_bytes`. */
void *wk_code_block_pack(const struct wk_code_block *block, size_t *size_bytes);

/* False where the bytes are too few for what they claim. They must lie at a multiple of 8. */
bool wk_code_block_open(struct wk_code_packed *packed, const void *bytes, size_t len);

/* The row that says what is at `vaddr`; NULL where nothing does. Its node may be out of bounds. */
const struct wk_code_packed_row *wk_code_block_find(const struct wk_code_packed *packed,
						    uint64_t vaddr);

#endif
