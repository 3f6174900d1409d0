/* What is inside a unit of a code index, packed: one run of bytes, the same in memory and in a
 * file, and used where it lies.
 *
 * A span or line takes 8 or 12 bytes, a node 16; neighbours that say the same are one. Files go
 * by numbers of the unit's own, columns above 65,535 are not kept. */
#ifndef WK_SYMBOLS_CODE_BLOCK_H
#define WK_SYMBOLS_CODE_BLOCK_H

#include <stdbool.h>

#include "symbols/code_index.h"
#include "symbols/code_search.h"

struct wk_code_packed_node {
	uint32_t parent, function, call_line;
	uint16_t call_file, call_column;
};

struct wk_code_packed_line {
	uint32_t line;
	uint16_t file, column;
};

struct wk_code_packed {
	uint64_t base;
	uint32_t node_count, file_count, span_count, line_count;
	const struct wk_code_packed_node *nodes;
	const struct wk_code_packed_line *lines;
	const uint32_t *files; /* text ids; file 0 is none */
	const uint32_t *span_starts, *span_nodes, *line_starts;
	struct wk_code_hints span_hints, line_hints;
	size_t size_bytes; /* of all of it: a multiple of 8 */
};

/* On the heap; how many bytes is in `size_bytes`. */
void *wk_code_block_pack(const struct wk_code_block *block, size_t *size_bytes);

/* False where the bytes are too few for what they claim. They must lie at a multiple of 8. */
bool wk_code_block_open(struct wk_code_packed *packed, const void *bytes, size_t len);

/* The node and the line at `vaddr`; 0 and NULL where there are none. */
void wk_code_block_find(const struct wk_code_packed *packed, uint64_t vaddr, uint32_t *node,
			const struct wk_code_packed_line **line);

#endif
