/* .debug_aranges: the address ranges of units whose root does not contain them. */
#include "symbols/dwarf/internal.h"

struct set {
	struct wk_bytes bytes;
	uint64_t unit_offset;
	uint8_t address_size;
};

/* The next set of pairs; false at the section's end. A set that makes no sense is empty. */
static bool next_set(struct wk_bytes *section, struct set *set)
{
	uint64_t start = wk_bytes_offset(section), header;
	struct wk_bytes *in = &set->bytes;
	uint8_t segment_size, offset_size;
	uint64_t length = wk_dwarf_read_length(section, &offset_size);
	uint16_t version;

	*in = wk_bytes_slice(section, length);
	if (section->bad)
		return false;
	version = wk_u16(in);
	set->unit_offset = wk_dwarf_read_fixed(in, offset_size);
	set->address_size = wk_u8(in);
	segment_size = wk_u8(in);
	if (version != 2 || segment_size != 0 || (set->address_size != 4 && set->address_size != 8))
		in->at = in->end;
	/* The pairs begin at a multiple of their size, counted from the set's begin. */
	header = wk_bytes_offset(in) - start;
	wk_bytes_skip(in, -header & (2u * set->address_size - 1));
	return true;
}

void wk_dwarf_each_arange(struct wk_dwarf_file *file,
			  void (*take)(void *context, size_t unit, uint64_t start, uint64_t end),
			  void *context)
{
	struct wk_bytes section = wk_dwarf_section(&file->sections, WK_DWARF_ARANGES);
	struct set set;

	while (wk_bytes_left(&section) > 0 && next_set(&section, &set)) {
		struct wk_dwarf_unit *unit = wk_dwarf_unit_around(file, set.unit_offset);

		while (unit && unit->offset == set.unit_offset) {
			uint64_t start = wk_dwarf_read_fixed(&set.bytes, set.address_size);
			uint64_t size = wk_dwarf_read_fixed(&set.bytes, set.address_size);

			if (set.bytes.bad)
				break;
			if (size && size <= UINT64_MAX - start &&
			    wk_dwarf_is_code(file->dwarf, start))
				take(context, (size_t)(unit - file->units), start, start + size);
		}
	}
}
