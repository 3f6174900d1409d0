/* SQL over a recording: a query's result as a table. */
#ifndef WK_SESSION_QUERY_QUERY_H
#define WK_SESSION_QUERY_QUERY_H

#include "model/model.h"
#include "views/tables/table.h"

/* All zero: none. */
struct wk_query_limits {
	uint64_t most_ns;                  /* longer is an error */
	size_t most_rows, most_text_bytes; /* more is left out, and a note says so */
	bool (*is_stopped)(void *context); /* called often, by the same thread; true is an error */
	void *context;
};

/* The rows of one statement, which only reads. The table is initialized, and to be freed by the
 * caller also after a failure. Several threads may query one model. */
bool wk_query_fill(struct wk_table *table, const struct wk_model *model, const char *statement,
		   const struct wk_query_limits *limits, struct wk_err *err);

/* The tables that there are, with a row for each column. */
void wk_query_schema(struct wk_table *table);

#endif
