/* The payload of an event as text: "name=value" for each field.
 *
 * Text is quoted, with quotes, backslashes and control characters escaped; arrays are [a, b],
 * structs {a=1 b=2}. Bytes after the last field are counted: a newer version has more fields.
 * However fields are nested or counted, the work is in proportion to the payload. */
#ifndef WK_FORMATS_ETL_SCHEMA_FIELDS_H
#define WK_FORMATS_ETL_SCHEMA_FIELDS_H

#include "base/buf.h"
#include "formats/etl/schema/schema.h"

/* False if the payload ends before its last field, or cannot be read: the text then contains the
 * fields before, and "...". If the schema's `may_end` is set, a payload may end
 * after any field. */
bool wk_etl_fields_add(struct wk_etl_field_reader *reader, const struct wk_etl_schema *schema,
		       unsigned pointer_bytes, struct wk_bytes payload, struct wk_buf *text);

#endif
