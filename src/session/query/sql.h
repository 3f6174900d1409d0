/* SQL over tables that the caller has, read-only, if this build has SQLite.
 *
 * Nothing is copied: a query reads rows when it comes to them. A query is untrusted: it can read
 * the tables and nothing else, no file and no setting.
 *
 * Order of calls: new, query as often as needed, free. */
#ifndef WK_SESSION_QUERY_SQL_H
#define WK_SESSION_QUERY_SQL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum wk_sql_kind { WK_SQL_NULL, WK_SQL_INTEGER, WK_SQL_REAL, WK_SQL_TEXT };

struct wk_sql_value {
	enum wk_sql_kind kind;
	int64_t integer;
	double real;
	struct wk_str text;
};

struct wk_sql_column {
	const char *name;
	const char *meaning; /* for people */
	enum wk_sql_kind kind;
};

/* Rows are numbered from 0. */
struct wk_sql_table {
	const char *name;
	const struct wk_sql_column *columns; /* end with a name that is NULL */
	/* Column 0 is `first_id` + row; otherwise it is like the others. */
	bool has_ids;
	uint32_t first_id;
	uint64_t (*count)(const void *context);
	/* A table for each value of an argument, called like a function: its rows, which `release`
	 * frees. NULL: it has no argument. */
	const char *argument;
	void *(*expand)(const void *context, int64_t argument, uint64_t *count);
	void (*release)(void *expanded);
	/* The value of column `column`, valid until the next call; NULL as it is set before. */
	void (*cell)(const void *context, const void *expanded, uint64_t row, size_t column,
		     struct wk_sql_value *value);
};

struct wk_sql;

/* `tables` ends with a name that is NULL; both are borrowed. NULL: this build has no SQL. */
struct wk_sql *wk_sql_new(const struct wk_sql_table *tables, const void *context,
			  struct wk_err *err);
void wk_sql_free(struct wk_sql *sql);

struct wk_sql_sink {
	/* Once, before the first row; false ends the query. */
	bool (*columns)(void *context, const char *const *names, size_t count, struct wk_err *err);
	bool (*row)(void *context, const struct wk_sql_value *values, size_t count,
		    struct wk_err *err);
	void *context;
	bool (*is_stopped)(void *context); /* called often; true ends the query. Or NULL */
	void *stop_context;
};

/* One statement. Fails after `most_ns`; 0: no limit. */
bool wk_sql_query(struct wk_sql *sql, const char *statement, uint64_t most_ns,
		  const struct wk_sql_sink *sink, struct wk_err *err);

#endif
