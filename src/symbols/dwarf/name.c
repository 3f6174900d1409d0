/* Names of functions: linkage names, through origins and specifications, else as written. */
#include "symbols/dwarf/constants.h"
#include "symbols/dwarf/internal.h"

/* Real chains have two or three: a call, the abstract function, its declaration. */
#define MOST_HOPS 16

/* Longer names are real (templates), but not much longer. */
#define NAME_LIMIT (256 * 1024)

/* Linkers let texts share their tails, and that is all the sharing there is. */
#define MOST_ROUNDS  4
#define SMALL_BUDGET (1024 * 1024)

/* Bytes of functions' entries, which mostly have more. */
#define NAME_APART 16

static uint64_t section_size(struct wk_dwarf_file *file, enum wk_dwarf_section which)
{
	struct wk_bytes section = wk_dwarf_section(&file->sections, which);

	return (uint64_t)(section.end - section.start);
}

/* A budget of 1 is spent; 0 was never set. */
static bool charge(struct wk_dwarf_file *file, size_t bytes)
{
	if (file->text_budget == 0)
		file->text_budget =
			SMALL_BUDGET +
			MOST_ROUNDS * (wk_dwarf_section_weight(&file->sections, WK_DWARF_STR) +
				       wk_dwarf_section_weight(&file->sections, WK_DWARF_INFO));
	return wk_dwarf_charge(&file->text_budget, bytes);
}

static uint32_t intern(struct wk_dwarf_text text)
{
	struct wk_str name = wk_dwarf_text_read(text, NAME_LIMIT);

	if (!charge(text.file, name.len))
		return 0;
	return wk_code_index_text(text.file->dwarf->index, name);
}

static void lend(struct wk_dwarf_file *file)
{
	struct wk_bytes str = wk_dwarf_section(&file->sections, WK_DWARF_STR);
	size_t size = (size_t)(str.end - str.start);

	file->str = str;
	file->str_id = size == 0 ? 0
				 : wk_code_index_lend(file->dwarf->index,
						      wk_str_of((const char *)str.start, size));
	file->is_lent = true;
}

/* The text in .debug_str, in place. It is not read here: memory would be waited for each time. */
static inline uint32_t lent_id(struct wk_dwarf_file *file, uint64_t offset)
{
	if (!file->is_lent)
		lend(file);
	if (!file->str_id)
		return intern((struct wk_dwarf_text){ file, WK_DWARF_STR, offset });
	if (offset >= (uint64_t)(file->str.end - file->str.start))
		return 0;
	__builtin_prefetch(file->str.start + offset);
	return file->str_id + (uint32_t)offset;
}

static uint32_t text_id(struct wk_dwarf_unit *unit, struct wk_dwarf_value value)
{
	struct wk_dwarf_text text;

	if (value.form == DW_FORM_strp)
		return lent_id(unit->file, value.value);
	text = wk_dwarf_text_of(unit, value);
	if (!text.file)
		return 0;
	return text.section == WK_DWARF_STR ? lent_id(text.file, text.offset) : intern(text);
}

/* A name as it is written, `value` in `unit`, of the DIE at `offset` of `holder`. */
static uint32_t scoped_name(struct wk_dwarf_unit *unit, struct wk_dwarf_value value,
			    struct wk_dwarf_unit *holder, uint64_t offset)
{
	struct wk_dwarf *dwarf = unit->file->dwarf;
	struct wk_buf name = { 0 };
	struct wk_str written;
	uint32_t id;

	/* Putting it together is what costs. */
	if (unit->file->text_budget == 1)
		return 0;
	written = wk_dwarf_text_read(wk_dwarf_text_of(unit, value), NAME_LIMIT);
	wk_dwarf_add_scopes(holder, offset, wk_str_starts(written, "operator()"), &name);
	if (name.len == 0)
		return text_id(unit, value);
	wk_buf_add_str(&name, written);
	id = charge(unit->file, name.len) ? wk_code_index_text(dwarf->index, wk_buf_str(&name)) : 0;
	wk_buf_fini(&name);
	return id;
}

uint32_t wk_dwarf_copied_name(struct wk_dwarf_file *file, uint32_t name, uint64_t copy_at)
{
	struct wk_str text = wk_code_index_str(file->dwarf->index, name);
	uint64_t at = copy_at - file->dwarf->input.obj->image_base;
	uint32_t id = text.len && charge(file, text.len)
			      ? wk_code_index_copied(file->dwarf->index, text, at)
			      : 0;

	return id ? id : name;
}

/* Follows a reference; false if there is none or its target does not exist. */
static bool follow(struct wk_dwarf_unit **unit, uint64_t *offset, struct wk_dwarf_value reference)
{
	struct wk_dwarf_unit *other;
	uint64_t there;

	other = wk_dwarf_referred(*unit, reference, &there);
	if (!other)
		return false;
	*unit = other;
	*offset = there;
	return true;
}

uint32_t wk_dwarf_linkage_name(struct wk_dwarf_unit *unit, struct wk_dwarf_value linkage)
{
	return linkage.form ? text_id(unit, linkage) : 0;
}

/* The name as far as a chain of references provides it. */
struct found {
	uint32_t id;                /* of the linkage name, or 0 */
	struct wk_dwarf_unit *unit; /* of the source name; NULL if there is none */
	struct wk_dwarf_value name;
	struct wk_dwarf_unit *holder; /* the chain's end, whose scopes count */
	uint64_t at;
};

static bool read_naming(struct wk_dwarf_unit *unit, uint64_t offset, struct wk_dwarf_naming *naming)
{
	struct wk_bytes in;
	const struct wk_dwarf_abbrev *abbrev = wk_dwarf_abbrev_at(unit, offset, &in);
	const struct wk_dwarf_fields *fields =
		abbrev ? wk_dwarf_fields_of(unit->abbrevs, abbrev, &in) : NULL;
	struct wk_dwarf_die die;

	if (fields) {
		*naming = wk_dwarf_naming_in(fields, in.at);
		return true;
	}
	if (!abbrev || !wk_dwarf_read_die(unit->shape, unit->abbrevs, abbrev, &in, &die))
		return false;
	*naming = wk_dwarf_naming_of(&die);
	return true;
}

static void search(struct wk_dwarf_unit *unit, uint64_t offset, struct found *found)
{
	struct wk_dwarf_naming naming;

	for (int hop = 0; hop < MOST_HOPS && read_naming(unit, offset, &naming); hop++) {
		found->id = wk_dwarf_linkage_name(unit, naming.linkage);
		if (found->id)
			return;
		if (!found->unit && naming.name.form) {
			found->unit = unit;
			found->name = naming.name;
		}
		found->holder = unit;
		found->at = offset;
		if (!follow(&unit, &offset, naming.reference))
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

/* What is needed to get the names of a unit's functions from their entries alone. */
struct name_source {
	const struct wk_dwarf_unit *unit;
	const struct wk_dwarf_abbrevs *table;
	const uint8_t *info, *near_end; /* entries that begin before near_end can be looked at */
	struct wk_bytes str;
	uint32_t str_id;
};

static struct name_source name_source_of(const struct wk_dwarf_unit *unit)
{
	struct wk_dwarf_file *file = unit->file;
	const struct wk_bytes *info = &file->sections.bytes[WK_DWARF_INFO];
	struct name_source source = { .unit = unit, .table = unit->abbrevs, .info = info->start };

	if (!file->is_lent)
		lend(file);
	source.str = file->str;
	source.str_id = file->str_id;
	source.near_end = info->start;
	if (unit->abbrevs && !info->big_endian && file->str_id && unit->end > PLAIN_BYTES)
		source.near_end += unit->end - PLAIN_BYTES;
	return source;
}

/* The position of the name of the entry at `offset`; NULL if the entry alone does not contain
 * it. */
static inline const uint8_t *reported_text(const struct name_source *source, uint64_t offset)
{
	const uint8_t *at = source->info + offset;
	uint8_t linkage_at;

	if (at >= source->near_end || !source->table->first[*at])
		return NULL;
	linkage_at = source->table->rows[*at].linkage_at;
	offset = wk_dwarf_first_bytes(at + linkage_at, 4);
	if (linkage_at == 0 || offset >= (uint64_t)(source->str.end - source->str.start))
		return NULL;
	return source->str.start + offset;
}

size_t wk_dwarf_known_names(struct wk_dwarf_later *names, size_t count,
			    struct wk_code_packed_node *nodes)
{
	struct name_source source = { 0 };
	size_t unknown = 0;

	for (size_t i = 0; i < count; i++) {
		struct wk_dwarf_later name = names[i];
		uint32_t *function = &nodes[name.node].function;
		const uint8_t *text;

		if (name.unit != source.unit)
			source = name_source_of(name.unit);
		text = reported_text(&source, name.offset);
		if (text)
			*function = source.str_id + (uint32_t)(text - source.str.start);
		else if (!wk_dwarf_memo_look(&name.unit->file->name_of, name.offset, function))
			names[unknown++] = name;
	}
	return unknown;
}

struct wk_dwarf_unit *wk_dwarf_name_place(struct wk_dwarf_unit *unit, uint64_t *offset,
					  const struct wk_dwarf_naming *naming)
{
	if (naming->name.form)
		return unit;
	if (naming->reference.form == DW_FORM_ref4)
		wk_dwarf_referred_here(unit, naming->reference.value, offset);
	else
		follow(&unit, offset, naming->reference);
	return unit;
}
