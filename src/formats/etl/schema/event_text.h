/* Events of programs and drivers as text: "Provider/Event" and its fields by name. */
#ifndef WK_FORMATS_ETL_SCHEMA_EVENT_TEXT_H
#define WK_FORMATS_ETL_SCHEMA_EVENT_TEXT_H

#include "event/sink.h"
#include "formats/etl/schema/schema.h"

struct wk_etl_event_text;

struct wk_etl_event_text *wk_etl_event_text_new(struct wk_etl_schemas *schemas);
void wk_etl_event_text_free(struct wk_etl_event_text *texts);

/* Tells the record as an OTHER event with time, thread and processor as `event` has them. What the
 * system itself writes with headers of programs is no event of theirs and is passed over. */
bool wk_etl_event_text_emit(struct wk_etl_event_text *texts, const struct wk_etl_record *record,
			    uint32_t kind, const struct wk_event *event, const struct wk_sink *sink,
			    struct wk_err *err);

/* How many could not be read, as notes. */
bool wk_etl_event_text_emit_end(const struct wk_etl_event_text *texts, const struct wk_sink *sink,
				struct wk_err *err);

#endif
