/* Windows' times of day: 100 ns since 1601, UTC. */
#ifndef WK_FORMATS_ETL_CONFIG_DATE_H
#define WK_FORMATS_ETL_CONFIG_DATE_H

#include "base/buf.h"

/* "2020-07-29 00:07:00.623 UTC"; adds nothing for an invalid time. */
void wk_etl_date_add(struct wk_buf *text, uint64_t since_1601);

/* With all digits: "2020-07-29T00:07:00.6236160Z". */
void wk_etl_date_add_exact(struct wk_buf *text, uint64_t since_1601);

#endif
