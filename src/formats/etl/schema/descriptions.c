#include "formats/etl/schema/descriptions.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "formats/etl/providers.h"
#include "formats/etl/schema/fields.h"
#include "formats/etl/schema/sources.h"

/* However long names are, a text is in proportion to the payload. */
#define LEAST_TEXT     4096
#define TEXT_OF_A_BYTE 16

struct wk_etl_descriptions {
	struct wk_etl_kinds *kinds;
	struct wk_etl_schemas *schemas;
	struct wk_etl_field_reader reader;
	struct wk_etl_field_list fields; /* of the last TraceLogging event */
	struct wk_buf what, text;
	uint64_t undescribed; /* events without a description */
	uint64_t broken;      /* events that end before their last field */
};

struct wk_etl_descriptions *wk_etl_descriptions_new(struct wk_etl_kinds *kinds)
{
	struct wk_etl_descriptions *descriptions = wk_alloc_zeroed(1, sizeof(*descriptions));

	descriptions->kinds = kinds;
	descriptions->schemas = wk_etl_schemas_new(kinds);
	return descriptions;
}

void wk_etl_descriptions_free(struct wk_etl_descriptions *descriptions)
{
	wk_etl_schemas_free(descriptions->schemas);
	wk_etl_field_reader_fini(&descriptions->reader);
	WK_BUF_FINI_ALL(&descriptions->what, &descriptions->text);
	WK_FREE_ALL(descriptions->fields.at, descriptions);
}

void wk_etl_descriptions_learn(struct wk_etl_descriptions *descriptions,
			       const struct wk_etl_record *record)
{
	wk_etl_schemas_learn(descriptions->schemas, record);
}

void wk_etl_descriptions_settle(struct wk_etl_descriptions *descriptions)
{
	wk_etl_schemas_settle(descriptions->schemas);
}

uint64_t wk_etl_descriptions_unread(const struct wk_etl_descriptions *descriptions)
{
	return wk_etl_schemas_unread(descriptions->schemas);
}

/* ---- names */

struct wk_str wk_etl_descriptions_provider(const struct wk_etl_descriptions *descriptions,
					   const struct wk_etl_event_kind *kind)
{
	const struct wk_etl_schema *schema = wk_etl_schemas_find(descriptions->schemas, &kind->key);

	return schema ? schema->provider : wk_str_c("");
}

/* A name in the event itself is better than that of a description. */
struct wk_str wk_etl_descriptions_event(const struct wk_etl_descriptions *descriptions,
					const struct wk_etl_event_kind *kind)
{
	struct wk_str name = wk_etl_clr_event(&kind->key);
	const struct wk_etl_schema *schema;

	if (name.len || kind->own_name.len || kind->is_manifest_chunk)
		return name;
	schema = wk_etl_schemas_find(descriptions->schemas, &kind->key);
	return schema ? schema->event : name;
}

/* ---- text */

static void add_numbers(const struct wk_etl_record *record, struct wk_buf *text)
{
	if (record->kind != WK_ETL_CLASSIC)
		wk_buf_add_fmt(text, "id=%u ", record->id);
	wk_buf_add_fmt(text, "version=%u opcode=%u task=%u bytes=%zu", record->version,
		       record->opcode, record->task, wk_bytes_left(&record->payload));
}

/* Only the header of a piece of a manifest is of interest. */
static void add_manifest_chunk(struct wk_bytes in, struct wk_buf *text)
{
	size_t bytes = wk_bytes_left(&in);
	unsigned form = wk_u8(&in), major = wk_u8(&in), minor = wk_u8(&in), magic = wk_u8(&in);
	unsigned total = wk_u16le(&in), index = wk_u16le(&in);

	wk_buf_add_fmt(text,
		       "Format=%u MajorVersion=%u MinorVersion=%u Magic=%u TotalChunks=%u "
		       "ChunkNumber=%u PayloadLength=%zu",
		       form, major, minor, magic, total, index, bytes);
}

static void add_fields(struct wk_etl_descriptions *d, const struct wk_etl_record *record,
		       uint32_t kind)
{
	struct wk_bytes own = wk_etl_item(record, WK_ETL_ITEM_SCHEMA);
	const struct wk_etl_schema *schema =
		wk_etl_schemas_of(d->schemas, wk_etl_kinds_get(d->kinds, kind));
	struct wk_etl_schema beside;
	bool is_whole = true;

	if (own.at != own.end) {
		is_whole = wk_etl_tracelogging_fields(own, &d->fields);
		beside = (struct wk_etl_schema){ .fields = d->fields.at,
						 .count = (uint32_t)d->fields.count };
		schema = &beside;
	}
	if (schema) {
		is_whole &= wk_etl_fields_add(&d->reader, schema, record->pointer_bytes,
					      record->payload, &d->text);
		d->broken += !is_whole;
	} else if (wk_etl_is_manifest_chunk(record)) {
		add_manifest_chunk(record->payload, &d->text);
	} else {
		add_numbers(record, &d->text);
		d->undescribed++;
	}
}

bool wk_etl_descriptions_emit(struct wk_etl_descriptions *d, const struct wk_etl_record *record,
			      uint32_t kind, const struct wk_event *event,
			      const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_event other = *event;
	struct wk_str provider, name;

	/* Classic events of known providers are the system's. */
	if (record->kind != WK_ETL_MANIFEST &&
	    (record->kind != WK_ETL_CLASSIC || wk_etl_provider_find(&record->provider)))
		return true;
	wk_buf_reset(&d->what);
	wk_buf_reset(&d->text);
	d->text.limit = LEAST_TEXT + TEXT_OF_A_BYTE * wk_bytes_left(&record->payload);
	d->text.full = false;
	wk_etl_kinds_name(d->kinds, d, kind, &provider, &name);
	wk_buf_add_str(&d->what, provider);
	wk_buf_add_char(&d->what, '/');
	wk_buf_add_str(&d->what, name);
	add_fields(d, record, kind);
	other.kind = WK_EVENT_OTHER;
	other.other = (struct wk_event_other){ .what = wk_buf_str(&d->what),
					       .text = wk_buf_str(&d->text) };
	return wk_sink_emit(sink, &other, err);
}

bool wk_etl_descriptions_emit_end(const struct wk_etl_descriptions *d, const struct wk_sink *sink,
				  struct wk_err *err)
{
	return wk_sink_note_count(
		       sink, WK_NOTE_REMARK, d->undescribed,
		       " event is shown as number and size: the trace does not describe it",
		       " events are shown as number and size: the trace does not describe them",
		       err) &&
	       wk_sink_note_count(sink, WK_NOTE_REMARK, d->broken,
				  " event ends before its last field",
				  " events end before their last field", err);
}
