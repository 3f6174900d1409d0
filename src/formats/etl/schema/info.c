/* Descriptions of events written by Windows' own library when the files of a trace are merged: a
 * record per event, and one per list of names for numbers. */
#include <stdlib.h>

#include "base/mem.h"
#include "formats/etl/payload/payload.h"
#include "formats/etl/file/guid.h"
#include "formats/etl/schema/sources.h"

#define DESCRIBES_EVENT  32 /* opcodes */
#define DESCRIBES_VALUES 33

#define SOURCE_CLASSIC 1
#define FIELDS_AT      112 /* in a description; the size of each: */
#define FIELD_BYTES    24
#define VALUE_BYTES    8 /* in a list */
#define MOST_DEPTH     16

enum { /* of a list */
       MAP_IS_VALUES = 1,
       MAP_IS_BITS = 2,
       MAP_IS_MOF_BITS = 0x10,
};

enum { /* of a field */
       FIELD_IS_STRUCT = 1,
       FIELD_LENGTH_BY_FIELD = 2,
       FIELD_COUNT_BY_FIELD = 4,
       FIELD_HAS_LENGTH = 0x10,
       FIELD_HAS_COUNT = 0x20,
};

static const struct wk_guid metadata = {
	0xbbccf6c1, 0x6cd1, 0x48c4, { 0x80, 0xff, 0x83, 0x94, 0x82, 0xe3, 0x76, 0x71 } };

/* UTF-16 at an offset from the start; or empty. */
static struct wk_str text_at(struct wk_etl_schemas *schemas, struct wk_bytes whole, uint32_t offset)
{
	size_t left = wk_bytes_left(&whole);

	if (offset == 0 || offset >= left)
		return wk_str_c("");
	wk_bytes_skip(&whole, offset);
	if (wk_bytes_left(&whole) > 2 * WK_ETL_MOST_NAME)
		whole.end = whole.at + 2 * WK_ETL_MOST_NAME;
	return wk_etl_schemas_text16(schemas, wk_utf16_text(&whole));
}

/* ---- an event */

struct info {
	struct wk_etl_schemas *schemas;
	struct wk_bytes whole;
	uint32_t count;              /* of properties */
	struct wk_etl_field *fields; /* members, after their structs */
	uint32_t field_count;
	uint32_t *field_of; /* by property: its field + 1 */
};

struct members {
	uint32_t at, end; /* properties */
	uint32_t field;   /* the struct */
};

static void measure(struct wk_etl_field *field, uint32_t flags)
{
	if (flags & FIELD_COUNT_BY_FIELD)
		field->counted = WK_ETL_BY_FIELD;
	else if (field->count > 1 || flags & FIELD_HAS_COUNT)
		field->counted = WK_ETL_BY_SCHEMA;
	if (flags & FIELD_LENGTH_BY_FIELD)
		field->sized = WK_ETL_BY_FIELD;
	else if (flags & FIELD_HAS_LENGTH)
		field->sized = WK_ETL_BY_SCHEMA;
}

/* The field of the property that determines a length or count: it must precede this one. */
static bool find_measures(const struct info *info, struct wk_etl_field *field)
{
	if (field->counted == WK_ETL_BY_FIELD) {
		if (field->count >= info->count || !info->field_of[field->count])
			return false;
		field->count = (uint16_t)(info->field_of[field->count] - 1);
	}
	if (field->sized == WK_ETL_BY_FIELD) {
		if (field->length >= info->count || !info->field_of[field->length])
			return false;
		field->length = (uint16_t)(info->field_of[field->length] - 1);
	}
	return true;
}

/* False where properties contradict each other. */
static bool read_property(struct info *info, uint32_t property, struct members *members)
{
	struct wk_bytes in = wk_bytes_at(&info->whole, FIELDS_AT + FIELD_BYTES * (uint64_t)property,
					 FIELD_BYTES);
	struct wk_etl_field field = { 0 };
	uint32_t flags = wk_u32le(&in), name_at = wk_u32le(&in), values_at;

	if (info->field_of[property])
		return false;
	field.in_type = wk_u16le(&in);
	field.out_type = wk_u16le(&in);
	values_at = wk_u32le(&in);
	field.count = wk_u16le(&in);
	field.length = wk_u16le(&in);
	field.name = text_at(info->schemas, info->whole, name_at);
	measure(&field, flags);
	*members = (struct members){ 0 };
	if (flags & FIELD_IS_STRUCT) {
		*members = (struct members){ field.in_type,
					     (uint32_t)field.in_type + field.out_type,
					     info->field_count };
		field.in_type = WK_ETL_IN_STRUCT;
		field.out_type = 0;
	} else {
		field.values_name = text_at(info->schemas, info->whole, values_at);
	}
	if (in.bad || !find_measures(info, &field))
		return false;
	field.end = info->field_count + 1;
	info->fields[info->field_count++] = field;
	info->field_of[property] = info->field_count;
	return true;
}

/* Each property becomes at most one field, so cycles end. */
static bool read_properties(struct info *info, uint32_t top_count)
{
	struct members open[MOST_DEPTH] = { { 0, top_count, 0 } };
	size_t depth = 1;

	while (depth) {
		struct members *at = &open[depth - 1], inner;

		if (at->at == at->end) {
			if (--depth)
				info->fields[at->field].end = info->field_count;
			continue;
		}
		if (at->at >= info->count || !read_property(info, at->at++, &inner))
			return false;
		if (inner.end == inner.at)
			continue;
		if (depth == MOST_DEPTH)
			return false;
		open[depth++] = inner;
	}
	return true;
}

struct head {
	struct wk_etl_event_key key;
	struct wk_guid provider, class_guid;
	uint8_t opcode;
	uint32_t source, names[12], count, top_count;
};

static bool read_head(struct wk_bytes in, struct head *head)
{
	*head = (struct head){ .provider = wk_guid_read(&in) };
	head->key.provider = head->provider;
	head->class_guid = wk_guid_read(&in);
	head->key.id = wk_u16le(&in);
	head->key.version = wk_u8(&in);
	wk_bytes_skip(&in, 2);
	head->opcode = wk_u8(&in);
	wk_bytes_skip(&in, 10);
	head->source = wk_u32le(&in);
	for (size_t i = 0; i < sizeof(head->names) / sizeof(head->names[0]); i++)
		head->names[i] = wk_u32le(&in);
	head->count = wk_u32le(&in);
	head->top_count = wk_u32le(&in);
	if (head->source == SOURCE_CLASSIC) {
		head->key.provider = head->class_guid;
		head->key.id = head->opcode;
		head->key.is_classic = true;
	}
	return !in.bad;
}

/* The offsets of the texts in `names`. */
enum { PROVIDER_NAME = 0, TASK_NAME = 4, OPCODE_NAME = 5 };

static void read_event(struct wk_etl_schemas *schemas, struct wk_bytes whole)
{
	struct info info = { .schemas = schemas, .whole = whole };
	struct wk_etl_schema schema = { 0 };
	struct head head;
	size_t left = wk_bytes_left(&whole);

	if (left < FIELDS_AT || !read_head(whole, &head) ||
	    head.count > (left - FIELDS_AT) / FIELD_BYTES ||
	    wk_etl_schemas_find(schemas, &head.key))
		return;
	schema.provider = text_at(schemas, whole, head.names[PROVIDER_NAME]);
	schema.event =
		wk_etl_schemas_join_name(schemas, text_at(schemas, whole, head.names[TASK_NAME]),
					 text_at(schemas, whole, head.names[OPCODE_NAME]));
	info.count = head.count;
	info.fields = wk_alloc_zeroed((size_t)head.count + 1, sizeof(*info.fields));
	info.field_of = wk_alloc_zeroed((size_t)head.count + 1, sizeof(*info.field_of));
	if (read_properties(&info, head.top_count)) {
		schema.fields = wk_etl_schemas_copy_fields(schemas, &head.provider, info.fields,
							   info.field_count);
		schema.count = info.field_count;
		wk_etl_schemas_add(schemas, &head.key, &schema);
	}
	WK_FREE_ALL(info.fields, info.field_of);
}

/* ---- names for numbers */

static void read_words(struct wk_etl_schemas *schemas, struct wk_bytes whole, struct wk_bytes in,
		       uint32_t count, struct wk_etl_value *at)
{
	for (uint32_t i = 0; i < count; i++) {
		uint32_t word_at = wk_u32le(&in);

		at[i] = (struct wk_etl_value){ wk_u32le(&in), text_at(schemas, whole, word_at) };
	}
}

static void read_values(struct wk_etl_schemas *schemas, struct wk_bytes in)
{
	struct wk_guid provider = wk_guid_read(&in);
	struct wk_bytes whole = in;
	uint32_t name_at = wk_u32le(&in), flags = wk_u32le(&in), count = wk_u32le(&in);
	struct wk_etl_value *at;
	struct wk_str name;

	wk_u32le(&in);
	if (in.bad || !(flags & (MAP_IS_VALUES | MAP_IS_BITS | MAP_IS_MOF_BITS)) ||
	    count > wk_bytes_left(&in) / VALUE_BYTES)
		return;
	name = text_at(schemas, whole, name_at);
	if (!wk_etl_schemas_lacks_values(schemas, &provider, name))
		return;
	at = wk_alloc_zeroed((size_t)count + 1, sizeof(*at));
	read_words(schemas, whole, in, count, at);
	wk_etl_schemas_add_values(schemas, &provider, name,
				  &(struct wk_etl_values){ at, count, !(flags & MAP_IS_VALUES) });
	wk_free(at);
}

void wk_etl_schemas_read_info(struct wk_etl_schemas *schemas, const struct wk_etl_record *record)
{
	struct wk_bytes whole = record->payload;

	if (!wk_guid_eq(&record->provider, &metadata))
		return;
	whole.start = whole.at;
	if (record->opcode == DESCRIBES_EVENT)
		read_event(schemas, whole);
	else if (record->opcode == DESCRIBES_VALUES)
		read_values(schemas, whole);
}
