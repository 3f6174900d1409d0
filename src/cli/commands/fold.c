#include "base/mem.h"
#include "cli/command.h"
#include "cli/messages.h"
#include "cli/options/open_options.h"
#include "cli/options/view_options.h"
#include "cli/output.h"
#include "session/export.h"

struct args {
	const char *output;
	bool by_thread, no_process, weights, quiet;
	struct wk_filter_spec filter;
	struct wk_view_args view;
	struct wk_open_options load;
};

static const struct wk_opt options[] = {
	{ 'o', "output", "FILE", "write to FILE instead of standard output", WK_OPT_TEXT,
	  offsetof(struct args, output), NULL },
	{ 0, "by-thread", NULL, "add a level for each thread, below its process", WK_OPT_FLAG,
	  offsetof(struct args, by_thread), NULL },
	{ 0, "no-process", NULL, "start with the outermost function, without a level for processes",
	  WK_OPT_FLAG, offsetof(struct args, no_process), NULL },
	{ 0, "weights", NULL, "end each line with the weight (nanoseconds, events ...) instead of "
	  "the number of samples", WK_OPT_FLAG, offsetof(struct args, weights), NULL },
	{ 'q', "quiet", NULL, "do not print the number of samples and lost samples to standard "
	  "error", WK_OPT_FLAG, offsetof(struct args, quiet), NULL },
	{ 0 },
};

static const char *const forms[] = { "folded", NULL };

static bool fold(const struct wk_selection *question, const struct wk_view_choice *choice,
		 const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	const struct wk_tree_options levels = {
		.by_process = !args->no_process,
		.by_thread = args->by_thread,
		.grouping = wk_view_grouping(choice),
		.inverted = choice->inverted,
	};
	struct wk_output output;
	struct wk_out *out = wk_output_open(&output, args->output, call, err);

	return out && wk_output_close(&output,
				      wk_export_folded(question, &levels, args->weights, out,
						       args->quiet ? NULL : &wk_cli_messages, err),
				      err);
}

static struct wk_model *load(const char **paths, const struct args *args,
			     const struct wk_view_choice *choice, struct wk_err *err)
{
	struct wk_open_options summed =
		wk_open_summed(&args->load, choice->needs_samples, choice->filter.source);

	summed.in_view = &choice->filter;
	return wk_open_paths(paths, &summed, NULL, &wk_cli_messages, err);
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	const char **paths = wk_input_paths(call->words, err);
	struct wk_selection question = { 0 };
	struct wk_model *model = NULL;
	struct wk_view_choice choice = { 0 };
	bool ok = false;

	if (paths && wk_output_allow(args->output, paths, forms, call, err) &&
	    wk_view_choose(&choice, &args->view, &args->filter, args->by_thread || args->no_process,
			   err) &&
	    wk_view_expect_tree(&choice, paths[0], err))
		model = load(paths, args, &choice, err);
	wk_free(paths);
	if (!model) {
		wk_view_choice_fini(&choice);
		return wk_exit_code(err);
	}
	if (wk_selection_open(&question, model, &choice.filter, err) &&
	    wk_selection_expect(&question, err))
		ok = fold(&question, &choice, call, err);
	if (ok && !args->quiet) {
		wk_view_report(&choice, &wk_cli_messages);
		wk_selection_report(&question, &wk_cli_messages);
	}
	wk_view_choice_fini(&choice);
	wk_selection_fini(&question);
	wk_model_free(model);
	return ok ? WK_EXIT_DONE : wk_exit_code(err);
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
		{ &wk_view_group, offsetof(struct args, view) },
		{ &wk_filter_group, offsetof(struct args, filter) },
		{ &wk_open_group, offsetof(struct args, load) },
		{ 0 } },
	.common = (const char *const[]){
		"output", "by-thread", "no-process", "weights", "quiet", "group", "preset",
		"process", "thread", "function", "time", "filter", "by", "outstanding",
		"ignore-case", "debuginfod", "symbol-path", "no-inline", "format", NULL },
	.examples = (const struct wk_example[]){
		{ "wick fold > stacks.folded",
		  "write stacks for any tool that draws folded stacks" },
		{ "wick fold --function parse wick.data",
		  "print only stacks with a function that matches parse" },
		{ "wick fold --group process,module trace.etl",
		  "print which file called which, in each process" },
		{ 0 } },
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
