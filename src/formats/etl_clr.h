/* What the events of .NET's runtime are called, as its documentation and tools have it: a trace that
 * was not merged does not say so. */
#ifndef WK_FORMATS_ETL_CLR_H
#define WK_FORMATS_ETL_CLR_H

#include "formats/etl_schema.h"

/* "Microsoft-Windows-DotNETRuntime"; empty where it is none of the runtime's. */
struct wk_str wk_etl_clr_provider(const struct wk_guid *provider);

/* "GC/Start", or empty. */
struct wk_str wk_etl_clr_event(const struct wk_etl_event_key *key);

#endif
