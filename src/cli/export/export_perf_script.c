#include "cli/export/export_perf_script.h"

#include "cli/export/export.h"
#include "cli/messages.h"

#define AT(field) offsetof(struct wk_perf_script_args, field)

static const struct wk_opt options[] = {
	{ 'F', "fields", "FIELDS", "print these columns, as `perf script -F` does: "
	  "\"comm,tid,ip\", or \"+srcline\" and \"-cpu\" for changes",
	  WK_OPT_LIST, AT(fields), NULL },
	{ 0, "ns", NULL, "print times to the nanosecond", WK_OPT_FLAG, AT(options.nanoseconds),
	  NULL },
	{ 'G', "hide-call-graph", NULL, "print the place of a sample in its line, without callers",
	  WK_OPT_FLAG, AT(options.hides_chains), NULL },
	{ 0, "max-stack", "N", "at most N frames; unwound user frames count separately "
	  "[127]", WK_OPT_NUMBER, AT(options.most_frames), NULL },
	{ 0, "no-demangle", NULL, "do not demangle names", WK_OPT_FLAG, AT(options.no_demangle),
	  NULL },
	{ 0, "show-task-events", NULL, "print a line when a process or thread starts, is "
	  "named or ends", WK_OPT_FLAG, AT(options.shows_tasks), NULL },
	{ 0, "show-mmap-events", NULL, "print a line for each mapped file", WK_OPT_FLAG,
	  AT(options.shows_mappings), NULL },
	{ 0 },
};

const struct wk_opt_group wk_perf_script_group = { "Only with --to perf-script", options };

bool wk_export_perf_script(const struct wk_export_job *job, struct wk_out *out, struct wk_err *err)
{
	const struct wk_text_list *fields = &job->perf_script->fields;
	struct wk_perf_script_options script = job->perf_script->options;

	script.no_inlined = job->load->no_inlined;
	for (size_t i = 0; i < fields->count; i++)
		if (!wk_perf_fields_add(&script.fields, fields->at[i], err))
			return false;
	return wk_perf_script_export(
		&(struct wk_perf_script_export){ .paths = job->paths,
						 .load = job->load,
						 .filter = job->filter,
						 .script = &script,
						 .messages = &wk_cli_messages },
		out, err);
}
