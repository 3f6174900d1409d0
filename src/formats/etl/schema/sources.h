/* The sources of descriptions, one per file; all fill the table of schema.h. */
#ifndef WK_FORMATS_ETL_SCHEMA_SOURCES_H
#define WK_FORMATS_ETL_SCHEMA_SOURCES_H

#include "formats/etl/schema/schema.h"

/* info.c: Windows' own descriptions in a merged trace. */
void wk_etl_schemas_read_info(struct wk_etl_schemas *schemas, const struct wk_etl_record *record);

/* manifest.c: manifests of programs in .NET, in pieces. */
struct wk_etl_manifests;

struct wk_etl_manifests *wk_etl_manifests_new(void);
void wk_etl_manifests_free(struct wk_etl_manifests *manifests);
void wk_etl_manifests_add(struct wk_etl_manifests *manifests, struct wk_etl_schemas *schemas,
			  const struct wk_etl_record *record);

/* xml.c: a whole manifest. */
void wk_etl_schemas_read_xml(struct wk_etl_schemas *schemas, struct wk_bytes xml);

/* clr.c: names and fields of the events of .NET's runtime, of engines of JavaScript and of heap
 * snapshots, from their documentation, for traces that do not describe them. The name is
 * "GC/Start", or empty. */
struct wk_str wk_etl_clr_event(const struct wk_etl_event_key *key);
void wk_etl_clr_describe(struct wk_etl_schemas *schemas, const struct wk_etl_event_key *key);

/* tracelogging.c: the fields described beside a payload, in an array that is reused. False, with
 * the fields that could be read, if the bytes are not a description. */
bool wk_etl_tracelogging_fields(struct wk_bytes schema, struct wk_etl_field_list *fields);

#endif
