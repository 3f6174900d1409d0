/* The table of descriptions, and the kinds of events. */
#include "formats/etl/schema/schema.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "base/text/utf16.h"
#include "formats/etl/schema/clr.h"
#include "formats/etl/file/guid.h"
#include "formats/etl/hooks.h"
#include "formats/etl/schema/schema_sources.h"

#define RECENT    64
#define MOST_BITS 64 /* words for bits of one number; there are 32 bits */

struct described {
	struct wk_etl_event_key key;
	struct wk_etl_schema schema;
};

struct named_values {
	struct wk_guid provider;
	struct wk_str name;
	struct wk_etl_values values;
};

struct kept_fields {
	struct wk_guid provider;
	struct wk_etl_field *at;
	uint32_t count;
};

/* What all events of one kind have alike. */
struct kind {
	struct wk_etl_event_key key;
	uint8_t opcode;
	bool is_message, is_manifest_chunk;
	bool is_looked_up;             /* among those that are known without the trace */
	struct wk_str own_name;        /* of TraceLogging: the event's */
	struct wk_str provider, event; /* made when asked for */
};

struct wk_etl_schemas {
	struct wk_strtab *texts;
	struct wk_arena arena;
	struct described *described;
	size_t described_count, described_cap;
	struct wk_index described_at;
	struct kept_fields *kept;
	size_t kept_count, kept_cap;
	struct named_values *values;
	size_t values_count, values_cap;
	struct wk_index values_at;
	struct kind *kinds;
	size_t kind_count, kind_cap;
	struct wk_index kind_at;
	uint32_t recent_kinds[RECENT]; /* those asked for lately, by what costs nothing to hash */
	struct provider {
		struct wk_guid guid;
		struct wk_str name;
	} * providers;
	size_t provider_count, provider_cap;
	struct wk_index provider_at;
	struct wk_etl_manifests *manifests;
	uint64_t unread_manifests;
};

struct wk_etl_schemas *wk_etl_schemas_new(void)
{
	struct wk_etl_schemas *schemas = wk_alloc_zeroed(1, sizeof(*schemas));

	schemas->texts = wk_strtab_new();
	schemas->manifests = wk_etl_manifests_new();
	return schemas;
}

void wk_etl_schemas_free(struct wk_etl_schemas *schemas)
{
	if (!schemas)
		return;
	wk_etl_manifests_free(schemas->manifests);
	wk_strtab_free(schemas->texts);
	wk_arena_fini(&schemas->arena);
	wk_index_fini(&schemas->described_at);
	wk_index_fini(&schemas->values_at);
	wk_index_fini(&schemas->kind_at);
	wk_index_fini(&schemas->provider_at);
	wk_free(schemas->described);
	wk_free(schemas->kept);
	wk_free(schemas->values);
	wk_free(schemas->kinds);
	wk_free(schemas->providers);
	wk_free(schemas);
}

/* ---- texts */

struct wk_str wk_etl_schemas_text(struct wk_etl_schemas *schemas, struct wk_str text)
{
	if (text.len > WK_ETL_MOST_NAME)
		text.len = WK_ETL_MOST_NAME;
	return wk_strtab_str(schemas->texts, wk_strtab_add_str(schemas->texts, text));
}

struct wk_str wk_etl_schemas_text16(struct wk_etl_schemas *schemas, struct wk_bytes utf16)
{
	struct wk_buf text = { 0 };
	struct wk_str kept;

	if (wk_bytes_left(&utf16) > 2 * WK_ETL_MOST_NAME)
		utf16.end = utf16.at + 2 * WK_ETL_MOST_NAME;
	wk_utf16_add(&text, utf16, false);
	kept = wk_etl_schemas_text(schemas, wk_buf_str(&text));
	wk_buf_fini(&text);
	return kept;
}

static struct wk_str plain_word(struct wk_str word)
{
	if (wk_str_starts(word, "win:"))
		word = wk_str_skip(word, 4);
	while (word.len && word.at[word.len - 1] == ' ')
		word.len--;
	return word;
}

struct wk_str wk_etl_schemas_event(struct wk_etl_schemas *schemas, struct wk_str task,
				   struct wk_str opcode)
{
	struct wk_buf text = { 0 };
	struct wk_str kept;

	task = plain_word(task);
	opcode = plain_word(opcode);
	wk_buf_add_str(&text, task);
	if (opcode.len && !wk_str_is(opcode, "Info")) {
		if (task.len)
			wk_buf_add_char(&text, '/');
		wk_buf_add_str(&text, opcode);
	}
	kept = wk_etl_schemas_text(schemas, wk_buf_str(&text));
	wk_buf_fini(&text);
	return kept;
}

/* ---- providers */

static uint64_t hash_of_guid(const struct wk_guid *guid)
{
	uint64_t low = (uint64_t)guid->a << 32 | (uint32_t)guid->b << 16 | guid->c, high;

	memcpy(&high, guid->d, sizeof(high));
	return wk_hash_pair(low, high);
}

static bool is_same_provider(const void *table, uint32_t id, const void *key)
{
	const struct wk_etl_schemas *schemas = table;

	return wk_guid_eq(&schemas->providers[id - 1].guid, key);
}

static struct wk_str provider_name(const struct wk_etl_schemas *schemas, const struct wk_guid *guid)
{
	uint32_t row = wk_index_find(&schemas->provider_at, hash_of_guid(guid), is_same_provider,
				     schemas, guid);

	return row ? schemas->providers[row - 1].name : wk_etl_provider_name(guid);
}

static void name_provider(struct wk_etl_schemas *schemas, const struct wk_guid *guid,
			  struct wk_str name)
{
	if (name.len == 0 || provider_name(schemas, guid).len)
		return;
	schemas->providers = wk_grow(schemas->providers, &schemas->provider_cap,
				     schemas->provider_count + 1, sizeof(*schemas->providers));
	schemas->providers[schemas->provider_count++] = (struct provider){ *guid, name };
	wk_index_add(&schemas->provider_at, hash_of_guid(guid), (uint32_t)schemas->provider_count);
}

/* ---- descriptions */

static uint64_t hash_of_key(const struct wk_etl_event_key *key)
{
	return wk_hash_pair(hash_of_guid(&key->provider), (uint64_t)key->id << 16 |
								  (uint32_t)key->version << 8 |
								  key->is_classic);
}

static bool is_same_key(const struct wk_etl_event_key *a, const struct wk_etl_event_key *b)
{
	return wk_guid_eq(&a->provider, &b->provider) && a->id == b->id &&
	       a->version == b->version && a->is_classic == b->is_classic;
}

static bool is_same_described(const void *table, uint32_t id, const void *key)
{
	const struct wk_etl_schemas *schemas = table;

	return is_same_key(&schemas->described[id - 1].key, key);
}

static const struct wk_etl_schema *find(const struct wk_etl_schemas *schemas,
					const struct wk_etl_event_key *key)
{
	uint32_t row = wk_index_find(&schemas->described_at, hash_of_key(key), is_same_described,
				     schemas, key);

	return row ? &schemas->described[row - 1].schema : NULL;
}

bool wk_etl_schemas_lacks(const struct wk_etl_schemas *schemas, const struct wk_etl_event_key *key)
{
	return !find(schemas, key);
}

const struct wk_etl_field *wk_etl_schemas_keep(struct wk_etl_schemas *schemas,
					       const struct wk_guid *provider,
					       const struct wk_etl_field *fields, uint32_t count)
{
	struct wk_etl_field *kept;

	if (count == 0)
		return NULL;
	kept = wk_arena_alloc(&schemas->arena, count * sizeof(*kept));
	memcpy(kept, fields, count * sizeof(*kept));
	schemas->kept = wk_grow(schemas->kept, &schemas->kept_cap, schemas->kept_count + 1,
				sizeof(*schemas->kept));
	schemas->kept[schemas->kept_count++] = (struct kept_fields){ *provider, kept, count };
	return kept;
}

void wk_etl_schemas_add(struct wk_etl_schemas *schemas, const struct wk_etl_event_key *key,
			const struct wk_etl_schema *schema)
{
	if (!key->is_classic)
		name_provider(schemas, &key->provider, schema->provider);
	if (find(schemas, key))
		return;
	schemas->described = wk_grow(schemas->described, &schemas->described_cap,
				     schemas->described_count + 1, sizeof(*schemas->described));
	schemas->described[schemas->described_count++] = (struct described){ *key, *schema };
	wk_index_add(&schemas->described_at, hash_of_key(key), (uint32_t)schemas->described_count);
}

/* ---- words for numbers */

struct values_key {
	const struct wk_guid *provider;
	struct wk_str name;
};

static uint64_t hash_of_values(const struct values_key *key)
{
	return wk_hash_pair(hash_of_guid(key->provider),
			    wk_hash_bytes(key->name.at, key->name.len));
}

static bool is_same_values(const void *table, uint32_t id, const void *wanted)
{
	const struct wk_etl_schemas *schemas = table;
	const struct values_key *key = wanted;
	const struct named_values *row = &schemas->values[id - 1];

	return wk_guid_eq(&row->provider, key->provider) && wk_str_eq(row->name, key->name);
}

static const struct wk_etl_values *find_values(const struct wk_etl_schemas *schemas,
					       const struct values_key *key)
{
	uint32_t row = wk_index_find(&schemas->values_at, hash_of_values(key), is_same_values,
				     schemas, key);

	return row ? &schemas->values[row - 1].values : NULL;
}

bool wk_etl_schemas_lacks_values(const struct wk_etl_schemas *schemas,
				 const struct wk_guid *provider, struct wk_str name)
{
	return !find_values(schemas, &(struct values_key){ provider, name });
}

static int by_value(const void *left, const void *right)
{
	uint32_t a = ((const struct wk_etl_value *)left)->value;
	uint32_t b = ((const struct wk_etl_value *)right)->value;

	return (a > b) - (a < b);
}

void wk_etl_schemas_add_values(struct wk_etl_schemas *schemas, const struct wk_guid *provider,
			       struct wk_str name, const struct wk_etl_values *values)
{
	struct values_key key = { provider, name };
	struct wk_etl_value *at;
	struct named_values *row;
	uint32_t count = values->count;

	if (values->are_bits && count > MOST_BITS)
		count = MOST_BITS;
	if (count == 0 || find_values(schemas, &key))
		return;
	at = wk_arena_alloc(&schemas->arena, count * sizeof(*at));
	memcpy(at, values->at, count * sizeof(*at));
	qsort(at, count, sizeof(*at), by_value);
	for (uint32_t i = 0; i < count; i++)
		at[i].word = plain_word(at[i].word);
	schemas->values = wk_grow(schemas->values, &schemas->values_cap, schemas->values_count + 1,
				  sizeof(*schemas->values));
	row = &schemas->values[schemas->values_count++];
	*row = (struct named_values){ *provider, name, { at, count, values->are_bits } };
	wk_index_add(&schemas->values_at, hash_of_values(&key), (uint32_t)schemas->values_count);
}

static void give_values(struct wk_etl_schemas *schemas, const struct kept_fields *kept)
{
	for (uint32_t i = 0; i < kept->count; i++) {
		struct values_key key = { &kept->provider, kept->at[i].values_name };

		if (key.name.len)
			kept->at[i].values = find_values(schemas, &key);
	}
}

/* ---- learning */

void wk_etl_schemas_learn(struct wk_etl_schemas *schemas, const struct wk_etl_record *record)
{
	if (record->kind == WK_ETL_CLASSIC)
		wk_etl_schemas_read_info(schemas, record);
	else if (record->kind == WK_ETL_MANIFEST)
		wk_etl_manifests_add(schemas->manifests, schemas, record);
}

void wk_etl_schemas_settle(struct wk_etl_schemas *schemas)
{
	for (size_t i = 0; i < schemas->kept_count; i++)
		give_values(schemas, &schemas->kept[i]);
}

/* ---- kinds */

static struct wk_bytes item_of(const struct wk_etl_record *record, unsigned type)
{
	for (size_t i = 0; i < record->item_count; i++)
		if (record->items[i].type == type)
			return record->items[i].data;
	return (struct wk_bytes){ 0 };
}

static struct kind kind_of(const struct wk_etl_record *record)
{
	struct kind kind = { .key = { record->provider, record->id, (uint8_t)record->version,
				      false },
			     .opcode = record->opcode };

	if (record->kind == WK_ETL_MANIFEST) {
		kind.own_name = wk_etl_tracelogging_name(item_of(record, WK_ETL_ITEM_SCHEMA));
		kind.is_manifest_chunk = wk_etl_is_manifest_chunk(record);
	} else if (record->kind == WK_ETL_CLASSIC || record->kind == WK_ETL_OTHER) {
		kind.key.id = record->opcode;
		kind.key.is_classic = true;
	} else {
		kind.is_message = true;
	}
	return kind;
}

static uint64_t hash_of_kind(const struct kind *kind)
{
	return wk_hash_pair(hash_of_key(&kind->key),
			    wk_hash_bytes(kind->own_name.at, kind->own_name.len) ^ kind->opcode);
}

static bool is_same_kind(const void *table, uint32_t id, const void *wanted)
{
	const struct wk_etl_schemas *schemas = table;
	const struct kind *kind = wanted, *row = &schemas->kinds[id - 1];

	return is_same_key(&row->key, &kind->key) && row->opcode == kind->opcode &&
	       row->is_message == kind->is_message && wk_str_eq(row->own_name, kind->own_name);
}

/* The provider's name stands beside the payload, too. */
static void name_tracelogging(struct wk_etl_schemas *schemas, const struct wk_etl_record *record)
{
	struct wk_str name = wk_etl_tracelogging_provider(item_of(record, WK_ETL_ITEM_TRAITS));

	name_provider(schemas, &record->provider, wk_etl_schemas_text(schemas, name));
}

uint32_t wk_etl_schemas_kind(struct wk_etl_schemas *schemas, const struct wk_etl_record *record)
{
	uint32_t *recent;
	struct kind kind;
	uint64_t hash;

	if (record->kind == WK_ETL_KERNEL)
		return 0;
	kind = kind_of(record);
	if (kind.own_name.len > WK_ETL_MOST_NAME)
		kind.own_name.len = WK_ETL_MOST_NAME;
	recent = &schemas->recent_kinds[(kind.key.id ^ kind.key.provider.a) % RECENT];
	if (*recent && is_same_kind(schemas, *recent, &kind))
		return *recent;
	hash = hash_of_kind(&kind);
	*recent = wk_index_find(&schemas->kind_at, hash, is_same_kind, schemas, &kind);
	if (*recent)
		return *recent;
	name_tracelogging(schemas, record);
	kind.own_name = wk_etl_schemas_text(schemas, kind.own_name);
	schemas->kinds = wk_grow(schemas->kinds, &schemas->kind_cap, schemas->kind_count + 1,
				 sizeof(*schemas->kinds));
	schemas->kinds[schemas->kind_count++] = kind;
	wk_index_add(&schemas->kind_at, hash, (uint32_t)schemas->kind_count);
	*recent = (uint32_t)schemas->kind_count;
	return *recent;
}

/* The trace's own description is better than what is known without it. */
static void look_up(struct wk_etl_schemas *schemas, struct kind *kind)
{
	size_t before = schemas->kept_count;

	kind->is_looked_up = true;
	if (kind->own_name.len == 0)
		wk_etl_clr_describe(schemas, &kind->key);
	if (schemas->kept_count > before)
		give_values(schemas, &schemas->kept[before]);
}

const struct wk_etl_schema *wk_etl_schemas_of(struct wk_etl_schemas *schemas, uint32_t kind)
{
	if (kind == 0)
		return NULL;
	if (!schemas->kinds[kind - 1].is_looked_up)
		look_up(schemas, &schemas->kinds[kind - 1]);
	return find(schemas, &schemas->kinds[kind - 1].key);
}

/* ---- names */

static const char *opcode_word(uint8_t opcode)
{
	static const char *const words[] = { "", "Start", "Stop", "DCStart", "DCStop",
					     "Extension", "Reply", "Resume", "Suspend", "Send" };

	if (opcode < sizeof(words) / sizeof(words[0]))
		return words[opcode];
	return opcode == 240 ? "Receive" : "";
}

/* "TaskStart" with the opcode Start is not "TaskStart/Start". */
static struct wk_str own_event(struct wk_etl_schemas *schemas, const struct kind *kind)
{
	const char *opcode = opcode_word(kind->opcode);

	if (wk_str_ends(kind->own_name, opcode))
		return kind->own_name;
	return wk_etl_schemas_event(schemas, kind->own_name, wk_str_c(opcode));
}

static struct wk_str numbered_event(struct wk_etl_schemas *schemas, const struct kind *kind)
{
	struct wk_buf text = { 0 };
	struct wk_str kept;

	wk_buf_add_fmt(&text, "%s %u",
		       kind->key.is_classic ? "opcode"
		       : kind->is_message   ? "message"
					    : "id",
		       kind->key.id);
	if (kind->key.version)
		wk_buf_add_fmt(&text, " v%u", kind->key.version);
	kept = wk_etl_schemas_text(schemas, wk_buf_str(&text));
	wk_buf_fini(&text);
	return kept;
}

static struct wk_str numbered_provider(struct wk_etl_schemas *schemas, const struct wk_guid *guid)
{
	struct wk_buf text = { 0 };
	struct wk_str kept;

	wk_buf_add_char(&text, '{');
	wk_guid_add(guid, &text);
	wk_buf_add_char(&text, '}');
	kept = wk_etl_schemas_text(schemas, wk_buf_str(&text));
	wk_buf_fini(&text);
	return kept;
}

static struct wk_str event_name(struct wk_etl_schemas *schemas, const struct kind *kind)
{
	const struct wk_etl_schema *schema;
	struct wk_str name = wk_etl_clr_event(&kind->key);

	if (name.len == 0 && kind->key.is_classic)
		name = wk_etl_hook_name(&kind->key.provider, kind->key.id);
	if (name.len)
		return name;
	if (kind->own_name.len)
		return own_event(schemas, kind);
	if (kind->is_manifest_chunk)
		return wk_str_c("ManifestData");
	schema = find(schemas, &kind->key);
	return schema && schema->event.len ? schema->event : numbered_event(schemas, kind);
}

void wk_etl_schemas_name(struct wk_etl_schemas *schemas, uint32_t kind, struct wk_str *provider,
			 struct wk_str *event)
{
	struct kind *row = &schemas->kinds[kind - 1];
	const struct wk_etl_schema *schema = find(schemas, &row->key);

	if (row->event.len == 0) {
		row->provider = schema ? schema->provider : wk_str_c("");
		if (row->provider.len == 0)
			row->provider = provider_name(schemas, &row->key.provider);
		if (row->provider.len == 0)
			row->provider = numbered_provider(schemas, &row->key.provider);
		row->event = event_name(schemas, row);
	}
	*provider = row->provider;
	*event = row->event;
}

void wk_etl_schemas_count_unread(struct wk_etl_schemas *schemas)
{
	schemas->unread_manifests++;
}

uint64_t wk_etl_schemas_unread(const struct wk_etl_schemas *schemas)
{
	return schemas ? schemas->unread_manifests : 0;
}
