/* The table of descriptions. */
#include "formats/etl/schema/schema.h"

#include <stdlib.h>

#include "base/arena.h"
#include "base/buf.h"
#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/strtab.h"
#include "base/text/utf16.h"
#include "formats/etl/file/guid.h"
#include "formats/etl/schema/sources.h"

#define MOST_BITS 64 /* names for bits of one number; there are 32 bits */

struct wk_etl_schemas *wk_etl_schemas_new(struct wk_etl_kinds *kinds)
{
	struct wk_etl_schemas *schemas = wk_alloc_zeroed(1, sizeof(*schemas));

	schemas->kinds = kinds;
	schemas->texts = wk_strtab_new();
	schemas->manifests = wk_etl_manifests_new();
	return schemas;
}

void wk_etl_schemas_free(struct wk_etl_schemas *schemas)
{
	wk_etl_manifests_free(schemas->manifests);
	wk_strtab_free(schemas->texts);
	wk_arena_fini(&schemas->arena);
	wk_map_fini(&schemas->described_at);
	wk_map_fini(&schemas->values_at);
	WK_BUF_FINI_ALL(&schemas->what, &schemas->text);
	WK_FREE_ALL(schemas->described, schemas->lists, schemas->values, schemas->fields.at,
		    schemas->reader.numbers, schemas);
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
	struct wk_str copy;

	if (wk_bytes_left(&utf16) > 2 * WK_ETL_MOST_NAME)
		utf16.end = utf16.at + 2 * WK_ETL_MOST_NAME;
	wk_utf16_add(&text, utf16, false);
	copy = wk_etl_schemas_text(schemas, wk_buf_str(&text));
	wk_buf_fini(&text);
	return copy;
}

struct wk_str wk_etl_schemas_join_name(struct wk_etl_schemas *schemas, struct wk_str task,
				       struct wk_str opcode)
{
	struct wk_buf text = { 0 };
	struct wk_str name;

	wk_etl_add_event_name(&text, task, opcode);
	name = wk_etl_schemas_text(schemas, wk_buf_str(&text));
	wk_buf_fini(&text);
	return name;
}

/* ---- descriptions */

const struct wk_etl_schema *wk_etl_schemas_find(const struct wk_etl_schemas *schemas,
						const struct wk_etl_event_key *key)
{
	uint32_t row = wk_map_find(&schemas->described_at, wk_etl_hash_key(key));

	return row ? &schemas->described[row - 1] : NULL;
}

const struct wk_etl_field *wk_etl_schemas_copy_fields(struct wk_etl_schemas *schemas,
						      const struct wk_guid *provider,
						      const struct wk_etl_field *fields,
						      uint32_t count)
{
	struct wk_etl_field *copy;

	if (count == 0)
		return NULL;
	copy = wk_arena_alloc(&schemas->arena, count * sizeof(*copy));
	memcpy(copy, fields, count * sizeof(*copy));
	*WK_APPEND(schemas->lists, schemas->list_count, schemas->list_cap) =
		(struct wk_etl_copied_fields){ *provider, copy, count };
	return copy;
}

void wk_etl_schemas_add(struct wk_etl_schemas *schemas, const struct wk_etl_event_key *key,
			const struct wk_etl_schema *schema)
{
	if (!key->is_classic)
		wk_etl_kinds_name_provider(schemas->kinds, &key->provider, schema->provider);
	if (wk_etl_schemas_find(schemas, key))
		return;
	*WK_APPEND(schemas->described, schemas->described_count, schemas->described_cap) = *schema;
	wk_map_set(&schemas->described_at, wk_etl_hash_key(key),
		   (uint32_t)schemas->described_count);
}

/* ---- names for numbers */

static uint64_t values_key(const struct wk_guid *provider, struct wk_str name)
{
	return wk_hash_pair(wk_etl_hash_guid(provider), wk_hash_bytes(name.at, name.len));
}

bool wk_etl_schemas_lacks_values(const struct wk_etl_schemas *schemas,
				 const struct wk_guid *provider, struct wk_str name)
{
	return !wk_map_find(&schemas->values_at, values_key(provider, name));
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
	struct wk_etl_values *copy;
	struct wk_etl_value *at;
	uint32_t count = values->count;

	if (values->are_bits && count > MOST_BITS)
		count = MOST_BITS;
	if (count == 0 || !wk_etl_schemas_lacks_values(schemas, provider, name))
		return;
	at = wk_arena_alloc(&schemas->arena, count * sizeof(*at));
	memcpy(at, values->at, count * sizeof(*at));
	qsort(at, count, sizeof(*at), by_value);
	for (uint32_t i = 0; i < count; i++)
		at[i].word = wk_etl_plain_word(at[i].word);
	copy = wk_arena_alloc(&schemas->arena, sizeof(*copy));
	*copy = (struct wk_etl_values){ at, count, values->are_bits };
	*WK_APPEND(schemas->values, schemas->values_count, schemas->values_cap) = copy;
	wk_map_set(&schemas->values_at, values_key(provider, name),
		   (uint32_t)schemas->values_count);
}

static void set_values(struct wk_etl_schemas *schemas, const struct wk_etl_copied_fields *list)
{
	for (uint32_t i = 0; i < list->count; i++) {
		struct wk_str name = list->at[i].values_name;
		uint32_t row = wk_map_find(&schemas->values_at, values_key(&list->provider, name));

		if (name.len)
			list->at[i].values = row ? schemas->values[row - 1] : NULL;
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
	for (size_t i = 0; i < schemas->list_count; i++)
		set_values(schemas, &schemas->lists[i]);
}

/* The trace's own description is better than the built-in one. */
const struct wk_etl_schema *wk_etl_schemas_of(struct wk_etl_schemas *schemas,
					      const struct wk_etl_event_kind *kind)
{
	const struct wk_etl_schema *schema = wk_etl_schemas_find(schemas, &kind->key);
	size_t before = schemas->list_count;

	if (schema || kind->own_name.len)
		return schema;
	wk_etl_clr_describe(schemas, &kind->key);
	if (schemas->list_count > before)
		set_values(schemas, &schemas->lists[before]);
	return wk_etl_schemas_find(schemas, &kind->key);
}
