/* SQL over a recording: a query's result as a table. */
#ifndef WK_SESSION_QUERY_QUERY_H
#define WK_SESSION_QUERY_QUERY_H

#include "model/model.h"
#include "views/tables/table.h"

/* The rows of one statement, which only reads. The table is initialized, and to be freed by the
 * caller also after a failure. `most_ns` is how long it may take; 0: no limit. */
bool wk_query_fill(struct wk_table *table, const struct wk_model *model, const char *statement,
		   uint64_t most_ns, struct wk_err *err);

/* The tables that there are, with a row for each column. */
void wk_query_schema(struct wk_table *table);

#endif
