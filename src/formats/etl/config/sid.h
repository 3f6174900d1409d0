/* Who something of Windows runs for: a security identifier in words.
 *
 * Those that every machine has are told by their names, as Windows itself shows them; people's own
 * as S-1-5-21-..., since a trace does not have their names. */
#ifndef WK_FORMATS_ETL_CONFIG_SID_H
#define WK_FORMATS_ETL_CONFIG_SID_H

#include "base/buf.h"
#include "base/bytes.h"

/* From its revision on; adds nothing where that is none. */
void wk_etl_sid_add(struct wk_buf *text, struct wk_bytes sid);

/* The same without names: "S-1-5-18". */
void wk_etl_sid_add_numbers(struct wk_buf *text, struct wk_bytes sid);

#endif
