/* Names of functions: linkage names, through origins and specifications, else as written. */
#include "symbols/dwarf_constants.h"
#include "symbols/dwarf_internal.h"

/* Real chains have two or three: a call, the abstract function, its declaration. */
#define MOST_HOPS 16

/* Longer names are real (templates), but not much longer. */
#define NAME_LIMIT (256 * 1024)

/* Linkers let texts share their tails, and that is all the sharing there is. */
#define MOST_ROUNDS  4
#define SMALL_BUDGET (1024 * 1024)

/* Bytes of functions' entries and of linkage names, which are mostly more. */
#define NAME_APART 16
#define TEXT_APART 64

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
	struct wk_dwarf_memo *memo;
	uint32_t id;

	if (!text.file)
		return 0;
	if (text.section != WK_DWARF_STR)
		return intern(text);
	memo = &text.file->text_at;
	if (wk_dwarf_memo_find(memo, text.offset, &id))
		return id;
	wk_dwarf_memo_start(memo, section_size(text.file, WK_DWARF_STR), TEXT_APART);
	id = intern(text);
	wk_dwarf_memo_add(memo, text.offset, id);
	return id;
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

	wk_dwarf_add_scopes(holder, offset, wk_str_starts(written, "operator()"), &name);
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

uint32_t wk_dwarf_linkage_name(struct wk_dwarf_unit *unit, const struct wk_dwarf_die *die)
{
	return wk_dwarf_has(die, WHAT_LINKAGE_NAME)
		? text_id(unit, die->values[WHAT_LINKAGE_NAME]) : 0;
}

/* What a chain of references says of a name. */
struct found {
	uint32_t id; /* of the linkage name, or 0 */
	struct wk_dwarf_unit *unit; /* of the written name; NULL where there is none */
	struct wk_dwarf_value name;
	struct wk_dwarf_unit *holder; /* the chain's end, whose scopes count */
	uint64_t at;
};

static void search(struct wk_dwarf_unit *unit, uint64_t offset, struct found *found)
{
	struct wk_dwarf_die die;

	for (int hop = 0; hop < MOST_HOPS && wk_dwarf_die_at(unit, offset, &die); hop++) {
		found->id = wk_dwarf_linkage_name(unit, &die);
		if (found->id)
			return;
		if (!found->unit && wk_dwarf_has(&die, WHAT_NAME)) {
			found->unit = unit;
			found->name = die.values[WHAT_NAME];
		}
		found->holder = unit;
		found->at = offset;
		if (!follow(&unit, &offset, &die))
			return;
	}
}

static bool needs_scopes(const struct found *found)
{
	return wk_dwarf_has_scopes(found->holder->language) ||
	       wk_dwarf_has_scopes(found->unit->language);
}

bool wk_dwarf_name_at(struct wk_dwarf_unit *unit, uint64_t offset, bool knows_scopes,
		      uint32_t *name)
{
	struct wk_dwarf_file *file = unit->file;
	struct found found = { 0 };

	if (wk_dwarf_memo_find(&file->name_of, offset, name))
		return true;
	search(unit, offset, &found);
	*name = found.id;
	if (!found.id && found.unit) {
		if (!needs_scopes(&found))
			*name = text_id(found.unit, found.name);
		else if (knows_scopes)
			*name = scoped_name(found.unit, found.name, found.holder, found.at);
		else
			return false;
	}
	wk_dwarf_memo_start(&file->name_of, section_size(file, WK_DWARF_INFO), NAME_APART);
	wk_dwarf_memo_add(&file->name_of, offset, *name);
	return true;
}

struct wk_dwarf_unit *wk_dwarf_name_place(struct wk_dwarf_unit *unit, uint64_t *offset,
					  const struct wk_dwarf_die *die)
{
	if (!wk_dwarf_has(die, WHAT_NAME))
		follow(&unit, offset, die);
	return unit;
}
