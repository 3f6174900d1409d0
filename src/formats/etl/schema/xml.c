/* A manifest of events: an XML text that names tasks, opcodes, lists of values, templates of fields
 * and their events, in any order. So everything is read first and joined at the end. */
#include <stdlib.h>

#include "base/arena.h"
#include "base/mem.h"
#include "base/text/textmap.h"
#include "formats/etl/file/guid.h"
#include "formats/etl/schema/sources.h"
#include "formats/reports/xml.h"

#define NOTHING UINT32_MAX

/* Texts belong to the reading. */
struct event {
	uint16_t id;
	uint8_t version;
	struct wk_str symbol, task, opcode, template;
};

struct template
{
	struct wk_str name;
	uint32_t first, end;               /* fields */
	const struct wk_etl_field *copied; /* those, when all are read */
};

struct words {
	struct wk_str name;
	uint32_t first, end;
	bool are_bits;
};

struct word {
	uint32_t value;
	struct wk_str message; /* "$(string.NAME)", or the text itself */
};

struct reading {
	struct wk_etl_schemas *schemas;
	struct wk_arena texts;
	struct wk_guid provider;
	struct wk_str provider_name;
	bool has_provider;
	struct event *events;
	size_t event_count, event_cap;
	struct template *templates;
	size_t template_count, template_cap;
	struct wk_etl_field_list fields;
	uint32_t open_struct; /* a field, or NOTHING */
	struct words *lists;
	size_t list_count, list_cap;
	struct word *words;
	size_t word_count, word_cap;
	struct wk_textmap template_at; /* + 1 */
	struct wk_textmap string_at;   /* + 1, in `strings` */
	struct wk_str *strings;
	size_t string_count, string_cap;
};

/* ---- attributes */

static struct wk_str copy_attribute(struct reading *reading, const char *const *attributes,
				    const char *name)
{
	const char *value = wk_xml_attribute(attributes, name);

	return value ? wk_arena_copy(&reading->texts, wk_str_c(value)) : wk_str_c("");
}

/* Decimal or 0x...; 0 if invalid. */
static uint32_t number(const char *const *attributes, const char *name)
{
	const char *value = wk_xml_attribute(attributes, name);

	return value ? (uint32_t)strtoul(value, NULL, 0) : 0;
}

static bool is_number(const char *text)
{
	return text && *text >= '0' && *text <= '9';
}

/* ---- types */

static uint16_t in_type_of(const char *name)
{
	static const char *const names[] = {
		"Null", "UnicodeString", "AnsiString", "Int8", "UInt8", "Int16", "UInt16", "Int32",
		"UInt32", "Int64", "UInt64", "Float", "Double", "Boolean", "Binary", "GUID",
		"Pointer", "FILETIME", "SYSTEMTIME", "SID", "HexInt32", "HexInt64",
		"CountedUnicodeString", "CountedAnsiString", "Struct", "CountedBinary" };

	if (name && strncmp(name, "win:", 4) == 0)
		name += 4;
	for (uint16_t i = 1; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i], name) == 0)
			return i;
	return WK_ETL_IN_NULL;
}

/* Only those that change the form of a value. */
static uint16_t out_type_of(const char *name)
{
	static const struct {
		const char *name;
		uint16_t type;
	} names[] = {
		{ "xs:string", WK_ETL_OUT_STRING },
		{ "xs:boolean", WK_ETL_OUT_BOOL },
		{ "win:HexInt8", 16 },
		{ "win:HexInt16", 17 },
		{ "win:HexInt32", 18 },
		{ "win:HexInt64", WK_ETL_OUT_HEX64 },
		{ "win:Port", WK_ETL_OUT_PORT },
		{ "win:IPv4", WK_ETL_OUT_IPV4 },
		{ "win:IPv6", WK_ETL_OUT_IPV6 },
		{ "win:SocketAddress", WK_ETL_OUT_SOCKET },
		{ "win:NTSTATUS", WK_ETL_OUT_NTSTATUS },
		{ "win:HResult", WK_ETL_OUT_HRESULT },
	};

	for (size_t i = 0; name && i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(names[i].name, name) == 0)
			return names[i].type;
	return WK_ETL_OUT_DEFAULT;
}

/* ---- elements */

static void on_provider(struct reading *reading, const char *const *attributes)
{
	const char *guid = wk_xml_attribute(attributes, "guid");

	if (reading->has_provider || !guid)
		return;
	reading->has_provider = wk_guid_parse(wk_str_c(guid), &reading->provider);
	reading->provider_name = copy_attribute(reading, attributes, "name");
}

static void on_event(struct reading *reading, const char *const *attributes)
{
	*WK_APPEND(reading->events, reading->event_count, reading->event_cap) = (struct event){
		(uint16_t)number(attributes, "value"), (uint8_t)number(attributes, "version"),
		copy_attribute(reading, attributes, "symbol"), copy_attribute(reading, attributes, "task"),
		copy_attribute(reading, attributes, "opcode"), copy_attribute(reading, attributes, "template") };
}

static void on_template(struct reading *reading, const char *const *attributes)
{
	struct wk_str name = copy_attribute(reading, attributes, "tid");

	*WK_APPEND(reading->templates, reading->template_count, reading->template_cap) =
		(struct template){ .name = name,
				   .first = (uint32_t)reading->fields.count,
				   .end = (uint32_t)reading->fields.count };
	*wk_textmap_at(&reading->template_at, name) = (uint32_t)reading->template_count;
	reading->open_struct = NOTHING;
}

/* The index, among the fields of its template, of an earlier one with that name. */
static bool find_field(const struct reading *reading, const char *name, uint16_t *index)
{
	const struct template *template = &reading->templates[reading->template_count - 1];
	uint32_t first = template->first;

	/* The measure precedes what it measures closely. */
	if (reading->fields.count - first > 64)
		first = (uint32_t)reading->fields.count - 64;
	for (uint32_t i = first; i < reading->fields.count; i++) {
		if (wk_str_is(reading->fields.at[i].name, name)) {
			*index = (uint16_t)(i - template->first);
			return true;
		}
	}
	return false;
}

static void measure(const struct reading *reading, const char *text, uint8_t *measured,
		    uint16_t *value)
{
	if (is_number(text)) {
		*measured = WK_ETL_BY_SCHEMA;
		*value = (uint16_t)strtoul(text, NULL, 0);
	} else if (text && find_field(reading, text, value)) {
		*measured = WK_ETL_BY_FIELD;
	}
}

static void on_data(struct reading *reading, const char *const *attributes, uint16_t in_type)
{
	struct wk_etl_field_list *fields = &reading->fields;
	const char *name = wk_xml_attribute(attributes, "name");
	const char *values = wk_xml_attribute(attributes, "map");
	struct wk_etl_field field = { .in_type = in_type };

	if (reading->template_count == 0)
		return;
	field.name = wk_etl_schemas_text(reading->schemas, wk_str_c(name));
	field.values_name = wk_etl_schemas_text(reading->schemas, wk_str_c(values));
	field.out_type = out_type_of(wk_xml_attribute(attributes, "outType"));
	measure(reading, wk_xml_attribute(attributes, "count"), &field.counted, &field.count);
	measure(reading, wk_xml_attribute(attributes, "length"), &field.sized, &field.length);
	WK_RESERVE(fields->at, fields->cap, fields->count + 1);
	field.end =
		(uint32_t)fields->count + 1 - reading->templates[reading->template_count - 1].first;
	fields->at[fields->count++] = field;
	reading->templates[reading->template_count - 1].end = (uint32_t)fields->count;
	if (reading->open_struct != NOTHING)
		fields->at[reading->open_struct].end = field.end;
}

/* Structs in structs are not supported. */
static void on_struct(struct reading *reading, const char *const *attributes)
{
	if (reading->template_count == 0 || reading->open_struct != NOTHING)
		return;
	on_data(reading, attributes, WK_ETL_IN_STRUCT);
	reading->open_struct = (uint32_t)reading->fields.count - 1;
}

static void on_list(struct reading *reading, const char *const *attributes, bool are_bits)
{
	*WK_APPEND(reading->lists, reading->list_count, reading->list_cap) = (struct words){
		copy_attribute(reading, attributes, "name"), (uint32_t)reading->word_count,
		(uint32_t)reading->word_count, are_bits };
}

static void on_word(struct reading *reading, const char *const *attributes)
{
	if (reading->list_count == 0)
		return;
	*WK_APPEND(reading->words, reading->word_count, reading->word_cap) = (struct word){
		number(attributes, "value"), copy_attribute(reading, attributes, "message") };
	reading->lists[reading->list_count - 1].end = (uint32_t)reading->word_count;
}

static void on_string(struct reading *reading, const char *const *attributes)
{
	struct wk_str name = copy_attribute(reading, attributes, "id");
	struct wk_str value = copy_attribute(reading, attributes, "value");
	uint32_t *row = wk_textmap_at(&reading->string_at, name);

	/* The first language is used. */
	if (*row)
		return;
	*WK_APPEND(reading->strings, reading->string_count, reading->string_cap) = value;
	*row = (uint32_t)reading->string_count;
}

static void on_start(void *context, const char *name, const char *const *attributes)
{
	struct reading *reading = context;

	if (strcmp(name, "provider") == 0)
		on_provider(reading, attributes);
	else if (strcmp(name, "event") == 0)
		on_event(reading, attributes);
	else if (strcmp(name, "template") == 0)
		on_template(reading, attributes);
	else if (strcmp(name, "data") == 0)
		on_data(reading, attributes, in_type_of(wk_xml_attribute(attributes, "inType")));
	else if (strcmp(name, "struct") == 0)
		on_struct(reading, attributes);
	else if (strcmp(name, "valueMap") == 0)
		on_list(reading, attributes, false);
	else if (strcmp(name, "bitMap") == 0)
		on_list(reading, attributes, true);
	else if (strcmp(name, "map") == 0)
		on_word(reading, attributes);
	else if (strcmp(name, "string") == 0)
		on_string(reading, attributes);
}

static void on_end(void *context, const char *name)
{
	struct reading *reading = context;

	if (strcmp(name, "struct") == 0)
		reading->open_struct = NOTHING;
}

static void on_text(void *context, struct wk_str text)
{
	(void)context, (void)text;
}

/* ---- joining */

static struct wk_str word_of(struct reading *reading, struct wk_str message)
{
	struct wk_str name = message;
	uint32_t *row;

	if (!wk_str_starts(message, "$(string.") || !wk_str_ends(message, ")"))
		return wk_etl_schemas_text(reading->schemas, message);
	name = wk_str_skip(name, strlen("$(string."));
	name.len--;
	row = wk_textmap_at(&reading->string_at, name);
	return wk_etl_schemas_text(reading->schemas, *row ? reading->strings[*row - 1] : name);
}

static void add_lists(struct reading *reading)
{
	struct wk_etl_value *at = wk_alloc_zeroed(reading->word_count + 1, sizeof(*at));

	for (size_t i = 0; i < reading->word_count; i++)
		at[i] = (struct wk_etl_value){ reading->words[i].value,
					       word_of(reading, reading->words[i].message) };
	for (size_t i = 0; i < reading->list_count; i++) {
		const struct words *list = &reading->lists[i];

		wk_etl_schemas_add_values(reading->schemas, &reading->provider,
					  wk_etl_schemas_text(reading->schemas, list->name),
					  &(struct wk_etl_values){ at + list->first,
								   list->end - list->first,
								   list->are_bits });
	}
	wk_free(at);
}

static void copy_templates(struct reading *reading)
{
	for (size_t i = 0; i < reading->template_count; i++) {
		struct template *template = &reading->templates[i];

		if (template->end > template->first)
			template->copied =
				wk_etl_schemas_copy_fields(reading->schemas, &reading->provider,
							   reading->fields.at + template->first,
							   template->end - template->first);
	}
}

/* The text of a program names an event without a task. */
static void add_joined_event(struct reading *reading, const struct event *event)
{
	struct wk_etl_event_key key = { reading->provider, event->id, event->version, false };
	uint32_t *row =
		event->template.len ? wk_textmap_at(&reading->template_at, event->template) : NULL;
	struct wk_etl_schema schema = { .provider = wk_etl_schemas_text(reading->schemas,
									reading->provider_name) };

	schema.event = wk_etl_schemas_join_name(reading->schemas,
						event->task.len ? event->task : event->symbol,
						event->task.len ? event->opcode : wk_str_c(""));
	if (row && *row) {
		const struct template *template = &reading->templates[*row - 1];

		schema.fields = template->copied;
		schema.count = template->end - template->first;
	}
	wk_etl_schemas_add(reading->schemas, &key, &schema);
}

static void end_reading(struct reading *reading)
{
	wk_arena_fini(&reading->texts);
	wk_textmap_fini(&reading->template_at);
	wk_textmap_fini(&reading->string_at);
	WK_FREE_ALL(reading->events, reading->templates, reading->fields.at, reading->lists,
		    reading->words, reading->strings);
}

/* If the manifest is broken, the part before is used. */
void wk_etl_schemas_read_xml(struct wk_etl_schemas *schemas, struct wk_bytes xml)
{
	static const struct wk_xml_handler handler = { on_start, on_end, on_text };
	struct reading reading = { .schemas = schemas, .open_struct = NOTHING };

	if (!wk_xml_is_read())
		schemas->unread_manifests++;
	wk_xml_read(xml, &handler, &reading, NULL);
	if (reading.has_provider) {
		add_lists(&reading);
		copy_templates(&reading);
		for (size_t i = 0; i < reading.event_count; i++)
			add_joined_event(&reading, &reading.events[i]);
	}
	end_reading(&reading);
}
