#include "render/svg/name_attributes.h"

#include "base/hash.h"
#include "base/mem.h"

/* All attributes that a picture accepts. Those that could run, load or cover something (event
 * handlers, style) are missing. */
static const char *const allowed[] = {
	"title", "href", "target", "rel", "hreflang", "class", "id", "stroke", "stroke-width",
	NULL,
};

static bool has_scheme(struct wk_str link, struct wk_str *scheme)
{
	for (size_t i = 0; i < link.len; i++) {
		if (link.at[i] == '/' || link.at[i] == '?' || link.at[i] == '#')
			return false;
		if (link.at[i] == ':') {
			*scheme = wk_str_of(link.at, i);
			return true;
		}
	}
	return false;
}

/* Browsers forgive blanks and control characters in a scheme: none are allowed anywhere. */
static bool is_safe_link(struct wk_str link)
{
	static const char *const schemes[] = { "http", "https", "mailto", "ftp", NULL };
	struct wk_str scheme;

	for (size_t i = 0; i < link.len; i++)
		if ((unsigned char)link.at[i] <= ' ')
			return false;
	if (!has_scheme(link, &scheme))
		return true;
	for (size_t i = 0; schemes[i]; i++)
		if (wk_str_is_any_case(scheme, schemes[i]))
			return true;
	return false;
}

/* The text up to `end` or all of it; what follows stays in `rest`. */
static struct wk_str take(struct wk_str *rest, char end)
{
	struct wk_str part;

	wk_str_split(*rest, end, &part, rest);
	return part;
}

static bool is_same(const void *table, uint32_t id, const void *key)
{
	const struct wk_name_attributes *attributes = table;

	return wk_str_eq(attributes->entries[id - 1].name, *(const struct wk_str *)key);
}

static struct wk_name_entry *entry_of(struct wk_name_attributes *all, struct wk_str name)
{
	uint64_t hash = wk_hash_bytes(name.at, name.len);
	uint32_t id = wk_index_find(&all->index, hash, is_same, all, &name);

	if (id)
		return &all->entries[id - 1];
	WK_RESERVE(all->entries, all->cap, (size_t)all->count + 1);
	all->entries[all->count] = (struct wk_name_entry){
		.name = wk_arena_copy(&all->arena, name) };
	wk_index_add(&all->index, hash, ++all->count);
	return &all->entries[all->count - 1];
}

struct reading {
	struct wk_name_attributes *all;
	wk_name_attributes_report report;
	void *context;
};

static void refuse(const struct reading *r, const char *why, struct wk_str name, struct wk_str what)
{
	if (r->report)
		r->report(r->context, why, name, what);
}

static struct wk_str without_quotes(struct wk_str value)
{
	if (value.len >= 2 && value.at[0] == '"' && value.at[value.len - 1] == '"')
		return wk_str_of(value.at + 1, value.len - 2);
	return value;
}

static void read_attribute(const struct reading *r, struct wk_name_entry *entry,
			   struct wk_str attribute);

/* Several in one, as in XML: `stroke="green" stroke-width="1"`. */
static void read_extra(const struct reading *r, struct wk_name_entry *entry, struct wk_str extra)
{
	while (extra.len) {
		struct wk_str rest = extra, key = take(&rest, '=');
		size_t len;

		if (extra.at[0] == ' ') {
			extra = wk_str_skip(extra, 1);
			continue;
		}
		if (rest.len && rest.at[0] == '"') {
			rest = wk_str_skip(rest, 1);
			len = key.len + 3 + take(&rest, '"').len;
		} else {
			len = key.len + 1 + take(&rest, ' ').len;
		}
		if (len > extra.len)
			len = extra.len;
		if (!wk_str_ends(key, "_extra")) /* none within another */
			read_attribute(r, entry, wk_str_of(extra.at, len));
		extra = wk_str_skip(extra, len);
	}
}

static void read_attribute(const struct reading *r, struct wk_name_entry *entry,
			   struct wk_str attribute)
{
	struct wk_str value = attribute, key = take(&value, '=');

	if (key.len == 0 || key.len == attribute.len) {
		refuse(r, "invalid attribute", entry->name, attribute);
		return;
	}
	if (wk_str_is(key, "g_extra") || wk_str_is(key, "a_extra")) {
		read_extra(r, entry, value);
		return;
	}
	value = without_quotes(value);
	if (wk_str_is(key, "xlink:href"))
		key = wk_str_c("href");
	if (!wk_str_is_one_of(key, allowed) || (wk_str_is(key, "href") && !is_safe_link(value))) {
		refuse(r, "unsafe attribute", entry->name, attribute);
		return;
	}
	for (uint32_t i = 0; i < entry->count; i++) {
		if (wk_str_eq(entry->attributes[i].key, key)) {
			refuse(r, "duplicate attribute", entry->name, attribute);
			entry->attributes[i].value = wk_arena_copy(&r->all->arena, value);
			return;
		}
	}
	entry->attributes[entry->count++] = (struct wk_name_attribute){
		wk_arena_copy(&r->all->arena, key), wk_arena_copy(&r->all->arena, value) };
}

/* Of two lines for one name the later one holds. */
static void read_line(const struct reading *r, struct wk_str line)
{
	struct wk_str name = take(&line, '\t');
	struct wk_name_entry *entry;

	if (name.len == 0 || line.len == 0)
		return;
	entry = entry_of(r->all, name);
	entry->count = 0;
	entry->attributes = wk_arena_alloc(&r->all->arena, sizeof(allowed) / sizeof(allowed[0]) *
								   sizeof(*entry->attributes));
	while (line.len)
		read_attribute(r, entry, take(&line, '\t'));
}

void wk_name_attributes_init(struct wk_name_attributes *attributes, struct wk_str text,
			     wk_name_attributes_report report, void *context)
{
	struct reading reading = { attributes, report, context };

	*attributes = (struct wk_name_attributes){ 0 };
	while (text.len) {
		struct wk_str line = take(&text, '\n');

		if (line.len && line.at[line.len - 1] == '\r')
			line.len--;
		read_line(&reading, line);
	}
}

void wk_name_attributes_fini(struct wk_name_attributes *attributes)
{
	wk_index_fini(&attributes->index);
	wk_arena_fini(&attributes->arena);
	wk_free(attributes->entries);
	*attributes = (struct wk_name_attributes){ 0 };
}

const struct wk_name_entry *wk_name_attributes_find(const struct wk_name_attributes *attributes,
						    struct wk_str name)
{
	uint32_t id;

	if (!attributes || attributes->count == 0)
		return NULL;
	id = wk_index_find(&attributes->index, wk_hash_bytes(name.at, name.len), is_same,
			   attributes, &name);
	return id ? &attributes->entries[id - 1] : NULL;
}

struct wk_str wk_name_entry_get(const struct wk_name_entry *entry, const char *key)
{
	for (uint32_t i = 0; entry && i < entry->count; i++)
		if (wk_str_is(entry->attributes[i].key, key))
			return entry->attributes[i].value;
	return wk_str_c("");
}
