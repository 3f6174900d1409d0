#include <string.h>

#include "base/mem.h"
#include "cli/command.h"
#include "cli/messages.h"
#include "cli/options/open_options.h"
#include "cli/options/option_errors.h"
#include "cli/options/table_form.h"
#include "cli/options/view_options.h"
#include "cli/output.h"
#include "os/os.h"
#include "session/annotate/annotate.h"
#include "session/shown_table.h"
#include "session/symbolizer.h"

#define USUAL_CONTEXT 5

struct args {
	const char *output;
	uint64_t columns, context;
	bool csv, json, all, details, has_code;
	struct wk_text_list folders;
	struct wk_view_args view;
	struct wk_filter_spec filter;
	struct wk_open_options load;
};

#define AT(field) offsetof(struct args, field)

static const struct wk_opt output_options[] = {
	WK_FLAG(0, "asm", "print instructions, between the source lines that they are compiled from",
	  AT(has_code)),
	WK_VALUE('C', "context", "LINES", "print this many lines around those with samples "
	  "[default: 5]", WK_OPT_COUNT, AT(context)),
	WK_FLAG(0, "all", "print whole files, or with --asm whole functions", AT(all)),
	WK_VALUE(0, "source", "FOLDER", "search for source code here, and then in the current "
	  "folder; may be repeated", WK_OPT_LIST, AT(folders)),
	WK_FLAG(0, "csv", "print comma-separated values with all columns", AT(csv)),
	WK_FLAG(0, "json", "print a JSON object with all columns", AT(json)),
	WK_TEXT('o', "output", "FILE", "write to FILE instead of standard output; .csv and .json "
	  "select that form", AT(output)),
	WK_FLAG(0, "details", "print the columns that text output hides", AT(details)),
	WK_VALUE(0, "width", "COLUMNS", "cut lines at this width [default: that of the terminal; "
	  "not cut in a file]", WK_OPT_COUNT, AT(columns)),
	{ 0 },
};

static const char *const forms[] = { "txt", "csv", "json", NULL };

/* People have to know it before they read the lines. */
static void report(struct wk_annotation *annotation, enum wk_table_form form, struct wk_buf *words)
{
	if (words->len == 0)
		return;
	if (form == WK_TABLE_JSON)
		wk_table_note(&annotation->table, "%s", wk_buf_text(words));
	else
		wk_warn_buf(&wk_cli_messages, words);
}

static bool print(struct wk_annotation *annotation, const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	enum wk_table_form form = wk_table_form(args->csv, args->json, args->output);
	struct wk_output output;
	struct wk_out *out = wk_output_open(&output, args->output, call, err);
	struct wk_table_look look;
	bool ok;

	if (!out)
		return false;
	report(annotation, form, &annotation->missing);
	report(annotation, form, &annotation->changed);
	look = wk_table_look(form, out, call, args->columns);
	look.has_details = args->details;
	ok = wk_table_print(&annotation->table, &annotation->selection, &look, out, err);
	return wk_output_close(&output, ok, err);
}

static const char **folders_of(const struct args *args)
{
	const char **folders = wk_alloc((args->folders.count + 2) * sizeof(*folders));
	size_t count = 0;

	for (; count < args->folders.count; count++)
		folders[count] = args->folders.at[count];
	folders[count++] = ".";
	folders[count] = NULL;
	return folders;
}

static bool annotate(const char **paths, const char *word, const struct wk_view_choice *choice,
		     struct wk_symbols *symbols, const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_open_options load = wk_open_summed(&args->load, choice);
	const char **folders = folders_of(args);
	struct wk_annotate_query query = {
		.word = word, .folders = folders, .choice = choice,
		.context = args->context ? (uint32_t)args->context : USUAL_CONTEXT,
		.shows_all = args->all, .has_code = args->has_code,
	};
	struct wk_annotation annotation;
	struct wk_model *model;
	bool ok = false;

	load.in_view = &choice->filter;
	model = wk_open_paths(paths, &load, symbols, &wk_cli_messages, err);
	if (model && wk_annotation_open(&annotation, &query, model, symbols, err)) {
		ok = print(&annotation, call, err);
		wk_annotation_fini(&annotation);
	}
	wk_model_free(model);
	wk_free(folders);
	return ok;
}

static bool open_and_annotate(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_words files = *call->words;
	struct wk_view_choice choice = { 0 };
	struct wk_symbolizer symbolizer;
	const char *word, **paths;
	bool ok = false;

	if (files.count == 0)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "no function or source file given: wick annotate [FILE] FUNCTION");
	word = files.at[--files.count];
	if (files.count && !strpbrk(files.at[0], "./") && !wk_os_is_there(files.at[0]) &&
	    wk_os_is_there(word))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "the function comes last: wick annotate %s %s", word, files.at[0]);
	if (!wk_table_form_check(args->csv, args->json, err))
		return false;
	paths = wk_input_paths(&files, err);
	if (paths && wk_output_allow(args->output, paths, forms, call, err) &&
	    wk_view_choose(&choice, &args->view, &args->filter, NULL, err)) {
		if (wk_symbolizer_open(&symbolizer, &args->load.naming, &wk_cli_messages, err))
			ok = annotate(paths, word, &choice, symbolizer.symbols, call, err);
		wk_symbolizer_close(&symbolizer);
	}
	wk_view_choice_fini(&choice);
	wk_free(paths);
	return ok;
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	return open_and_annotate(call, err) ? WK_EXIT_DONE : wk_exit_code(err);
}

const struct wk_command wk_cmd_annotate = {
	.name = "annotate",
	.summary = "print source code or instructions with the samples of each line",
	.usage = (const char *const[]){ "[OPTION...] [FILE...] FUNCTION",
					"[OPTION...] [FILE...] SOURCE", NULL },
	.description = (const char *const[]){
		"Prints the lines of FUNCTION and its closures, or of the file SOURCE, that have "
		"samples in FILE [default: wick.data], and a few lines around them. Self is the time spent in a "
		"line itself, total includes the functions that it calls. FUNCTION is a name, the "
		"end of a path such as Vec::push, or a pattern.",
		"Source code is read from the path in the debug information, or from the end of "
		"that path below a --source folder or the current one. It should be the version "
		"that was recorded: wick prints what the file contains now, and says if it was changed "
		"after the recording.",
		"--asm needs the recorded program, but no debug information.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Output", output_options }, 0 },
		{ &wk_shape_group, AT(view) },
		{ &wk_filter_group, AT(filter) },
		{ &wk_open_group, AT(load) },
		{ 0 } },
	.common = (const char *const[]){
		"asm", "context", "all", "source", "csv", "json", "output", "mine", "all-inline",
		"process", "thread", "time", "filter", "by", "debuginfod", "debug-dir",
		"symbol-path", NULL },
	.examples = (const struct wk_example[]){
		{ "wick annotate parse", "print the lines of parse with their samples" },
		{ "wick annotate app.data src/main.rs", "print a source file with samples" },
		{ "wick annotate --asm memchr", "print the instructions of memchr" },
		{ 0 } },
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
