/* Split units: .dwo files, and packages of them (.dwp). */
#include "base/mem.h"
#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/internal.h"

#define MOST_COLUMNS 64

/* The index of a package: which parts of its sections belong to which unit. */
struct parts {
	struct wk_bytes ids, rows, columns, offsets;
	uint32_t column_count, unit_count, slot_count;
	bool is_new; /* the layout of DWARF 5 */
};

static bool read_parts(struct wk_bytes in, struct parts *parts)
{
	struct wk_bytes first = in;
	uint32_t version = wk_u32(&in);

	parts->is_new = wk_u16(&first) == 5;
	parts->column_count = wk_u32(&in);
	parts->unit_count = wk_u32(&in);
	parts->slot_count = wk_u32(&in);
	if ((version != 2 && !parts->is_new) || parts->column_count > MOST_COLUMNS)
		return false;
	parts->ids = wk_bytes_slice(&in, (uint64_t)parts->slot_count * 8);
	parts->rows = wk_bytes_slice(&in, (uint64_t)parts->slot_count * 4);
	parts->columns = wk_bytes_slice(&in, (uint64_t)parts->column_count * 4);
	parts->offsets = wk_bytes_slice(&in, (uint64_t)parts->unit_count * parts->column_count * 4);
	return !in.bad;
}

/* A cell of the table of offsets; `row` counts from 1. */
static uint64_t offset_in(const struct parts *parts, uint32_t row, uint32_t section, bool *is_there)
{
	struct wk_bytes columns = parts->columns, offsets = parts->offsets;

	*is_there = false;
	for (uint32_t i = 0; i < parts->column_count; i++) {
		if (wk_u32(&columns) != section)
			continue;
		wk_bytes_skip(&offsets, ((uint64_t)(row - 1) * parts->column_count + i) * 4);
		*is_there = true;
		return wk_u32(&offsets);
	}
	return 0;
}

/* The unit's offsets count from the parts that it has of the package's sections. */
static void set_part(struct wk_dwarf_unit *unit, const struct parts *parts, uint32_t row)
{
	bool is_there;

	unit->has_part = true;
	unit->abbrev_offset += offset_in(parts, row, DW_SECT_ABBREV, &is_there);
	unit->str_offsets_base = offset_in(parts, row, DW_SECT_STR_OFFSETS, &is_there);
	unit->line_offset = offset_in(parts, row, DW_SECT_LINE, &is_there);
	if (parts->is_new)
		unit->rnglists_base = offset_in(parts, row, DW_SECT_RNGLISTS, &is_there);
}

static void learn_package(struct wk_dwarf_file *file)
{
	struct parts parts = { 0 };
	bool is_there;

	if (!read_parts(wk_dwarf_section(&file->sections, WK_DWARF_CU_INDEX), &parts))
		return;
	for (uint32_t slot = 0; slot < parts.slot_count; slot++) {
		uint64_t id = wk_u64(&parts.ids);
		uint32_t row = wk_u32(&parts.rows);
		struct wk_dwarf_unit *unit;
		uint64_t offset;

		if (row == 0 || row > parts.unit_count)
			continue;
		offset = offset_in(&parts, row, DW_SECT_INFO, &is_there);
		unit = is_there ? wk_dwarf_unit_around(file, offset) : NULL;
		if (!unit || unit->offset != offset || unit->has_part)
			continue;
		set_part(unit, &parts, row);
		wk_map_set(&file->unit_by_id, id, (uint32_t)(unit - file->units) + 1);
	}
}

static void learn_units(struct wk_dwarf_file *file)
{
	for (size_t i = 0; i < file->unit_count; i++) {
		struct wk_dwarf_unit *unit = &file->units[i];

		if (!unit->has_id)
			wk_dwarf_unit_read(unit);
		if (unit->has_id)
			wk_map_set(&file->unit_by_id, unit->id, (uint32_t)i + 1);
	}
}

static struct wk_dwarf_unit *unit_by_id(struct wk_dwarf_file *file, uint64_t id)
{
	uint32_t found;

	if (!file->has_ids) {
		wk_dwarf_file_list_units(file);
		if (file == file->dwarf->package)
			learn_package(file);
		else
			learn_units(file);
		file->has_ids = true;
	}
	found = wk_map_find(&file->unit_by_id, id);
	return found ? &file->units[found - 1] : NULL;
}

static struct wk_str text_of(struct wk_dwarf_unit *unit, struct wk_dwarf_value value)
{
	return wk_dwarf_text_read(wk_dwarf_text_of(unit, value), 4096);
}

static struct wk_dwarf_file *file_of_elf(struct wk_dwarf *dwarf, const struct wk_obj *obj)
{
	uint32_t *at = wk_map_at(&dwarf->split_of, (uintptr_t)obj);

	if (*at)
		return dwarf->split[*at - 1];
	WK_RESERVE(dwarf->split, dwarf->split_cap, dwarf->split_count + 1);
	dwarf->split[dwarf->split_count] = wk_dwarf_file_new(dwarf, obj, true);
	*at = (uint32_t)++dwarf->split_count;
	return dwarf->split[*at - 1];
}

static struct wk_dwarf_unit *open_split(struct wk_dwarf_unit *skeleton)
{
	struct wk_dwarf *dwarf = skeleton->file->dwarf;
	const struct wk_dwarf_input *input = &dwarf->input;
	const struct wk_obj *obj;

	if (!input->open_split)
		return NULL;
	obj = input->open_split(input->context, text_of(skeleton, skeleton->directory),
				text_of(skeleton, skeleton->split_name), skeleton->id);
	return obj ? unit_by_id(file_of_elf(dwarf, obj), skeleton->id) : NULL;
}

struct wk_dwarf_unit *wk_dwarf_split_unit(struct wk_dwarf_unit *skeleton)
{
	struct wk_dwarf *dwarf = skeleton->file->dwarf;
	struct wk_dwarf_unit *split = skeleton->split;

	if (!skeleton->is_split_tried && skeleton->split_name.form && skeleton->has_id) {
		skeleton->is_split_tried = true;
		split = dwarf->package ? unit_by_id(dwarf->package, skeleton->id) : NULL;
		if (!split)
			split = open_split(skeleton);
		if (!split)
			wk_dwarf_misses_split(dwarf, text_of(skeleton, skeleton->directory),
					      text_of(skeleton, skeleton->split_name));
		skeleton->split = split;
	}
	if (!split || !wk_dwarf_unit_read(split))
		return NULL;
	/* A damaged file may have two skeletons of one unit. */
	split->skeleton = skeleton;
	split->low_pc = skeleton->low_pc;
	return split;
}
