#include "base/mem.h"
#include "cli/command.h"
#include "cli/options/open_options.h"
#include "session/dump.h"

struct args {
	const char *format;
	bool header;
};

static const struct wk_opt options[] = {
	WK_TEXT(0, "format", "FORMAT", "read FILE as this format; `wick formats` lists them "
	  "[default: by content]", offsetof(struct args, format)),
	WK_FLAG(0, "header", "print the header of a perf.data file: machine, sections, event "
	  "attributes, build ids; one fact per line", offsetof(struct args, header)),
	{ 0 },
};

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	const char **paths = wk_input_paths(call->words, err);
	bool ok = paths && wk_dump(paths, args->format, args->header, call->out, err);

	wk_free(paths);
	return ok ? WK_EXIT_DONE : wk_exit_code(err);
}

const struct wk_command wk_cmd_dump = {
	.name = "dump",
	.summary = "print a recording event by event",
	.usage = (const char *const[]){ "[OPTION...] [FILE...]", NULL },
	.description = (const char *const[]){
		"Prints the events of FILE [default: wick.data] in order of time, one per line: "
		"the kind (`process`, `thread`, `image`, `sample` ...), then fields as name=value. "
		"These are the events before unwinding, naming and adding up. Several FILEs must "
		"belong to one Windows session (kernel.etl, user.etl ...).",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Options", options }, 0 }, { 0 } },
	.examples = (const struct wk_example[]){
		{ "wick dump --header perf.data", "print the machine and event attributes in the "
		  "header" },
		{ "wick dump | grep ^image", "list the mapped files" },
		{ "wick dump perf.data | cut -d' ' -f1 | sort | uniq -c",
		  "count the events of each kind" },
		{ 0 } },
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
