#include "cli/command.h"
#include "cli/help.h"
#include "cli/messages.h"
#include "cli/options/view_options.h"
#include "cli/options/open_options.h"
#include "cli/options/table_form.h"
#include "cli/output.h"
#include "session/images/image_table.h"
#include "session/images/symbol_cache.h"
#include "session/images/windows_file.h"
#include "session/shown_table.h"

#define USUAL_DETAILS 10 /* images below the table */

struct args {
	const char *output, *cache;
	uint64_t columns;
	bool csv, json, all, details;
	struct wk_filter_spec filter;
	struct wk_open_options load;
};

#define AT(field) offsetof(struct args, field)

static const char *const cache_words[] = { "list", "clear", NULL };

static const struct wk_opt cache_options[] = {
	{ 0, "cache", "WORD", "\"list\" cached symbols and downloaded files, or \"clear\" them; "
	  "reads no FILE", WK_OPT_CHOICE, AT(cache), cache_words },
	{ 0 },
};

static const struct wk_opt output_options[] = {
	WK_FLAG(0, "csv", "print comma-separated values with all columns", AT(csv)),
	WK_FLAG(0, "json", "print a JSON object with all columns", AT(json)),
	WK_TEXT('o', "output", "FILE", "write to FILE instead of standard output; .csv and .json "
	  "select that form", AT(output)),
	WK_FLAG(0, "all", "show how to fix every image, not only the first ten", AT(all)),
	WK_FLAG(0, "details", "print the columns that text output hides", AT(details)),
	WK_VALUE(0, "width", "COLUMNS", "cut lines at this width [default: that of the terminal; "
	  "not cut in a file]", WK_OPT_COUNT, AT(columns)),
	{ 0 },
};

static const char *const forms[] = { "txt", "csv", "json", NULL };

static void print_details(const struct wk_image_context *about, const struct wk_images_facts *facts,
			  const struct wk_quality *quality, size_t most,
			  const struct wk_table_look *look, struct wk_out *out)
{
	struct wk_findings findings = { 0 };
	size_t left = wk_images_find(&findings, about->model, facts, quality, most);

	if (findings.count) {
		wk_out_char(out, '\n');
		wk_findings_print(&findings, out, look->columns ? look->columns : 80,
				  look->has_colour);
	} else if (facts->count && !quality->missing_parts) {
		wk_out_text(out, "nothing is missing\n");
	}
	if (left)
		wk_out_fmt(out, "%zu more image%s incomplete; --all lists %s.\n", left,
			   left == 1 ? " is" : "s are", left == 1 ? "it" : "them");
	wk_findings_fini(&findings);
}

static bool print(const struct wk_image_context *about, const struct wk_images_facts *facts,
		  const struct wk_selection *question, const struct wk_call *call,
		  struct wk_err *err)
{
	const struct args *args = call->args;
	enum wk_table_form form = wk_table_form(args->csv, args->json, args->output);
	struct wk_output output;
	struct wk_out *out = wk_output_open(&output, args->output, call, err);
	struct wk_table_look look;
	struct wk_table table;
	bool ok;

	if (!out)
		return false;
	look = wk_table_look(form, out, call, args->columns);
	look.has_details = args->details;
	wk_table_init(&table, "symbols");
	wk_image_table_fill(&table, about->model, facts, form != WK_TABLE_TEXT);
	ok = wk_table_print(&table, question, &look, out, err);
	if (ok && form == WK_TABLE_TEXT)
		print_details(about, facts, &question->quality,
			      args->all ? SIZE_MAX : USUAL_DETAILS, &look, out);
	wk_table_fini(&table);
	return wk_output_close(&output, ok, err);
}

static bool report(const struct wk_image_context *about, const struct wk_call *call,
		   struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_selection question = { 0 };
	struct wk_images_facts facts = { 0 };
	bool ok = false;

	if (wk_selection_open(&question, about->model, &args->filter, err) &&
	    (!args->output || wk_selection_expect(&question, err))) {
		wk_images_facts_gather(&facts, about, &question.filter);
		ok = print(about, &facts, &question, call, err) &&
		     wk_selection_expect(&question, err);
		wk_images_facts_fini(&facts);
		if (wk_table_form(args->csv, args->json, args->output) != WK_TABLE_TEXT)
			wk_selection_report_faults(&question, &wk_cli_messages);
	}
	wk_selection_fini(&question);
	return ok;
}

static bool load_and_report(const char *path, const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_image_context about = { .recording = path };
	struct wk_open_options load = args->load;
	struct wk_symbolizer symbolizer;
	struct wk_model *model = NULL;
	bool ok = false;

	load.in_view = &args->filter;
	about.symbols = wk_symbolizer_open(&symbolizer, &args->load.naming, &wk_cli_messages, err);
	if (about.symbols)
		about.model = model = wk_open_paths((const char *const[]){ path, NULL }, &load,
						    about.symbols, &wk_cli_messages, err);
	about.fetcher = symbolizer.remote.fetcher;
	if (model)
		ok = report(&about, call, err);
	wk_model_free(model);
	wk_symbolizer_close(&symbolizer);
	return ok;
}

/* A Windows program or PDB instead of a recording. */
static bool report_file(const char *path, const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	enum wk_table_form form = wk_table_form(args->csv, args->json, args->output);
	struct wk_findings findings = { 0 };
	struct wk_help_style style = wk_help_style();
	struct wk_output output;
	struct wk_out *out;
	const char *filter = wk_options_first_set(&wk_filter_group, &args->filter);
	bool ok;

	if (filter)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--%s applies to recordings, but %s is a Windows binary or PDB",
			       filter, path);
	if (form == WK_TABLE_CSV)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "CSV applies to recordings, but %s is a Windows binary or PDB; "
			       "use --json",
			       path);
	ok = wk_windows_file_print(&findings, path, &args->load.naming, &wk_cli_messages, err);
	out = ok ? wk_output_open(&output, args->output, call, err) : NULL;
	if (out && form == WK_TABLE_JSON)
		wk_findings_print_json(&findings, out);
	else if (out)
		wk_findings_print(&findings, out,
				  args->columns ? (unsigned)args->columns : style.columns,
				  style.color && !args->output);
	wk_findings_fini(&findings);
	return out && wk_output_close(&output, true, err);
}

static int run_cache(const struct wk_call *call, struct wk_err *err)
{
	const char *word = ((const struct args *)call->args)->cache;
	bool ok;

	if (call->words->count + call->words->rest_count > 0)
		ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			     "--cache is for all recordings and accepts no FILE");
	else
		ok = wk_symbol_cache(word, call->out, err);
	return ok ? WK_EXIT_DONE : wk_exit_code(err);
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	const char *path = args->cache ? NULL : wk_input_path(call->words, err);

	if (args->cache)
		return run_cache(call, err);
	if (!path || !wk_table_form_check(args->csv, args->json, err) ||
	    !wk_output_allow(args->output, (const char *const[]){ path, NULL }, forms, call, err))
		return wk_exit_code(err);
	if (wk_windows_file_is(path))
		return report_file(path, call, err) ? WK_EXIT_DONE : wk_exit_code(err);
	return load_and_report(path, call, err) ? WK_EXIT_DONE : wk_exit_code(err);
}

const struct wk_command wk_cmd_symbols = {
	.name = "symbols",
	.summary = "show where the names of each binary came from, and how to get missing ones",
	.usage = (const char *const[]){ "[OPTION...] [FILE]", "--cache list|clear", NULL },
	.description = (const char *const[]){
		"Lists every binary of FILE [default: wick.data] that has samples: whether all "
		"functions, only exported ones or none have names, whether source lines and "
		"inlined calls are known, and which unwind tables it has. Below the list, wick "
		"prints what is missing, why, and the command that fixes it.",
		"No server is contacted, except with --debuginfod, --symbol-server or a server in "
		"a symbol path. wick sends build ids to debuginfod servers, and file names and ids "
		"to symbol stores. Downloaded files are cached, and used only if their build id "
		"matches.",
		"Names of Windows binaries are in PDBs. wick searches for them next to the binary, "
		"in --debug-dir, in --symbol-path and in _NT_SYMBOL_PATH "
		"(docs/symbols-windows.md). A PDB of another build is reported and not used. FILE "
		"can be a Windows binary or a PDB: wick prints its contents and where it searched "
		"for the PDB.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Output", output_options }, 0 },
		{ &(const struct wk_opt_group){ "Cache", cache_options }, 0 },
		{ &wk_filter_group, AT(filter) },
		{ &wk_open_group, AT(load) },
		{ 0 } },
	.common = (const char *const[]){
		"all", "details", "csv", "json", "cache", "process", "thread", "function", "time",
		"filter", "by", "debuginfod", "symbol-server", "symbol-path",
		"debug-dir", "offline", "width", "format", "threads", NULL },
	.examples = (const struct wk_example[]){
		{ "wick symbols", "list the binaries of wick.data and what is missing" },
		{ "wick symbols app.data --debuginfod", "search on the servers in DEBUGINFOD_URLS "
		  "first" },
		{ "wick symbols trace.etl --symbol-path './out;srv*'", "search for the PDBs of a "
		  "Windows trace in ./out and on Microsoft's server" },
		{ "wick symbols app.exe --symbol-path ./out", "show where wick searches for the "
		  "PDB of a binary, and what the PDB contains" },
		{ "wick symbols --cache list", "list cached symbols and downloaded files" },
		{ 0 } },
	.exit_note = "0 even if names are missing.",
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
