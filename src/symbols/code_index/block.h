/* The contents of one unit of a code index, packed: one run of bytes, identical in memory and in a
 * file, used in place.
 *
 * Spans and lines are merged into one table, so that a query is one search: a row of 16 bytes
 * wherever either changes. Equal neighbours are merged. Files are numbered within the unit; columns
 * above 65,535 and files after the 65,535th are dropped. */
#ifndef WK_SYMBOLS_CODE_INDEX_BLOCK_H
#define WK_SYMBOLS_CODE_INDEX_BLOCK_H

#include <stdbool.h>

#include "base/map.h"
#include "symbols/code_index/code_index.h"
#include "symbols/code_index/parts.h"

/* A function, or a call of one that was inlined into `parent`, whose number is smaller. Node 0
 * means "none" and is not used. */
struct wk_code_packed_node {
	uint32_t parent, function, call_line; /* parent 0: the function itself; function: text id */
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
	struct wk_code_parts parts;
	size_t size_bytes; /* of all of it: a multiple of 8 */
};

#define WK_CODE_KNOWN_FILES 64

/* A block under construction. Nodes are written to their final place, before the rows.
 *
 * Order of calls: begin, node and file any number of times, end; begin again; fini. */
struct wk_code_maker {
	uint8_t *bytes; /* NULL: not begun */
	size_t cap;
	struct wk_code_packed_node *nodes; /* in `bytes`; moved by _node */
	uint32_t node_count, node_cap;
	struct wk_map file_numbers;
	uint32_t *files;
	size_t file_cap;
	uint32_t file_count;
	/* Files already looked up, by the low bits of the text. */
	struct wk_code_known_file {
		uint32_t text, number;
	} known_files[WK_CODE_KNOWN_FILES];
};

/* `likely_bytes` is for nodes and rows. Node 0 is added. */
void wk_code_maker_begin(struct wk_code_maker *maker, size_t likely_bytes);
void wk_code_maker_fini(struct wk_code_maker *maker);

void wk_code_maker_grow(struct wk_code_maker *maker);

/* One more node, not set. */
static inline struct wk_code_packed_node *wk_code_maker_node(struct wk_code_maker *maker)
{
	if (maker->node_count == maker->node_cap)
		wk_code_maker_grow(maker);
	return &maker->nodes[maker->node_count++];
}

/* The number of a file in this block, and a column as it is stored. */
uint16_t wk_code_maker_file(struct wk_code_maker *maker, uint32_t text);
uint16_t wk_code_maker_column(uint32_t column);

/* Space for spans and lines at or near the place of the rows made from them, for a block with at
 * most that many; valid until `end`, before which no node may be added. Spans come first; lines may
 * not exceed the rest. */
struct wk_code_span *wk_code_maker_spans(struct wk_code_maker *maker, size_t span_count,
					 size_t line_count);
struct wk_code_line *wk_code_maker_lines(struct wk_code_maker *maker, size_t span_count,
					 size_t line_count);

/* Allocated; its size is stored in `size_bytes`. */
void *wk_code_maker_end(struct wk_code_maker *maker, const struct wk_code_block *block,
			size_t *size_bytes);

/* False if the bytes are too few for what they claim. They must start at a multiple of 8. */
bool wk_code_block_open(struct wk_code_packed *packed, const void *bytes, size_t len);

/* The row that covers `vaddr`; NULL if none does. Its node may be out of bounds. */
const struct wk_code_packed_row *wk_code_block_find(const struct wk_code_packed *packed,
						    uint64_t vaddr);

/* Has the memory fetched that `find` will look at. */
void wk_code_block_expect(const struct wk_code_packed *packed, uint64_t vaddr);

#endif
