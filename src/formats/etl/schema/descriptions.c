#include "formats/etl/schema/descriptions.h"

#include "formats/etl/providers.h"
#include "formats/etl/schema/fields.h"
#include "formats/etl/schema/sources.h"

/* However long names are, a text is in proportion to the payload. */
#define LEAST_TEXT     4096
#define TEXT_OF_A_BYTE 16

uint64_t wk_etl_schemas_unread(const struct wk_etl_schemas *schemas)
{
	return schemas->unread_manifests;
}

/* ---- names */

struct wk_str wk_etl_schemas_provider(const struct wk_etl_schemas *schemas,
				      const struct wk_etl_event_kind *kind)
{
	const struct wk_etl_schema *schema = wk_etl_schemas_find(schemas, &kind->key);

	return schema ? schema->provider : wk_str_c("");
}

/* A name in the event itself is better than that of a description. */
struct wk_str wk_etl_schemas_event(const struct wk_etl_schemas *schemas,
				   const struct wk_etl_event_kind *kind)
{
	struct wk_str name = wk_etl_clr_event(&kind->key);
	const struct wk_etl_schema *schema;

	if (name.len || kind->own_name.len || kind->is_manifest_chunk)
		return name;
	schema = wk_etl_schemas_find(schemas, &kind->key);
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

static void add_fields(struct wk_etl_schemas *schemas, const struct wk_etl_record *record,
		       uint32_t kind)
{
	struct wk_bytes own = wk_etl_item(record, WK_ETL_ITEM_SCHEMA);
	const struct wk_etl_schema *schema =
		wk_etl_schemas_of(schemas, wk_etl_kinds_get(schemas->kinds, kind));
	struct wk_etl_schema beside;
	bool is_whole = true;

	if (own.at != own.end) {
		is_whole = wk_etl_tracelogging_fields(own, &schemas->fields);
		beside = (struct wk_etl_schema){ .fields = schemas->fields.at,
						 .count = (uint32_t)schemas->fields.count };
		schema = &beside;
	}
	if (schema) {
		is_whole &= wk_etl_fields_add(&schemas->reader, schema, record->pointer_bytes,
					      record->payload, &schemas->text);
		schemas->broken += !is_whole;
	} else if (wk_etl_is_manifest_chunk(record)) {
		add_manifest_chunk(record->payload, &schemas->text);
	} else {
		add_numbers(record, &schemas->text);
		schemas->undescribed++;
	}
}

bool wk_etl_schemas_emit(struct wk_etl_schemas *schemas, const struct wk_etl_record *record,
			 uint32_t kind, const struct wk_event *event, const struct wk_sink *sink,
			 struct wk_err *err)
{
	struct wk_event other = *event;
	struct wk_str provider, name;

	/* Classic events of known providers are the system's. */
	if (record->kind != WK_ETL_MANIFEST &&
	    (record->kind != WK_ETL_CLASSIC || wk_etl_provider_find(&record->provider)))
		return true;
	wk_buf_reset(&schemas->what);
	wk_buf_reset(&schemas->text);
	schemas->text.limit = LEAST_TEXT + TEXT_OF_A_BYTE * wk_bytes_left(&record->payload);
	schemas->text.full = false;
	wk_etl_kinds_name(schemas->kinds, schemas, kind, &provider, &name);
	wk_buf_add_str(&schemas->what, provider);
	wk_buf_add_char(&schemas->what, '/');
	wk_buf_add_str(&schemas->what, name);
	add_fields(schemas, record, kind);
	other.kind = WK_EVENT_OTHER;
	other.other = (struct wk_event_other){ .what = wk_buf_str(&schemas->what),
					       .text = wk_buf_str(&schemas->text) };
	return wk_sink_emit(sink, &other, err);
}

bool wk_etl_schemas_emit_end(const struct wk_etl_schemas *schemas, const struct wk_sink *sink,
			     struct wk_err *err)
{
	return wk_sink_note_count(
		       sink, WK_NOTE_REMARK, schemas->undescribed,
		       " event is shown as number and size: the trace does not describe it",
		       " events are shown as number and size: the trace does not describe them",
		       err) &&
	       wk_sink_note_count(sink, WK_NOTE_REMARK, schemas->broken,
				  " event ends before its last field",
				  " events end before their last field", err);
}
