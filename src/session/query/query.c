#include "session/query/query.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "session/query/query_tables.h"

/* What a query returned. How a column is printed depends on all of its values. */
struct result {
	struct wk_table *table; /* keeps all text */
	struct wk_sql_value *values;
	size_t value_count, values_cap;
	const char *names[WK_TABLE_COLUMNS];
	uint8_t seen[WK_TABLE_COLUMNS]; /* bits of enum wk_sql_kind */
	size_t columns, row_count, text_bytes;
	const struct wk_query_limits *limits;
	bool is_cut; /* at one of them */
};

static bool take_columns(void *context, const char *const *names, size_t count, struct wk_err *err)
{
	struct result *result = context;

	if (count > WK_TABLE_COLUMNS)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "the query has %zu columns; at most %d are printed", count,
			       WK_TABLE_COLUMNS);
	for (size_t i = 0; i < count; i++)
		result->names[i] = /* with its end */
			wk_table_keep(result->table, wk_str_of(names[i], strlen(names[i]) + 1)).at;
	result->columns = count;
	return true;
}

static bool is_full(const struct result *result)
{
	const struct wk_query_limits *limits = result->limits;

	return (limits->most_rows && result->row_count >= limits->most_rows) ||
	       (limits->most_text_bytes && result->text_bytes >= limits->most_text_bytes);
}

static bool take_row(void *context, const struct wk_sql_value *values, size_t count,
		     struct wk_err *err)
{
	struct result *result = context;

	if (is_full(result)) {
		result->is_cut = true;
		return wk_fail(err, WK_ESTOPPED, WK_NOWHERE, "there are more rows");
	}
	result->row_count++;
	for (size_t i = 0; i < count; i++) {
		struct wk_sql_value *kept =
			WK_APPEND(result->values, result->value_count, result->values_cap);

		*kept = values[i];
		if (kept->kind == WK_SQL_REAL && !isfinite(kept->real))
			kept->kind = WK_SQL_NULL;
		if (kept->kind == WK_SQL_TEXT)
			kept->text = wk_table_keep(result->table, kept->text);
		result->text_bytes += kept->text.len;
		result->seen[i] |= (uint8_t)(1 << kept->kind);
	}
	return true;
}

/* ---- printing */

/* By its name, as in the tables of wick. */
static enum wk_cell_kind kind_of_integers(struct wk_str name)
{
	if (wk_str_is(name, "time_ns") || wk_str_is(name, "start_ns") || wk_str_is(name, "end_ns"))
		return WK_CELL_MOMENT;
	if (wk_str_ends(name, "_ns"))
		return WK_CELL_DURATION;
	if (wk_str_ends(name, "_bytes") || wk_str_is(name, "bytes"))
		return WK_CELL_BYTES;
	return wk_str_starts(name, "count") ? WK_CELL_COUNT : WK_CELL_NUMBER;
}

static enum wk_cell_kind kind_of(const struct result *result, size_t column)
{
	uint8_t seen = result->seen[column];

	if (seen & 1 << WK_SQL_TEXT)
		return WK_CELL_TEXT;
	if (seen & 1 << WK_SQL_REAL)
		return WK_CELL_DECIMAL;
	return kind_of_integers(wk_str_c(result->names[column]));
}

static struct wk_str text_of(struct wk_table *table, const struct wk_sql_value *value)
{
	struct wk_buf text = { 0 };
	struct wk_str kept;

	if (value->kind == WK_SQL_TEXT)
		return value->text;
	if (value->kind == WK_SQL_INTEGER)
		wk_buf_add_fmt(&text, "%" PRId64, value->integer);
	else if (value->kind == WK_SQL_REAL)
		wk_buf_add_fmt(&text, "%.10g", value->real);
	kept = wk_table_keep(table, wk_buf_str(&text));
	wk_buf_fini(&text);
	return kept;
}

static void add_cell(struct wk_table *table, const struct result *result, size_t i,
		     const struct wk_sql_value *value)
{
	const char *name = result->names[i];
	bool is_there = value->kind != WK_SQL_NULL;

	if (wk_column_has_text(&table->columns[i]))
		wk_column_text_if(table, name, name, 0, is_there, text_of(table, value));
	else
		wk_column_signed_if(table, table->columns[i].kind, name, name, 0, is_there,
				    value->integer);
}

static void print_result(struct wk_table *table, const struct result *result)
{
	table->has_zeros = true;
	for (size_t i = 0; i < result->columns; i++)
		wk_table_column(table, kind_of(result, i), result->names[i], result->names[i]);
	for (size_t i = 0; i < result->value_count; i++) {
		if (i % result->columns == 0)
			wk_table_row(table);
		add_cell(table, result, i % result->columns, &result->values[i]);
	}
	if (result->is_cut)
		wk_table_note(table,
			      "only the first %zu rows are shown; LIMIT and OFFSET select others",
			      result->row_count);
}

bool wk_query_fill(struct wk_table *table, const struct wk_model *model, const char *statement,
		   const struct wk_query_limits *limits, struct wk_err *err)
{
	struct result result = { .table = table, .limits = limits };
	struct wk_sql_sink sink = {
		.columns = take_columns, .row = take_row, .context = &result,
		.is_stopped = limits->is_stopped, .stop_context = limits->context };
	struct wk_sql *sql = wk_sql_new(wk_query_tables, model, err);
	struct wk_err own = { 0 };
	bool ok = sql &&
		  (wk_sql_query(sql, statement, limits->most_ns, &sink, &own) || result.is_cut);

	if (ok)
		print_result(table, &result);
	else if (sql && err)
		*err = own;
	wk_sql_free(sql);
	wk_free(result.values);
	return ok;
}

static const char *type_name(enum wk_sql_kind kind)
{
	return kind == WK_SQL_TEXT ? "text" : kind == WK_SQL_REAL ? "real" : "integer";
}

static void schema_row(struct wk_table *table, const struct wk_sql_table *of,
		       const struct wk_sql_column *column)
{
	wk_column_text(table, "table", "table", 0, wk_str_c(of->name));
	wk_column_text(table, "column", "column", 0, wk_str_c(column->name));
	wk_column_text(table, "type", "type", 0, wk_str_c(type_name(column->kind)));
	wk_column_text(table, "meaning", "meaning", 0, wk_str_c(column->meaning));
}

void wk_query_schema(struct wk_table *table)
{
	schema_row(table, &wk_query_tables[0], &wk_query_tables[0].columns[0]);
	for (const struct wk_sql_table *of = wk_query_tables; of->name; of++)
		for (const struct wk_sql_column *column = of->columns; column->name; column++) {
			wk_table_row(table);
			schema_row(table, of, column);
		}
	table->has_parts = table->has_blanks = true;
}
