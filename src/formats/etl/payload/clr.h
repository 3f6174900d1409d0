/* What the events of .NET's runtime, of engines of JavaScript and of heap snapshots are called and
 * what is in them, as documentation and tools have it: a trace that was not merged does not say. */
#ifndef WK_FORMATS_ETL_PAYLOAD_CLR_H
#define WK_FORMATS_ETL_PAYLOAD_CLR_H

#include "formats/etl/schema/schema.h"

/* "Microsoft-Windows-DotNETRuntime"; empty where it is none of those. */
struct wk_str wk_etl_clr_provider(const struct wk_guid *provider);

/* "GC/Start", or empty. */
struct wk_str wk_etl_clr_event(const struct wk_etl_event_key *key);

/* Adds what is in such an event, where it is known and the trace has not said it. */
void wk_etl_clr_describe(struct wk_etl_schemas *schemas, const struct wk_etl_event_key *key);

/* Of the runtime itself, not of its rundown. */
bool wk_etl_clr_is_runtime(const struct wk_etl_record *record);

/* The stack of the event that the same thread told before. */
bool wk_etl_clr_is_stack(const struct wk_etl_record *record);

#endif
