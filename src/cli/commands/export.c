#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/packed/pack.h"
#include "cli/command.h"
#include "cli/export/export.h"
#include "cli/messages.h"
#include "cli/options/open_options.h"
#include "cli/options/view_options.h"
#include "cli/output.h"
#include "os/os.h"
#include "session/export.h"

struct args {
	const char *output, *to;
	bool samples, quiet;
	struct wk_filter_spec filter;
	struct wk_view_args view;
	struct wk_open_options load;
	struct wk_perf_script_args perf_script;
};

#define AT(field) offsetof(struct args, field)

static const struct wk_opt options[] = {
	{ 0, "to", "FORMAT", "output format, one of those listed above", WK_OPT_CHOICE, AT(to),
	  wk_export_names },
	{ 'o', "output", "FILE", "write to FILE instead of standard output; the suffix selects the "
	  "format (x.speedscope.json), and .gz compresses it", WK_OPT_TEXT, AT(output), NULL },
	{ 0, "samples", NULL, "count every sample as one, whatever its weight; folded stacks do so "
	  "by default", WK_OPT_FLAG, AT(samples), NULL },
	{ 'q', "quiet", NULL, "do not print the number of samples and lost samples to standard "
	  "error", WK_OPT_FLAG, AT(quiet), NULL },
	{ 0 },
};

static struct wk_choice target_choice(size_t index)
{
	const struct wk_export_target *target = &wk_export_targets[index];

	return (struct wk_choice){ target->name, target->summary };
}

/* --- Which format, and where to ------------------------------------------------------------ */

static bool fail_unsaid(const struct args *args, struct wk_err *err)
{
	struct wk_buf names = { 0 };

	for (size_t i = 0; wk_export_names[i]; i++)
		wk_buf_add_fmt(&names, "%s%s",
			       i == 0                   ? ""
			       : wk_export_names[i + 1] ? ", "
							: " or ",
			       wk_export_names[i]);
	if (args->output)
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"the name %s does not determine the format; add --to %s", args->output,
			wk_buf_text(&names));
	else
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "no output format; add --to %s",
			wk_buf_text(&names));
	wk_buf_fini(&names);
	return false;
}

static const struct wk_export_target *target_of(const struct args *args, struct wk_err *err)
{
	const struct wk_export_target *target = NULL;

	if (args->to)
		target = wk_export_find(args->to);
	else if (args->output)
		target = wk_export_by_path(args->output);
	if (!target)
		fail_unsaid(args, err);
	return target;
}

static bool goes_to_stdout(const struct args *args)
{
	return !args->output || strcmp(args->output, "-") == 0;
}

static bool is_packed(const struct wk_export_target *target, const struct args *args)
{
	return (target->is_packed && wk_can_pack()) ||
	       (args->output && wk_str_ends(wk_str_c(args->output), ".gz"));
}

/* A name that promises another format would be opened by another viewer. */
static bool is_promise_kept(const struct wk_export_target *target, const struct args *args,
			    struct wk_err *err)
{
	const struct wk_export_target *promised =
		args->output ? wk_export_by_path(args->output) : NULL;
	struct wk_str name = wk_str_c(args->output ? args->output : "");

	if (wk_str_ends(name, ".gz"))
		name.len -= strlen(".gz");
	if (promised && promised != target)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "the suffix of %s is for %s, but --to "
			       "is %s",
			       args->output, promised->name, target->name);
	if (wk_str_ends(name, ".json") && strcmp(target->ending, "json") != 0)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "the suffix of %s is for JSON, but --to %s writes .%s", args->output,
			       target->name, target->ending);
	return true;
}

/* Options that only one format has change nothing of the others. */
static bool is_for_target(const struct wk_export_target *target, const struct args *args,
			  struct wk_err *err)
{
	static const struct wk_perf_script_args none;

	if ((args->view.group || args->view.preset) && !wk_export_has_levels(target->name))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--group and --preset apply to --to folded only: %s keeps the "
			       "thread and whole stack of each sample",
			       target->name);
	return target->stream || memcmp(&args->perf_script, &none, sizeof(none)) == 0 ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "-F, --ns and the other options of perf script apply to --to perf-script, "
		       "not to %s",
		       target->name);
}

/* Before anything is read that may take long. */
static bool check_output(const struct wk_export_target *target, const char *const *paths,
			 const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	const char *const forms[] = { target->ending, "gz", NULL };

	if (!is_promise_kept(target, args, err) || !is_for_target(target, args, err))
		return false;
	if (goes_to_stdout(args) && target->is_binary && wk_os_is_terminal(STDOUT_FILENO))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "%s is binary and is not written to a terminal; use -o FILE or a "
			       "pipe",
			       target->name);
	if (is_packed(target, args) && !wk_can_pack())
		return wk_packer_new(call->out, err) != NULL;
	return wk_output_allow(args->output, paths, forms, call, err);
}

/* --- Writing ------------------------------------------------------------------------------- */

/* What is exported: a question to a model, or the words for a stream. */
struct export
{
	const struct wk_export_target *target;
	const struct wk_selection *question;
	const struct wk_export_job *job;
	const struct args *args;
	const struct wk_view_choice *choice;
};

static bool write_to(const struct export *export, struct wk_out *out, struct wk_err *err)
{
	const struct wk_export_target *target = export->target;
	const struct wk_tree_options levels = { .by_process = true,
						.grouping = wk_view_grouping(export->choice) };

	if (target->stream)
		return target->stream(export->job, out, err);
	if (wk_export_has_levels(target->name))
		return wk_export_folded(export->question, &levels, false, out, NULL, err);
	return wk_export_samples(target->name, export->question, !export->args->samples, out, err);
}

static bool write_packed(const struct export *export, struct wk_out *out, struct wk_err *err)
{
	struct wk_packer *packer = wk_packer_new(out, err);
	bool ok;

	if (!packer)
		return false;
	ok = write_to(export, wk_packer_out(packer), err);
	wk_packer_end(packer);
	return ok;
}

static bool write_output(const struct export *export, const struct wk_call *call,
			 struct wk_err *err)
{
	struct wk_output output;
	struct wk_out *out = wk_output_open(&output, export->args->output, call, err);
	bool ok;

	if (!out)
		return false;
	ok = is_packed(export->target, export->args) ? write_packed(export, out, err)
						     : write_to(export, out, err);
	return wk_output_close(&output, ok, err);
}

static bool export_model(struct export *export, const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = export->args;
	struct wk_open_options load = args->load;
	struct wk_selection question = { 0 };
	struct wk_model *model;
	bool ok = false;

	load.in_view = &export->choice->filter;
	model = wk_open_paths(export->job->paths, &load, NULL, &wk_cli_messages, err);
	if (!model)
		return false;
	export->question = &question;
	if (wk_selection_open(&question, model, &export->choice->filter, err) &&
	    wk_selection_expect(&question, err))
		ok = write_output(export, call, err);
	if (ok && !args->quiet) {
		wk_view_report(export->choice, &wk_cli_messages);
		wk_selection_report(&question, &wk_cli_messages);
	}
	wk_selection_fini(&question);
	wk_model_free(model);
	return ok;
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	const struct wk_export_target *target = target_of(args, err);
	const char **paths = target ? wk_input_paths(call->words, err) : NULL;
	struct wk_export_job job = { .paths = paths, .load = &args->load,
				     .filter = &args->filter,
				     .perf_script = &args->perf_script };
	struct wk_view_choice choice = { 0 };
	struct export export = { .target = target, .job = &job, .args = args,
				 .choice = &choice };
	bool ok = paths && check_output(target, paths, call, err) &&
		  wk_view_choose(&choice, &args->view, &args->filter, false, err) &&
		  wk_view_expect_tree(&choice, paths[0], err);

	if (ok)
		ok = target->stream ? write_output(&export, call, err)
				    : export_model(&export, call, err);
	wk_view_choice_fini(&choice);
	wk_free(paths);
	return ok ? WK_EXIT_DONE : wk_exit_code(err);
}

const struct wk_command wk_cmd_export = {
	.name = "export",
	.summary = "write a recording in another tool's format",
	.usage = (const char *const[]){ "--to FORMAT [OPTION...] [FILE...]", NULL },
	.description = (const char *const[]){
		"Writes the samples of the FILEs [default: wick.data] with the names and lines "
		"that wick found, for other viewers. docs/export.md describes what each format "
		"contains.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Output", options }, 0 },
		{ &wk_view_group, offsetof(struct args, view) },
		{ &wk_filter_group, offsetof(struct args, filter) },
		{ &wk_open_group, offsetof(struct args, load) },
		{ &wk_perf_script_group, offsetof(struct args, perf_script) },
		{ 0 } },
	.common = (const char *const[]){
		"to", "output", "samples", "quiet", "group", "preset", "process", "thread",
		"function", "time", "filter", "by", "outstanding", "ignore-case", "debuginfod",
		"symbol-path", "no-inline", "format", "threads", NULL },
	.examples = (const struct wk_example[]){
		{ "wick export --to firefox -o app.json.gz",
		  "write a file for profiler.firefox.com" },
		{ "wick export -o app.pb.gz; go tool pprof -top app.pb.gz", "open the recording "
		  "with pprof" },
		{ "wick export --thread worker -o app.speedscope.json",
		  "write one thread for the speedscope viewer" },
		{ 0 } },
	.words = WK_WORD_FILE,
	.choices_title = "Formats",
	.choice = target_choice,
	.args_size = sizeof(struct args),
	.run = run,
};
