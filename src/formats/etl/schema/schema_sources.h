/* Where descriptions of events come from: one file each, all into the table of etl_schema.h. */
#ifndef WK_FORMATS_ETL_SCHEMA_SCHEMA_SOURCES_H
#define WK_FORMATS_ETL_SCHEMA_SCHEMA_SOURCES_H

#include "formats/etl/schema/schema.h"

/* etl_schema_info.c: what a merged trace has of Windows' own descriptions. */
void wk_etl_schemas_read_info(struct wk_etl_schemas *schemas, const struct wk_etl_record *record);

/* etl_schema_manifest.c: manifests of programs in .NET, which come in pieces. */
struct wk_etl_manifests;

struct wk_etl_manifests *wk_etl_manifests_new(void);
void wk_etl_manifests_free(struct wk_etl_manifests *manifests);
void wk_etl_manifests_add(struct wk_etl_manifests *manifests, struct wk_etl_schemas *schemas,
			  const struct wk_etl_record *record);

static inline bool wk_etl_is_manifest_chunk(const struct wk_etl_record *record)
{
	return record->kind == WK_ETL_MANIFEST && record->id == 0xfffe && record->opcode == 254;
}

/* etl_schema_xml.c: a whole manifest. */
void wk_etl_schemas_read_xml(struct wk_etl_schemas *schemas, struct wk_bytes xml);

/* etl_tracelogging.c: what stands beside a payload. Empty where there is nothing. */
struct wk_str wk_etl_tracelogging_name(struct wk_bytes schema);
struct wk_str wk_etl_tracelogging_provider(struct wk_bytes traits);

/* The fields of such an event, in an array that grows and is used again. False, with what could be
 * read, where the bytes are no description. */
struct wk_etl_field_list {
	struct wk_etl_field *at;
	size_t count, cap;
};
bool wk_etl_tracelogging_fields(struct wk_bytes schema, struct wk_etl_field_list *fields);

#endif
