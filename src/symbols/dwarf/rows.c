/* The line program of a unit to the lines of a block. */
#include "symbols/dwarf/internal.h"

/* How many times the bytes of .debug_line may be run, and its rows be used by a unit that shares a
 * program with another. Once each would do for disjoint units. */
#define MOST_ROUNDS  8
#define SMALL_BUDGET (64 * 1024)

#define PATH_LIMIT 4096

/* Bytes of the program at the unit's offset, by its own length. */
static uint64_t program_bytes(const struct wk_dwarf_unit *unit, struct wk_bytes section)
{
	uint64_t size = (uint64_t)(section.end - section.start), length;
	uint8_t offset_size;

	if (unit->line_offset >= size)
		return 0;
	section = wk_bytes_at(&section, unit->line_offset, size - unit->line_offset);
	length = wk_dwarf_read_length(&section, &offset_size);
	return length < size ? length : size;
}

bool wk_dwarf_charge_lines(struct wk_dwarf *dwarf, uint64_t bytes)
{
	if (dwarf->line_budget == 0)
		dwarf->line_budget =
			SMALL_BUDGET + MOST_ROUNDS * wk_dwarf_section_weight(&dwarf->main->sections,
									     WK_DWARF_LINE);
	if (dwarf->line_budget <= bytes) {
		wk_dwarf_misses(dwarf, &dwarf->misses_lines);
		return false;
	}
	dwarf->line_budget -= bytes;
	return true;
}

/* Would the unit's program make the same rows and files as the one that was run last? */
static bool is_same(const struct wk_dwarf_line_input *a, const struct wk_dwarf_line_input *b)
{
	return a->offset == b->offset && a->address_size == b->address_size &&
	       a->str_offsets_base == b->str_offsets_base && wk_str_eq(a->directory, b->directory);
}

static void run_program(struct wk_dwarf *dwarf, const struct wk_dwarf_line_input *input,
			uint64_t bytes)
{
	dwarf->lines.file_count = dwarf->lines.row_count = 0;
	dwarf->has_last_lines = false;
	dwarf->shares_lines = false;
	if (!wk_dwarf_charge_lines(dwarf, bytes))
		return;
	if (!wk_dwarf_lines_read(input, true, dwarf->index, &dwarf->lines, NULL))
		dwarf->has_fault = true;
	dwarf->last_lines = *input;
	dwarf->has_last_lines = true;
}

void wk_dwarf_read_lines(struct wk_dwarf_unit *unit)
{
	struct wk_dwarf *dwarf = unit->file->dwarf;
	struct wk_dwarf_sections *sections = &unit->file->sections;
	struct wk_dwarf_line_input input = {
		.section = wk_dwarf_section(sections, WK_DWARF_LINE),
		.offset = unit->line_offset,
		.str = wk_dwarf_section(sections, WK_DWARF_STR),
		.line_str = wk_dwarf_section(sections, WK_DWARF_LINE_STR),
		.str_offsets = wk_dwarf_section(sections, WK_DWARF_STR_OFFSETS),
		.str_offsets_base = unit->str_offsets_base,
		.address_size = unit->shape.address_size,
		.directory = wk_dwarf_text_read(wk_dwarf_text_of(unit, unit->directory),
						PATH_LIMIT),
		.name = wk_dwarf_text_read(wk_dwarf_text_of(unit, unit->name), PATH_LIMIT),
	};

	if (dwarf->input.skips_lines || !unit->has_lines) {
		dwarf->lines.file_count = dwarf->lines.row_count = 0;
		dwarf->has_last_lines = false;
	} else if (dwarf->has_last_lines && is_same(&dwarf->last_lines, &input)) {
		wk_dwarf_share_lines(unit);
	} else {
		run_program(dwarf, &input, program_bytes(unit, input.section));
	}
}

static void add_line(struct wk_dwarf_block *b, struct wk_code_line line)
{
	struct wk_code_line *last = b->line_count ? &b->lines[b->line_count - 1] : NULL;

	/* Of several rows at one address the last one counts, but for an end. */
	if (last && last->start == line.start) {
		if (line.line != 0 || line.file != 0)
			*last = line;
		return;
	}
	if (last ? last->file == line.file && last->line == line.line && last->column == line.column
		 : line.line == 0 && line.file == 0)
		return;
	b->lines[b->line_count++] = line;
}

void wk_dwarf_make_lines(const struct wk_dwarf *dwarf, struct wk_dwarf_block *b, uint64_t base)
{
	const struct wk_dwarf_lines *lines = &dwarf->lines;
	bool is_dead = false; /* the sequence began at an address that cannot be code */
	bool is_first = true;

	b->lines = wk_code_maker_lines(&b->maker, b->span_count, lines->row_count);
	b->line_count = 0;
	for (size_t i = 0; i < lines->row_count; i++) {
		const struct wk_dwarf_row *row = &lines->rows[i];

		if (is_first)
			is_dead = !wk_dwarf_is_code(dwarf, row->address);
		is_first = row->is_end;
		if (is_dead || row->address < base || row->address - base > UINT32_MAX)
			continue;
		add_line(b, (struct wk_code_line){
			.start = (uint32_t)(row->address - base),
			.file = row->is_end ? 0 : row->file,
			.line = row->is_end ? 0 : row->line,
			.column = row->is_end ? 0 : row->column,
		});
	}
}
