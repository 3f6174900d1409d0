/* What classic events are called that merging adds to a trace: no description of them comes with
 * it. */
#ifndef WK_FORMATS_ETL_PAYLOAD_CLASSIC_H
#define WK_FORMATS_ETL_PAYLOAD_CLASSIC_H

#include "formats/etl/schema/schema.h"

/* "KernelTraceControl"; empty where it is not known. */
struct wk_str wk_etl_classic_provider(const struct wk_guid *provider);

/* "ImageID/DbgID_RSDS", or empty. */
struct wk_str wk_etl_classic_event(const struct wk_etl_event_key *key);

#endif
