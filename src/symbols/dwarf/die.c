/* Entries (DIEs) read or passed over by the programs of their abbreviations. */
#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/internal.h"

/* The value of an op in the sizes that nearly all have. */
static inline bool read_op(const struct wk_dwarf_op *op, struct wk_dwarf_shape shape,
			   struct wk_bytes *in, struct wk_dwarf_value *value)
{
	value->form = op->form;
	switch (op->size) {
	case 0:
		value->value = (uint64_t)(int64_t)op->constant;
		return true;
	case 1:
		value->value = wk_u8(in);
		return true;
	case 2:
		value->value = wk_u16(in);
		return true;
	case 4:
		value->value = wk_u32(in);
		return true;
	case 8:
		value->value = wk_u64(in);
		return true;
	default:
		return wk_dwarf_read_value(in, shape, op->form, value);
	}
}

/* False if the number has more bytes than any value needs. */
static inline bool read_number(const uint8_t **at, uint64_t *value)
{
	*value = *(*at)++;
	if (*value < 0x80)
		return true;
	*value &= 0x7f;
	for (unsigned shift = 7; shift < 7 * NUMBER_BYTES; shift += 7) {
		uint8_t byte = *(*at)++;

		*value |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80)
			return true;
	}
	return false;
}

/* All that the entry can have is there. False if it is not so plain after all. */
static bool read_plain(const struct wk_dwarf_op *op, const struct wk_dwarf_abbrev *abbrev,
		       struct wk_bytes *in, struct wk_dwarf_die *die)
{
	const struct wk_dwarf_op *end = op + abbrev->op_count;
	const uint8_t *at = in->at;

	for (; op < end; op++) {
		struct wk_dwarf_value *value = &die->values[op->what];

		at += op->before;
		value->form = op->form;
		if (op->size - 1u < WORD_BYTES) {
			value->value = wk_dwarf_first_bytes(at, op->size);
			at += op->size;
		} else if (op->size == 0) {
			value->value = (uint64_t)(int64_t)op->constant;
		} else if (!read_number(&at, &value->value)) {
			return false;
		}
	}
	in->at = at + abbrev->tail;
	die->has = abbrev->has;
	return true;
}

bool wk_dwarf_read_die(struct wk_dwarf_shape shape, const struct wk_dwarf_abbrevs *table,
		       const struct wk_dwarf_abbrev *abbrev, struct wk_bytes *in,
		       struct wk_dwarf_die *die)
{
	const struct wk_dwarf_op *op = table->ops + abbrev->first_op;

	die->abbrev = abbrev;
	die->has = 0;
	if (abbrev->role == ROLE_UNKNOWN)
		return false;
	if (abbrev->most != VARYING && wk_bytes_left(in) >= abbrev->most && !in->big_endian &&
	    !in->bad && read_plain(op, abbrev, in, die))
		return true;
	for (uint32_t i = 0; i < abbrev->op_count; i++, op++) {
		wk_bytes_skip(in, op->before);
		if (!read_op(op, shape, in, &die->values[op->what]))
			return false;
		die->has |= 1u << op->what;
	}
	wk_bytes_skip(in, abbrev->tail);
	return !in->bad;
}

/* The position of the sibling in .debug_info, or 0. */
static uint64_t sibling_of(const struct wk_dwarf_unit *unit, struct wk_dwarf_value value)
{
	if (value.form == DW_FORM_ref_addr)
		return value.value;
	return value.value < unit->end - unit->offset ? unit->offset + value.value : 0;
}

/* Texts within entries are at most as long as an offset, so mostly short. */
static void pass_text(struct wk_bytes *in)
{
	const uint8_t *at = in->at, *near = in->end - at > 8 ? at + 8 : in->end;

	while (at < near)
		if (*at++ == 0) {
			in->at = at;
			return;
		}
	wk_bytes_text(in);
}

static void pass_number(struct wk_bytes *in)
{
	while (in->at < in->end)
		if (*in->at++ < 0x80)
			return;
	in->bad = true;
}

static bool pass_op(const struct wk_dwarf_op *op, const struct wk_dwarf_unit *unit,
		    struct wk_bytes *in, uint64_t *sibling)
{
	struct wk_dwarf_value value;

	if (op->what == WHAT_SIBLING) {
		if (!wk_dwarf_read_value(in, unit->shape, op->form, &value))
			return false;
		*sibling = sibling_of(unit, value);
		return true;
	}
	switch (op->size) {
	case SIZE_ULEB:
		pass_number(in);
		return true;
	case SIZE_BLOCK:
		wk_bytes_skip(in, wk_dwarf_code(in));
		return true;
	case SIZE_TEXT:
		pass_text(in);
		return true;
	case SIZE_OTHER:
		return wk_dwarf_read_value(in, unit->shape, op->form, &value);
	default:
		wk_bytes_skip(in, op->size);
		return true;
	}
}

bool wk_dwarf_pass_varying(const struct wk_dwarf_unit *unit, const struct wk_dwarf_abbrevs *table,
			   const struct wk_dwarf_abbrev *abbrev, struct wk_bytes *in,
			   uint64_t *sibling)
{
	const struct wk_dwarf_op *op = table->ops + abbrev->first_op;

	for (uint32_t i = 0; i < abbrev->op_count; i++, op++) {
		wk_bytes_skip(in, op->before);
		if (!pass_op(op, unit, in, sibling))
			return false;
	}
	wk_bytes_skip(in, abbrev->tail);
	return !in->bad;
}

const struct wk_dwarf_abbrev *wk_dwarf_abbrev_at(struct wk_dwarf_unit *unit, uint64_t offset,
						 struct wk_bytes *in)
{
	struct wk_bytes section = wk_dwarf_section(&unit->file->sections, WK_DWARF_INFO);
	const struct wk_dwarf_abbrevs *table = wk_dwarf_abbrevs_of(unit);

	if (!table || offset < unit->die || offset >= unit->end)
		return NULL;
	*in = wk_bytes_at(&section, offset, unit->end - offset);
	return wk_dwarf_abbrev(table, wk_dwarf_code(in));
}

bool wk_dwarf_die_at(struct wk_dwarf_unit *unit, uint64_t offset, struct wk_dwarf_die *die)
{
	struct wk_bytes in;
	const struct wk_dwarf_abbrev *abbrev = wk_dwarf_abbrev_at(unit, offset, &in);

	return abbrev &&
	       wk_dwarf_read_die(unit->shape, wk_dwarf_abbrevs_of(unit), abbrev, &in, die);
}
