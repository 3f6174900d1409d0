/* Entries (DIEs) read or passed over by the programs of their abbreviations. */
#include "symbols/dwarf_constants.h"
#include "symbols/dwarf_internal.h"

bool wk_dwarf_read_die(struct wk_dwarf_shape shape, const struct wk_dwarf_abbrevs *table,
		       const struct wk_dwarf_abbrev *abbrev, struct wk_bytes *in,
		       struct wk_dwarf_die *die)
{
	const struct wk_dwarf_op *op = table->ops + abbrev->first_op;

	die->abbrev = abbrev;
	die->has = 0;
	if (abbrev->role == ROLE_UNKNOWN)
		return false;
	for (uint32_t i = 0; i < abbrev->op_count; i++, op++) {
		struct wk_dwarf_value *value = &die->values[op->what];

		wk_bytes_skip(in, op->before);
		if (!wk_dwarf_read_value(in, shape, op->form, value))
			return false;
		if (op->form == DW_FORM_implicit_const)
			value->value = (uint64_t)(int64_t)op->constant;
		die->has |= 1u << op->what;
	}
	wk_bytes_skip(in, abbrev->tail);
	return !in->bad;
}

/* Where the sibling is, in .debug_info, or 0. */
static uint64_t sibling_of(const struct wk_dwarf_unit *unit, struct wk_dwarf_value value)
{
	if (value.form == DW_FORM_ref_addr)
		return value.value;
	return value.value < unit->end - unit->offset ? unit->offset + value.value : 0;
}

static bool pass_varying(const struct wk_dwarf_unit *unit, const struct wk_dwarf_abbrevs *table,
			 const struct wk_dwarf_abbrev *abbrev, struct wk_bytes *in,
			 uint64_t *sibling)
{
	const struct wk_dwarf_op *op = table->ops + abbrev->first_op;
	struct wk_dwarf_value value;

	for (uint32_t i = 0; i < abbrev->op_count; i++, op++) {
		wk_bytes_skip(in, op->before);
		if (!wk_dwarf_read_value(in, unit->shape, op->form, &value))
			return false;
		if (op->what == WHAT_SIBLING)
			*sibling = sibling_of(unit, value);
	}
	wk_bytes_skip(in, abbrev->tail);
	return !in->bad;
}

bool wk_dwarf_pass_die(const struct wk_dwarf_unit *unit, const struct wk_dwarf_abbrevs *table,
		       const struct wk_dwarf_abbrev *abbrev, struct wk_bytes *in,
		       uint64_t *sibling)
{
	struct wk_bytes at = *in;

	*sibling = 0;
	if (abbrev->role == ROLE_UNKNOWN)
		return false;
	if (abbrev->fixed == VARYING)
		return pass_varying(unit, table, abbrev, in, sibling);
	wk_bytes_skip(in, abbrev->fixed);
	if (abbrev->sibling_at != VARYING && !in->bad) {
		at.at += abbrev->sibling_at;
		*sibling = sibling_of(unit, (struct wk_dwarf_value){ .value = wk_u32(&at),
								     .form = DW_FORM_ref4 });
	}
	return !in->bad;
}

bool wk_dwarf_die_at(struct wk_dwarf_unit *unit, uint64_t offset, struct wk_dwarf_die *die)
{
	struct wk_bytes section = wk_dwarf_section(&unit->file->sections, WK_DWARF_INFO);
	const struct wk_dwarf_abbrevs *table = wk_dwarf_abbrevs_of(unit);
	const struct wk_dwarf_abbrev *abbrev;
	struct wk_bytes in;

	if (!table || offset < unit->die || offset >= unit->end)
		return false;
	in = wk_bytes_at(&section, offset, unit->end - offset);
	abbrev = wk_dwarf_abbrev(table, wk_uleb(&in));
	return wk_dwarf_read_die(unit->shape, table, abbrev, &in, die);
}
