#include "cli/commands/export.h"

#define AT(field) offsetof(struct wk_export_args, field)

static const struct wk_opt options[] = {
	WK_TEXT('o', "output", "FILE", "write to FILE instead of standard output", AT(output)),
	WK_FLAG(0, "by-thread", "add a level for each thread, below its process", AT(by_thread)),
	WK_FLAG(0, "no-process", "start with the outermost function, without a level for processes",
	  AT(no_process)),
	WK_FLAG(0, "weights", "end each line with the weight (nanoseconds, events ...) instead of "
	  "the number of samples", AT(weights)),
	WK_FLAG(0, "lines", "add the source line to each function: \"parse (src/main.rs:42)\"",
	  AT(lines)),
	WK_FLAG('q', "quiet", "do not print the number of samples and lost samples to standard "
	  "error", AT(quiet)),
	{ 0 },
};

static int run(const struct wk_call *call, struct wk_err *err)
{
	return wk_export(call, "folded", err);
}

const struct wk_command wk_cmd_fold = {
	.name = "fold",
	.summary = "print a recording as folded stacks, for flame graph tools",
	.usage = (const char *const[]){ "[OPTION...] [FILE...]", NULL },
	.description = (const char *const[]){
		"Prints one line for each distinct stack of the FILEs [default: wick.data]. A line "
		"contains the process name and the functions from the outermost to the innermost, "
		"joined by semicolons. It ends with the number of samples.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Output", options }, 0 },
		{ &wk_view_group, AT(view) },
		{ &wk_shape_group, AT(view) },
		{ &wk_filter_group, AT(filter) },
		{ &wk_open_group, AT(load) },
		{ 0 } },
	.common = (const char *const[]){
		"output", "by-thread", "no-process", "lines", "weights", "mine", "all-inline", "quiet", "group", "preset",
		"process", "thread", "function", "time", "filter", "by",
		"debuginfod", "symbol-path", "format", NULL },
	.examples = (const struct wk_example[]){
		{ "wick fold > stacks.folded",
		  "write stacks for any tool that draws folded stacks" },
		{ "wick fold --function parse wick.data",
		  "print only stacks with a function that matches parse" },
		{ "wick fold --group process,module trace.etl",
		  "print which file called which, in each process" },
		{ 0 } },
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct wk_export_args),
	.run = run,
};
