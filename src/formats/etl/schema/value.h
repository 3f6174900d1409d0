/* One value of an event's payload, as text. */
#ifndef WK_FORMATS_ETL_SCHEMA_VALUE_H
#define WK_FORMATS_ETL_SCHEMA_VALUE_H

#include "base/buf.h"
#include "formats/etl/schema/schema.h"

#define WK_ETL_NO_LENGTH UINT32_MAX

/* Adds the next value of `field`; `length` is what schema or another field says: of text
 * characters, of binaries bytes. `number` gets what was read if it is a whole number. False where
 * the bytes end before, or where nothing says how long it is. */
bool wk_etl_value_add(struct wk_bytes *in, const struct wk_etl_field *field, uint32_t length,
		      unsigned pointer_bytes, uint64_t *number, struct wk_buf *text);

/* Are many of these a text rather than a list of numbers? Then all at once. */
bool wk_etl_value_is_character(const struct wk_etl_field *field);
bool wk_etl_characters_add(struct wk_bytes *in, const struct wk_etl_field *field, uint32_t count,
			   struct wk_buf *text);

#endif
