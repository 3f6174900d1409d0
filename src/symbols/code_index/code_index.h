/* The functions, inlined calls and source lines of one image, as flat sorted tables.
 *
 * Filled by the readers of debug information (DWARF, PDB, Breakpad), stored in the symbol cache,
 * and queried for names. It consists of (compilation) units: the address ranges of units are known
 * from the start (wk_code_index_set_ranges), their contents are added on demand
 * (wk_code_index_add). A query therefore costs only the units it touches, and a saved index
 * contains the units that were ever needed.
 *
 * Addresses are the image's own (vaddr). Texts are interned and have ids; id 0 is empty. Order of
 * calls: new or load; place_ids, add what is missing, place_ids again; save; free. */
#ifndef WK_SYMBOLS_CODE_INDEX_CODE_INDEX_H
#define WK_SYMBOLS_CODE_INDEX_CODE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "symbols/code_index/place.h"

struct wk_code_index;

/* Version of a saved index in the cache. Raise it if the bytes change, and whenever the same file
 * would give another index: indexes saved by an older wick are then rebuilt. */
#define WK_CODE_INDEX_VERSION 5

/* Addresses from `start` up to `end` are of `unit` (counted from 0). */
struct wk_code_range {
	uint64_t start, end;
	uint32_t unit;
};

/* From base + start up to the next span; node 0: no function is known there. */
struct wk_code_span {
	uint32_t start, node;
};

/* From base + start up to the next; line 0: no line is known there, though its file may be. */
struct wk_code_line {
	uint32_t start, file; /* file: text id */
	uint32_t line, column;
};

/* The contents of a unit, but for its nodes. Spans and lines are sorted by start, no two with the
 * same. */
struct wk_code_block {
	uint64_t base;
	const struct wk_code_span *spans;
	const struct wk_code_line *lines;
	uint32_t span_count, line_count;
};

struct wk_code_index *wk_code_index_new(void);
void wk_code_index_free(struct wk_code_index *index);

uint32_t wk_code_index_text(struct wk_code_index *index, struct wk_str text);

/* The same text, for a function with a copy at `vaddr` that symbols may name better:
 * wk_code_index_places reports that address. */
uint32_t wk_code_index_copied(struct wk_code_index *index, struct wk_str text, uint64_t vaddr);

/* The id of the text at the start of `bytes`, which are borrowed and must outlive the index; a text
 * that begins n bytes later has the id + n. They are copied only when saved. 0 if there are too
 * many: texts must then be added one by one. */
uint32_t wk_code_index_lend(struct wk_code_index *index, struct wk_str bytes);

struct wk_str wk_code_index_str(const struct wk_code_index *index, uint32_t id);

/* The address ranges of the units, set once, in any order. If two units claim the same address, the
 * one whose range begins later (the narrower) wins. */
void wk_code_index_set_ranges(struct wk_code_index *index, const struct wk_code_range *ranges,
			      size_t count);

#define WK_NO_UNIT UINT32_MAX
uint32_t wk_code_index_unit_at(const struct wk_code_index *index, uint64_t vaddr);
bool wk_code_index_has(const struct wk_code_index *index, uint32_t unit);

/* Nodes and files are those of `maker` (block.h), which must be begun anew before its next use. */
struct wk_code_maker;
void wk_code_index_add(struct wk_code_index *index, uint32_t unit, struct wk_code_maker *maker,
		       const struct wk_code_block *block);
void wk_code_index_add_empty(struct wk_code_index *index, uint32_t unit);

/* The chain at `vaddr`, innermost first; at most `cap`. 0 if its unit has nothing there, or is not
 * loaded. The texts live as long as the index. A last place without a function means a line whose
 * function is not known. */
size_t wk_code_index_places(const struct wk_code_index *index, uint64_t vaddr,
			    struct wk_place *places, size_t cap);

/* The same with text ids. In `missing` the unit that is not there, or WK_NO_UNIT. Remembers the
 * unit, so that questions in order of address find it open. */
size_t wk_code_index_place_ids(struct wk_code_index *index, uint64_t vaddr,
			       struct wk_place_ids *places, size_t cap, uint32_t *missing);

/* The function that the machine runs at `vaddr`, by text id, and the interval around it with the
 * same answer in the unit's table: a function that was split, or is very long, has several. False
 * if none is known, or its unit is not loaded. */
struct wk_code_function {
	uint64_t start, end;
	uint32_t function;
};
bool wk_code_index_function(const struct wk_code_index *index, uint64_t vaddr,
			    struct wk_code_function *found);

/* Has the memory fetched that a question for `vaddr` will look at soon. */
void wk_code_index_expect(struct wk_code_index *index, uint64_t vaddr);

/* Were units added since it was created or loaded? */
bool wk_code_index_is_changed(const struct wk_code_index *index);

/* To bytes and back. A loaded index stays in `bytes`, which must outlive it; more units may be
 * added to it. Damaged bytes give an error or wrong answers, never a fault. */
void wk_code_index_save(struct wk_code_index *index, struct wk_buf *out);
struct wk_code_index *wk_code_index_load(struct wk_bytes bytes, struct wk_err *err);

#endif
