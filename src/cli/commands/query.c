#include <string.h>

#include "base/mem.h"
#include "cli/command.h"
#include "cli/messages.h"
#include "cli/options/open_options.h"
#include "cli/options/table_form.h"
#include "cli/output.h"
#include "os/os.h"
#include "session/open.h"
#include "session/query/query.h"
#include "session/shown_table.h"

struct args {
	const char *output;
	uint64_t columns, time_limit_s;
	bool csv, json, tables, quiet;
	struct wk_open_options load;
};

#define MOST_SECONDS 1000000000 /* three decades */

#define AT(field) offsetof(struct args, field)

static const struct wk_opt options[] = {
	WK_FLAG(0, "tables", "print the tables and their columns; reads no FILE", AT(tables)),
	WK_FLAG(0, "csv", "print comma-separated values", AT(csv)),
	WK_FLAG(0, "json", "print a JSON object", AT(json)),
	WK_TEXT('o', "output", "FILE", "write to FILE instead of standard output; .csv and .json "
	  "select that form", AT(output)),
	WK_VALUE(0, "time-limit", "SECONDS", "end a query that takes longer", WK_OPT_COUNT,
	  AT(time_limit_s)),
	WK_VALUE(0, "width", "COLUMNS", "cut lines at this width [default: that of the terminal; "
	  "not cut in a file]", WK_OPT_COUNT, AT(columns)),
	WK_FLAG('q', "quiet", "do not print the number of samples and lost samples to standard "
	  "error", AT(quiet)),
	{ 0 },
};

static const char *const forms[] = { "txt", "csv", "json", NULL };

static bool print(const struct wk_table *table, const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	enum wk_table_form form = wk_table_form(args->csv, args->json, args->output);
	struct wk_output output;
	struct wk_out *out = wk_output_open(&output, args->output, call, err);
	struct wk_table_look look;
	bool ok;

	if (!out)
		return false;
	look = wk_table_look(form, out, call, args->columns);
	ok = wk_table_print(table, NULL, &look, out, err);
	return wk_output_close(&output, ok, err);
}

static bool print_tables(const struct wk_call *call, struct wk_err *err)
{
	struct wk_table table;
	bool ok;

	if (call->words->count)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--tables needs no file and no query");
	wk_table_init(&table, "tables");
	wk_query_schema(&table);
	ok = print(&table, call, err);
	wk_table_fini(&table);
	return ok;
}

static uint64_t limit_ns(uint64_t seconds)
{
	return (seconds < MOST_SECONDS ? seconds : MOST_SECONDS) * 1000000000;
}

/* How many samples there were, and were lost: the result itself does not say that. */
static void report(const struct wk_model *model)
{
	struct wk_selection all;
	struct wk_err err = { 0 };

	if (!wk_selection_open(&all, model, &(struct wk_filter_spec){ 0 }, &err))
		return;
	wk_selection_report(&all, &wk_cli_messages);
	wk_selection_fini(&all);
}

static bool query(const char *const *paths, const char *statement, const struct wk_call *call,
		  struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_open_options load = args->load;
	const struct wk_query_limits limits = { .most_ns = limit_ns(args->time_limit_s) };
	struct wk_table table;
	struct wk_model *model;
	bool ok;

	load.sums_blocks = true;
	load.is_of_any_event = true;
	model = wk_open_paths(paths, &load, NULL, args->quiet ? NULL : &wk_cli_messages, err);
	if (!model)
		return false;
	wk_table_init(&table, "query");
	ok = wk_query_fill(&table, model, statement, &limits, err) && print(&table, call, err);
	wk_table_fini(&table);
	if (ok && !args->quiet)
		report(model);
	wk_model_free(model);
	return ok;
}

static bool read_and_query(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_words files = *call->words;
	const char *statement, **paths;
	bool ok;

	if (files.count == 0)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "no query given: wick query [FILE] SQL; --tables lists the tables");
	statement = files.at[--files.count];
	if (!strchr(statement, ' ') && wk_os_is_there(statement))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "%s is a file; the query comes last: wick query %s 'SELECT ...'",
			       statement, statement);
	paths = wk_input_paths(&files, err);
	ok = paths && wk_output_allow(args->output, paths, forms, call, err) &&
	     query(paths, statement, call, err);
	wk_free(paths);
	return ok;
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	bool ok = wk_table_form_check(args->csv, args->json, err) &&
		  (args->tables ? print_tables(call, err) : read_and_query(call, err));

	return ok ? WK_EXIT_DONE : wk_exit_code(err);
}

const struct wk_command wk_cmd_query = {
	.name = "query",
	.summary = "query a recording with SQL",
	.usage = (const char *const[]){ "[OPTION...] [FILE...] SQL", "--tables", NULL },
	.description = (const char *const[]){
		"Prints the result of one SELECT over the samples, stacks, functions, processes and "
		"other tables of FILE [default: wick.data]. --tables lists these and their columns; "
		"docs/query.md has examples.",
		"Queries only read. Columns of integers are printed by their name: \"..._ns\" as "
		"times, \"..._bytes\" as sizes. Blocks of heaps are rows of several with one stack and "
		"about one size.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Output", options }, 0 },
		{ &wk_open_group, AT(load) },
		{ 0 } },
	.common = (const char *const[]){
		"tables", "csv", "json", "output", "time-limit", "debuginfod", NULL },
	.examples = (const struct wk_example[]){
		{ "wick query 'SELECT name, pid FROM processes'", "list the processes" },
		{ "wick query app.data --csv 'SELECT time_ns, weight FROM samples' > samples.csv",
		  "write every sample for a spreadsheet" },
		{ 0 } },
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
