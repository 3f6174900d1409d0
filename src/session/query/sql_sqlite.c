#include "session/query/sql.h"

#include <assert.h>
#include <string.h>

#include <sqlite3.h>

#include "base/buf.h"
#include "base/library_calls.h"
#include "base/mem.h"
#include "os/os.h"

#define LIBRARY "libsqlite3.so.0"

/* Loaded when it is first needed, as most runs of wick do not. */
#define CALLS(_)                                                                                  \
	_(open_v2) _(close_v2) _(prepare_v2) _(step) _(finalize) _(column_count) _(column_name)    \
	_(column_type) _(column_int64) _(column_double) _(column_text) _(column_bytes) _(errmsg)   \
	_(create_module_v2) _(declare_vtab) _(result_int64) _(result_double) _(result_text)        \
	_(result_null) _(value_int64) _(value_type) _(set_authorizer) _(progress_handler)          \
	_(hard_heap_limit64) _(malloc) _(free)

struct library {
#define POINTER(name) __typeof__(sqlite3_##name) *name;
	CALLS(POINTER)
};

#define MOST_HEAP_BYTES (INT64_C(2) << 30) /* that sorting and grouping may take */
#define STEPS_BETWEEN   10000              /* of its machine, between two looks at the clock */

struct wk_sql {
	struct library lite;
	sqlite3 *connection;
	const struct wk_sql_table *tables;
	const void *context;
	uint64_t until_ns;              /* UINT64_MAX: no limit */
	const struct wk_sql_sink *sink; /* of the query at hand */
	bool is_late, is_stopped;
	bool is_declaring; /* the columns of a table: the one statement that does not read */
};

/* ---- tables */

struct module {
	struct wk_sql *sql;
	const struct wk_sql_table *table;
};

struct table {
	sqlite3_vtab base;
	struct module *module;
};

struct cursor {
	sqlite3_vtab_cursor base;
	uint64_t row, end;
	void *expanded;
};

static const struct module *module_of(const sqlite3_vtab_cursor *cursor)
{
	return ((const struct table *)cursor->pVtab)->module;
}

static size_t count_columns(const struct wk_sql_table *table)
{
	size_t count = 0;

	while (table->columns[count].name)
		count++;
	return count;
}

static const char *type_of(enum wk_sql_kind kind)
{
	return kind == WK_SQL_TEXT ? "TEXT" : kind == WK_SQL_REAL ? "REAL" : "INTEGER";
}

static int connect_table(sqlite3 *connection, void *auxiliary, int word_count,
			 const char *const *words, sqlite3_vtab **made, char **message)
{
	struct module *module = auxiliary;
	const struct wk_sql_table *table = module->table;
	struct table *vtab = module->sql->lite.malloc(sizeof(*vtab));
	struct wk_buf text = { 0 };
	int result;

	(void)word_count;
	(void)words;
	(void)message;
	if (!vtab)
		return SQLITE_NOMEM;
	memset(vtab, 0, sizeof(*vtab));
	vtab->module = module;
	wk_buf_add_text(&text, "CREATE TABLE x(");
	for (size_t i = 0; table->columns[i].name; i++)
		wk_buf_add_fmt(&text, "%s\"%s\" %s", i ? ", " : "", table->columns[i].name,
			       type_of(table->columns[i].kind));
	if (table->argument)
		wk_buf_add_fmt(&text, ", \"%s\" HIDDEN", table->argument);
	wk_buf_add_char(&text, ')');
	module->sql->is_declaring = true;
	result = module->sql->lite.declare_vtab(connection, wk_buf_text(&text));
	module->sql->is_declaring = false;
	wk_buf_fini(&text);
	if (result == SQLITE_OK)
		*made = &vtab->base;
	else
		module->sql->lite.free(vtab);
	return result;
}

static int disconnect_table(sqlite3_vtab *vtab)
{
	((struct table *)vtab)->module->sql->lite.free(vtab);
	return SQLITE_OK;
}

/* How rows are found: all, the one with an id, or those of an argument. */
enum { BY_ALL, BY_ID, BY_ARGUMENT };

/* A row with an id is found at once, and what has an argument needs it. */
static int plan(sqlite3_vtab *vtab, sqlite3_index_info *info)
{
	const struct module *module = ((const struct table *)vtab)->module;
	const struct wk_sql_table *table = module->table;
	int wanted = table->argument ? (int)count_columns(table) : table->has_ids ? 0 : -1;
	uint64_t count = table->count ? table->count(module->sql->context) : 10;

	info->idxNum = BY_ALL;
	info->estimatedRows = (sqlite3_int64)count;
	info->estimatedCost = (double)count + 1;
	for (int i = 0; i < info->nConstraint; i++) {
		const struct sqlite3_index_constraint *constraint = &info->aConstraint[i];

		if (constraint->iColumn != wanted || !constraint->usable ||
		    constraint->op != SQLITE_INDEX_CONSTRAINT_EQ)
			continue;
		info->aConstraintUsage[i].argvIndex = 1;
		info->aConstraintUsage[i].omit = table->argument != NULL;
		info->idxNum = table->argument ? BY_ARGUMENT : BY_ID;
		info->estimatedRows = table->argument ? 20 : 1;
		info->estimatedCost = table->argument ? 20 : 1;
		return SQLITE_OK;
	}
	return table->argument ? SQLITE_CONSTRAINT : SQLITE_OK;
}

static int open_cursor(sqlite3_vtab *vtab, sqlite3_vtab_cursor **made)
{
	const struct module *module = ((const struct table *)vtab)->module;
	struct cursor *cursor = module->sql->lite.malloc(sizeof(*cursor));

	if (!cursor)
		return SQLITE_NOMEM;
	memset(cursor, 0, sizeof(*cursor));
	*made = &cursor->base;
	return SQLITE_OK;
}

static void release(struct cursor *cursor)
{
	if (cursor->expanded)
		module_of(&cursor->base)->table->release(cursor->expanded);
	cursor->expanded = NULL;
}

static int close_cursor(sqlite3_vtab_cursor *base)
{
	struct cursor *cursor = (struct cursor *)base;

	release(cursor);
	module_of(base)->sql->lite.free(cursor);
	return SQLITE_OK;
}

static int begin_rows(sqlite3_vtab_cursor *base, int how, const char *text, int count,
		      sqlite3_value **values)
{
	struct cursor *cursor = (struct cursor *)base;
	const struct module *module = module_of(base);
	const struct wk_sql_table *table = module->table;
	const struct library *lite = &module->sql->lite;
	bool has_value = count == 1 && lite->value_type(values[0]) == SQLITE_INTEGER;
	int64_t value = has_value ? lite->value_int64(values[0]) : 0;

	(void)text;
	release(cursor);
	cursor->row = cursor->end = 0;
	if (how == BY_ARGUMENT) {
		if (has_value)
			cursor->expanded = table->expand(module->sql->context, value, &cursor->end);
		return SQLITE_OK;
	}
	cursor->end = table->count(module->sql->context);
	if (how == BY_ALL)
		return SQLITE_OK;
	if (!has_value || value < table->first_id ||
	    (uint64_t)value - table->first_id >= cursor->end) {
		cursor->end = 0;
		return SQLITE_OK;
	}
	cursor->row = (uint64_t)value - table->first_id;
	cursor->end = cursor->row + 1;
	return SQLITE_OK;
}

static int next_row(sqlite3_vtab_cursor *base)
{
	((struct cursor *)base)->row++;
	return SQLITE_OK;
}

static int is_past_rows(sqlite3_vtab_cursor *base)
{
	const struct cursor *cursor = (const struct cursor *)base;

	return cursor->row >= cursor->end;
}

static int read_cell(sqlite3_vtab_cursor *base, sqlite3_context *result, int column)
{
	const struct cursor *cursor = (const struct cursor *)base;
	const struct module *module = module_of(base);
	const struct library *lite = &module->sql->lite;
	struct wk_sql_value value = { WK_SQL_NULL, 0, 0, { 0 } };

	if (module->table->has_ids && column == 0)
		value = (struct wk_sql_value){
			.kind = WK_SQL_INTEGER,
			.integer = (int64_t)(module->table->first_id + cursor->row) };
	else
		module->table->cell(module->sql->context, cursor->expanded, cursor->row,
				    (size_t)column, &value);
	if (value.kind == WK_SQL_INTEGER)
		lite->result_int64(result, value.integer);
	else if (value.kind == WK_SQL_REAL)
		lite->result_double(result, value.real);
	else if (value.kind == WK_SQL_TEXT && value.text.len <= INT32_MAX)
		lite->result_text(result, value.text.len ? value.text.at : "", (int)value.text.len,
				  SQLITE_TRANSIENT);
	else
		lite->result_null(result);
	return SQLITE_OK;
}

static int read_row_id(sqlite3_vtab_cursor *base, sqlite3_int64 *id)
{
	*id = (sqlite3_int64)((const struct cursor *)base)->row;
	return SQLITE_OK;
}

/* Without a function that creates it, a table is there without a statement for that. */
static const sqlite3_module functions = {
	.iVersion = 0,
	.xConnect = connect_table,
	.xBestIndex = plan,
	.xDisconnect = disconnect_table,
	.xOpen = open_cursor,
	.xClose = close_cursor,
	.xFilter = begin_rows,
	.xNext = next_row,
	.xEof = is_past_rows,
	.xColumn = read_cell,
	.xRowid = read_row_id,
};

/* ---- the connection */

static bool load(struct library *library, struct wk_err *err)
{
#define NAME(name) "sqlite3_" #name,
	static const char *const names[] = { CALLS(NAME) };
	void *loaded = dlopen(LIBRARY, RTLD_NOW | RTLD_LOCAL);

	/* The struct has a pointer for each name. */
	static_assert(sizeof(*library) == sizeof(names), "only pointers");
	if (loaded)
		return wk_library_calls(loaded, LIBRARY, names, sizeof(names) / sizeof(names[0]),
					library, err);
	return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
		       "%s is missing, which queries need (package libsqlite3-0)", LIBRARY);
}

static int allow(void *context, int action, const char *first, const char *second,
		 const char *database, const char *trigger)
{
	const struct wk_sql *sql = context;

	(void)first;
	(void)second;
	(void)database;
	(void)trigger;
	return sql->is_declaring || action == SQLITE_SELECT || action == SQLITE_READ ||
			       action == SQLITE_FUNCTION || action == SQLITE_RECURSIVE
		       ? SQLITE_OK
		       : SQLITE_DENY;
}

static int look_at_clock(void *context)
{
	struct wk_sql *sql = context;
	const struct wk_sql_sink *sink = sql->sink;

	sql->is_late = wk_os_clock_ns() >= sql->until_ns;
	sql->is_stopped = sink && sink->is_stopped && sink->is_stopped(sink->stop_context);
	return sql->is_late || sql->is_stopped;
}

static void free_module(void *module)
{
	wk_free(module);
}

static bool add_table(struct wk_sql *sql, const struct wk_sql_table *table)
{
	struct module *module = wk_alloc_zeroed(1, sizeof(*module));

	*module = (struct module){ sql, table };
	/* Frees it also if that fails. */
	return sql->lite.create_module_v2(sql->connection, table->name, &functions, module,
					  free_module) == SQLITE_OK;
}

struct wk_sql *wk_sql_new(const struct wk_sql_table *tables, const void *context,
			  struct wk_err *err)
{
	struct wk_sql *sql = wk_alloc_zeroed(1, sizeof(*sql));
	bool ok;

	sql->tables = tables;
	sql->context = context;
	sql->until_ns = UINT64_MAX;
	if (!load(&sql->lite, err)) {
		wk_free(sql);
		return NULL;
	}
	sql->lite.hard_heap_limit64(MOST_HEAP_BYTES);
	ok = sql->lite.open_v2(":memory:", &sql->connection,
			       SQLITE_OPEN_READWRITE | SQLITE_OPEN_MEMORY | SQLITE_OPEN_NOMUTEX,
			       NULL) == SQLITE_OK;
	for (; ok && tables->name; tables++)
		ok = add_table(sql, tables);
	if (ok) {
		sql->lite.set_authorizer(sql->connection, allow, sql);
		sql->lite.progress_handler(sql->connection, STEPS_BETWEEN, look_at_clock, sql);
		return sql;
	}
	wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, "SQLite cannot begin: %s",
		sql->lite.errmsg(sql->connection));
	wk_sql_free(sql);
	return NULL;
}

void wk_sql_free(struct wk_sql *sql)
{
	if (!sql)
		return;
	sql->lite.close_v2(sql->connection);
	wk_free(sql);
}

/* ---- queries */

static bool fail_query(const struct wk_sql *sql, uint64_t most_ns, int result, struct wk_err *err)
{
	struct wk_str message = wk_str_c(sql->lite.errmsg(sql->connection));
	bool is_of_name =
		wk_str_starts(message, "no such table") || wk_str_starts(message, "no such column");

	if (sql->is_late)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "the query was ended: it took more than %.3g s",
			       (double)most_ns / 1e9);
	if (sql->is_stopped)
		return wk_fail(err, WK_ESTOPPED, WK_NOWHERE, "the query was ended");
	if (result == SQLITE_AUTH)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "queries only read: a statement begins with SELECT or WITH");
	if (wk_str_is(message, "no query solution"))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "a table that is called like a function needs its argument: "
			       "chain(samples.stack)");
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "%.*s%s", WK_STR_ARG(message),
		       is_of_name ? "; `wick query --tables` lists what there is" : "");
}

static bool pass_columns(const struct wk_sql *sql, sqlite3_stmt *statement, size_t count,
			 const struct wk_sql_sink *sink, struct wk_err *err)
{
	const char **names = wk_alloc_zeroed(count + 1, sizeof(*names));
	bool ok;

	for (size_t i = 0; i < count; i++)
		names[i] = sql->lite.column_name(statement, (int)i);
	ok = sink->columns(sink->context, names, count, err);
	wk_free(names);
	return ok;
}

static struct wk_sql_value value_of(const struct wk_sql *sql, sqlite3_stmt *statement, int column)
{
	const struct library *lite = &sql->lite;
	struct wk_sql_value value = { WK_SQL_NULL, 0, 0, { 0 } };

	switch (lite->column_type(statement, column)) {
	case SQLITE_INTEGER:
		value.kind = WK_SQL_INTEGER;
		value.integer = lite->column_int64(statement, column);
		break;
	case SQLITE_FLOAT:
		value.kind = WK_SQL_REAL;
		value.real = lite->column_double(statement, column);
		break;
	case SQLITE_NULL:
		break;
	default:
		value.kind = WK_SQL_TEXT;
		value.text.at = (const char *)lite->column_text(statement, column);
		value.text.len = (size_t)lite->column_bytes(statement, column);
	}
	return value;
}

static bool pass_rows(const struct wk_sql *sql, sqlite3_stmt *statement, uint64_t most_ns,
		      const struct wk_sql_sink *sink, struct wk_err *err)
{
	size_t count = (size_t)sql->lite.column_count(statement);
	struct wk_sql_value *values = wk_alloc_zeroed(count + 1, sizeof(*values));
	bool ok = pass_columns(sql, statement, count, sink, err);
	int result = SQLITE_DONE;

	while (ok && (result = sql->lite.step(statement)) == SQLITE_ROW) {
		for (size_t i = 0; i < count; i++)
			values[i] = value_of(sql, statement, (int)i);
		ok = sink->row(sink->context, values, count, err);
	}
	if (ok && result != SQLITE_DONE)
		ok = fail_query(sql, most_ns, result, err);
	wk_free(values);
	return ok;
}

bool wk_sql_query(struct wk_sql *sql, const char *statement, uint64_t most_ns,
		  const struct wk_sql_sink *sink, struct wk_err *err)
{
	sqlite3_stmt *prepared = NULL;
	const char *rest = NULL;
	bool ok = false;
	int result;

	sql->is_late = sql->is_stopped = false;
	sql->sink = sink;
	sql->until_ns = most_ns ? wk_os_clock_ns() + most_ns : UINT64_MAX;
	result = sql->lite.prepare_v2(sql->connection, statement, -1, &prepared, &rest);
	if (result != SQLITE_OK)
		fail_query(sql, most_ns, result, err);
	else if (!prepared)
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "the query is empty");
	else if (rest[strspn(rest, " \t\r\n;")])
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "a query is one statement");
	else
		ok = pass_rows(sql, prepared, most_ns, sink, err);
	sql->lite.finalize(prepared);
	sql->sink = NULL;
	return ok;
}
