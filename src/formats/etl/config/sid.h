/* The account that a part of Windows runs under: a security identifier as text.
 *
 * Well-known accounts have their names, as in Windows; those of people are S-1-5-21-..., because a
 * trace does not contain their names. */
#ifndef WK_FORMATS_ETL_CONFIG_SID_H
#define WK_FORMATS_ETL_CONFIG_SID_H

#include "base/buf.h"
#include "base/bytes.h"

/* From its revision on; adds nothing if it is invalid. */
void wk_etl_sid_add(struct wk_buf *text, struct wk_bytes sid);

/* The same without names: "S-1-5-18". */
void wk_etl_sid_add_numbers(struct wk_buf *text, struct wk_bytes sid);

#endif
