/* Forms: how the values of attributes are stored, and what they refer to. */
#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/internal.h"

/* Forms of GNU and LLVM by short numbers. */
enum {
	SHORT_GNU_addr_index = 0x81,
	SHORT_GNU_str_index = 0x82,
	SHORT_GNU_ref_alt = 0xa0,
	SHORT_GNU_strp_alt = 0xa1,
	SHORT_LLVM_addrx_offset = 0xb1,
};

uint8_t wk_dwarf_short_form(uint64_t form)
{
	switch (form) {
	case DW_FORM_GNU_addr_index:
		return SHORT_GNU_addr_index;
	case DW_FORM_GNU_str_index:
		return SHORT_GNU_str_index;
	case DW_FORM_GNU_ref_alt:
		return SHORT_GNU_ref_alt;
	case DW_FORM_GNU_strp_alt:
		return SHORT_GNU_strp_alt;
	case DW_FORM_LLVM_addrx_offset:
		return SHORT_LLVM_addrx_offset;
	default:
		return form <= DW_FORM_addrx4 && form != 2 ? (uint8_t)form : 0;
	}
}

bool wk_dwarf_is_text_index(uint8_t form)
{
	return form == DW_FORM_strx || (form >= DW_FORM_strx1 && form <= DW_FORM_strx4) ||
	       form == SHORT_GNU_str_index;
}

/* Sizes that depend on the unit. */
enum {
	SIZE_ADDRESS = 0xe0,
	SIZE_OFFSET,
	SIZE_REF_ADDR,
};

static const uint8_t sizes[UINT8_MAX + 1] = {
	[DW_FORM_data1] = 1, [DW_FORM_flag] = 1, [DW_FORM_ref1] = 1,
	[DW_FORM_strx1] = 1, [DW_FORM_addrx1] = 1,
	[DW_FORM_data2] = 2, [DW_FORM_ref2] = 2, [DW_FORM_strx2] = 2, [DW_FORM_addrx2] = 2,
	[DW_FORM_strx3] = 3, [DW_FORM_addrx3] = 3,
	[DW_FORM_data4] = 4, [DW_FORM_ref4] = 4, [DW_FORM_ref_sup4] = 4,
	[DW_FORM_strx4] = 4, [DW_FORM_addrx4] = 4,
	[DW_FORM_data8] = 8, [DW_FORM_ref8] = 8, [DW_FORM_ref_sup8] = 8, [DW_FORM_ref_sig8] = 8,
	[DW_FORM_data16] = 16,
	[DW_FORM_addr] = SIZE_ADDRESS,
	[DW_FORM_ref_addr] = SIZE_REF_ADDR,
	[DW_FORM_strp] = SIZE_OFFSET, [DW_FORM_line_strp] = SIZE_OFFSET,
	[DW_FORM_strp_sup] = SIZE_OFFSET, [DW_FORM_sec_offset] = SIZE_OFFSET,
	[SHORT_GNU_ref_alt] = SIZE_OFFSET, [SHORT_GNU_strp_alt] = SIZE_OFFSET,
	[DW_FORM_sdata] = SIZE_ULEB, [DW_FORM_udata] = SIZE_ULEB, [DW_FORM_ref_udata] = SIZE_ULEB,
	[DW_FORM_strx] = SIZE_ULEB, [DW_FORM_addrx] = SIZE_ULEB,
	[DW_FORM_loclistx] = SIZE_ULEB, [DW_FORM_rnglistx] = SIZE_ULEB,
	[SHORT_GNU_addr_index] = SIZE_ULEB, [SHORT_GNU_str_index] = SIZE_ULEB,
	[DW_FORM_block] = SIZE_BLOCK, [DW_FORM_exprloc] = SIZE_BLOCK,
	[DW_FORM_string] = SIZE_TEXT,
};

uint8_t wk_dwarf_form_size(uint8_t form, struct wk_dwarf_shape shape)
{
	uint8_t size = sizes[form];

	switch (size) {
	case 0:
		return form == DW_FORM_flag_present || form == DW_FORM_implicit_const ? 0
										      : SIZE_OTHER;
	case SIZE_ADDRESS:
		return shape.address_size;
	case SIZE_OFFSET:
		return shape.offset_size;
	case SIZE_REF_ADDR:
		return shape.version <= 2 ? shape.address_size : shape.offset_size;
	default:
		return size;
	}
}

static uint32_t form_bytes(uint8_t form, struct wk_dwarf_shape shape)
{
	uint8_t size = wk_dwarf_form_size(form, shape);

	return size < SIZE_ULEB ? size : VARYING;
}

uint64_t wk_dwarf_read_fixed(struct wk_bytes *in, uint32_t bytes)
{
	uint64_t first;

	switch (bytes) {
	case 0:
		return 0;
	case 1:
		return wk_u8(in);
	case 2:
		return wk_u16(in);
	case 3:
		first = in->big_endian ? (uint64_t)wk_u16(in) << 8 : wk_u16(in);
		return in->big_endian ? first | wk_u8(in) : first | (uint64_t)wk_u8(in) << 16;
	case 4:
		return wk_u32(in);
	case 8:
		return wk_u64(in);
	default:
		wk_bytes_skip(in, bytes);
		return 0;
	}
}

static uint64_t read_varying(struct wk_bytes *in, uint8_t form)
{
	uint64_t value;

	switch (form) {
	case DW_FORM_block1:
		wk_bytes_skip(in, wk_u8(in));
		return 0;
	case DW_FORM_block2:
		wk_bytes_skip(in, wk_u16(in));
		return 0;
	case DW_FORM_block4:
		wk_bytes_skip(in, wk_u32(in));
		return 0;
	case DW_FORM_block:
	case DW_FORM_exprloc:
		wk_bytes_skip(in, wk_uleb(in));
		return 0;
	case DW_FORM_string:
		value = wk_bytes_offset(in);
		wk_bytes_text(in);
		return value;
	case DW_FORM_sdata:
		return (uint64_t)wk_sleb(in);
	case SHORT_LLVM_addrx_offset:
		value = (uint32_t)wk_uleb(in);
		return value | (uint64_t)wk_u32(in) << 32;
	default:
		return wk_uleb(in);
	}
}

bool wk_dwarf_read_value(struct wk_bytes *in, struct wk_dwarf_shape shape, uint8_t form,
			 struct wk_dwarf_value *value)
{
	uint32_t bytes;

	/* Each iteration reads a byte. */
	while (form == DW_FORM_indirect && !in->bad)
		form = wk_dwarf_short_form(wk_uleb(in));
	if (form == 0 || form == DW_FORM_indirect)
		return false;
	bytes = form_bytes(form, shape);
	value->form = form;
	value->value = bytes != VARYING ? wk_dwarf_read_fixed(in, bytes) : read_varying(in, form);
	return true;
}

bool wk_dwarf_offset_at(const struct wk_dwarf_unit *unit, enum wk_dwarf_section which,
			uint64_t base, uint64_t index, uint64_t *offset)
{
	struct wk_bytes table = wk_dwarf_section(&unit->file->sections, which);
	uint8_t size = unit->shape.offset_size;
	struct wk_bytes in;

	if (index > UINT32_MAX || base > UINT64_MAX - index * size)
		return false;
	in = wk_bytes_at(&table, base + index * size, size);
	*offset = wk_dwarf_read_fixed(&in, size);
	return !in.bad;
}

bool wk_dwarf_address_at(const struct wk_dwarf_unit *unit, uint64_t index, uint64_t *address)
{
	const struct wk_dwarf_unit *holder = unit->skeleton ? unit->skeleton : unit;
	struct wk_bytes table = wk_dwarf_section(&holder->file->sections, WK_DWARF_ADDR);
	uint8_t size = holder->shape.address_size;
	struct wk_bytes in;

	if (index > UINT32_MAX || holder->addr_base > UINT64_MAX - index * size)
		return false;
	in = wk_bytes_at(&table, holder->addr_base + index * size, size);
	*address = wk_dwarf_read_fixed(&in, size);
	return !in.bad;
}

bool wk_dwarf_address(const struct wk_dwarf_unit *unit, struct wk_dwarf_value value,
		      uint64_t *address)
{
	switch (value.form) {
	case DW_FORM_addr:
		*address = value.value;
		return true;
	case DW_FORM_addrx:
	case DW_FORM_addrx1:
	case DW_FORM_addrx2:
	case DW_FORM_addrx3:
	case DW_FORM_addrx4:
	case SHORT_GNU_addr_index:
		return wk_dwarf_address_at(unit, value.value, address);
	case SHORT_LLVM_addrx_offset:
		if (!wk_dwarf_address_at(unit, (uint32_t)value.value, address))
			return false;
		*address += value.value >> 32;
		return true;
	default:
		return false;
	}
}

/* The file that dwz wrote, if it is available. */
static struct wk_dwarf_file *alternate_of(const struct wk_dwarf_unit *unit)
{
	if (!unit->file->alternate)
		wk_dwarf_misses(unit->file->dwarf, &unit->file->dwarf->misses_alternate);
	return unit->file->alternate;
}

/* The file and section that a form of text points into, and where. */
static struct wk_dwarf_file *text_place(struct wk_dwarf_unit *unit, struct wk_dwarf_value value,
					enum wk_dwarf_section *which, uint64_t *offset)
{
	*which = WK_DWARF_STR;
	*offset = value.value;
	switch (value.form) {
	case DW_FORM_string:
		*which = WK_DWARF_INFO;
		return unit->file;
	case DW_FORM_strp:
		return unit->file;
	case DW_FORM_line_strp:
		*which = WK_DWARF_LINE_STR;
		return unit->file;
	case DW_FORM_strp_sup:
	case SHORT_GNU_strp_alt:
		return alternate_of(unit);
	default:
		return wk_dwarf_is_text_index(value.form) &&
				       wk_dwarf_offset_at(unit, WK_DWARF_STR_OFFSETS,
							  unit->str_offsets_base, value.value,
							  offset)
			       ? unit->file
			       : NULL;
	}
}

struct wk_dwarf_text wk_dwarf_text_of(struct wk_dwarf_unit *unit, struct wk_dwarf_value value)
{
	struct wk_dwarf_text text = { 0 };

	text.file = text_place(unit, value, &text.section, &text.offset);
	return text;
}

struct wk_str wk_dwarf_text_read(struct wk_dwarf_text text, size_t limit)
{
	struct wk_bytes bytes;

	if (!text.file)
		return wk_str_c("");
	bytes = wk_dwarf_section(&text.file->sections, text.section);
	return wk_obj_text(&bytes, text.offset, limit);
}

/* Counted from the unit's header. */
static bool is_within_unit(uint8_t form)
{
	return form == DW_FORM_ref1 || form == DW_FORM_ref2 || form == DW_FORM_ref4 ||
	       form == DW_FORM_ref8 || form == DW_FORM_ref_udata;
}

struct wk_dwarf_unit *wk_dwarf_referred(struct wk_dwarf_unit *unit, struct wk_dwarf_value value,
					uint64_t *offset)
{
	struct wk_dwarf_file *file = unit->file;

	if (is_within_unit(value.form))
		return wk_dwarf_referred_here(unit, value.value, offset);
	*offset = value.value;
	switch (value.form) {
	case DW_FORM_ref_addr:
		break;
	case DW_FORM_ref_sup4:
	case DW_FORM_ref_sup8:
	case SHORT_GNU_ref_alt:
		file = alternate_of(unit);
		break;
	default:
		return NULL;
	}
	return file ? wk_dwarf_unit_of(file, *offset) : NULL;
}
