/* Units: their headers, and what their roots say. */
#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"
#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/internal.h"

struct wk_dwarf_file *wk_dwarf_file_new(struct wk_dwarf *dwarf, const struct wk_obj *obj,
					bool is_split)
{
	struct wk_dwarf_file *file = wk_alloc_zeroed(1, sizeof(*file));

	file->dwarf = dwarf;
	wk_dwarf_sections_init(&file->sections, obj, is_split);
	return file;
}

void wk_dwarf_file_free(struct wk_dwarf_file *file)
{
	if (!file)
		return;
	for (size_t i = 0; i < file->unit_count; i++)
		wk_dwarf_forget_scopes(&file->units[i]);
	for (size_t i = 0; i < file->table_count; i++) {
		wk_dwarf_abbrevs_fini(file->tables[i]);
		wk_free(file->tables[i]);
	}
	WK_FREE_ALL(file->units, file->tables);
	wk_map_fini(&file->table_at);
	wk_dwarf_memo_fini(&file->name_of);
	wk_map_fini(&file->unit_by_id);
	wk_dwarf_sections_fini(&file->sections);
	wk_free(file);
}

/* What follows the length and the version. */
static void read_header(struct wk_bytes *in, struct wk_dwarf_unit *unit)
{
	struct wk_dwarf_shape *shape = &unit->shape;

	if (shape->version < 5) {
		unit->type = DW_UT_compile;
		unit->abbrev_offset = wk_dwarf_read_fixed(in, shape->offset_size);
		shape->address_size = wk_u8(in);
		return;
	}
	unit->type = wk_u8(in);
	shape->address_size = wk_u8(in);
	unit->abbrev_offset = wk_dwarf_read_fixed(in, shape->offset_size);
	if (unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile) {
		unit->id = wk_u64(in);
		unit->has_id = true;
	}
}

/* Type units contain nothing of interest, and are referenced only by signature. Units of unknown
 * versions and types cannot be read. */
static bool is_of_use(const struct wk_dwarf_unit *unit)
{
	uint8_t size = unit->shape.address_size;

	if (size != 2 && size != 4 && size != 8)
		return false;
	return unit->type == DW_UT_compile || unit->type == DW_UT_partial ||
	       unit->type == DW_UT_skeleton || unit->type == DW_UT_split_compile;
}

/* False at the section's end. A unit that claims to be longer ends with it. */
static bool list_unit(struct wk_dwarf_file *file, struct wk_bytes *section)
{
	struct wk_dwarf_unit unit = { .file = file, .offset = wk_bytes_offset(section) };
	struct wk_bytes body;
	uint64_t length;
	uint16_t version;

	if (wk_bytes_left(section) < 4)
		return false;
	length = wk_dwarf_read_length(section, &unit.shape.offset_size);
	if (length > wk_bytes_left(section))
		length = wk_bytes_left(section);
	body = wk_bytes_slice(section, length);
	if (length == 0)
		return true;
	unit.end = wk_bytes_offset(section);
	version = wk_u16(&body);
	unit.shape.version = version <= 5 ? (uint8_t)version : 0;
	if (version >= 2 && version <= 5)
		read_header(&body, &unit);
	unit.die = wk_bytes_offset(&body);
	/* Shorter than a header: its row would be many times its size. */
	if (body.bad) {
		file->dwarf->has_fault = true;
		return true;
	}
	unit.is_broken = !is_of_use(&unit);
	if (file->unit_count == UINT32_MAX - 1)
		return false;
	*WK_APPEND(file->units, file->unit_count, file->unit_cap) = unit;
	return true;
}

void wk_dwarf_file_list_units(struct wk_dwarf_file *file)
{
	struct wk_bytes section = wk_dwarf_section(&file->sections, WK_DWARF_INFO);

	while (list_unit(file, &section))
		continue;
}

/* The root entry. Its table is decoded only if another unit uses the same. */
static bool read_root(struct wk_dwarf_unit *unit, struct wk_dwarf_die *die)
{
	struct wk_bytes section = wk_dwarf_section(&unit->file->sections, WK_DWARF_INFO);
	struct wk_bytes in = wk_bytes_at(&section, unit->die, unit->end - unit->die);
	bool is_shared = unit->file->last_scanned == unit->abbrev_offset + 1;
	struct wk_dwarf_abbrevs one = { 0 };
	uint64_t code = wk_uleb(&in);
	bool ok;

	if (unit->abbrevs || is_shared)
		return wk_dwarf_die_at(unit, unit->die, die);
	unit->file->last_scanned = unit->abbrev_offset + 1;
	ok = code && wk_dwarf_scan_abbrev(unit, code, &one) &&
	     wk_dwarf_read_die(unit->shape, &one, &one.rows[1], &in, die);
	if (ok)
		unit->tag = one.rows[1].tag;
	wk_dwarf_abbrevs_fini(&one);
	return ok;
}

static uint64_t value_or(const struct wk_dwarf_die *die, enum wk_dwarf_what what, uint64_t other)
{
	return wk_dwarf_has(die, what) ? die->values[what].value : other;
}

/* By default, tables begin after the header of the section, or of the unit's part of it in a
 * package. Before DWARF 5 they had none. */
static void read_bases(struct wk_dwarf_unit *unit, const struct wk_dwarf_die *die)
{
	bool has_headers = unit->shape.version >= 5;
	uint64_t header = !has_headers ? 0 : unit->shape.offset_size == 8 ? 16 : 8;
	uint64_t list_header = has_headers ? header + 4 : 0;

	unit->str_offsets_base =
		value_or(die, WHAT_STR_OFFSETS_BASE, unit->str_offsets_base + header);
	unit->addr_base = value_or(die, WHAT_ADDR_BASE, header);
	unit->rnglists_base = value_or(die, WHAT_RNGLISTS_BASE, unit->rnglists_base + list_header);
	unit->gnu_ranges_base = value_or(die, WHAT_GNU_RANGES_BASE, 0);
}

static void parse_root(struct wk_dwarf_unit *unit, const struct wk_dwarf_die *die)
{
	read_bases(unit, die);
	unit->name = wk_dwarf_value_of(die, WHAT_NAME);
	unit->directory = wk_dwarf_value_of(die, WHAT_DIRECTORY);
	unit->split_name = wk_dwarf_value_of(die, WHAT_SPLIT_NAME);
	unit->low = wk_dwarf_value_of(die, WHAT_LOW_PC);
	unit->high = wk_dwarf_value_of(die, WHAT_HIGH_PC);
	unit->ranges = wk_dwarf_value_of(die, WHAT_RANGES);
	unit->language = (uint16_t)value_or(die, WHAT_LANGUAGE, 0);
	unit->has_lines = wk_dwarf_has(die, WHAT_STMT_LIST);
	/* A package's part of .debug_line was set before. */
	unit->line_offset += value_or(die, WHAT_STMT_LIST, 0);
	if (wk_dwarf_has(die, WHAT_SPLIT_ID)) {
		unit->id = die->values[WHAT_SPLIT_ID].value;
		unit->has_id = true;
	}
	if (!wk_dwarf_address(unit, unit->low, &unit->low_pc))
		unit->low_pc = 0;
}

bool wk_dwarf_unit_read(struct wk_dwarf_unit *unit)
{
	struct wk_dwarf_die die;

	if (unit->is_read || unit->is_broken)
		return !unit->is_broken;
	unit->is_read = true;
	if (!read_root(unit, &die)) {
		unit->is_broken = true;
		return false;
	}
	parse_root(unit, &die);
	return true;
}

struct wk_dwarf_unit *wk_dwarf_unit_around(struct wk_dwarf_file *file, uint64_t offset)
{
	/* Those that end in front of it. */
	size_t count = wk_sorted_up_to(file->units, file->unit_count, sizeof(*file->units),
				       offsetof(struct wk_dwarf_unit, end), offset);

	if (count == file->unit_count || file->units[count].offset > offset)
		return NULL;
	return &file->units[count];
}

struct wk_dwarf_unit *wk_dwarf_unit_of(struct wk_dwarf_file *file, uint64_t offset)
{
	struct wk_dwarf_unit *unit = wk_dwarf_unit_around(file, offset);

	if (!unit || offset < unit->die || !wk_dwarf_unit_read(unit))
		return NULL;
	return unit;
}
