#include "formats/etl/schema/event_text.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "formats/etl/providers.h"
#include "formats/etl/schema/fields.h"
#include "formats/etl/schema/schema_sources.h"

/* However long names are, a text is in proportion to the payload. */
#define LEAST_TEXT     4096
#define TEXT_OF_A_BYTE 16

struct wk_etl_event_text {
	struct wk_etl_schemas *schemas;
	struct wk_etl_field_reader reader;
	struct wk_etl_field_list fields; /* of the last TraceLogging event */
	struct wk_buf what, text;
	uint64_t undescribed; /* events of which nothing says what is in them */
	uint64_t broken;      /* that end before their fields do */
};

struct wk_etl_event_text *wk_etl_event_text_new(struct wk_etl_schemas *schemas)
{
	struct wk_etl_event_text *texts = wk_alloc_zeroed(1, sizeof(*texts));

	texts->schemas = schemas;
	return texts;
}

void wk_etl_event_text_free(struct wk_etl_event_text *texts)
{
	wk_etl_field_reader_fini(&texts->reader);
	wk_buf_fini(&texts->what);
	wk_buf_fini(&texts->text);
	wk_free(texts->fields.at);
	wk_free(texts);
}

static struct wk_bytes schema_item(const struct wk_etl_record *record)
{
	for (size_t i = 0; i < record->item_count; i++)
		if (record->items[i].type == WK_ETL_ITEM_SCHEMA)
			return record->items[i].data;
	return (struct wk_bytes){ 0 };
}

static void add_numbers(const struct wk_etl_record *record, struct wk_buf *text)
{
	if (record->kind != WK_ETL_CLASSIC)
		wk_buf_add_fmt(text, "id=%u ", record->id);
	wk_buf_add_fmt(text, "version=%u opcode=%u task=%u bytes=%zu", record->version,
		       record->opcode, record->task, wk_bytes_left(&record->payload));
}

/* A piece of what describes events: the description itself is no news. */
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

static void add_fields(struct wk_etl_event_text *texts, const struct wk_etl_record *record,
		       uint32_t kind)
{
	struct wk_bytes own = schema_item(record);
	const struct wk_etl_schema *schema = wk_etl_schemas_of(texts->schemas, kind);
	bool is_whole;

	if (own.at != own.end) {
		is_whole = wk_etl_tracelogging_fields(own, &texts->fields);
		is_whole &= wk_etl_fields_add(&texts->reader, texts->fields.at,
					      (uint32_t)texts->fields.count, false,
					      record->pointer_bytes, record->payload, &texts->text);
		texts->broken += !is_whole;
		return;
	}
	if (schema) {
		is_whole = wk_etl_fields_add(&texts->reader, schema->fields, schema->count,
					     schema->may_end, record->pointer_bytes,
					     record->payload, &texts->text);
		texts->broken += !is_whole;
		return;
	}
	if (wk_etl_is_manifest_chunk(record)) {
		add_manifest_chunk(record->payload, &texts->text);
		return;
	}
	add_numbers(record, &texts->text);
	texts->undescribed++;
}

bool wk_etl_event_text_emit(struct wk_etl_event_text *texts, const struct wk_etl_record *record,
			    uint32_t kind, const struct wk_event *event, const struct wk_sink *sink,
			    struct wk_err *err)
{
	struct wk_event told = *event;
	struct wk_str provider, name;

	/* Classic events of known providers are the system's. */
	if (record->kind != WK_ETL_MANIFEST &&
	    (record->kind != WK_ETL_CLASSIC || wk_etl_provider_find(&record->provider)))
		return true;
	wk_buf_reset(&texts->what);
	wk_buf_reset(&texts->text);
	texts->text.limit = LEAST_TEXT + TEXT_OF_A_BYTE * wk_bytes_left(&record->payload);
	texts->text.full = false;
	wk_etl_schemas_name(texts->schemas, kind, &provider, &name);
	wk_buf_add_str(&texts->what, provider);
	wk_buf_add_char(&texts->what, '/');
	wk_buf_add_str(&texts->what, name);
	add_fields(texts, record, kind);
	told.kind = WK_EVENT_OTHER;
	told.other = (struct wk_event_other){ .what = wk_buf_str(&texts->what),
					      .text = wk_buf_str(&texts->text),
					      .running_pid = told.pid, .running_tid = told.tid };
	return wk_sink_emit(sink, &told, err);
}

bool wk_etl_event_text_emit_end(const struct wk_etl_event_text *texts, const struct wk_sink *sink,
				struct wk_err *err)
{
	return wk_sink_note_count(
		       sink, WK_NOTE_REMARK, texts->undescribed,
		       " event is only a number and a size: the trace does not describe it",
		       " events are only numbers and sizes: the trace does not describe them",
		       err) &&
	       wk_sink_note_count(sink, WK_NOTE_REMARK, texts->broken,
				  " event ends before the fields that it should have",
				  " events end before the fields that they should have", err);
}
