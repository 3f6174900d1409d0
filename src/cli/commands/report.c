#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/command.h"
#include "cli/messages.h"
#include "cli/options/open_options.h"
#include "cli/options/view_options.h"
#include "cli/output.h"
#include "os/os.h"
#include "session/report.h"

struct args {
	const char *output, *open, *against, *preset;
	bool quiet, redact;
	struct wk_filter_spec filter;
	struct wk_open_options load;
};

#define AT(field) offsetof(struct args, field)

static const struct wk_opt options[] = {
	WK_TEXT('o', "output", "FILE", "write to FILE, such as page.html, instead of standard output",
	  AT(output)),
	WK_TEXT(0, "against", "FILE", "compare with this earlier recording", AT(against)),
	WK_TEXT(0, "preset", "NAME|FILE", "start with this preset: rustc, cpu, memory, heap, waits, or a "
	  "file of JSON or of Windows Performance Analyzer (.wpaProfile)", AT(preset)),
	WK_TEXT(0, "open", "VIEW", "where the page starts, as in the address of a link to it: "
	  "\"#memory\"", AT(open)),
	WK_FLAG(0, "redact", "leave out names of users and of the machine, home directories and "
	  "arguments of command lines", AT(redact)),
	WK_FLAG('q', "quiet", "do not print the number of samples and lost samples to standard "
	  "error", AT(quiet)),
	{ 0 },
};

static const char *const forms[] = { "html", "htm", NULL };

/* Before anything is read. */
static bool check(const struct wk_call *call, const char *const *paths, struct wk_err *err)
{
	const struct args *args = call->args;
	bool to_stdout = !args->output || strcmp(args->output, "-") == 0;

	if (!wk_report_check(&args->filter, err))
		return false;
	if (to_stdout && wk_os_is_terminal(STDOUT_FILENO))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "a page is not written to a terminal; use -o page.html or a pipe");
	return wk_output_allow(args->output, paths, forms, call, err) &&
	       wk_output_allow(args->output, (const char *const[]){ args->against, NULL }, forms,
			       call, err);
}

static bool write_page(const struct wk_report *report, const struct wk_report_options *how,
		       const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_output output;
	struct wk_out *out = wk_output_open(&output, args->output, call, err);
	const struct wk_messages *messages = args->quiet ? NULL : &wk_cli_messages;

	return out &&
	       wk_output_close(&output, wk_report_write(report, how, out, messages, err), err);
}

static bool open_and_write(const char *const *paths, const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	const char *const before_paths[] = { args->against, NULL };
	const struct wk_report_options how = { .filter = &args->filter, .open = args->open,
					       .preset = args->preset, .redacts = args->redact };
	struct wk_open_options load = wk_report_open_options(&args->load, &how);
	const struct wk_messages *messages = args->quiet ? NULL : &wk_cli_messages;
	struct wk_model *model = wk_open_paths(paths, &load, NULL, messages, err), *before = NULL;
	bool ok = model && (!args->against ||
			    (before = wk_open_paths(before_paths, &load, NULL, messages, err)));

	ok = ok && write_page(&(struct wk_report){ .model = model, .paths = paths,
						   .before = before, .before_paths = before_paths },
			      &how, call, err);
	wk_model_free(before);
	wk_model_free(model);
	return ok;
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const char **paths = wk_input_paths(call->words, err);
	bool ok = paths && check(call, paths, err) && open_and_write(paths, call, err);

	wk_free(paths);
	return ok ? WK_EXIT_DONE : wk_exit_code(err);
}

const struct wk_command wk_cmd_report = {
	.name = "report",
	.summary = "write a page to explore a recording in a browser",
	.usage = (const char *const[]){ "[OPTION...] [FILE...] -o PAGE.html", NULL },
	.description = (const char *const[]){
		"Writes one HTML file with the samples of FILE [default: wick.data] and all that is "
		"needed to explore them: flame graphs, tables, memory, processes. It opens from disk "
		"in a browser and loads nothing. docs/report.md describes the page.",
		"Filters decide what is written. The page itself can narrow that further.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Page", options }, 0 },
		{ &wk_filter_group, AT(filter) },
		{ &wk_unnamed_group, AT(load) },
		{ &wk_open_group, AT(load) },
		{ 0 } },
	.common = (const char *const[]){
		"output", "against", "preset", "open", "redact", "quiet", "process", "thread", "time", "filter", "by", "addresses",
		"debuginfod", "symbol-path", NULL },
	.examples = (const struct wk_example[]){
		{ "wick report -o page.html", "write a page of wick.data" },
		{ "wick report trace.etl --open '#memory' -o page.html", "start with memory" },
		{ "wick report new.data --against old.data -o page.html", "compare two recordings" },
		{ "wick report --time 2-5 --process rustc -o page.html", "write only a part" },
		{ 0 } },
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
