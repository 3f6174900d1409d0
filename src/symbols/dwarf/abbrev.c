/* Abbreviations: which attributes the entries of a unit have, compiled into programs for
 * reading. */
#include <stdlib.h>

#include "base/hash.h"
#include "base/mem.h"
#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/internal.h"

/* How many times the bytes of .debug_abbrev may be read in total. Tables are either shared as a
 * whole or disjoint, so two would do: once for the tables, once for the roots. */
#define MOST_ROUNDS  4
#define SMALL_BUDGET (64 * 1024)

/* No DIE is so large but for blocks, which are not counted here. */
#define MOST_FIXED (1u << 24)

#define TABLED 0x80 /* attributes of all tables */

static const uint8_t whats[TABLED] = {
	[DW_AT_sibling] = WHAT_SIBLING,
	[DW_AT_name] = WHAT_NAME,
	[DW_AT_linkage_name] = WHAT_LINKAGE_NAME,
	[DW_AT_low_pc] = WHAT_LOW_PC,
	[DW_AT_high_pc] = WHAT_HIGH_PC,
	[DW_AT_ranges] = WHAT_RANGES,
	[DW_AT_abstract_origin] = WHAT_ORIGIN,
	[DW_AT_specification] = WHAT_SPECIFICATION,
	[DW_AT_call_file] = WHAT_CALL_FILE,
	[DW_AT_call_line] = WHAT_CALL_LINE,
	[DW_AT_call_column] = WHAT_CALL_COLUMN,
	[DW_AT_stmt_list] = WHAT_STMT_LIST,
	[DW_AT_language] = WHAT_LANGUAGE,
	[DW_AT_comp_dir] = WHAT_DIRECTORY,
	[DW_AT_str_offsets_base] = WHAT_STR_OFFSETS_BASE,
	[DW_AT_addr_base] = WHAT_ADDR_BASE,
	[DW_AT_rnglists_base] = WHAT_RNGLISTS_BASE,
	[DW_AT_dwo_name] = WHAT_SPLIT_NAME,
	[DW_AT_decl_line] = WHAT_DECL_LINE,
};

static enum wk_dwarf_what what_of(uint64_t attribute)
{
	if (attribute < TABLED)
		return (enum wk_dwarf_what)whats[attribute];
	switch (attribute) {
	case DW_AT_MIPS_linkage_name:
		return WHAT_LINKAGE_NAME;
	case DW_AT_GNU_addr_base:
		return WHAT_ADDR_BASE;
	case DW_AT_GNU_ranges_base:
		return WHAT_GNU_RANGES_BASE;
	case DW_AT_GNU_dwo_name:
		return WHAT_SPLIT_NAME;
	case DW_AT_GNU_dwo_id:
		return WHAT_SPLIT_ID;
	default:
		return WHAT_NOTHING;
	}
}

static bool is_root(uint16_t tag)
{
	return tag == DW_TAG_compile_unit || tag == DW_TAG_partial_unit ||
	       tag == DW_TAG_skeleton_unit;
}

static bool is_type(uint16_t tag)
{
	return tag == DW_TAG_structure_type || tag == DW_TAG_class_type ||
	       tag == DW_TAG_union_type || tag == DW_TAG_enumeration_type ||
	       tag == DW_TAG_interface_type;
}

/* Entries whose names are part of the names of what is in them. */
static bool is_scope(uint16_t tag)
{
	return is_type(tag) || tag == DW_TAG_namespace || tag == DW_TAG_module ||
	       tag == DW_TAG_subprogram;
}

/* Entries that are read and not only passed over. */
static bool is_wanted(uint16_t tag)
{
	return is_scope(tag) || tag == DW_TAG_inlined_subroutine || tag == DW_TAG_entry_point;
}

/* What a walk does with entries of the abbreviation. `has` is a bit set of the attributes they
 * have. */
static enum wk_dwarf_role role_of(uint16_t tag, uint32_t has)
{
	bool has_code = has & (1u << WHAT_LOW_PC | 1u << WHAT_RANGES);

	if (tag == DW_TAG_inlined_subroutine)
		return has_code ? ROLE_INLINED : ROLE_PASS;
	if (tag == DW_TAG_subprogram || tag == DW_TAG_entry_point)
		return has_code ? ROLE_FUNCTION : ROLE_PASS;
	return is_type(tag) ? ROLE_TYPE : ROLE_PASS;
}

static void add_op(struct wk_dwarf_abbrevs *table, struct wk_dwarf_op op)
{
	*WK_APPEND(table->ops, table->op_count, table->op_cap) = op;
}

static int32_t clamp(int64_t constant)
{
	return constant < INT32_MIN || constant > INT32_MAX ? 0 : (int32_t)constant;
}

/* State while the attributes of an abbreviation are read. */
struct compiler {
	struct wk_dwarf_fields fields;
	struct wk_dwarf_abbrevs *table;
	struct wk_dwarf_shape shape;
	struct wk_dwarf_abbrev row;
	uint32_t has;
	uint32_t skip; /* bytes since the last op */
	bool is_root, is_wanted;
	bool is_unknown, has_odd_field;
};

static void count_bytes(struct compiler *c, uint32_t bytes)
{
	if (bytes == VARYING || c->row.fixed == VARYING)
		c->row.fixed = VARYING;
	else if (c->row.fixed + bytes < MOST_FIXED)
		c->row.fixed += bytes;
	else
		c->is_unknown = true;
}

/* Counted with the word that a read of the last value reaches into. */
static void count_most(struct compiler *c, uint8_t form, uint8_t size, uint32_t bytes)
{
	bool is_number = size == SIZE_ULEB && form != DW_FORM_sdata;

	if (c->row.most == VARYING || (bytes == VARYING ? !is_number : bytes > WORD_BYTES))
		c->row.most = VARYING;
	else
		c->row.most += bytes == VARYING ? NUMBER_BYTES : bytes;
}

static bool is_of_call(enum wk_dwarf_what what)
{
	return what == WHAT_CALL_FILE || what == WHAT_CALL_LINE || what == WHAT_CALL_COLUMN;
}

/* Called before its bytes are counted. Values without bytes have no position; numbers of calls need
 * at most half a word. */
static void set_field(struct compiler *c, enum wk_dwarf_what what, uint8_t form, uint32_t bytes)
{
	uint32_t most = is_of_call(what) ? WORD_BYTES / 2 : WORD_BYTES;

	if (what == WHAT_NOTHING || what >= FIELDS)
		return;
	if (c->row.fixed > UINT8_MAX || bytes == 0 || bytes > most)
		c->has_odd_field = true;
	else
		c->fields.of[what] = (struct wk_dwarf_field){ (uint8_t)c->row.fixed,
							       (uint8_t)bytes, form };
}

static bool is_data(uint8_t form)
{
	return form == DW_FORM_data1 || form == DW_FORM_data2 || form == DW_FORM_data4 ||
	       form == DW_FORM_data8;
}

static void keep_fields(struct compiler *c)
{
	struct wk_dwarf_abbrevs *table = c->table;
	const struct wk_dwarf_field *of = c->fields.of;

	if (c->row.fixed == VARYING || c->has_odd_field || c->is_unknown ||
	    (c->row.tag != DW_TAG_subprogram && c->row.tag != DW_TAG_inlined_subroutine))
		return;
	c->fields.is_single = of[WHAT_LOW_PC].form == DW_FORM_addr &&
			      is_data(of[WHAT_HIGH_PC].form) && !of[WHAT_RANGES].form;
	c->fields.refers_nearby = of[WHAT_ORIGIN].form == DW_FORM_ref4 &&
				  !of[WHAT_LINKAGE_NAME].form && !of[WHAT_NAME].form;
	*WK_APPEND(table->fields, table->field_count, table->field_cap) = c->fields;
	c->row.fields = (uint32_t)table->field_count;
}

static enum wk_dwarf_what what_in(const struct compiler *c, uint64_t attribute)
{
	enum wk_dwarf_what what = what_of(attribute);
	bool matters = c->is_root || what == WHAT_SIBLING ||
		       (c->is_wanted && what < WHAT_STMT_LIST) ||
		       (what == WHAT_DECL_LINE && is_type(c->row.tag));

	return matters ? what : WHAT_NOTHING;
}

static void compile_attribute(struct compiler *c, uint64_t attribute, uint64_t long_form,
			      int64_t constant)
{
	uint8_t form = wk_dwarf_short_form(long_form);
	uint8_t size = wk_dwarf_form_size(form, c->shape);
	uint32_t bytes = size < SIZE_ULEB ? size : VARYING;
	enum wk_dwarf_what what = what_in(c, attribute);

	if (form == 0) {
		c->is_unknown = true;
		return;
	}
	/* The first of a kind counts, which also bounds the number of ops without bytes. */
	if (c->has >> what & 1)
		what = WHAT_NOTHING;
	if (what != WHAT_NOTHING)
		c->has |= 1u << what;
	if (what == WHAT_SIBLING && form == DW_FORM_ref4)
		c->row.sibling_at = c->row.fixed;
	set_field(c, what, form, bytes);
	count_bytes(c, bytes);
	count_most(c, form, size, bytes);
	if (what == WHAT_NOTHING && bytes != VARYING && c->skip + bytes <= UINT16_MAX) {
		c->skip += bytes;
		return;
	}
	add_op(c->table, (struct wk_dwarf_op){ .before = (uint16_t)c->skip, .form = form,
					       .what = (uint8_t)what,
					       .size = size,
					       .constant = clamp(constant) });
	c->skip = 0;
}

/* `in` is after the code. */
static bool compile(struct wk_bytes *in, struct wk_dwarf_shape shape,
		    struct wk_dwarf_abbrevs *table)
{
	struct compiler c = { .table = table, .shape = shape };
	uint64_t tag = wk_dwarf_code(in);

	c.row.tag = tag <= UINT16_MAX ? (uint16_t)tag : UINT16_MAX;
	c.is_root = is_root(c.row.tag);
	c.is_wanted = is_wanted(c.row.tag);
	c.row.has_children = wk_u8(in) != 0;
	c.row.is_scope = c.row.has_children && is_scope(c.row.tag);
	c.row.sibling_at = VARYING;
	c.row.most = WORD_BYTES;
	c.row.first_op = (uint32_t)table->op_count;
	for (;;) {
		uint64_t attribute = wk_dwarf_code(in), form = wk_dwarf_code(in);
		int64_t constant = form == DW_FORM_implicit_const ? wk_sleb(in) : 0;

		if (in->bad || table->op_count >= UINT32_MAX)
			return false;
		if (attribute == 0 && form == 0)
			break;
		compile_attribute(&c, attribute, form, constant);
	}
	c.row.op_count = (uint32_t)(table->op_count - c.row.first_op);
	c.row.tail = c.skip;
	c.row.has = c.has;
	if (c.row.most > MOST_FIXED)
		c.row.most = VARYING;
	c.row.role = c.is_unknown ? ROLE_UNKNOWN : (uint8_t)role_of(c.row.tag, c.has);
	keep_fields(&c);
	table->has_types |= c.row.role == ROLE_TYPE;
	table->has_code |= c.row.role == ROLE_FUNCTION || c.row.role == ROLE_INLINED;
	*WK_APPEND(table->rows, table->row_count, table->row_cap) = c.row;
	return true;
}

/* From now on rows are found by a map. */
static void make_sparse(struct wk_dwarf_abbrevs *table)
{
	table->is_sparse = true;
	for (size_t code = 1; code < table->row_count; code++)
		wk_map_set(&table->by_code, code, (uint32_t)code);
}

static void start(struct wk_dwarf_abbrevs *table)
{
	table->rows = wk_grow(NULL, &table->row_cap, 16, sizeof(*table->rows));
	table->rows[0] = (struct wk_dwarf_abbrev){ .role = ROLE_UNKNOWN };
	table->row_count = 1;
	table->ops = wk_grow(NULL, &table->op_cap, 16, sizeof(*table->ops));
}

static uint8_t linkage_at(const struct wk_dwarf_abbrevs *table, const struct wk_dwarf_abbrev *row)
{
	const struct wk_dwarf_field *linkage;

	if (!row->fields)
		return 0;
	linkage = &table->fields[row->fields - 1].of[WHAT_LINKAGE_NAME];
	return linkage->form == DW_FORM_strp && linkage->size == 4 ? linkage->at + 1 : 0;
}

static uint8_t first_of(const struct wk_dwarf_abbrev *row)
{
	if (row->role == ROLE_FUNCTION || row->role == ROLE_INLINED)
		return row->fields ? FIRST_CODE : FIRST_NOTHING;
	if (!row->has_children)
		return (uint8_t)(row->fixed + 1);
	return row->role == ROLE_PASS ? FIRST_INNER : FIRST_NOTHING;
}

static void set_firsts(struct wk_dwarf_abbrevs *table)
{
	table->first[0] = FIRST_END;
	for (size_t code = 1; code < table->row_count && code < 0x80; code++) {
		struct wk_dwarf_abbrev *row = &table->rows[code];

		if (row->fixed >= MOST_LEAF || row->role == ROLE_UNKNOWN)
			continue;
		table->first[code] = first_of(row);
		row->linkage_at = linkage_at(table, row);
	}
}

static void decode(struct wk_bytes *in, struct wk_dwarf_shape shape, struct wk_dwarf_abbrevs *table)
{
	start(table);
	for (;;) {
		uint64_t code = wk_uleb(in);

		/* Some tables end with their section. */
		if (code == 0 || !compile(in, shape, table))
			break;
		if (!table->is_sparse && code != table->row_count - 1) {
			table->row_count--;
			make_sparse(table);
			table->row_count++;
		}
		if (table->is_sparse)
			wk_map_set(&table->by_code, code, (uint32_t)(table->row_count - 1));
	}
	if (!table->is_sparse)
		set_firsts(table);
}

void wk_dwarf_abbrevs_fini(struct wk_dwarf_abbrevs *table)
{
	WK_FREE_ALL(table->rows, table->ops, table->fields);
	wk_map_fini(&table->by_code);
	*table = (struct wk_dwarf_abbrevs){ 0 };
}

/* The section from the unit's table on. */
static struct wk_bytes table_bytes(struct wk_dwarf_unit *unit)
{
	struct wk_bytes section = wk_dwarf_section(&unit->file->sections, WK_DWARF_ABBREV);
	uint64_t size = (uint64_t)(section.end - section.start);

	if (unit->abbrev_offset >= size)
		return wk_bytes_at(&section, size, 0);
	return wk_bytes_at(&section, unit->abbrev_offset, size - unit->abbrev_offset);
}

static void charge(struct wk_dwarf_file *file, uint64_t bytes)
{
	if (file->abbrev_budget == 0)
		file->abbrev_budget =
			SMALL_BUDGET +
			MOST_ROUNDS * wk_dwarf_section_weight(&file->sections, WK_DWARF_ABBREV);
	wk_dwarf_charge(&file->abbrev_budget, bytes);
}

static bool is_spent(const struct wk_dwarf_file *file)
{
	return file->abbrev_budget == 1;
}

static bool pass(struct wk_bytes *in)
{
	uint64_t attribute, form;

	wk_uleb(in);
	wk_u8(in);
	do {
		attribute = wk_dwarf_code(in);
		form = wk_dwarf_code(in);
		if (form == DW_FORM_implicit_const)
			wk_sleb(in);
	} while ((attribute || form) && !in->bad);
	return !in->bad;
}

bool wk_dwarf_scan_abbrev(struct wk_dwarf_unit *unit, uint64_t code, struct wk_dwarf_abbrevs *table)
{
	struct wk_bytes in = table_bytes(unit);
	const uint8_t *from = in.at;
	bool is_found = false;
	uint64_t here;

	if (is_spent(unit->file))
		return false;
	start(table);
	while ((here = wk_uleb(&in)) != 0) {
		is_found = here == code;
		if (is_found || !pass(&in))
			break;
	}
	is_found = is_found && compile(&in, unit->shape, table);
	charge(unit->file, (uint64_t)(in.at - from));
	return is_found;
}

static uint64_t table_key(const struct wk_dwarf_unit *unit)
{
	const struct wk_dwarf_shape *s = &unit->shape;
	uint64_t version = s->version <= 2 ? 1 : 0;

	return wk_hash_pair(unit->abbrev_offset,
			    version << 16 | s->address_size << 8 | s->offset_size);
}

const struct wk_dwarf_abbrevs *wk_dwarf_abbrevs_of(struct wk_dwarf_unit *unit)
{
	struct wk_dwarf_file *file = unit->file;
	struct wk_dwarf_abbrevs *table;
	const uint8_t *from;
	struct wk_bytes in;
	uint32_t *at;

	if (unit->abbrevs)
		return unit->abbrevs->row_count > 1 ? unit->abbrevs : NULL;
	at = wk_map_at(&file->table_at, table_key(unit));
	if (*at == 0) {
		table = wk_alloc_zeroed(1, sizeof(*table));
		in = table_bytes(unit);
		from = in.at;
		if (!is_spent(file))
			decode(&in, unit->shape, table);
		charge(file, (uint64_t)(in.at - from));
		*WK_APPEND(file->tables, file->table_count, file->table_cap) = table;
		*at = (uint32_t)file->table_count;
	}
	unit->abbrevs = file->tables[*at - 1];
	return unit->abbrevs->row_count > 1 ? unit->abbrevs : NULL;
}
