/* The header of a line program: its parameters and its tables of directories and files.
 *
 * For line.c alone. Order of calls: wk_line_head_read, wk_line_files_init, _read, then
 * the program may _define more; _fini. */
#ifndef WK_SYMBOLS_DWARF_LINE_HEAD_H
#define WK_SYMBOLS_DWARF_LINE_HEAD_H

#include "base/buf.h"
#include "symbols/dwarf/line.h"

struct wk_line_head {
	struct wk_bytes tables; /* the directories and files, nothing else */
	struct wk_bytes program;
	const uint8_t *opcode_lengths; /* [opcode - 1], opcode_base - 1 of them */
	uint16_t version;
	uint8_t offset_size; /* 8 in the 64-bit form of DWARF, otherwise 4 */
	uint8_t address_size, min_instruction_bytes, max_operations;
	int8_t line_base;
	uint8_t line_range, opcode_base;
};

bool wk_line_head_read(const struct wk_dwarf_line_input *input, struct wk_line_head *head,
		       struct wk_err *err);

/* Reads the tables and makes paths of them. */
struct wk_line_files {
	const struct wk_dwarf_line_input *input;
	const struct wk_line_head *head;
	struct wk_code_index *index;
	struct wk_dwarf_lines *lines; /* whose `files` are filled */
	struct wk_str *directories;
	size_t directory_count, directory_cap;
	struct wk_buf path;       /* of the current file */
	uint64_t most_path_bytes; /* still allowed: few bytes may refer to long texts */
};

void wk_line_files_init(struct wk_line_files *files, const struct wk_dwarf_line_input *input,
			const struct wk_line_head *head, struct wk_code_index *index,
			struct wk_dwarf_lines *lines);
void wk_line_files_fini(struct wk_line_files *files);

/* False, with a sentence, if the tables end early or cannot be read on; what was read before
 * stays. */
bool wk_line_files_read(struct wk_line_files *files, struct wk_err *err);

/* One file in the form of DWARF 2 to 4: name, directory, time, length. False at the table's
 * end, an empty name. */
bool wk_line_files_define(struct wk_line_files *files, struct wk_bytes *in);

#endif
