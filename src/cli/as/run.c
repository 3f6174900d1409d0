/* Runs one tool: reads its options, calls its engine, reports errors. */
#include <stdlib.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/as/tool.h"
#include "cli/help.h"

/* The exit code of perl's `die` if no system call failed, and clap's for wrong usage. */
#define PERL_DIED   255
#define CLAP_FAILED 2

static void say(const char *level, struct wk_str text)
{
	struct wk_out out = wk_out_to_fd(STDERR_FILENO);

	wk_out_text(&out, level);
	wk_out_term(&out, text);
	wk_out_char(&out, '\n');
	wk_out_end(&out);
}

void wk_as_warn(const struct wk_as_tool *tool, struct wk_str text)
{
	say(tool->kind->family == WK_AS_INFERNO ? "[WARN ] " : "", text);
}

static void say_failed(const struct wk_as_tool *tool, struct wk_str text)
{
	say(tool->kind->family == WK_AS_INFERNO ? "Error: " : "ERROR: ", text);
}

/* Options that all of inferno's tools have. */
static const struct wk_opt inferno_options[] = {
	WK_FLAG('q', "quiet", "print no warnings", offsetof(struct wk_as_inferno_args, quiet)),
	WK_FLAG('v', "verbose", "accepted and ignored: there are no further messages",
	  offsetof(struct wk_as_inferno_args, verbose)),
	{ 0 },
};

static const struct wk_opt_group inferno_group = { "Messages", inferno_options };

static void help(const struct wk_as_tool *tool, const struct wk_opt_use *options,
		 struct wk_out *out, struct wk_help_style style)
{
	struct wk_buf name = { 0 };
	struct wk_command command = {
		.usage = (const char *const[]){ tool->kind->usage, NULL },
		.description = (const char *const[]){ tool->summary, NULL },
		.options = options,
	};

	wk_buf_add_fmt(&name, "as %s", tool->name);
	command.name = wk_buf_text(&name);
	wk_help_command(out, style, &command, true);
	wk_buf_fini(&name);
}

/* The scripts print the error and their usage; clap points to its help. */
static int wrong_usage(const struct wk_as_tool *tool, const struct wk_opt_use *options,
		       struct wk_err *err)
{
	struct wk_out out = wk_out_to_fd(STDERR_FILENO);

	wk_out_term(&out, wk_str_c(err->text));
	if (tool->kind->family == WK_AS_INFERNO) {
		wk_out_text(&out, "\n\nFor more information, try '--help'.\n");
	} else {
		wk_out_char(&out, '\n');
		help(tool, options, &out, (struct wk_help_style){ .columns = 80 });
	}
	wk_out_end(&out);
	if (tool->kind->usage_exit)
		return tool->kind->usage_exit;
	return tool->kind->family == WK_AS_INFERNO ? CLAP_FAILED : PERL_DIED;
}

static int run_engine(const struct wk_as_call *call, const struct wk_opt_use *options)
{
	struct wk_err err = { 0 };
	int exit_code = call->tool->kind->run(call, &err);

	if (err.code == WK_EUSAGE)
		return wrong_usage(call->tool, options, &err);
	if (err.code != WK_OK)
		say_failed(call->tool, wk_str_c(err.text));
	return exit_code;
}

static enum wk_opt_style style_of(const struct wk_as_tool *tool)
{
	if (tool->kind->family == WK_AS_INFERNO)
		return WK_STYLE_CLAP;
	return tool->kind->bundles_letters ? WK_STYLE_WICK : WK_STYLE_GETOPT;
}

int wk_as_run(const struct wk_as_tool *tool, char **argv, struct wk_out *out)
{
	static const struct wk_opt none[] = { { 0 } };
	const struct wk_opt_group own = { "Options", tool->options ? tool->options : none };
	const struct wk_opt_group *messages =
		tool->kind->family == WK_AS_INFERNO ? &inferno_group : NULL;
	const struct wk_opt_use options[] = { { &own, 0 },
					      { tool->common ? tool->common : messages, 0 },
					      { tool->common ? messages : NULL, 0 },
					      { 0 } };
	void *args = wk_alloc_zeroed(1, tool->kind->args_size);
	struct wk_opt_target targets[sizeof(options) / sizeof(options[0])] = { 0 };
	struct wk_words words = { 0 };
	struct wk_as_call call = { tool, args, &words, out };
	struct wk_err err = { 0 };
	int exit_code = WK_EXIT_DONE;

	for (size_t i = 0; options[i].group; i++)
		targets[i] = (struct wk_opt_target){ options[i].group, args };
	if (tool->kind->prepare)
		tool->kind->prepare(args, tool);
	switch (wk_options_parse(style_of(tool), argv, targets, false, &words, &err)) {
	case WK_PARSED:
		exit_code = run_engine(&call, options);
		break;
	case WK_PARSED_HELP:
	case WK_PARSED_HELP_ALL:
		help(tool, options, out, wk_help_style());
		break;
	case WK_PARSED_WRONG:
		exit_code = wrong_usage(tool, options, &err);
		break;
	}
	wk_options_fini(targets);
	wk_words_fini(&words);
	wk_free(args);
	return exit_code;
}
