/* SQL over a model. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "built_model.h"
#include "model/resolve.h"
#include "session/query/query.h"
#include "session/query/query_tables.h"

/* Two samples of one thread, the second one with a caller. */
static void start(struct built *f)
{
	uint64_t chain[] = { 0x1000, 0x2000 };

	built_start(f);
	built_give(f, (struct wk_event){
		.kind = WK_EVENT_PROCESS, .pid = 7, .tid = 7,
		.process = { .change = WK_PROCESS_SEEN, .name = WK_STR("app") } });
	for (size_t i = 1; i <= 2; i++)
		built_give(f, (struct wk_event){
			.kind = WK_EVENT_SAMPLE, .time_ns = 100 * i, .pid = 7, .tid = 70, .cpu = 3,
			.sample = { .weight = 10 * i, .user_chain = chain, .user_count = i } });
	built_end(f);
	wk_model_resolve(f->model, NULL, (struct wk_resolve_options){ .separates_unnamed = true });
}

static const struct wk_query_limits unlimited;

/* Cells joined by spaces, rows by ";"; or the error. */
static const char *query(const struct built *f, const char *statement)
{
	static struct wk_buf text;
	struct wk_err err = { 0 };
	struct wk_table table;
	bool ok;

	wk_table_init(&table, "query");
	ok = wk_query_fill(&table, f->model, statement, &unlimited, &err);
	wk_buf_fini(&text);
	if (!ok)
		wk_buf_add_text(&text, err.text);
	for (size_t i = 0; i < table.cell_count; i++) {
		const struct wk_cell *cell = &table.cells[i];

		if (i)
			wk_buf_add_char(&text, i % table.column_count ? ' ' : ';');
		if (cell->is_none)
			wk_buf_add_char(&text, '-');
		else if (wk_column_has_text(&table.columns[i % table.column_count]))
			wk_buf_add_str(&text, cell->text);
		else
			wk_buf_add_fmt(&text, "%s%llu", cell->is_negative ? "-" : "",
				       (unsigned long long)cell->number);
	}
	wk_table_fini(&table);
	return wk_buf_text(&text);
}

static void rows_of_the_model_are_rows_of_tables(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	assert_string_equal(query(&f, "SELECT id, time_ns, weight, count, cpu FROM samples"),
			    "1 0 10 1 3;2 100 20 1 3");
	assert_string_equal(query(&f, "SELECT t.tid, p.pid, p.name FROM threads t JOIN processes p "
				      "ON p.id = t.process WHERE t.tid = 70"),
			    "70 7 app");
	assert_string_equal(query(&f, "SELECT count(*), max(level) FROM samples s, chain(s.stack) "
				      "WHERE s.id = 2"),
			    "2 1");
	assert_string_equal(query(&f, "SELECT parent IS NULL FROM stacks ORDER BY id LIMIT 1"),
			    "1");
	wk_model_free(f.model);
}

static void ids_that_no_row_has_find_nothing(void **state)
{
	struct built f;

	(void)state;
	start(&f);
	assert_string_equal(
		query(&f, "SELECT count(*) FROM samples WHERE id IN (0, 3, -1, 1 << 40)"), "0");
	assert_string_equal(query(&f, "SELECT count(*) FROM samples WHERE id = 'text'"), "0");
	assert_string_equal(query(&f, "SELECT count(*) FROM chain(-5)"), "0");
	assert_string_equal(query(&f, "SELECT count(*) FROM chain(1 << 40)"), "0");
	assert_string_equal(query(&f, "SELECT count(*) FROM chain('text')"), "0");
	wk_model_free(f.model);
}

/* Each column of each table can be read, also of a model without rows. */
static void all_columns_can_be_read(void **state)
{
	struct built f, empty;

	(void)state;
	start(&f);
	built_start(&empty);
	built_end(&empty);
	wk_model_resolve(empty.model, NULL, (struct wk_resolve_options){ 0 });
	for (const struct wk_sql_table *table = wk_query_tables; table->name; table++)
		for (const struct wk_sql_column *column = table->columns; column->name; column++) {
			char statement[128];

			snprintf(statement, sizeof(statement),
				 "SELECT count(*) >= count(%s) FROM %s%s", column->name,
				 table->name, table->argument ? "(1)" : "");
			assert_string_equal(query(&f, statement), "1");
			assert_string_equal(query(&empty, statement), "1");
		}
	wk_model_free(empty.model);
	wk_model_free(f.model);
}

static void queries_only_read(void **state)
{
	static const char *const others[] = {
		"CREATE TABLE t (a)", "INSERT INTO samples (weight) VALUES (1)",
		"DELETE FROM samples", "UPDATE samples SET weight = 0", "DROP TABLE samples",
		"ATTACH 'x.db' AS x", "PRAGMA user_version = 1", "BEGIN", "VACUUM",
		"CREATE VIEW v AS SELECT 1", "SELECT load_extension('x')", "",
	};
	struct built f;

	(void)state;
	start(&f);
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++) {
		struct wk_err err = { 0 };
		struct wk_table table;

		wk_table_init(&table, "query");
		assert_false(wk_query_fill(&table, f.model, others[i], &unlimited, &err));
		assert_int_equal(err.code, WK_EUSAGE);
		assert_int_equal(table.row_count, 0);
		wk_table_fini(&table);
	}
	wk_model_free(f.model);
}

#define ENDLESS "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) "

static void a_query_that_takes_too_long_ends(void **state)
{
	const struct wk_query_limits limits = { .most_ns = 1000000 };
	struct wk_err err = { 0 };
	struct wk_table table;
	struct built f;

	(void)state;
	start(&f);
	wk_table_init(&table, "query");
	assert_false(
		wk_query_fill(&table, f.model, ENDLESS "SELECT count(*) FROM c", &limits, &err));
	assert_non_null(strstr(err.text, "took more than 0.001 s"));
	wk_table_fini(&table);
	wk_model_free(f.model);
}

static bool stops_at_third(void *context)
{
	return ++*(int *)context == 3;
}

static void a_query_can_be_stopped(void **state)
{
	int calls = 0;
	const struct wk_query_limits limits = { .is_stopped = stops_at_third, .context = &calls };
	struct wk_err err = { 0 };
	struct wk_table table;
	struct built f;

	(void)state;
	start(&f);
	wk_table_init(&table, "query");
	assert_false(
		wk_query_fill(&table, f.model, ENDLESS "SELECT count(*) FROM c", &limits, &err));
	assert_int_equal(err.code, WK_ESTOPPED);
	assert_int_equal(calls, 3);
	wk_table_fini(&table);
	wk_model_free(f.model);
}

static void a_long_result_is_cut_with_a_note(void **state)
{
	static const struct {
		struct wk_query_limits limits;
		const char *statement;
		size_t rows;
	} cases[] = {
		{ { .most_rows = 3 }, ENDLESS "SELECT x FROM c", 3 },
		{ { .most_text_bytes = 100 }, ENDLESS "SELECT printf('%40d', x) FROM c", 3 },
		{ { .most_rows = 3 }, ENDLESS "SELECT x FROM c LIMIT 3", 3 },
	};
	struct built f;

	(void)state;
	start(&f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct wk_err err = { 0 };
		struct wk_table table;

		wk_table_init(&table, "query");
		assert_true(
			wk_query_fill(&table, f.model, cases[i].statement, &cases[i].limits, &err));
		assert_int_equal(table.row_count, cases[i].rows);
		assert_int_equal(table.note_count, i < 2);
		wk_table_fini(&table);
	}
	wk_model_free(f.model);
}

static bool has_sql(void)
{
	struct wk_err err = { 0 };
	struct wk_sql *sql = wk_sql_new(wk_query_tables, NULL, &err);

	wk_sql_free(sql);
	return sql;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rows_of_the_model_are_rows_of_tables),
		cmocka_unit_test(ids_that_no_row_has_find_nothing),
		cmocka_unit_test(all_columns_can_be_read),
		cmocka_unit_test(queries_only_read),
		cmocka_unit_test(a_query_that_takes_too_long_ends),
		cmocka_unit_test(a_query_can_be_stopped),
		cmocka_unit_test(a_long_result_is_cut_with_a_note),
	};

	if (!has_sql()) {
		printf("1..0 # SKIP this wick was built without SQLite\n");
		return 0;
	}
	return cmocka_run_group_tests(tests, NULL, NULL);
}
