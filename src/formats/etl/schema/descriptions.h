/* Descriptions of the events of programs and drivers: their names, and their payloads as text.
 *
 * The descriptions are those that a merged trace contains
 * (info.c), manifests of programs in .NET (manifest.c, xml.c), those of TraceLogging beside each
 * payload (tracelogging.c), and those of the CLR, which wick knows (clr.c).
 *
 * Order of calls: new; learn for each record of the first pass, settle once; then names, and emit
 * for records of the second pass, emit_end; free. Memory in proportion to the distinct
 * descriptions. */
#ifndef WK_FORMATS_ETL_SCHEMA_DESCRIPTIONS_H
#define WK_FORMATS_ETL_SCHEMA_DESCRIPTIONS_H

#include "event/sink.h"
#include "formats/etl/kinds.h"

struct wk_etl_schemas;

/* `kinds` is borrowed: the names of providers are added to it. */
struct wk_etl_schemas *wk_etl_schemas_new(struct wk_etl_kinds *kinds);
void wk_etl_schemas_free(struct wk_etl_schemas *schemas);

/* Adds the record if it describes events; cheap for all others. */
void wk_etl_schemas_learn(struct wk_etl_schemas *schemas, const struct wk_etl_record *record);
void wk_etl_schemas_settle(struct wk_etl_schemas *schemas);

/* "Microsoft-Windows-DotNETRuntime" and "GC/Start"; empty if no description has them. */
struct wk_str wk_etl_schemas_provider(const struct wk_etl_schemas *schemas,
				      const struct wk_etl_event_kind *kind);
struct wk_str wk_etl_schemas_event(const struct wk_etl_schemas *schemas,
				   const struct wk_etl_event_kind *kind);

/* Emits the record as an OTHER event, "Provider/Event" and its fields by name, with the time,
 * thread and processor of `event`. Records that the system writes in the form of a program's are
 * skipped. */
bool wk_etl_schemas_emit(struct wk_etl_schemas *schemas, const struct wk_etl_record *record,
			 uint32_t kind, const struct wk_event *event, const struct wk_sink *sink,
			 struct wk_err *err);

/* Notes: how many events could not be read. */
bool wk_etl_schemas_emit_end(const struct wk_etl_schemas *schemas, const struct wk_sink *sink,
			     struct wk_err *err);

/* Manifests that this build cannot read. */
uint64_t wk_etl_schemas_unread(const struct wk_etl_schemas *schemas);

#endif
