/* Line programs (DWARF 2 to 5) to rows: which source line each address came from. */
#ifndef WK_SYMBOLS_DWARF_LINE_H
#define WK_SYMBOLS_DWARF_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/bytes.h"
#include "base/err.h"
#include "symbols/code_index/code_index.h"

struct wk_dwarf_line_input {
	struct wk_bytes section;       /* the whole of .debug_line */
	uint64_t offset;               /* of the unit's program in it */
	struct wk_bytes str, line_str; /* for the forms of DWARF 5 */
	struct wk_bytes str_offsets;   /* the same, for DW_FORM_strx; empty if there is none */
	uint64_t str_offsets_base;
	uint8_t address_size;          /* of the unit; before DWARF 5 the program does not say */
	struct wk_str directory, name; /* of the unit: DW_AT_comp_dir, DW_AT_name */
};

/* Rows as the program makes them, by address. `address` UINT64_MAX cannot be. */
struct wk_dwarf_row {
	uint64_t address;
	uint32_t file; /* text id of the index; 0 unknown */
	uint32_t line, column;
	bool is_end; /* the first address behind a sequence */
};

struct wk_dwarf_lines {
	/* Text ids of files as DW_AT_call_file and the program number them: before DWARF 5 the
	 * first file is 1, since then 0. files[n] is 0 if there is no file n. */
	uint32_t *files;
	size_t file_count, file_cap;
	struct wk_dwarf_row *rows; /* sorted by address, no two with the same */
	size_t row_count, row_cap;
};

/* Fills `lines` from scratch (it may have been used before, and keeps its memory). `wants_rows`
 * false: only the files. False, with a sentence, if the header is invalid; rows before a fault are
 * kept. Full paths are built from directory and name and interned in `index`. */
bool wk_dwarf_lines_read(const struct wk_dwarf_line_input *input, bool wants_rows,
			 struct wk_code_index *index, struct wk_dwarf_lines *lines,
			 struct wk_err *err);
void wk_dwarf_lines_fini(struct wk_dwarf_lines *lines);

#endif
