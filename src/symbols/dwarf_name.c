/* Names of functions: linkage names, through origins and specifications, else as written. */
#include "base/mem.h"
#include "symbols/dwarf_constants.h"
#include "symbols/dwarf_internal.h"

/* Real chains have two or three: a call, the abstract function, its declaration. */
#define MOST_HOPS 16

/* Longer names are real (templates), but not much longer. */
#define NAME_LIMIT (256 * 1024)

/* Linkers let texts share their tails, and that is all the sharing there is. */
#define MOST_ROUNDS  4
#define SMALL_BUDGET (1024 * 1024)

/* A function's DIE has hardly less bytes, so two of them seldom want the same place. */
#define KNOWN_NAMES 16384
#define KNOWN_BYTES 16

static uint64_t section_size(struct wk_dwarf_file *file, enum wk_dwarf_section which)
{
	struct wk_bytes section = wk_dwarf_section(&file->sections, which);

	return (uint64_t)(section.end - section.start);
}

/* A budget of 1 is spent; 0 was never set. */
static bool charge(struct wk_dwarf_file *file, size_t bytes)
{
	if (file->text_budget == 0)
		file->text_budget = SMALL_BUDGET + MOST_ROUNDS *
			(section_size(file, WK_DWARF_STR) + section_size(file, WK_DWARF_INFO));
	if (file->text_budget <= bytes) {
		file->text_budget = 1;
		return false;
	}
	file->text_budget -= bytes;
	return true;
}

static uint32_t intern(struct wk_dwarf_text text)
{
	struct wk_str name = wk_dwarf_text_read(text, NAME_LIMIT);

	if (!charge(text.file, name.len))
		return 0;
	return wk_code_index_text(text.file->dwarf->index, name);
}

static uint32_t text_id(struct wk_dwarf_unit *unit, struct wk_dwarf_value value)
{
	struct wk_dwarf_text text = wk_dwarf_text_of(unit, value);
	uint32_t *id;

	if (!text.file)
		return 0;
	if (text.section != WK_DWARF_STR)
		return intern(text);
	id = wk_map_at(&text.file->text_at, text.offset);
	if (*id == 0)
		*id = intern(text) + 1;
	return *id - 1;
}

/* A name as it is written, `value` in `unit`, of the DIE at `offset` of `holder`. */
static uint32_t scoped_name(struct wk_dwarf_unit *unit, struct wk_dwarf_value value,
			    struct wk_dwarf_unit *holder, uint64_t offset)
{
	struct wk_dwarf *dwarf = unit->file->dwarf;
	struct wk_str written =
		wk_dwarf_text_read(wk_dwarf_text_of(unit, value), NAME_LIMIT);
	struct wk_buf name = { 0 };
	uint32_t id;

	wk_dwarf_add_scopes(holder, offset, wk_str_is(written, "operator()"), &name);
	if (name.len == 0)
		return text_id(unit, value);
	wk_buf_add_str(&name, written);
	id = charge(unit->file, name.len) ? wk_code_index_text(dwarf->index, wk_buf_str(&name)) : 0;
	wk_buf_fini(&name);
	return id;
}

/* Follows what the DIE refers to; false if it refers to nothing that is there. */
static bool follow(struct wk_dwarf_unit **unit, uint64_t *offset, const struct wk_dwarf_die *die)
{
	enum wk_dwarf_what what = wk_dwarf_has(die, WHAT_ORIGIN) ? WHAT_ORIGIN : WHAT_SPECIFICATION;
	struct wk_dwarf_unit *other;
	uint64_t there;

	if (!wk_dwarf_has(die, what))
		return false;
	other = wk_dwarf_referred(*unit, die->values[what], &there);
	if (!other)
		return false;
	*unit = other;
	*offset = there;
	return true;
}

/* The DIE has no linkage name of its own. */
static uint32_t find_name(struct wk_dwarf_unit *unit, uint64_t offset, struct wk_dwarf_die *die)
{
	struct wk_dwarf_unit *name_unit = NULL, *holder = unit;
	struct wk_dwarf_value name = { 0 };
	uint64_t at = offset;

	for (int hop = 0; hop < MOST_HOPS; hop++) {
		uint32_t id = wk_dwarf_has(die, WHAT_LINKAGE_NAME)
			? text_id(unit, die->values[WHAT_LINKAGE_NAME]) : 0;

		if (id)
			return id;
		if (!name_unit && wk_dwarf_has(die, WHAT_NAME)) {
			name_unit = unit;
			name = die->values[WHAT_NAME];
		}
		holder = unit;
		at = offset;
		if (!follow(&unit, &offset, die) || !wk_dwarf_die_at(unit, offset, die))
			break;
	}
	if (!name_unit)
		return 0;
	if (!wk_dwarf_has_scopes(holder->language) && !wk_dwarf_has_scopes(name_unit->language))
		return text_id(name_unit, name);
	return scoped_name(name_unit, name, holder, at);
}

/* What is referred to lies close together, so a table by the offsets' low bits answers most. */
uint32_t wk_dwarf_name_at(struct wk_dwarf_unit *unit, uint64_t offset)
{
	struct wk_dwarf_file *file = unit->file;
	struct wk_dwarf_known *known;
	struct wk_dwarf_die die;
	uint32_t name;

	if (!file->known)
		file->known = wk_alloc_zeroed(KNOWN_NAMES, sizeof(*file->known));
	known = &file->known[offset / KNOWN_BYTES % KNOWN_NAMES];
	if (known->is_set && known->offset == offset)
		return known->name;
	name = wk_map_find(&file->name_of, offset);
	if (name == 0) {
		name = 1;
		if (wk_dwarf_die_at(unit, offset, &die))
			name += find_name(unit, offset, &die);
		wk_map_set(&file->name_of, offset, name);
	}
	*known = (struct wk_dwarf_known){ .offset = offset, .name = name - 1, .is_set = true };
	return name - 1;
}

uint32_t wk_dwarf_linkage_name(struct wk_dwarf_unit *unit, const struct wk_dwarf_die *die)
{
	return wk_dwarf_has(die, WHAT_LINKAGE_NAME)
		? text_id(unit, die->values[WHAT_LINKAGE_NAME]) : 0;
}

struct wk_dwarf_unit *wk_dwarf_name_place(struct wk_dwarf_unit *unit, uint64_t *offset,
					  const struct wk_dwarf_die *die)
{
	if (!wk_dwarf_has(die, WHAT_NAME))
		follow(&unit, offset, die);
	return unit;
}
