/* The payload of an event as text: "name=value" for each field.
 *
 * Text is in quotes, with quotes, backslashes and control characters escaped; arrays are
 * [a, b], structs {a=1 b=2}. What is left behind the last field is counted: a newer version has
 * more. However fields are nested or counted, the work is in proportion to the payload. */
#ifndef WK_FORMATS_ETL_SCHEMA_FIELDS_H
#define WK_FORMATS_ETL_SCHEMA_FIELDS_H

#include "base/buf.h"
#include "formats/etl/schema/schema.h"

/* What is needed to read one event after the other; zero-initialised is ready. */
struct wk_etl_field_reader {
	struct known_number {
		uint64_t event; /* when it was read */
		uint32_t number;
	} * numbers; /* by field: those that may count others */
	size_t number_cap;
	uint64_t event;
};

void wk_etl_field_reader_fini(struct wk_etl_field_reader *reader);

/* False where the payload ends before its fields do, or they cannot be read: the text then has
 * those before, and "...". With `may_end` a payload may end behind any field. */
bool wk_etl_fields_add(struct wk_etl_field_reader *reader, const struct wk_etl_field *fields,
		       uint32_t count, bool may_end, unsigned pointer_bytes,
		       struct wk_bytes payload, struct wk_buf *text);

#endif
