#include "cli/command.h"
#include "cli/load.h"
#include "event/dump.h"
#include "formats/reader.h"

struct args {
	const char *format;
};

static const struct wk_opt options[] = {
	{ 0, "format", "FORMAT", "read FILE as this format, whatever it looks like; `wick formats` "
	  "lists them", WK_OPT_TEXT, offsetof(struct args, format), NULL },
	{ 0 },
};

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	const char *path = wk_load_path(call->words, err);
	struct wk_sink sink = wk_dump_sink(call->out);

	if (!path || !wk_read_file(path, args->format, &sink, err))
		return wk_exit_code(err);
	return WK_EXIT_DONE;
}

const struct wk_command wk_cmd_dump = {
	.name = "dump",
	.summary = "print a recording event by event",
	.usage = (const char *const[]){ "[OPTION...] [FILE]", NULL },
	.description = (const char *const[]){
		"Prints the events of FILE (wick.data where none is given) in order of time, one "
		"a line: first the kind (`process`, `thread`, `image`, `sample` ...), then fields "
		"as name=value. This is what a reader sees before anything is unwound, named or "
		"added up.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Options", options }, 0 }, { 0 } },
	.examples = (const struct wk_example[]){
		{ "wick dump | grep ^image", "what was mapped where" },
		{ "wick dump perf.data | cut -d' ' -f1 | sort | uniq -c",
		  "how many events of each kind" },
		{ 0 } },
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
