/* Names and fields of the events of .NET's runtime, of engines of JavaScript and of heap snapshots,
 * from their documentation: a trace that was not merged does not contain them. */
#ifndef WK_FORMATS_ETL_SCHEMA_CLR_H
#define WK_FORMATS_ETL_SCHEMA_CLR_H

#include "formats/etl/schema/schema.h"

/* "GC/Start", or empty. */
struct wk_str wk_etl_clr_event(const struct wk_etl_event_key *key);

/* Adds the fields of such an event if the trace does not describe it. */
void wk_etl_clr_describe(struct wk_etl_schemas *schemas, const struct wk_etl_event_key *key);

#endif
