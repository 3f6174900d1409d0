/* One engine for all tools that turn stacks of some format into folded lines. */
#include <inttypes.h>

#include "base/mem.h"
#include "cli/as/collapse_args.h"
#include "cli/messages.h"
#include "os/os.h"

void wk_as_collapse_prepare(void *args, const struct wk_as_tool *tool)
{
	struct wk_as_collapse_args *collapse_args = args;

	collapse_args->collapse = tool->collapse;
	collapse_args->collapse.dialect =
		tool->kind->family == WK_AS_INFERNO ? WK_COLLAPSE_INFERNO : WK_COLLAPSE_PERL;
}

/* The options in the form that readers need. */
static bool settle(struct wk_as_collapse_args *args, struct wk_err *err)
{
	struct wk_collapse *collapse = &args->collapse;
	int measures = args->by_time + args->by_ticks + args->by_bytes;

	if (measures > 1)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "error: the argument '--%s' cannot be used with '--%s'",
			       args->by_ticks ? "ticks" : "bytes",
			       args->by_time ? "time" : "bytes");
	if (measures)
		collapse->measure = args->by_ticks   ? WK_COLLAPSE_TICKS
				    : args->by_bytes ? WK_COLLAPSE_BYTES
						     : WK_COLLAPSE_TIME;
	if (args->sample_index > UINT32_MAX)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "Invalid sample index %" PRIu64,
			       args->sample_index);
	collapse->sample_index = (uint32_t)args->sample_index;
	if (args->marks_all)
		collapse->marks_kernel = collapse->marks_jit = true;
	collapse->skip_after = args->skip_after.at;
	return true;
}

static void note(void *context, const char *file, struct wk_str text)
{
	const struct wk_as_call *call = context;
	const struct wk_as_collapse_args *args = call->args;
	struct wk_buf words = { 0 };

	if (args->inferno.quiet)
		return;
	if (call->tool->kind->family != WK_AS_INFERNO) /* inferno's lines have their form */
		wk_buf_add_fmt(&words, file ? "%s: %s: " : "%s: ", call->tool->name, file);
	wk_buf_add_str(&words, text);
	wk_as_warn(call->tool, wk_buf_str(&words));
	wk_buf_fini(&words);
}

int wk_as_collapse(const struct wk_as_call *call, struct wk_err *err)
{
	struct wk_as_collapse_args *args = call->args;
	const char **paths = wk_words_paths(call->words);
	struct wk_collapse_job job = {
		.paths = paths,
		.format = call->tool->reader,
		.with_inlined = args->with_inlined,
		.collapses_recursion = call->tool->collapses_recursion,
		.threads = args->threads ? (unsigned)args->threads : wk_os_cpu_count(),
		.note = note,
		.context = (void *)(uintptr_t)call,
	};
	bool ok = settle(args, err);

	job.collapse = args->collapse;
	ok = ok && wk_collapse_files(&job, call->out, &wk_cli_messages, err);
	wk_free(paths);
	return ok ? WK_EXIT_DONE : WK_EXIT_FAILED;
}
