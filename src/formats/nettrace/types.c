#include "formats/nettrace/types.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/hash.h"
#include "base/mem.h"
#include "base/text/utf16.h"
#include "formats/etl/providers.h"
#include "formats/etl/schema/sources.h"
#include "formats/nettrace/events.h"
#include "formats/nettrace/file.h"

#define RUNTIME    "Microsoft-Windows-DotNETRuntime"
#define RUNDOWN    "Microsoft-Windows-DotNETRuntimeRundown"
#define SAMPLER    "Microsoft-DotNETCore-SampleProfiler"
#define EVENT_PIPE "Microsoft-DotNETCore-EventPipe"
#define SYSTEM     "Universal.System"
#define VALUES     "Universal.Events"

/* By number, or by name where the numbers are not fixed. */
static const struct {
	const char *provider;
	uint32_t id;
	const char *name; /* NULL: by number */
	enum wk_nettrace_use use;
} uses[] = {
	{ SAMPLER, 0, NULL, WK_NETTRACE_SAMPLE },
	{ EVENT_PIPE, 1, NULL, WK_NETTRACE_COMMAND },
	{ RUNTIME, 10, NULL, WK_NETTRACE_ALLOCATION },
	{ RUNTIME, 85, NULL, WK_NETTRACE_THREAD },
	{ RUNTIME, 143, NULL, WK_NETTRACE_METHOD_LOADED },
	{ RUNTIME, 144, NULL, WK_NETTRACE_METHOD_SEEN },
	{ RUNTIME, 152, NULL, WK_NETTRACE_MODULE },
	{ RUNTIME, 153, NULL, WK_NETTRACE_MODULE },
	{ RUNTIME, 187, NULL, WK_NETTRACE_RUNTIME },
	{ RUNTIME, 190, NULL, WK_NETTRACE_IGNORED },
	{ RUNDOWN, 143, NULL, WK_NETTRACE_METHOD_SEEN },
	{ RUNDOWN, 144, NULL, WK_NETTRACE_METHOD_SEEN },
	{ RUNDOWN, 150, NULL, WK_NETTRACE_IGNORED },
	{ RUNDOWN, 153, NULL, WK_NETTRACE_MODULE },
	{ RUNDOWN, 154, NULL, WK_NETTRACE_MODULE },
	{ RUNDOWN, 159, NULL, WK_NETTRACE_THREAD },
	{ RUNDOWN, 187, NULL, WK_NETTRACE_RUNTIME },
	{ SYSTEM, 0, "ExistingProcess", WK_NETTRACE_PROCESS_SEEN },
	{ SYSTEM, 0, "ProcessCreate", WK_NETTRACE_PROCESS_START },
	{ SYSTEM, 0, "ProcessExit", WK_NETTRACE_PROCESS_EXIT },
	{ SYSTEM, 0, "ProcessMapping", WK_NETTRACE_MAPPING },
	{ SYSTEM, 0, "ProcessSymbol", WK_NETTRACE_SYMBOL },
	{ VALUES, 0, "", WK_NETTRACE_VALUE },
};

/* What metadata says of a type. */
struct found {
	uint32_t number, id;
	struct wk_str provider, name;
	struct wk_bytes fields; /* of version 6 */
};

void wk_nettrace_types_fini(struct wk_nettrace_types *types)
{
	wk_arena_fini(&types->texts);
	wk_free(types->at);
	wk_map_fini(&types->row_of);
	wk_map_fini(&types->same_as);
}

void wk_nettrace_types_forget(struct wk_nettrace_types *types)
{
	wk_map_fini(&types->row_of);
	types->row_of = (struct wk_map){ 0 };
}

static enum wk_nettrace_use use_of(const struct found *found)
{
	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++)
		if (wk_str_is(found->provider, uses[i].provider) &&
		    (uses[i].name ? uses[i].name[0] == '\0' || wk_str_is(found->name, uses[i].name)
				  : uses[i].id == found->id))
			return uses[i].use;
	return wk_str_is(found->provider, RUNDOWN) ? WK_NETTRACE_IGNORED : WK_NETTRACE_COUNT;
}

/* ---- fields of the events of collectors */

enum { TYPE_SIGNED_VAR = 20, TYPE_VAR = 21, TYPE_UTF8 = 23 };

static enum wk_nettrace_field field_named(struct wk_str name, uint8_t code)
{
	static const struct {
		const char *name;
		enum wk_nettrace_field field;
	} known[] = {
		{ "Id", WK_NETTRACE_ID },
		{ "ProcessId", WK_NETTRACE_PID },
		{ "StartAddress", WK_NETTRACE_START },
		{ "EndAddress", WK_NETTRACE_STOP },
		{ "FileOffset", WK_NETTRACE_OFFSET },
		{ "MappingId", WK_NETTRACE_MAPPED },
		{ "Value", WK_NETTRACE_WEIGHT },
		{ "Name", WK_NETTRACE_NAME },
		{ "FileName", WK_NETTRACE_NAME },
	};

	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (wk_str_is(name, known[i].name) &&
		    (known[i].field >= WK_NETTRACE_NUMBERS) == (code == TYPE_UTF8))
			return known[i].field;
	return code == TYPE_UTF8 ? WK_NETTRACE_OTHER_TEXT : WK_NETTRACE_OTHER_FIELD;
}

/* Up to the first of a kind that these events do not have. */
static void read_fields(struct wk_nettrace_type *type, struct wk_bytes in)
{
	uint16_t count = wk_u16le(&in);

	while (count-- && type->field_count < WK_NETTRACE_MOST_FIELDS && !in.bad) {
		struct wk_bytes field = wk_bytes_slice(&in, wk_u16le(&in));
		struct wk_str name = wk_nettrace_read_text(&field);
		uint8_t code = wk_u8(&field);

		if (field.bad || (code != TYPE_SIGNED_VAR && code != TYPE_VAR && code != TYPE_UTF8))
			return;
		type->fields[type->field_count++] = (uint8_t)field_named(name, code);
	}
}

/* ---- types */

/* The runtime's own events have numbers only. */
static struct wk_str known_name(const struct found *found)
{
	const struct wk_etl_provider_info *provider = wk_etl_provider_named(found->provider);
	struct wk_etl_event_key key = { .id = (uint16_t)found->id };

	if (!provider || found->id > UINT16_MAX)
		return wk_str_c("");
	key.provider = provider->guid;
	return wk_etl_clr_event(&key);
}

static struct wk_str name_of(struct wk_nettrace_types *types, const struct found *found)
{
	struct wk_str name = found->name.len ? found->name : known_name(found);
	struct wk_buf number = { 0 };

	if (name.len == 0 && wk_str_is(found->provider, SAMPLER))
		name = wk_str_c("ThreadSample");
	if (name.len == 0) {
		wk_buf_add_fmt(&number, "%" PRIu32, found->id);
		name = wk_buf_str(&number);
	}
	name = wk_arena_copy(&types->texts, name);
	wk_buf_fini(&number);
	return name;
}

static void add(struct wk_nettrace_types *types, const struct found *found)
{
	uint64_t hash =
		wk_hash_pair(wk_hash_bytes(found->provider.at, found->provider.len), found->id);
	uint32_t *row;

	hash = wk_hash_pair(hash, wk_hash_bytes(found->name.at, found->name.len));
	row = wk_map_at(&types->same_as, hash);
	if (!*row) {
		struct wk_nettrace_type type = { .use = use_of(found) };

		type.provider = wk_arena_copy(&types->texts, found->provider);
		type.name = name_of(types, found);
		read_fields(&type, found->fields);
		*WK_APPEND(types->at, types->count, types->cap) = type;
		*row = types->count;
	}
	wk_map_set(&types->row_of, found->number, *row);
}

/* Before version 6 a row is the payload of an event; the fields that follow are not needed. */
static bool add_v4(struct wk_nettrace_types *types, struct wk_bytes in)
{
	struct wk_buf provider = { 0 }, name = { 0 };
	struct found found = { .number = wk_u32le(&in) };
	bool ok;

	wk_utf16_add(&provider, wk_utf16_text(&in), false);
	found.id = wk_u32le(&in);
	ok = !in.bad;
	wk_utf16_add(&name, wk_utf16_text(&in), false);
	found.provider = wk_buf_str(&provider);
	found.name = wk_buf_str(&name);
	if (ok)
		add(types, &found);
	WK_BUF_FINI_ALL(&provider, &name);
	return ok;
}

static bool add_v6(struct wk_nettrace_types *types, struct wk_bytes in)
{
	struct found found = { .number = (uint32_t)wk_uleb(&in) };

	found.provider = wk_nettrace_read_text(&in);
	found.id = (uint32_t)wk_uleb(&in);
	found.name = wk_nettrace_read_text(&in);
	if (in.bad)
		return false;
	found.fields = in;
	add(types, &found);
	return true;
}

static bool add_block_v6(struct wk_nettrace_types *types, struct wk_bytes in)
{
	bool ok = true;

	wk_bytes_skip(&in, wk_u16le(&in)); /* the header */
	while (ok && wk_bytes_left(&in)) {
		struct wk_bytes row = wk_bytes_slice(&in, wk_u16le(&in));

		ok = !row.bad && add_v6(types, row);
	}
	return ok && !in.bad;
}

bool wk_nettrace_types_add(struct wk_nettrace_types *types, struct wk_bytes block, bool is_v6)
{
	struct wk_nettrace_events rows;
	struct wk_nettrace_event row;
	bool ok = true;

	if (is_v6)
		return add_block_v6(types, block);
	rows = wk_nettrace_events_of(block, false);
	while (ok && wk_nettrace_events_next(&rows, &row))
		ok = add_v4(types, row.payload);
	return ok && !rows.is_bad;
}
