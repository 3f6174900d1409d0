/* Any bytes as .debug_line: the first say in which class and order, and where the texts are. */
#include <assert.h>
#include <stdlib.h>

#include "symbols/dwarf/line.h"

static void check(const struct wk_dwarf_lines *lines, const struct wk_code_index *index,
		  size_t size)
{
	assert(lines->row_count <= 2 * size && lines->file_count <= size + 1);
	for (size_t i = 0; i < lines->row_count; i++) {
		assert(i == 0 || lines->rows[i - 1].address < lines->rows[i].address);
		wk_code_index_str(index, lines->rows[i].file);
	}
	assert(lines->row_count == 0 || lines->rows[lines->row_count - 1].is_end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_dwarf_line_input input = { .directory = wk_str_c("/src") };
	struct wk_dwarf_lines lines = { 0 };
	struct wk_code_index *index;

	if (size < 2)
		return 0;
	input.section = input.str = input.line_str = wk_bytes_of(data + 1, size - 1);
	input.str_offsets = input.section;
	input.section.big_endian = input.str_offsets.big_endian = data[0] & 1;
	input.address_size = data[0] & 2 ? 4 : 8;
	input.str_offsets_base = data[0] >> 4;
	index = wk_code_index_new();
	/* Twice into the same rows: what was read before must not shine through. */
	for (int i = 0; i < 2; i++) {
		struct wk_err err = { 0 };

		if (!wk_dwarf_lines_read(&input, true, index, &lines, &err))
			assert(err.text[0] != '\0');
		check(&lines, index, size);
	}
	wk_dwarf_lines_fini(&lines);
	wk_code_index_free(index);
	return 0;
}
