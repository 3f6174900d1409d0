#include "symbols/dwarf/dwarf.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/internal.h"

static bool open_main(struct wk_dwarf *dwarf, struct wk_err *err)
{
	struct wk_dwarf_sections *sections;
	struct wk_bytes info;

	dwarf->main = wk_dwarf_file_new(dwarf, dwarf->input.obj, false);
	sections = &dwarf->main->sections;
	info = wk_dwarf_section(sections, WK_DWARF_INFO);
	if (wk_bytes_left(&info) == 0 && sections->err.code != WK_OK)
		return wk_fail(err, sections->err.code, WK_NOWHERE, "%s", sections->err.text);
	if (wk_bytes_left(&info) == 0)
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE,
			       "it has no debug information (.debug_info)");
	wk_dwarf_file_list_units(dwarf->main);
	if (dwarf->main->unit_count == 0)
		return wk_fail(err, WK_ECORRUPT, WK_NOWHERE,
			       ".debug_info has %" PRIu64 " bytes and no unit in them",
			       (uint64_t)wk_bytes_left(&info));
	return true;
}

struct wk_dwarf *wk_dwarf_new(const struct wk_dwarf_input *input, struct wk_err *err)
{
	struct wk_dwarf *dwarf = wk_alloc_zeroed(1, sizeof(*dwarf));

	dwarf->input = *input;
	dwarf->block.least = input->obj->image_base;
	wk_dwarf_find_code(dwarf);
	if (!open_main(dwarf, err)) {
		wk_dwarf_free(dwarf);
		return NULL;
	}
	if (input->alternate) {
		dwarf->alternate = wk_dwarf_file_new(dwarf, input->alternate, false);
		wk_dwarf_file_list_units(dwarf->alternate);
		dwarf->main->alternate = dwarf->alternate;
	}
	if (input->package)
		dwarf->package = wk_dwarf_file_new(dwarf, input->package, true);
	return dwarf;
}

static void free_block(struct wk_dwarf_block *block)
{
	wk_code_maker_fini(&block->maker);
	WK_FREE_ALL(block->file_numbers, block->ranges.rows, block->intervals, block->stretches,
		    block->spans, block->covers, block->levels, block->later);
}

static void each_file(const struct wk_dwarf *dwarf, void (*take)(struct wk_dwarf_file *file))
{
	struct wk_dwarf_file *const files[] = { dwarf->main, dwarf->alternate, dwarf->package };

	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (files[i])
			take(files[i]);
	for (size_t i = 0; i < dwarf->split_count; i++)
		take(dwarf->split[i]);
}

void wk_dwarf_free(struct wk_dwarf *dwarf)
{
	if (!dwarf)
		return;
	each_file(dwarf, wk_dwarf_file_free);
	wk_free(dwarf->split);
	wk_map_fini(&dwarf->split_of);
	free_block(&dwarf->block);
	wk_dwarf_lines_fini(&dwarf->lines);
	wk_dwarf_lines_fini(&dwarf->shared_lines);
	WK_BUF_FINI_ALL(&dwarf->first_missing, &dwarf->missing);
	wk_free(dwarf);
}

/* Ranges of the units, while they are collected. */
struct ranges {
	struct wk_dwarf *dwarf;
	struct wk_code_range *rows;
	size_t count, cap;
	uint32_t unit;
	bool *is_silent; /* of each unit: its root says nothing */
};

/* The index counts as the image's tables do, from its base; debug information does not. */
static void add_range(struct ranges *r, uint64_t start, uint64_t end)
{
	uint64_t base = r->dwarf->input.obj->image_base;

	*WK_APPEND(r->rows, r->count, r->cap) =
		(struct wk_code_range){ start - base, end - base, r->unit };
}

/* From its root; false if that has no ranges. */
static bool add_by_root(struct ranges *r, struct wk_dwarf_unit *unit)
{
	struct wk_dwarf_ranges *told = &r->dwarf->block.ranges;

	told->count = 0;
	if (!wk_dwarf_unit_ranges(unit, told))
		return false;
	for (size_t i = 0; i < told->count; i++)
		add_range(r, told->rows[i].start, told->rows[i].end);
	return true;
}

static void add_arange(void *context, size_t unit, uint64_t start, uint64_t end)
{
	struct ranges *r = context;

	if (!r->is_silent[unit])
		return;
	r->unit = (uint32_t)unit;
	add_range(r, start, end);
}

/* By all that is in it. Units without code, as there are many, have no abbreviations for it. */
static void add_by_walk(struct ranges *r, struct wk_dwarf_unit *unit)
{
	const struct wk_dwarf_abbrevs *table = wk_dwarf_abbrevs_of(unit);
	struct wk_dwarf_block *block = &r->dwarf->block;

	if (!table || !table->has_code || unit->tag == DW_TAG_partial_unit)
		return;
	wk_dwarf_walk(unit, block, false, NULL);
	for (size_t i = 0; i < block->interval_count; i++)
		add_range(r, block->origin + wk_dwarf_start_of(&block->intervals[i]),
			  block->origin + wk_dwarf_end_of(&block->intervals[i]));
}

static void add_silent(struct ranges *r)
{
	struct wk_dwarf_file *file = r->dwarf->main;
	size_t count = r->count;

	wk_dwarf_each_arange(file, add_arange, r);
	for (; count < r->count; count++)
		r->is_silent[r->rows[count].unit] = false;
	for (size_t i = 0; i < file->unit_count; i++) {
		r->unit = (uint32_t)i;
		if (r->is_silent[i])
			add_by_walk(r, &file->units[i]);
	}
}

void wk_dwarf_fill(struct wk_dwarf *dwarf, struct wk_code_index *index)
{
	struct wk_dwarf_file *file = dwarf->main;
	struct ranges r = { .dwarf = dwarf };
	size_t silent = 0;

	r.is_silent = wk_alloc_zeroed(file->unit_count, sizeof(*r.is_silent));
	for (size_t i = 0; i < file->unit_count; i++) {
		r.unit = (uint32_t)i;
		if (!wk_dwarf_unit_read(&file->units[i]) || add_by_root(&r, &file->units[i]))
			continue;
		r.is_silent[i] = true;
		silent++;
	}
	if (silent > 0)
		add_silent(&r);
	wk_code_index_set_ranges(index, r.rows, r.count);
	WK_FREE_ALL(r.rows, r.is_silent);
}

static void forget_ids(struct wk_dwarf_file *file)
{
	wk_dwarf_memo_fini(&file->name_of);
	file->is_lent = false;
	file->text_budget = 0;
}

/* Cached ids belong to one index. */
static void use_index(struct wk_dwarf *dwarf, struct wk_code_index *index)
{
	if (dwarf->index == index)
		return;
	dwarf->index = index;
	dwarf->has_last_lines = false;
	dwarf->line_budget = 0;
	each_file(dwarf, forget_ids);
}

/* The lowest address of a row of code. */
static uint64_t lowest_row(const struct wk_dwarf *dwarf)
{
	const struct wk_dwarf_lines *lines = &dwarf->lines;
	uint64_t lowest = UINT64_MAX;

	for (size_t i = 0; i < lines->row_count; i++) {
		uint64_t address = lines->rows[i].address;

		if (address < lowest && wk_dwarf_is_code(dwarf, address))
			lowest = address;
	}
	return lowest;
}

static void add_block(struct wk_dwarf *dwarf, uint32_t unit, struct wk_code_index *index)
{
	struct wk_dwarf_block *b = &dwarf->block;
	struct wk_code_block block = { .base = b->has_origin ? b->origin : lowest_row(dwarf) };

	wk_dwarf_order_spans(b, dwarf->lines.row_count);
	wk_dwarf_make_lines(dwarf, b, block.base);
	block.base -= dwarf->input.obj->image_base;
	block.spans = b->ordered;
	block.span_count = (uint32_t)b->span_count;
	block.lines = b->lines;
	block.line_count = (uint32_t)b->line_count;
	if (b->span_count == 0 && b->line_count == 0)
		wk_code_index_add_empty(index, unit);
	else
		wk_code_index_add(index, unit, &b->maker, &block);
}

bool wk_dwarf_load(struct wk_dwarf *dwarf, uint32_t number, struct wk_code_index *index,
		   struct wk_err *err)
{
	struct wk_dwarf_unit *unit, *body;
	struct wk_err fault = { 0 };

	use_index(dwarf, index);
	if (number >= dwarf->main->unit_count)
		return wk_fail(err, WK_ENOTFOUND, WK_NOWHERE, "there is no unit %" PRIu32, number);
	unit = &dwarf->main->units[number];
	if (!wk_dwarf_unit_read(unit)) {
		dwarf->has_fault = true;
		wk_code_index_add_empty(index, number);
		return wk_fail(err, WK_ECORRUPT, unit->offset, "the unit cannot be read");
	}
	body = wk_dwarf_split_unit(unit);
	if (!body)
		body = unit;
	wk_dwarf_read_lines(unit);
	if (!wk_dwarf_walk(body, &dwarf->block, true, &fault) && dwarf->lines.row_count == 0) {
		wk_code_index_add_empty(index, number);
		dwarf->has_fault = true;
		return wk_fail(err, fault.code, fault.offset, "%s", fault.text);
	}
	dwarf->has_fault |= fault.code != WK_OK;
	add_block(dwarf, number, index);
	return true;
}

static bool is_unpacked(const struct wk_dwarf_file *file)
{
	return !file || file->sections.err.code == WK_OK;
}

bool wk_dwarf_is_sound(const struct wk_dwarf *dwarf)
{
	bool ok = !dwarf->has_fault && is_unpacked(dwarf->main) && is_unpacked(dwarf->alternate) &&
		  is_unpacked(dwarf->package);

	for (size_t i = 0; i < dwarf->split_count && ok; i++)
		ok = is_unpacked(dwarf->split[i]);
	return ok;
}
