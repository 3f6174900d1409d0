#include <signal.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cli/command.h"
#include "cli/messages.h"
#include "cli/options/open_options.h"
#include "cli/options/option_errors.h"
#include "cli/options/view_options.h"
#include "cli/terminal.h"
#include "os/program.h"
#include "serve/view.h"

#define USUAL_QUERY_SECONDS 30
#define MOST_QUERY_SECONDS  86400

struct args {
	const char *open, *against, *preset;
	uint64_t port, time_limit_s;
	bool no_open, trees, quiet;
	struct wk_text_list folders;
	struct wk_filter_spec filter;
	struct wk_open_options load;
};

#define AT(field) offsetof(struct args, field)

static const struct wk_opt options[] = {
	WK_FLAG(0, "no-open", "do not open the page in a browser", AT(no_open)),
	WK_VALUE(0, "port", "N", "serve on this port of 127.0.0.1 [default: any that is free]",
	  WK_OPT_COUNT, AT(port)),
	WK_TEXT(0, "against", "FILE", "compare with this earlier recording", AT(against)),
	WK_TEXT(0, "preset", "NAME|FILE", "start with this preset: rustc, cpu, memory, heap, waits, or a "
	  "file of JSON or of Windows Performance Analyzer (.wpaProfile)", AT(preset)),
	WK_TEXT(0, "open", "VIEW", "where the page starts, as in the address of a link to it: "
	  "\"#memory\"", AT(open)),
	WK_VALUE(0, "source", "FOLDER", "search for source code here, and then in the current "
	  "folder; may be repeated", WK_OPT_LIST, AT(folders)),
	WK_FLAG(0, "trees", "send the page only what it shows, not all samples; usual above 2 million "
	  "samples", AT(trees)),
	WK_VALUE(0, "time-limit", "SECONDS", "end a query that takes longer [default: 30]",
	  WK_OPT_COUNT, AT(time_limit_s)),
	WK_FLAG('q', "quiet", "do not print the number of samples and lost samples to standard "
	  "error", AT(quiet)),
	{ 0 },
};

static volatile sig_atomic_t was_stopped;

/* The second one ends the program at once. */
static void stop(int signal_number)
{
	was_stopped = 1;
	signal(signal_number, SIG_DFL);
}

static void handle_signals(void)
{
	static const int handled[] = { SIGINT, SIGTERM };

	for (size_t i = 0; i < sizeof(handled) / sizeof(handled[0]); i++)
		/* What a parent chose to ignore stays ignored. */
		if (signal(handled[i], stop) == SIG_IGN)
			signal(handled[i], SIG_IGN);
}

static void show(const struct wk_call *call, const char *address)
{
	const struct args *args = call->args;
	const char *const argv[] = { wk_os_opener, address, NULL };
	struct wk_os_program_io io = WK_OS_PROGRAM_PLAIN;
	struct wk_err err = { 0 };

	wk_out_fmt(call->out, "%s\n", address);
	wk_out_flush(call->out);
	io.is_detached = true;
	if (!args->no_open && wk_os_has_display() && wk_os_program_run(argv, io, &err) < 0)
		wk_say(err.text);
}

static bool serve(const struct wk_call *call, const struct wk_view_options *what,
		  struct wk_err *err)
{
	struct wk_view_server *server;

	server = wk_view_server_new(what, err);
	if (!server)
		return false;
	handle_signals();
	show(call, wk_view_server_address(server));
	while (!was_stopped && !call->out->failed)
		wk_view_server_run(server);
	/* Nothing is being written that a thread would leave half done. */
	if (!wk_view_server_free(server))
		_Exit(WK_EXIT_DONE);
	return true;
}

static const char **folders_of(const struct args *args)
{
	struct wk_text_list folders = { 0 };

	for (size_t i = 0; i < args->folders.count; i++)
		wk_text_list_add(&folders, args->folders.at[i]);
	wk_text_list_add(&folders, ".");
	return folders.at;
}

static bool view(const char *const *paths, const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	const struct wk_report_options report = { .filter = &args->filter, .open = args->open,
						  .preset = args->preset, .is_served = true };
	const struct wk_open_options open = wk_report_open_options(&args->load, &report);
	uint64_t seconds = args->time_limit_s ? args->time_limit_s : USUAL_QUERY_SECONDS;
	const char **folders = folders_of(args);
	const char *const before_paths[] = { args->against, NULL };
	bool ok = serve(call, &(struct wk_view_options){
				.paths = paths,
				.before_paths = args->against ? before_paths : NULL,
				.open = &open,
				.report = &report,
				.folders = folders,
				.port = (uint16_t)args->port,
				.sends_trees = args->trees,
				.query_ns = seconds * UINT64_C(1000000000),
				.messages = args->quiet ? NULL : &wk_cli_messages,
			},
			err);

	wk_free(folders);
	return ok;
}

static bool check(const struct args *args, struct wk_err *err)
{
	return wk_report_check(&args->filter, err) &&
	       wk_option_check_range("port", args->port, 1, UINT16_MAX, "below 65536", err) &&
	       wk_option_check_range("time-limit", args->time_limit_s, 1, MOST_QUERY_SECONDS,
				     "at most 86400", err);
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const char **paths = NULL;
	bool ok = check(call->args, err) && (paths = wk_input_paths(call->words, err)) != NULL &&
		  view(paths, call, err);

	wk_free(paths);
	return ok ? WK_EXIT_DONE : wk_exit_code(err);
}

const struct wk_command wk_cmd_view = {
	.name = "view",
	.summary = "explore a recording in a browser, with source code and SQL",
	.usage = (const char *const[]){ "[OPTION...] [FILE...]", NULL },
	.description = (const char *const[]){
		"Serves the page of `wick report` for FILE [default: wick.data] to a browser on this "
		"machine, prints its address and opens it, until Ctrl-C. In addition to what the page "
		"shows in a file, it shows source code and instructions, answers SQL, and loads symbols "
		"from servers while it is in use.",
		"The address contains a secret, and works for your programs on this machine only. "
		"docs/view.md describes who can read what.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Page", options }, 0 },
		{ &wk_filter_group, AT(filter) },
		{ &wk_unnamed_group, AT(load) },
		{ &wk_open_group, AT(load) },
		{ 0 } },
	.common = (const char *const[]){
		"no-open", "against", "port", "preset", "open", "source", "trees", "time-limit",
		"quiet", "process", "thread", "time",
		"filter", "by", "addresses", "debuginfod", "symbol-path", NULL },
	.examples = (const struct wk_example[]){
		{ "wick view", "explore wick.data" },
		{ "wick view trace.etl --symbol-path 'srv*'", "load symbols from Microsoft's server "
		  "meanwhile" },
		{ "wick view new.data --against old.data", "compare two recordings" },
		{ "wick view --no-open --port 8000", "print an address with this port" },
		{ 0 } },
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
