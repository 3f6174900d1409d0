#include "base/buf.h"
#include "base/text/suggest.h"
#include "cli/as/tool.h"

static struct wk_choice tool_choice(size_t index)
{
	const struct wk_as_tool *tool = wk_as_tool_at(index);

	if (!tool)
		return (struct wk_choice){ 0 };
	return (struct wk_choice){ tool->name, tool->summary };
}

static void list(struct wk_out *out)
{
	const struct wk_as_tool *tool;

	for (size_t i = 0; (tool = wk_as_tool_at(i)); i++)
		wk_out_fmt(out, "%-34s %s\n", tool->name, tool->summary);
}

static int unknown(const char *name, struct wk_err *err)
{
	struct wk_suggestion near = wk_suggestion_for(wk_str_c(name));
	const struct wk_as_tool *tool;

	for (size_t i = 0; (tool = wk_as_tool_at(i)); i++)
		wk_suggestion_try(&near, tool->name);
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "unknown tool \"%s\"", name);
	wk_suggestion_add(&near, "`wick as` lists them", err);
	return WK_EXIT_USAGE;
}

/* The ending may be left out, as a package may install the scripts without it. */
static const struct wk_as_tool *find(const char *name)
{
	const struct wk_as_tool *tool = wk_as_tool_find(wk_str_c(name));
	struct wk_buf with_ending = { 0 };

	if (tool)
		return tool;
	wk_buf_add_fmt(&with_ending, "%s.pl", name);
	tool = wk_as_tool_find(wk_buf_str(&with_ending));
	wk_buf_fini(&with_ending);
	return tool;
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct wk_as_tool *tool;

	if (call->words->rest_count == 0) {
		list(call->out);
		return WK_EXIT_DONE;
	}
	tool = find(call->words->rest[0]);
	if (!tool)
		return unknown(call->words->rest[0], err);
	return wk_as_run(tool, call->words->rest + 1, call->out);
}

const struct wk_command wk_cmd_as = {
	.name = "as",
	.summary = "replace another tool: flamegraph.pl, stackcollapse-perf.pl, inferno-*",
	.usage = (const char *const[]){ "", "TOOL [OPTION...] [FILE...]", NULL },
	.description = (const char *const[]){
		"Accepts the command line of TOOL and does what it does, with the same options, "
		"defaults and exit codes. Without an argument it lists the tools. `wick as TOOL "
		"--help` prints the options of one.",
		"The same happens if wick is started under a tool's name. A symbolic link can "
		"therefore replace the tool in existing scripts.",
		NULL },
	.examples = (const struct wk_example[]){
		{ "perf script | wick as stackcollapse-perf.pl | wick as flamegraph.pl > a.svg",
		  "run an existing pipeline with wick" },
		{ "ln -s $(command -v wick) ~/bin/flamegraph.pl",
		  "make scripts that call flamegraph.pl use wick" },
		{ 0 } },
	.exit_note = "That of TOOL.",
	.words = WK_WORD_CHOICE,
	.choices_title = "Tools",
	.choice = tool_choice,
	.word_ends_options = true,
	.run = run,
};
