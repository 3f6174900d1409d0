#include "formats/etl/kinds.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "formats/etl/file/guid.h"
#include "formats/etl/hooks.h"
#include "formats/etl/schema/descriptions.h"

#define RECENT 64

struct wk_etl_kinds {
	struct wk_strtab *texts;
	struct wk_etl_event_kind *at;
	size_t count, cap;
	struct wk_index index;
	uint32_t recent[RECENT];  /* the latest kinds, by a key without a hash */
	struct wk_str *providers; /* names */
	size_t provider_count, provider_cap;
	struct wk_map provider_at; /* by GUID, hashed: row + 1 */
};

struct wk_etl_kinds *wk_etl_kinds_new(void)
{
	struct wk_etl_kinds *kinds = wk_alloc_zeroed(1, sizeof(*kinds));

	kinds->texts = wk_strtab_new();
	return kinds;
}

void wk_etl_kinds_free(struct wk_etl_kinds *kinds)
{
	wk_strtab_free(kinds->texts);
	wk_index_fini(&kinds->index);
	wk_map_fini(&kinds->provider_at);
	WK_FREE_ALL(kinds->at, kinds->providers, kinds);
}

/* ---- TraceLogging */

struct wk_bytes wk_etl_item(const struct wk_etl_record *record, unsigned type)
{
	for (size_t i = 0; i < record->item_count; i++)
		if (record->items[i].type == type)
			return record->items[i].data;
	return (struct wk_bytes){ 0 };
}

struct wk_bytes wk_etl_tracelogging_open(struct wk_bytes item)
{
	struct wk_bytes size = item;
	uint16_t bytes = wk_u16le(&size);

	item = wk_bytes_slice(&item, bytes);
	wk_bytes_skip(&item, 2);
	return item;
}

void wk_etl_tracelogging_skip_tags(struct wk_bytes *in)
{
	while (wk_u8(in) & 0x80)
		;
}

/* The name that an item begins with. */
static struct wk_str name_in(struct wk_bytes item, bool has_tags)
{
	struct wk_str name;

	if (item.at == item.end)
		return wk_str_c("");
	item = wk_etl_tracelogging_open(item);
	if (has_tags)
		wk_etl_tracelogging_skip_tags(&item);
	name = wk_bytes_text(&item);
	return item.bad ? wk_str_c("") : name;
}

struct wk_str wk_etl_tracelogging_name(const struct wk_etl_record *record)
{
	return name_in(wk_etl_item(record, WK_ETL_ITEM_SCHEMA), true);
}

/* ---- providers */

static struct wk_str copy(struct wk_etl_kinds *kinds, struct wk_str text)
{
	if (text.len > WK_ETL_MOST_NAME)
		text.len = WK_ETL_MOST_NAME;
	return wk_strtab_str(kinds->texts, wk_strtab_add_str(kinds->texts, text));
}

uint64_t wk_etl_hash_guid(const struct wk_guid *guid)
{
	uint64_t low = (uint64_t)guid->a << 32 | (uint32_t)guid->b << 16 | guid->c, high;

	memcpy(&high, guid->d, sizeof(high));
	return wk_hash_pair(low, high);
}

static struct wk_str provider_name(const struct wk_etl_kinds *kinds, const struct wk_guid *guid)
{
	uint32_t row = wk_map_find(&kinds->provider_at, wk_etl_hash_guid(guid));

	return row ? kinds->providers[row - 1] : wk_etl_provider_name(guid);
}

void wk_etl_kinds_name_provider(struct wk_etl_kinds *kinds, const struct wk_guid *guid,
				struct wk_str name)
{
	if (name.len == 0 || provider_name(kinds, guid).len)
		return;
	*WK_APPEND(kinds->providers, kinds->provider_count, kinds->provider_cap) = name;
	wk_map_set(&kinds->provider_at, wk_etl_hash_guid(guid), (uint32_t)kinds->provider_count);
}

/* ---- kinds */

uint64_t wk_etl_hash_key(const struct wk_etl_event_key *key)
{
	return wk_hash_pair(wk_etl_hash_guid(&key->provider), (uint64_t)key->id << 16 |
								      (uint32_t)key->version << 8 |
								      key->is_classic);
}

bool wk_etl_is_same_key(const struct wk_etl_event_key *a, const struct wk_etl_event_key *b)
{
	return wk_guid_eq(&a->provider, &b->provider) && a->id == b->id &&
	       a->version == b->version && a->is_classic == b->is_classic;
}

static struct wk_etl_event_kind kind_of(const struct wk_etl_record *record)
{
	struct wk_etl_event_kind kind = { .key = { record->provider, record->id,
						   (uint8_t)record->version, false },
					  .opcode = record->opcode };

	if (record->kind == WK_ETL_MANIFEST) {
		kind.own_name = wk_etl_tracelogging_name(record);
		kind.is_manifest_chunk = wk_etl_is_manifest_chunk(record);
	} else if (record->kind == WK_ETL_CLASSIC || record->kind == WK_ETL_OTHER) {
		kind.key.id = record->opcode;
		kind.key.is_classic = true;
	} else {
		kind.is_message = true;
	}
	if (kind.own_name.len > WK_ETL_MOST_NAME)
		kind.own_name.len = WK_ETL_MOST_NAME;
	return kind;
}

static bool is_same_kind(const void *table, uint32_t id, const void *wanted)
{
	const struct wk_etl_event_kind *row = &((const struct wk_etl_kinds *)table)->at[id - 1];
	const struct wk_etl_event_kind *kind = wanted;

	return wk_etl_is_same_key(&row->key, &kind->key) && row->opcode == kind->opcode &&
	       row->is_message == kind->is_message && wk_str_eq(row->own_name, kind->own_name);
}

static uint32_t add(struct wk_etl_kinds *kinds, const struct wk_etl_record *record,
		    const struct wk_etl_event_kind *kind, uint64_t hash)
{
	struct wk_str provider = name_in(wk_etl_item(record, WK_ETL_ITEM_TRAITS), false);

	wk_etl_kinds_name_provider(kinds, &record->provider, copy(kinds, provider));
	WK_RESERVE(kinds->at, kinds->cap, kinds->count + 1);
	kinds->at[kinds->count] = *kind;
	kinds->at[kinds->count++].own_name = copy(kinds, kind->own_name);
	wk_index_add(&kinds->index, hash, (uint32_t)kinds->count);
	return (uint32_t)kinds->count;
}

uint32_t wk_etl_kinds_add(struct wk_etl_kinds *kinds, const struct wk_etl_record *record)
{
	struct wk_etl_event_kind kind;
	uint32_t *recent;
	uint64_t hash;

	if (record->kind == WK_ETL_KERNEL)
		return 0;
	kind = kind_of(record);
	recent = &kinds->recent[(kind.key.id ^ kind.key.provider.a) % RECENT];
	if (*recent && is_same_kind(kinds, *recent, &kind))
		return *recent;
	hash = wk_hash_pair(wk_etl_hash_key(&kind.key),
			    wk_hash_bytes(kind.own_name.at, kind.own_name.len) ^ kind.opcode);
	*recent = wk_index_find(&kinds->index, hash, is_same_kind, kinds, &kind);
	if (!*recent)
		*recent = add(kinds, record, &kind, hash);
	return *recent;
}

struct wk_etl_event_kind *wk_etl_kinds_get(const struct wk_etl_kinds *kinds, uint32_t kind)
{
	return &kinds->at[kind - 1];
}

uint32_t wk_etl_kinds_count(const struct wk_etl_kinds *kinds)
{
	return (uint32_t)kinds->count;
}

/* ---- names */

static const char *const opcode_words[UINT8_MAX + 1] = {
	[1] = "Start", "Stop", "DCStart", "DCStop", "Extension", "Reply", "Resume", "Suspend",
	"Send", [240] = "Receive" };

struct wk_str wk_etl_plain_word(struct wk_str word)
{
	if (wk_str_starts(word, "win:"))
		word = wk_str_skip(word, 4);
	while (word.len && word.at[word.len - 1] == ' ')
		word.len--;
	return word;
}

void wk_etl_add_event_name(struct wk_buf *text, struct wk_str task, struct wk_str opcode)
{
	task = wk_etl_plain_word(task);
	opcode = wk_etl_plain_word(opcode);
	wk_buf_add_str(text, task);
	if (opcode.len && !wk_str_is(opcode, "Info")) {
		if (task.len)
			wk_buf_add_char(text, '/');
		wk_buf_add_str(text, opcode);
	}
}

/* "TaskStart" with the opcode Start is not "TaskStart/Start". */
static void add_own_name(const struct wk_etl_event_kind *kind, struct wk_buf *text)
{
	struct wk_str opcode = wk_str_c(opcode_words[kind->opcode]);

	if (wk_str_ends(kind->own_name, opcode.at))
		wk_buf_add_str(text, kind->own_name);
	else
		wk_etl_add_event_name(text, kind->own_name, opcode);
}

static void add_number(const struct wk_etl_event_kind *kind, struct wk_buf *text)
{
	wk_buf_add_fmt(text, "%s %u",
		       kind->key.is_classic ? "opcode"
		       : kind->is_message   ? "message"
					    : "id",
		       kind->key.id);
	if (kind->key.version)
		wk_buf_add_fmt(text, " v%u", kind->key.version);
}

static struct wk_str event_name(struct wk_etl_kinds *kinds, const struct wk_etl_schemas *schemas,
				const struct wk_etl_event_kind *kind)
{
	struct wk_buf text = { 0 };
	struct wk_str name = wk_str_c("");

	if (kind->key.is_classic)
		name = wk_etl_hook_name(&kind->key.provider, kind->key.id);
	if (name.len == 0)
		name = wk_etl_schemas_event(schemas, kind);
	if (name.len == 0 && kind->is_manifest_chunk && kind->own_name.len == 0)
		name = wk_str_c("ManifestData");
	if (name.len)
		return name;
	if (kind->own_name.len)
		add_own_name(kind, &text);
	else
		add_number(kind, &text);
	name = copy(kinds, wk_buf_str(&text));
	wk_buf_fini(&text);
	return name;
}

static struct wk_str provider_of(struct wk_etl_kinds *kinds, const struct wk_etl_schemas *schemas,
				 const struct wk_etl_event_kind *kind)
{
	struct wk_str name = wk_etl_schemas_provider(schemas, kind);
	struct wk_buf text = { 0 };

	if (name.len == 0)
		name = provider_name(kinds, &kind->key.provider);
	if (name.len)
		return name;
	wk_buf_add_char(&text, '{');
	wk_guid_add(&kind->key.provider, &text);
	wk_buf_add_char(&text, '}');
	name = copy(kinds, wk_buf_str(&text));
	wk_buf_fini(&text);
	return name;
}

void wk_etl_kinds_name(struct wk_etl_kinds *kinds, struct wk_etl_schemas *schemas, uint32_t kind,
		       struct wk_str *provider, struct wk_str *event)
{
	struct wk_etl_event_kind *row = &kinds->at[kind - 1];

	if (row->event.len == 0) {
		row->provider = provider_of(kinds, schemas, row);
		row->event = event_name(kinds, schemas, row);
	}
	*provider = row->provider;
	*event = row->event;
}
