#include "session/query/sql.h"

struct wk_sql *wk_sql_new(const struct wk_sql_table *tables, const void *context,
			  struct wk_err *err)
{
	(void)tables;
	(void)context;
	wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
		"this wick was built without SQLite, which queries need; install libsqlite3-dev "
		"and "
		"build it again");
	return NULL;
}

void wk_sql_free(struct wk_sql *sql)
{
	(void)sql;
}

bool wk_sql_query(struct wk_sql *sql, const char *statement, uint64_t most_ns,
		  const struct wk_sql_sink *sink, struct wk_err *err)
{
	(void)sql;
	(void)statement;
	(void)most_ns;
	(void)sink;
	(void)err;
	return false;
}
