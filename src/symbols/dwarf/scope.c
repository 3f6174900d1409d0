/* The namespaces, types and functions around an entry. DIEs do not refer to their parents, so a
 * walk over a unit records its scopes; a unit that another one refers to is walked for them when
 * the first name needs them. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/bisect.h"
#include "base/mem.h"
#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/internal.h"

/* Of names deeper or longer than people can read the outer scopes are left out. */
#define MOST_SCOPES 32
#define SCOPE_LIMIT 1024

#define NAMELESS_STRUCT "(anonymous struct)"
#define NAMELESS_CLASS  "(anonymous class)"

/* How many scopes that ended before the DIE are checked. Scopes are nested, so only a damaged or
 * unusual file has more. */
#define MOST_STEPS 256

bool wk_dwarf_has_scopes(uint16_t language)
{
	switch (language) {
	case DW_LANG_C_plus_plus:
	case DW_LANG_C_plus_plus_03:
	case DW_LANG_C_plus_plus_11:
	case DW_LANG_C_plus_plus_14:
	case DW_LANG_C_plus_plus_17:
	case DW_LANG_C_plus_plus_20:
	case DW_LANG_C_plus_plus_23:
	case DW_LANG_ObjC_plus_plus:
	case DW_LANG_Rust:
	case DW_LANG_D:
	case DW_LANG_Swift:
	case DW_LANG_Java:
	case DW_LANG_Zig:
		return true;
	default:
		return false;
	}
}

uint32_t wk_dwarf_open_scope(struct wk_dwarf_unit *unit, uint64_t offset, uint32_t around)
{
	WK_RESERVE(unit->scopes, unit->scope_cap, (size_t)unit->scope_count + 1);
	unit->scopes[unit->scope_count] = (struct wk_dwarf_scope){
		.start = (uint32_t)(offset - unit->offset),
		.around = around,
	};
	return unit->scope_count++;
}

void wk_dwarf_close_scope(struct wk_dwarf_unit *unit, uint32_t scope, uint64_t offset)
{
	unit->scopes[scope].end = (uint32_t)(offset - unit->offset);
}

void wk_dwarf_begin_scopes(struct wk_dwarf_unit *unit)
{
	unit->scope_name_count = 0;
	unit->scope_count = 0;
	unit->knows_scopes = false;
	wk_dwarf_open_scope(unit, unit->offset, 0);
}

void wk_dwarf_forget_scopes(struct wk_dwarf_unit *unit)
{
	WK_FREE_ALL(unit->scopes, unit->scope_names);
	unit->scopes = NULL;
	unit->scope_names = NULL;
	unit->scope_cap = unit->scope_name_cap = 0;
	unit->scope_count = unit->scope_name_count = 0;
	unit->knows_scopes = false;
}

/* The open DIEs of a walk: for each the innermost scope around it. */
struct finder {
	struct wk_dwarf_unit *unit;
	uint32_t *around;
	size_t depth, cap;
	uint32_t scope;
};

static void open_die(struct finder *f, uint64_t offset, const struct wk_dwarf_abbrev *abbrev)
{
	*WK_APPEND(f->around, f->depth, f->cap) = f->scope;
	if (abbrev->is_scope)
		f->scope = wk_dwarf_open_scope(f->unit, offset, f->scope);
}

static void close_die(struct finder *f, uint64_t offset)
{
	uint32_t around = f->around[--f->depth];

	if (around != f->scope)
		wk_dwarf_close_scope(f->unit, f->scope, offset);
	f->scope = around;
}

static void find_scopes(struct finder *f)
{
	struct wk_dwarf_unit *unit = f->unit;
	struct wk_bytes section = wk_dwarf_section(&unit->file->sections, WK_DWARF_INFO);
	struct wk_bytes in = wk_bytes_at(&section, unit->die, unit->end - unit->die);
	const struct wk_dwarf_abbrevs *table = wk_dwarf_abbrevs_of(unit);

	if (!table || unit->end - unit->offset > UINT32_MAX)
		return;
	do {
		uint64_t offset, code, sibling;
		const struct wk_dwarf_abbrev *abbrev;

		if (f->depth > 0)
			wk_dwarf_pass_leaves(table, &in);
		offset = wk_bytes_offset(&in);
		code = wk_dwarf_code(&in);
		abbrev = wk_dwarf_abbrev(table, code);
		if (code == 0 && f->depth > 0 && !in.bad)
			close_die(f, offset);
		else if (!wk_dwarf_pass_die(unit, table, abbrev, &in, &sibling))
			return;
		else if (abbrev->has_children)
			open_die(f, offset, abbrev);
	} while (f->depth > 0);
}

static void learn_scopes(struct wk_dwarf_unit *unit)
{
	struct finder f = { .unit = unit };

	wk_dwarf_begin_scopes(unit);
	find_scopes(&f);
	unit->knows_scopes = true;
	wk_free(f.around);
}

/* The number of the innermost scope around the DIE at `offset`; 0 if there is none. */
static uint32_t scope_around(struct wk_dwarf_unit *unit, uint64_t offset)
{
	uint64_t at = offset - unit->offset;
	uint32_t low = 1, high, scope;

	if (!unit->knows_scopes)
		learn_scopes(unit);
	high = unit->scope_count;
	WK_BISECT(low, high, unit->scopes[middle].start < at);
	scope = low - 1;
	for (int step = 0; scope && step < MOST_STEPS; step++) {
		const struct wk_dwarf_scope *s = &unit->scopes[scope];

		if (s->end == 0 || s->end > at)
			return scope;
		scope = s->around;
	}
	return 0;
}

static const char *nameless(uint16_t tag)
{
	switch (tag) {
	case DW_TAG_namespace:
		return "(anonymous namespace)";
	case DW_TAG_class_type:
		return NAMELESS_CLASS;
	case DW_TAG_structure_type:
		return NAMELESS_STRUCT;
	case DW_TAG_union_type:
		return "(anonymous union)";
	default:
		return NULL;
	}
}

/* The line on which the type begins: it distinguishes the lambdas of a function. */
static uint32_t line_of(const struct wk_dwarf_die *die)
{
	uint64_t line = wk_dwarf_has(die, WHAT_DECL_LINE) ? die->values[WHAT_DECL_LINE].value : 0;

	return line <= UINT32_MAX ? (uint32_t)line : 0;
}

/* The name of the scope at `offset`, and the line of a type without one. If another DIE has it (a
 * function's declaration), unit and offset become that one's, because its scopes count. */
static struct wk_str scope_name(struct wk_dwarf_unit **unit, uint64_t *offset, uint32_t *line)
{
	struct wk_dwarf_unit *other = *unit;
	struct wk_dwarf_die die;
	uint16_t tag = 0;

	for (int hop = 0; hop < 4 && wk_dwarf_die_at(other, *offset, &die); hop++) {
		enum wk_dwarf_what what =
			wk_dwarf_has(&die, WHAT_ORIGIN) ? WHAT_ORIGIN : WHAT_SPECIFICATION;

		*unit = other;
		tag = die.abbrev->tag;
		if (wk_dwarf_has(&die, what)) {
			other = wk_dwarf_referred(*unit, die.values[what], offset);
			if (!other)
				break;
			continue;
		}
		if (wk_dwarf_has(&die, WHAT_NAME))
			return wk_dwarf_text_read(wk_dwarf_text_of(*unit, die.values[WHAT_NAME]),
						  SCOPE_LIMIT);
		*line = line_of(&die);
		break;
	}
	return wk_str_c(nameless(tag));
}

/* A unit may have a million functions in the same few scopes, so each scope is looked up once. The
 * row is valid until the next lookup. */
static const struct wk_dwarf_scope_name *known_scope(struct wk_dwarf_unit *unit, uint32_t scope)
{
	struct wk_dwarf_scope_name *known;

	if (unit->scopes[scope].name)
		return &unit->scope_names[unit->scopes[scope].name - 1];
	WK_RESERVE(unit->scope_names, unit->scope_name_cap, (size_t)unit->scope_name_count + 1);
	known = &unit->scope_names[unit->scope_name_count++];
	unit->scopes[scope].name = unit->scope_name_count;
	*known = (struct wk_dwarf_scope_name){
		.unit = unit, .offset = unit->offset + unit->scopes[scope].start };
	known->name = scope_name(&known->unit, &known->offset, &known->line);
	if (known->unit == unit)
		known->around = scope_around(unit, known->offset);
	return known;
}

void wk_dwarf_add_scopes(struct wk_dwarf_unit *unit, uint64_t offset, bool is_call,
			 struct wk_buf *out)
{
	uint32_t scope = scope_around(unit, offset);
	struct wk_str names[MOST_SCOPES];
	uint32_t lines[MOST_SCOPES];
	size_t count = 0;

	while (scope && count < MOST_SCOPES) {
		const struct wk_dwarf_scope_name *known = known_scope(unit, scope);

		names[count] = known->name;
		lines[count] = 0;
		scope = known->unit == unit ? known->around
					    : scope_around(known->unit, known->offset);
		unit = known->unit;
		/* Compilers give a lambda's type no name: gcc a struct, clang a class. */
		if (is_call && (wk_str_is(names[count], NAMELESS_STRUCT) ||
				wk_str_is(names[count], NAMELESS_CLASS))) {
			names[count] = wk_str_c("{lambda}");
			lines[count] = known->line;
		}
		is_call = wk_str_starts(names[count], "operator()");
		count++;
	}
	while (count-- > 0) {
		if (names[count].len == 0)
			continue;
		if (lines[count])
			wk_buf_add_fmt(out, "{lambda:%" PRIu32 "}", lines[count]);
		else
			wk_buf_add_str(out, names[count]);
		wk_buf_add_text(out, "::");
	}
}
