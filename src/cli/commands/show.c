#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text/suggest.h"
#include "cli/command.h"
#include "cli/messages.h"
#include "cli/options/open_options.h"
#include "cli/options/option_errors.h"
#include "cli/options/table_form.h"
#include "cli/options/view_options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "os/os.h"
#include "session/presets/preset_file.h"
#include "session/shown_table.h"

struct args {
	const char *output, *min_percent;
	uint64_t top, columns;
	bool csv, json, all, details, by_total, quiet;
	bool inverted, by_thread, by_process, samples;
	struct wk_filter_spec filter;
	struct wk_view_args view;
	struct wk_open_options load;
};

#define AT(field) offsetof(struct args, field)

static const struct wk_opt output_options[] = {
	WK_FLAG(0, "csv", "print comma-separated values with all columns and rows", AT(csv)),
	WK_FLAG(0, "json", "print a JSON object with all columns and rows", AT(json)),
	WK_TEXT('o', "output", "FILE", "write to FILE instead of standard output; .csv and .json "
	  "select that form", AT(output)),
	WK_VALUE('n', "top", "NUMBER", "print at most N rows [default: 40; for system 40 of each "
	  "part; for trees, marks and events all]", WK_OPT_COUNT, AT(top)),
	WK_FLAG(0, "by-total", "functions, lines, images: rank by total, which includes callees; heap, "
	  "allocations, leaks, memory: by all that was allocated",
	  AT(by_total)),
	WK_TEXT(0, "min", "PERCENT", "leave out rows below this share of the whole [default: 0.5 "
	  "for functions and calls]", AT(min_percent)),
	WK_FLAG(0, "all", "print all rows, and in trees each call of a recursion", AT(all)),
	WK_FLAG(0, "details", "print the columns that text output hides", AT(details)),
	WK_FLAG('q', "quiet", "print errors and the rows only, without the lines below them",
	  AT(quiet)),
	WK_VALUE(0, "width", "COLUMNS", "cut lines at this width [default: that of the terminal; "
	  "not cut in a file]", WK_OPT_COUNT, AT(columns)),
	{ 0 },
};

static const struct wk_opt tree_options[] = {
	WK_FLAG(0, "inverted", "start with the innermost function: callers below callees",
	  AT(inverted)),
	WK_FLAG(0, "by-process", "print one tree for each process name", AT(by_process)),
	WK_FLAG(0, "by-thread", "print one tree for each thread", AT(by_thread)),
	WK_FLAG(0, "samples", "weigh by number of samples", AT(samples)),
	{ 0 },
};

static const char *const forms[] = { "txt", "csv", "json", NULL };

static struct wk_choice table_choice(size_t index)
{
	return (struct wk_choice){ wk_table_views[index].name, wk_table_views[index].summary };
}

static enum wk_table_form form_of(const struct args *args)
{
	return wk_table_form(args->csv, args->json, args->output);
}

static void suggest_tables(struct wk_suggestion *near)
{
	for (const struct wk_table_view *view = wk_table_views; view->name; view++) {
		wk_suggestion_try(near, view->name);
		if (view->other_name)
			wk_suggestion_try(near, view->other_name);
	}
}

static bool fail_without_table(const char *refusal, const char *name, struct wk_err *err)
{
	struct wk_suggestion near = wk_suggestion_for(wk_str_c(name));
	struct wk_buf names = { 0 };

	suggest_tables(&near);
	for (const struct wk_table_view *view = wk_table_views; view->name; view++)
		wk_buf_add_fmt(&names, "%s%s", names.len ? ", " : "the tables are ", view->name);
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "%s \"%.60s\"", refusal, name);
	wk_suggestion_add(&near, wk_buf_text(&names), err);
	wk_buf_fini(&names);
	return false;
}

static const struct wk_table_view *find_table(const char *name, struct wk_err *err)
{
	const struct wk_table_view *view = wk_table_view_find(name);

	if (!view)
		fail_without_table("show has no table", name, err);
	return view;
}

static bool is_table_and_no_file(const char *word)
{
	return wk_table_view_find(word) && !wk_os_is_there(word);
}

/* Not a file, but nearly the name of a table, which is an error. */
static bool is_nearly_table(const char *word, struct wk_err *err)
{
	struct wk_suggestion near = wk_suggestion_for(wk_str_c(word));

	suggest_tables(&near);
	if (!near.best || strcmp(word, "-") == 0 || wk_os_is_there(word))
		return false;
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "no file \"%s\"; did you mean \"%s\"?", word,
		near.best);
	return true;
}

/* Not a file, and no name as files have them. */
static bool is_neither(const char *word, struct wk_err *err)
{
	return !strpbrk(word, "./-#") && !wk_os_is_there(word) &&
	       !fail_without_table("no file and no table", word, err);
}

/* Is the last word a number of rows, behind a table? */
static bool is_number_of_rows(const struct wk_words *words, struct wk_err *err)
{
	const char *last = words->at[words->count - 1];
	struct wk_buf others = { 0 };
	uint64_t rows;

	if (words->count < 2 || !wk_num_u64(wk_str_c(last), &rows) || wk_os_is_there(last) ||
	    !is_table_and_no_file(words->at[words->count - 2]))
		return false;
	for (size_t i = 0; i + 1 < words->count; i++) {
		wk_buf_add_char(&others, ' ');
		wk_buf_add_shell(&others, wk_str_c(words->at[i]));
	}
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "the number of rows is an option: wick show%s --top %s",
		wk_buf_text(&others), last);
	wk_buf_fini(&others);
	return true;
}

static const struct wk_table_view *fail_words(struct wk_err *err)
{
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "show accepts files and then one table");
	return NULL;
}

/* Two tables, with a file between them or without one. */
static const struct wk_table_view *fail_tables(const struct wk_words *files, struct wk_err *err)
{
	struct wk_buf file = { 0 };

	wk_buf_add_shell(&file, wk_str_c(files->count > 2 ? files->at[1] : WK_DEFAULT_RECORDING));
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "show prints one table at a time: wick show %s %s",
		wk_buf_text(&file), files->at[0]);
	wk_buf_fini(&file);
	return NULL;
}

/* The only word: a file, or a table of the default recording. */
static const struct wk_table_view *read_word(struct wk_words *files, struct wk_err *err)
{
	const char *word = files->at[0];

	if (!is_table_and_no_file(word))
		return is_nearly_table(word, err) || is_neither(word, err)
			       ? NULL
			       : wk_table_view_with(WK_TABLE_IS_DEFAULT);
	if (!wk_has_default_recording()) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"no " WK_DEFAULT_RECORDING " in this folder and no file \"%s\"; the file "
			"comes first: wick show FILE %s",
			word, word);
		return NULL;
	}
	files->count = 0;
	return find_table(word, err);
}

/* FILEs, a table of one function, and the function: leaves the files in `files`. */
static const struct wk_table_view *read_function(struct wk_words *files, size_t at,
						 const char **function, struct wk_err *err)
{
	const struct wk_table_view *table = wk_table_view_find(files->at[at]);

	if (files->count == at + 3 && at == 0 && wk_os_is_there(files->at[2])) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "the file comes first: wick show %s %s %s",
			files->at[2], table->name, files->at[1]);
		return NULL;
	}
	if (files->count != at + 2) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"%s needs one function: wick show [FILE] %s FUNCTION", table->name,
			table->name);
		return NULL;
	}
	*function = files->at[at + 1];
	files->count = at;
	return table;
}

/* The place of the word for a table of one function; the number of words if there is none. */
static size_t find_function_table(const struct wk_words *words)
{
	for (size_t i = 0; i < words->count; i++)
		if (is_table_and_no_file(words->at[i]) &&
		    wk_table_view_find(words->at[i])->uses & WK_TABLE_IS_OF_FUNCTION)
			return i;
	return words->count;
}

/* FILEs and the word after them: leaves the files in `files`. */
static const struct wk_table_view *read_last_word(struct wk_words *files, struct wk_err *err)
{
	const char *first = files->at[0], *last = files->at[files->count - 1];
	bool is_behind = !wk_os_is_there(last) && strcmp(last, "-") != 0;

	if (is_number_of_rows(files, err))
		return NULL;
	for (size_t i = 1; i + 1 < files->count; i++)
		if (is_table_and_no_file(files->at[i]))
			return fail_words(err);
	if (is_table_and_no_file(first) && wk_table_view_find(last) && is_behind)
		return fail_tables(files, err);
	if (is_table_and_no_file(first) && is_behind) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"no file \"%s\"; the file comes first: wick show %s %s", first, last,
			first);
		return NULL;
	}
	files->count--;
	if (is_behind && !wk_table_view_find(last) &&
	    is_nearly_table(files->at[files->count - 1], err))
		return NULL;
	if (is_behind)
		return find_table(last, err);
	if (is_table_and_no_file(first)) { /* the other order is as clear */
		files->at++;
		return find_table(first, err);
	}
	files->count++;
	return is_nearly_table(first, err) || is_neither(first, err)
		       ? NULL
		       : wk_table_view_with(WK_TABLE_IS_DEFAULT);
}

/* Defaults: wick.data, the functions. */
static const struct wk_table_view *read_words(const struct wk_words *words, const char ***paths,
					      const char **function, struct wk_err *err)
{
	struct wk_words files = *words;
	const struct wk_table_view *what = NULL;
	size_t at = find_function_table(words);

	if (words->rest_count > 0)
		return fail_words(err);
	if (at < words->count)
		what = read_function(&files, at, function, err);
	else if (words->count == 0)
		what = wk_table_view_with(WK_TABLE_IS_DEFAULT);
	else if (words->count == 1)
		what = read_word(&files, err);
	else
		what = read_last_word(&files, err);
	*paths = what ? wk_input_paths(&files, err) : NULL;
	return *paths ? what : NULL;
}

static bool read_query(const struct args *args, const struct wk_table_view *table,
		       const struct wk_view_choice *choice, struct wk_table_query *query,
		       struct wk_err *err)
{
	bool prints_all = args->all || form_of(args) != WK_TABLE_TEXT;

	*query = (struct wk_table_query){
		.view = table,
		.choice = choice,
		.has_min = args->min_percent || (choice->min_percent > 0 && !prints_all),
		.prints_all = prints_all,
		.expects_samples = args->output,
		.options = {
			.by_total = args->by_total,
			.splits_process = form_of(args) == WK_TABLE_TEXT,
			.limit = args->top < UINT32_MAX ? (uint32_t)args->top : UINT32_MAX,
			.min_percent = prints_all ? 0 : choice->min_percent,
			.tree = {
				.by_process = args->by_process,
				.by_thread = args->by_thread,
				.inverted = args->inverted || choice->inverted,
				.by_samples = args->samples,
			},
		},
	};
	return wk_table_form_check(args->csv, args->json, err) &&
	       (!args->min_percent ||
		wk_table_min_read(args->min_percent, &query->options.min_percent, err));
}

static bool print(const struct wk_table *table, const struct wk_selection *selection,
		  const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_output output;
	struct wk_out *out = wk_output_open(&output, args->output, call, err);
	struct wk_table_look look;

	if (!out)
		return false;
	look = wk_table_look(form_of(args), out, call, args->columns);
	look.has_details = args->details;
	look.is_quiet = args->quiet;
	return wk_output_close(&output, wk_table_print(table, selection, &look, out, err), err);
}

static bool is_typed(const struct wk_words *words, const struct wk_table_view *what)
{
	for (size_t i = 0; i < words->count; i++)
		if (wk_table_view_find(words->at[i]) == what)
			return true;
	return false;
}

/* If no table is typed, a preset or levels select it. */
static const struct wk_table_view *what_of(const struct wk_call *call,
					   const struct wk_table_view *what,
					   const struct wk_view_choice *choice, struct wk_err *err)
{
	const struct args *args = call->args;

	if (is_typed(call->words, what))
		return what;
	if (choice->table)
		return find_table(choice->table, err);
	if (args->view.preset || args->view.group || args->inverted || args->by_process ||
	    args->by_thread || args->samples)
		return wk_table_view_with(WK_TABLE_IS_CALLS);
	return what;
}

/* An option that was typed or not, and what it needs of a table. */
struct typed_use {
	const char *option;
	enum wk_table_use use;
	bool is_typed;
};

/* "functions, images and heap". */
static void add_tables_with(struct wk_buf *text, unsigned uses)
{
	const struct wk_table_view *last = NULL;

	for (const struct wk_table_view *table = wk_table_views; table->name; table++) {
		if (!(table->uses & uses))
			continue;
		if (last)
			wk_buf_add_fmt(text, "%s%s", text->len ? ", " : "", last->name);
		last = table;
	}
	if (last)
		wk_buf_add_fmt(text, "%s%s", text->len ? " and " : "", last->name);
}

static bool fail_use(const struct wk_table_view *table, const struct wk_table_view *typed,
		     const struct typed_use *use, struct wk_err *err)
{
	struct wk_buf others = { 0 };

	if (use->use == WK_TABLE_HAS_LEVELS) {
		add_tables_with(&others, WK_TABLE_HAS_LEVELS | WK_TABLE_HAS_CALLS);
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"the table %s has no levels, so %s does not apply; it applies to %s",
			table->name, use->option, wk_buf_text(&others));
	} else {
		add_tables_with(&others, use->use);
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			table == typed ? "%s does not apply to the table %s, only to %s"
				       : "%s does not apply to %s as a call tree, only to %s",
			use->option, typed->name, wk_buf_text(&others));
	}
	wk_buf_fini(&others);
	return false;
}

/* "the table memory is about commit or reserve, not heap; ..." */
static bool expect_event(const struct wk_table_view *table, const char *event, struct wk_err *err)
{
	struct wk_buf words = { 0 };

	if (!event || !(table->uses & WK_TABLE_HAS_OWN_EVENTS) ||
	    wk_table_view_accepts_source(table, event))
		return true;
	for (size_t i = 0; table->events[i]; i++)
		wk_buf_add_fmt(&words, "%s%s", i ? " or " : "", table->events[i]);
	wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		"the table %s is about %s, not %s; the tables functions and calls accept each "
		"event",
		table->name, wk_buf_text(&words), event);
	wk_buf_fini(&words);
	return false;
}

/* Options that do not apply to the table are errors, so that none is ignored silently. */
static bool expect_uses(const struct wk_table_view *table, const struct wk_table_view *typed,
			const struct args *args, unsigned filter_uses, struct wk_err *err)
{
	const struct wk_filter_spec *filter = &args->filter;
	const struct typed_use uses[] = {
		{ "--by-total", WK_TABLE_HAS_TOTALS, args->by_total },
		{ "--min", WK_TABLE_HAS_SHARES, args->min_percent },
		{ "--inverted", WK_TABLE_HAS_LEVELS, args->inverted },
		{ "--by-process", WK_TABLE_HAS_LEVELS, args->by_process },
		{ "--by-thread", WK_TABLE_HAS_LEVELS, args->by_thread },
		{ "--samples", WK_TABLE_HAS_LEVELS, args->samples },
		{ "--group", WK_TABLE_HAS_LEVELS, args->view.group },
		{ "--preset", WK_TABLE_HAS_SAMPLES, args->view.preset },
		{ "--process", WK_TABLE_HAS_SAMPLES, filter->process },
		{ "--thread", WK_TABLE_HAS_SAMPLES, filter->thread },
		{ "--image", WK_TABLE_HAS_STACKS, filter->image },
		{ "--function", WK_TABLE_HAS_STACKS, filter->function },
		{ "--time", WK_TABLE_HAS_TIMES, filter->time },
		{ "--filter by process or thread", WK_TABLE_HAS_SAMPLES,
		  filter_uses & WK_FILTER_USES_THREADS },
		{ "--filter by time", WK_TABLE_HAS_TIMES, filter_uses & WK_FILTER_USES_TIME },
		{ "this --filter expression, which needs samples,", WK_TABLE_HAS_STACKS,
		  filter_uses & WK_FILTER_USES_SAMPLES },
		{ "--mine", WK_TABLE_HAS_CODE, args->view.mine },
		{ "--all-inline", WK_TABLE_HAS_CODE, args->view.all_inlined },
		{ "--by", WK_TABLE_HAS_EVENTS | WK_TABLE_HAS_OWN_EVENTS, filter->source },
		{ "--outstanding", WK_TABLE_HAS_EVENTS | WK_TABLE_HAS_SNAPSHOTS,
		  filter->outstanding },
		{ "--snapshot", WK_TABLE_HAS_SNAPSHOTS, filter->span.snapshot },
		{ "--between", WK_TABLE_HAS_SNAPSHOTS, filter->span.between[0] },
		{ "--grew", WK_TABLE_HAS_SNAPSHOTS, filter->span.grew },
	};

	for (size_t i = 0; i < sizeof(uses) / sizeof(uses[0]); i++)
		if (uses[i].is_typed && !(table->uses & uses[i].use))
			return fail_use(table, typed, &uses[i], err);
	return expect_event(table, filter->source, err);
}

/* A file of presets is not a recording, but its presets can be listed. */
static bool is_preset_file(const char *const *paths)
{
	return paths && paths[0] && !paths[1] && wk_preset_file_is_meant(paths[0]);
}

static bool show_presets(const char *path, const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_table table;
	bool ok;

	if (!wk_table_form_check(args->csv, args->json, err) ||
	    !wk_output_allow(args->output, (const char *const[]){ path, NULL }, forms, call, err) ||
	    !wk_preset_file_table(&table, path, err))
		return false;
	ok = print(&table, NULL, call, err);
	wk_table_fini(&table);
	return ok;
}

static const struct wk_messages *messages_of(const struct args *args)
{
	return args->quiet ? NULL : &wk_cli_messages;
}

static bool show_model(const struct wk_table_query *query, const struct wk_model *model,
		       const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_shown_table shown;
	bool ok;

	if (!wk_shown_table_open(&shown, query, model, err))
		return false;
	if (shown.needs_samples)
		wk_selection_report_cpu(&shown.selection, messages_of(args));
	ok = (form_of(args) != WK_TABLE_TEXT || !wk_shown_table_is_filtered_out(&shown) ||
	      wk_shown_table_expect(&shown, err)) &&
	     print(&shown.table, &shown.selection, call, err) && wk_shown_table_expect(&shown, err);
	if (ok) {
		wk_shown_table_report(&shown, query, form_of(args), messages_of(args));
		if (form_of(args) == WK_TABLE_TEXT && shown.table.names_functions)
			wk_selection_hint(&shown.selection, messages_of(args));
		wk_view_report(query->choice, messages_of(args));
	}
	wk_shown_table_fini(&shown);
	return ok;
}

static bool show_recording(const struct wk_table_view *what, const char **paths,
			   const char *function, const struct wk_view_choice *choice,
			   const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_open_options load = wk_open_summed(&args->load, choice);
	struct wk_table_query query;
	struct wk_model *model;
	bool ok;

	if (!what || !read_query(args, what, choice, &query, err) ||
	    !expect_uses(wk_table_query_view(&query), what, args, choice->needs.uses, err) ||
	    !wk_output_allow(args->output, paths, forms, call, err))
		return false;
	query.function = function;
	load.table = what;
	load.separates_heaps =
		what->uses & WK_TABLE_HAS_PEAKS && wk_filter_spec_narrows(&choice->filter);
	model = wk_open_paths(paths, &load, NULL, messages_of(args), err);
	if (!model)
		return false;
	ok = show_model(&query, model, call, err);
	wk_model_free(model);
	return ok;
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_view_choice choice = { 0 };
	const char **paths = NULL, *function = NULL;
	const struct wk_table_view *what = read_words(call->words, &paths, &function, err);
	bool ok = what && wk_view_choose(&choice, &args->view, &args->filter,
					 args->by_process  ? "by-process"
					 : args->by_thread ? "by-thread"
							   : NULL,
					 err);

	if (ok && is_preset_file(paths))
		ok = show_presets(paths[0], call, err);
	else if (ok)
		ok = show_recording(what_of(call, what, &choice, err), paths, function, &choice,
				    call, err);
	wk_free(paths);
	wk_view_choice_fini(&choice);
	return ok ? WK_EXIT_DONE : wk_exit_code(err);
}

const struct wk_command wk_cmd_show = {
	.name = "show",
	.summary = "print a recording as text: hottest functions, call tree and more",
	.usage = (const char *const[]){ "[OPTION...] [FILE...] [TABLE]",
					"[OPTION...] [FILE...] callers|callees|sandwich FUNCTION",
					NULL },
	.description = (const char *const[]){
		"Prints one table of FILE [default: wick.data]. The default table is `functions`. "
		"Several FILEs are added up; those of one Windows session (kernel.etl, user.etl "
		"...) are read as one. Self is what a function spent itself, total includes the "
		"functions it called. Lines below the table report what was left out, how many "
		"samples were lost, how many stacks reach a root (the function that the program or "
		"a thread starts with), and how many of their frames are unnamed (the name of the "
		"function is not known). Options that do not apply to a table are errors.",
		"`tree` is another name of `calls`, `modules` of `images`. Without a table, "
		"--group, --preset, --inverted, --by-process, --by-thread and --samples select "
		"the call tree.",
		"FUNCTION is a name (free), the end of a path (Vec::push), or a pattern (^mi_). "
		"Shares are of the whole recording. docs/reading.md explains how to get from a "
		"table to the line that takes the time.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Output", output_options }, 0 },
		{ &(const struct wk_opt_group){ "Tree", tree_options }, 0 },
		{ &wk_view_group, offsetof(struct args, view) },
		{ &wk_shape_group, offsetof(struct args, view) },
		{ &wk_filter_group, offsetof(struct args, filter) },
		{ &wk_unnamed_group, offsetof(struct args, load) },
		{ &wk_open_group, offsetof(struct args, load) },
		{ 0 } },
	.common = (const char *const[]){
		"csv", "json", "output", "top", "by-total", "min", "all", "details", "inverted",
		"mine", "all-inline", "group", "process", "thread", "function", "time", "filter", "by",
		"debuginfod", NULL },
	.examples = (const struct wk_example[]){
		{ "wick show", "print the hottest functions of wick.data" },
		{ "wick show calls --min 2", "print the call tree, without calls below 2 %" },
		{ "wick show callers free", "print who calls free, and how much of it" },
		{ "wick show trace.etl process-tree", "print the process tree with start times" },
		{ "wick show app.data functions --thread worker --csv",
		  "print one thread's functions for a spreadsheet" },
		{ 0 } },
	.words = WK_WORD_FILE_THEN_CHOICE,
	.choices_title = "Tables",
	.choice = table_choice,
	.args_size = sizeof(struct args),
	.run = run,
};
