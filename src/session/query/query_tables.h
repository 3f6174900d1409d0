/* The tables of a model for SQL: docs/query.md lists them. Times are nanoseconds since the start,
 * as in all tables of wick; numbers of rows begin at 1, and NULL is what is unknown. */
#ifndef WK_SESSION_QUERY_QUERY_TABLES_H
#define WK_SESSION_QUERY_QUERY_TABLES_H

#include "session/query/sql.h"

/* Their context is a struct wk_model. They end with a name that is NULL. */
extern const struct wk_sql_table wk_query_tables[];

#endif
