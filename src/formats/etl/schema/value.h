/* One value of an event's payload, as text. */
#ifndef WK_FORMATS_ETL_SCHEMA_VALUE_H
#define WK_FORMATS_ETL_SCHEMA_VALUE_H

#include "base/buf.h"
#include "formats/etl/schema/schema.h"

#define WK_ETL_NO_LENGTH UINT32_MAX

/* Adds the next value of `field`; `length` is that of the schema or of another field: characters of
 * text, bytes of binary data. `number` gets a whole number. False if the bytes end first, or if the
 * length is unknown. */
bool wk_etl_value_add(struct wk_bytes *in, const struct wk_etl_field *field, uint32_t length,
		      unsigned pointer_bytes, uint64_t *number, struct wk_buf *text);

/* True if an array of these is a text; it is then read at once. */
bool wk_etl_value_is_character(const struct wk_etl_field *field);
bool wk_etl_characters_add(struct wk_bytes *in, const struct wk_etl_field *field, uint32_t count,
			   struct wk_buf *text);

#endif
