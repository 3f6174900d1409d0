/* One engine for all tools that turn stacks of some format into folded lines. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "cli/as/collapse_args.h"
#include "cli/messages.h"
#include "session/fold/inliner.h"
#include "session/fold/source.h"
#include "session/fold/tally.h"

/* What inferno-collapse-guess chooses from. */
static const char *const guessed[] = {
	"perf-script", "dtrace", "sample", "vtune", "pmcstat", NULL };

void wk_as_collapse_prepare(void *args, const struct wk_as_tool *tool)
{
	struct wk_as_collapse_args *collapse_args = args;

	collapse_args->collapse = tool->collapse;
	collapse_args->collapse.dialect =
		tool->kind->family == WK_AS_INFERNO ? WK_COLLAPSE_INFERNO : WK_COLLAPSE_PERL;
}

/* What is typed, as readers want it; `skip_after` is to be freed. */
static bool settle(struct wk_as_collapse_args *args, const char ***skip_after, struct wk_err *err)
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
	if (args->skip_after.count == 0)
		return true;
	*skip_after = wk_alloc_zeroed(args->skip_after.count + 1, sizeof(**skip_after));
	for (size_t i = 0; i < args->skip_after.count; i++)
		(*skip_after)[i] = args->skip_after.at[i];
	collapse->skip_after = *skip_after;
	return true;
}

struct notes {
	const struct wk_as_tool *tool;
	const char *file; /* NULL for several */
	bool is_quiet;
};

static void note(void *context, struct wk_str text)
{
	const struct notes *notes = context;

	struct wk_buf words = { 0 };

	if (notes->is_quiet)
		return;
	if (notes->tool->kind->family != WK_AS_INFERNO) { /* inferno's lines have their form */
		wk_buf_add_fmt(&words, "%s: ", notes->tool->name);
		if (notes->file)
			wk_buf_add_fmt(&words, "%s: ", notes->file);
	}
	wk_buf_add_str(&words, text);
	wk_as_warn(notes->tool, wk_buf_str(&words));
	wk_buf_fini(&words);
}

static bool is_guessed(const struct wk_reader *reader)
{
	for (size_t i = 0; guessed[i]; i++)
		if (strcmp(guessed[i], reader->name) == 0)
			return true;
	return false;
}

static bool fold(const struct wk_as_call *call, const struct wk_fold_source *source,
		 struct wk_err *err)
{
	const struct wk_as_collapse_args *args = call->args;
	struct notes notes = {
		.tool = call->tool,
		.file = source->count > 1 ? NULL
			: strcmp(source->input.name, "-") == 0 ? "standard input"
							       : source->input.name,
		.is_quiet = args->inferno.quiet,
	};
	struct wk_tally tally;
	struct wk_sink sink;
	bool ok;

	wk_tally_init(&tally);
	tally.note = note;
	tally.context = &notes;
	tally.collapses_recursion = call->tool->collapses_recursion;
	sink = wk_tally_sink(&tally);
	ok = source->reader->read(&source->input, &sink, err);
	if (ok)
		wk_tally_write(&tally, call->out);
	wk_tally_fini(&tally);
	return ok;
}

int wk_as_collapse(const struct wk_as_call *call, struct wk_err *err)
{
	struct wk_as_collapse_args *args = call->args;
	const char **skip_after = NULL, **paths = wk_words_paths(call->words);
	struct wk_fold_source source = { 0 };
	struct wk_as_inliner *inliner = NULL;
	bool ok = settle(args, &skip_after, err) &&
		  wk_fold_source_open(&source, paths, call->tool->reader, err);

	if (ok && !call->tool->reader && !is_guessed(source.reader))
		ok = wk_fail(err, WK_EFORMAT, WK_NOWHERE,
			     "No applicable collapse implementation found for input%s",
			     source.reader && strcmp(source.reader->name, "folded") == 0
				     ? ": it is folded already"
				     : "");
	if (ok && args->with_inlined) {
		inliner = wk_as_inliner_new(&wk_cli_messages);
		args->collapse.inliner = wk_as_inliner_for(inliner);
	}
	if (ok) {
		source.input.options.collapse = &args->collapse;
		source.input.options.threads =
			args->threads ? (unsigned)args->threads : wk_os_cpu_count();
		ok = fold(call, &source, err);
	}
	wk_fold_source_close(&source);
	wk_as_inliner_free(inliner);
	WK_FREE_ALL(skip_after, paths);
	return ok ? WK_EXIT_DONE : WK_EXIT_FAILED;
}
