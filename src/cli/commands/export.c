#include "cli/commands/export.h"

#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/packed/pack.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "os/os.h"
#include "session/export.h"

struct target {
	const char *name, *summary;
	const char *suffixes[3]; /* of files that are clearly of this format */
	const char *ending;      /* of files that it may be written to, without the dot */
	bool is_binary;          /* not for terminals */
	bool is_packed;          /* with gzip, whatever the file is called */
	bool is_perf_script;     /* from the files, event by event, and not from a model */
};

/* To add one: a row here, its name below, its page in docs/export.md, its test. */
static const struct target targets[] = {
	{ .name = "firefox",
	  .summary = "JSON for the Firefox Profiler (profiler.firefox.com)",
	  .suffixes = { ".firefox.json", ".profile.json" },
	  .ending = "json" },
	{ .name = "pprof",
	  .summary = "a protocol buffer for pprof, packed with gzip",
	  .suffixes = { ".pprof", ".pb" },
	  .ending = "pb",
	  .is_binary = true,
	  .is_packed = true },
	{ .name = "speedscope",
	  .summary = "JSON for speedscope: a profile for each thread",
	  .suffixes = { ".speedscope.json", ".speedscope" },
	  .ending = "json" },
	{ .name = "folded",
	  .summary = "folded stacks, one line each, for flame graph tools",
	  .suffixes = { ".folded", ".collapsed" },
	  .ending = "folded" },
	{ .name = "perf-script",
	  .summary = "the text that `perf script` prints",
	  .suffixes = { ".perf-script", ".perf.txt" },
	  .ending = "txt",
	  .is_perf_script = true },
	{ 0 },
};

static const char *const target_names[] = { "firefox", "pprof", "speedscope", "folded",
					    "perf-script", NULL };

#define AT(field) offsetof(struct wk_export_args, field)

static const struct wk_opt options[] = {
	{ 0, "to", "FORMAT", "output format, one of those listed above", WK_OPT_CHOICE, AT(to),
	  target_names },
	WK_TEXT('o', "output", "FILE", "write to FILE instead of standard output; the suffix "
	  "selects the format (x.speedscope.json), and .gz compresses it", AT(output)),
	WK_FLAG(0, "samples", "count every sample as one, whatever its weight; folded stacks do so "
	  "by default", AT(samples)),
	WK_FLAG('q', "quiet", "do not print the number of samples and lost samples to standard "
	  "error", AT(quiet)),
	{ 0 },
};

static const struct wk_opt perf_script_options[] = {
	WK_VALUE('F', "fields", "FIELDS", "print these columns, as `perf script -F` does: "
	  "\"comm,tid,ip\", or \"+srcline\" and \"-cpu\" for changes", WK_OPT_LIST, AT(fields)),
	WK_FLAG(0, "ns", "print times to the nanosecond", AT(perf_script.nanoseconds)),
	WK_FLAG('G', "hide-call-graph", "print the place of a sample in its line, without callers",
	  AT(perf_script.hides_chains)),
	WK_VALUE(0, "max-stack", "N", "at most N frames; unwound user frames count separately "
	  "[127]", WK_OPT_NUMBER, AT(perf_script.most_frames)),
	WK_FLAG(0, "no-demangle", "do not demangle names", AT(perf_script.no_demangle)),
	WK_FLAG(0, "show-task-events", "print a line when a process or thread starts, is named or "
	  "ends", AT(perf_script.shows_tasks)),
	WK_FLAG(0, "show-mmap-events", "print a line for each mapped file",
	  AT(perf_script.shows_mappings)),
	{ 0 },
};

static const struct wk_opt_group perf_script_group = { "Only with --to perf-script",
						       perf_script_options };

static struct wk_choice target_choice(size_t index)
{
	return (struct wk_choice){ targets[index].name, targets[index].summary };
}

/* --- Which format, and where to ------------------------------------------------------------ */

static const struct target *fail_unsaid(const struct wk_export_args *args, struct wk_err *err)
{
	struct wk_buf names = { 0 };

	for (size_t i = 0; target_names[i]; i++)
		wk_buf_add_fmt(&names, "%s%s",
			       i == 0                ? ""
			       : target_names[i + 1] ? ", "
						     : " or ",
			       target_names[i]);
	if (args->output)
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"the name %s does not determine the format; add --to %s", args->output,
			wk_buf_text(&names));
	else
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "no output format; add --to %s",
			wk_buf_text(&names));
	wk_buf_fini(&names);
	return NULL;
}

/* By the suffix, before which ".gz" is removed; NULL if it is not known. */
static const struct target *target_by_path(const char *path)
{
	struct wk_str name = wk_str_c(path);

	if (wk_str_ends(name, ".gz"))
		name.len -= strlen(".gz");
	for (const struct target *target = targets; target->name; target++)
		for (size_t i = 0; target->suffixes[i]; i++)
			if (wk_str_ends(name, target->suffixes[i]))
				return target;
	return NULL;
}

static const struct target *target_of(const struct wk_export_args *args, const char *format,
				      struct wk_err *err)
{
	const struct target *target = targets;

	if (!format) {
		target = args->output ? target_by_path(args->output) : NULL;
		return target ? target : fail_unsaid(args, err);
	}
	while (strcmp(target->name, format) != 0)
		target++; /* the option accepts only names of targets */
	return target;
}

static bool goes_to_stdout(const struct wk_export_args *args)
{
	return !args->output || strcmp(args->output, "-") == 0;
}

static bool is_packed(const struct target *target, const struct wk_export_args *args)
{
	return (target->is_packed && wk_can_pack()) ||
	       (args->output && wk_str_ends(wk_str_c(args->output), ".gz"));
}

/* A name that promises another format would be opened by another viewer. */
static bool is_promise_kept(const struct target *target, const struct wk_export_args *args,
			    struct wk_err *err)
{
	const struct target *promised = args->output ? target_by_path(args->output) : NULL;
	struct wk_str name = wk_str_c(args->output ? args->output : "");

	if (wk_str_ends(name, ".gz"))
		name.len -= strlen(".gz");
	if (promised && promised != target)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "the suffix of %s is for %s, but the format is %s", args->output,
			       promised->name, target->name);
	if (wk_str_ends(name, ".json") && strcmp(target->ending, "json") != 0)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "the suffix of %s is for JSON, but the format is %s", args->output,
			       target->name);
	return true;
}

/* Options that only one format has change nothing of the others. */
static bool is_for_target(const struct target *target, const struct wk_export_args *args,
			  struct wk_err *err)
{
	const char *option = wk_options_first_set(&perf_script_group, args);

	if ((args->view.mine || args->view.all_inlined) && !wk_export_has_levels(target->name))
		return wk_fail(
			err, WK_EUSAGE, WK_NOWHERE,
			"--mine and --all-inline apply to --to folded only: %s keeps the whole "
			"stack of each sample",
			target->name);
	if ((args->view.group || args->view.preset) && !wk_export_has_levels(target->name))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--group and --preset apply to --to folded only: %s keeps the "
			       "thread and whole stack of each sample",
			       target->name);
	if (target->is_perf_script && args->samples)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--samples does not apply to --to perf-script, which prints each "
			       "sample with its weight");
	return target->is_perf_script || !option ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--%s applies to --to perf-script, not to %s",
		       option, target->name);
}

/* Before anything is read that may take long. */
static bool check_output(const struct target *target, const char *const *paths,
			 const struct wk_call *call, struct wk_err *err)
{
	const struct wk_export_args *args = call->args;
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

struct export
{
	const struct target *target;
	const char *const *paths;
	const struct wk_selection *selection; /* not for perf-script */
	const struct wk_export_args *args;
	const struct wk_view_choice *choice;
};

static bool write_perf_script(const struct export *export, struct wk_out *out, struct wk_err *err)
{
	const struct wk_export_args *args = export->args;
	const struct wk_text_list *fields = &args->fields;
	struct wk_perf_script_options script = args->perf_script;

	script.no_inlined = args->load.no_inlined;
	for (size_t i = 0; i < fields->count; i++)
		if (!wk_perf_fields_add(&script.fields, fields->at[i], err))
			return false;
	return wk_perf_script_export(
		&(struct wk_perf_script_export){ .paths = export->paths,
						 .load = &args->load,
						 .filter = &args->filter,
						 .script = &script,
						 .messages = &wk_cli_messages },
		out, err);
}

static bool write_to(const struct export *export, struct wk_out *out, struct wk_err *err)
{
	const struct target *target = export->target;
	const struct wk_export_args *args = export->args;
	struct wk_tree_options levels = {
		.by_process = !args->no_process,
		.by_thread = args->by_thread,
		.inverted = export->choice->inverted,
		.by_lines = args->lines,
	};

	wk_view_shape(export->choice, &levels);
	if (target->is_perf_script)
		return write_perf_script(export, out, err);
	if (wk_export_has_levels(target->name))
		return wk_export_folded(export->selection, &levels, args->weights, out,
					args->quiet ? NULL : &wk_cli_messages, err);
	return wk_export_samples(target->name, export->selection, !args->samples, out, err);
}

static bool write_packed(const struct export *export, struct wk_out *out, struct wk_err *err)
{
	struct wk_out *packer = wk_packer_new(out, err);
	bool ok;

	if (!packer)
		return false;
	ok = write_to(export, packer, err);
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
	const struct wk_export_args *args = export->args;
	const struct wk_view_choice *choice = export->choice;
	struct wk_open_options load = args->load;
	struct wk_selection selection = { 0 };
	struct wk_model *model;
	bool ok = false;

	if (wk_export_has_levels(export->target->name))
		load = wk_open_summed(&load, choice);
	load.in_view = &choice->filter;
	load.separates_unnamed = true; /* for other tools, which may have the names */
	model = wk_open_paths(export->paths, &load, NULL, &wk_cli_messages, err);
	if (!model)
		return false;
	export->selection = &selection;
	if (wk_selection_open(&selection, model, &choice->filter, err) &&
	    wk_selection_expect(&selection, err))
		ok = write_output(export, call, err);
	if (ok && !args->quiet) {
		wk_view_report(choice, &wk_cli_messages);
		wk_selection_report(&selection, &wk_cli_messages);
	}
	wk_selection_fini(&selection);
	wk_model_free(model);
	return ok;
}

int wk_export(const struct wk_call *call, const char *format, struct wk_err *err)
{
	const struct wk_export_args *args = call->args;
	const struct target *target = target_of(args, format, err);
	const char **paths = target ? wk_input_paths(call->words, err) : NULL;
	struct wk_view_choice choice = { 0 };
	struct export export = { .target = target, .paths = paths, .args = args,
				 .choice = &choice };
	bool ok = paths && check_output(target, paths, call, err) &&
		  wk_view_choose(&choice, &args->view, &args->filter,
				 args->by_thread    ? "by-thread"
				 : args->no_process ? "no-process"
						    : NULL,
				 err) &&
		  wk_view_expect_tree(&choice, paths[0], err);

	if (ok)
		ok = target->is_perf_script ? write_output(&export, call, err)
					    : export_model(&export, call, err);
	wk_view_choice_fini(&choice);
	wk_free(paths);
	return ok ? WK_EXIT_DONE : wk_exit_code(err);
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	return wk_export(call, ((const struct wk_export_args *)call->args)->to, err);
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
		{ &wk_view_group, offsetof(struct wk_export_args, view) },
		{ &wk_shape_group, offsetof(struct wk_export_args, view) },
		{ &wk_filter_group, offsetof(struct wk_export_args, filter) },
		{ &wk_open_group, offsetof(struct wk_export_args, load) },
		{ &perf_script_group, 0 },
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
	.args_size = sizeof(struct wk_export_args),
	.run = run,
};
