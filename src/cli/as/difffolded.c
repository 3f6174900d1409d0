/* Two folded files side by side, as difffolded.pl and inferno-diff-folded print them. */
#include "base/mem.h"
#include "cli/as/tool.h"
#include "session/fold/stack_counts.h"

struct args {
	struct wk_as_inferno_args inferno;
	bool normalises, strips_hex;
};

/* The script reads only letters. */
static const struct wk_opt options[] = {
	WK_FLAG('n', "normalize", "scale the first file to the total of the second",
	  offsetof(struct args, normalises)),
	WK_FLAG('s', "strip-hex", "treat all addresses such as 0x7f3a as the same",
	  offsetof(struct args, strips_hex)),
	{ 0 },
};

static void warn(void *context, const char *what, struct wk_str line)
{
	const struct wk_as_call *call = context;
	const struct args *args = call->args;
	struct wk_buf text = { 0 };

	if (args->inferno.quiet)
		return;
	wk_buf_add_text(&text, what);
	wk_buf_add_str(&text, line);
	wk_as_warn(call->tool, wk_buf_str(&text));
	wk_buf_fini(&text);
}

static void warn_of_line(void *context, struct wk_str line)
{
	warn(context, "Unable to parse line: ", line);
}

static void warn_of_fraction(void *context, struct wk_str line)
{
	(void)line;
	warn(context,
	     "The input data has fractional sample counts that will be truncated to integers",
	     (struct wk_str){ "", 0 });
}

static int run(const struct wk_as_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	bool is_inferno = call->tool->kind->family == WK_AS_INFERNO;
	struct wk_stack_counts counts = {
		.strips_hex = args->strips_hex,
		.drops_fractions = is_inferno,
		.bad_line = warn_of_line,
		.fraction = warn_of_fraction,
		.context = (void *)(uintptr_t)call,
	};
	const char **paths;
	bool ok;

	if (call->words->count + call->words->rest_count != 2) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			is_inferno ? "error: two files are required: <PATH1> <PATH2>"
				   : "two files are required");
		return WK_EXIT_USAGE;
	}
	paths = wk_words_paths(call->words);
	ok = wk_stack_counts_compare(&counts, paths, args->normalises, call->out, err);
	wk_stack_counts_fini(&counts);
	wk_free(paths);
	return ok ? WK_EXIT_DONE : WK_EXIT_FAILED;
}

static const struct wk_as_kind script = {
	.family = WK_AS_PERL,
	.bundles_letters = true,
	.usage_exit = WK_EXIT_USAGE,
	.usage = "[-ns] BEFORE AFTER",
	.args_size = sizeof(struct args),
	.run = run,
};

static const struct wk_as_kind inferno = {
	.family = WK_AS_INFERNO,
	.usage = "[OPTION...] BEFORE AFTER",
	.args_size = sizeof(struct args),
	.run = run,
};

const struct wk_as_tool wk_as_difffolded_tools[] = {
	{ &script, "difffolded.pl", "puts the counts of two folded files side by side",
	  .options = options },
	{ &inferno, "inferno-diff-folded", "puts the counts of two folded files side by side",
	  .options = options },
	{ 0 },
};
