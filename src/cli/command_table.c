#include "cli/command.h"

#include <string.h>

#include "base/text/suggest.h"
#include "cli/as/tool.h"
#include "os/os.h"
#include "session/shown_table.h"

extern const struct wk_command wk_cmd_flame;
extern const struct wk_command wk_cmd_cargo;
extern const struct wk_command wk_cmd_record;
extern const struct wk_command wk_cmd_snapshot;
extern const struct wk_command wk_cmd_show;
extern const struct wk_command wk_cmd_annotate;
extern const struct wk_command wk_cmd_report;
extern const struct wk_command wk_cmd_view;
extern const struct wk_command wk_cmd_query;
extern const struct wk_command wk_cmd_fold;
extern const struct wk_command wk_cmd_diff;
extern const struct wk_command wk_cmd_export;
extern const struct wk_command wk_cmd_dump;
extern const struct wk_command wk_cmd_symbols;
extern const struct wk_command wk_cmd_pack;
extern const struct wk_command wk_cmd_symbolize;
extern const struct wk_command wk_cmd_as;
extern const struct wk_command wk_cmd_doctor;
extern const struct wk_command wk_cmd_preset;
extern const struct wk_command wk_cmd_formats;
extern const struct wk_command wk_cmd_help;
extern const struct wk_command wk_cmd_man;
extern const struct wk_command wk_cmd_completion;

const struct wk_command *const wk_commands[] = {
	&wk_cmd_flame,
	&wk_cmd_cargo,
	&wk_cmd_record,
	&wk_cmd_snapshot,
	&wk_cmd_show,
	&wk_cmd_annotate,
	&wk_cmd_report,
	&wk_cmd_view,
	&wk_cmd_query,
	&wk_cmd_fold,
	&wk_cmd_diff,
	&wk_cmd_export,
	&wk_cmd_symbols,
	&wk_cmd_dump,
	&wk_cmd_pack,
	&wk_cmd_symbolize,
	&wk_cmd_as,
	&wk_cmd_doctor,
	&wk_cmd_preset,
	&wk_cmd_formats,
	&wk_cmd_help,
	&wk_cmd_man,
	&wk_cmd_completion,
	NULL,
};

const struct wk_command *wk_command_find(const char *name)
{
	for (size_t i = 0; wk_commands[i]; i++)
		if (strcmp(wk_commands[i]->name, name) == 0)
			return wk_commands[i];
	return NULL;
}

/* What others call it, as perf and cargo do. */
static const struct {
	const char *word, *typed;
} elsewhere[] = {
	{ "version", "wick --version" },  { "top", "wick show" },
	{ "script", "wick export" },      { "collapse", "wick fold" },
	{ "stackcollapse", "wick fold" }, { "flamegraph", "wick flame" },
	{ "open", "wick view" },
};

static const char *elsewhere_typed(const char *name)
{
	for (size_t i = 0; i < sizeof(elsewhere) / sizeof(elsewhere[0]); i++)
		if (strcmp(elsewhere[i].word, name) == 0)
			return elsewhere[i].typed;
	return NULL;
}

/* A recording or a program, typed without a command. */
static bool fail_file(const char *name, struct wk_err *err)
{
	struct wk_buf quoted = { 0 };
	const char *typed;

	/* A program here that is not in PATH is run by its path only. */
	wk_buf_add_text(&quoted, wk_os_is_path(name) ? "" : "./");
	wk_buf_add_shell(&quoted, wk_str_c(name));
	typed = wk_buf_text(&quoted);
	wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		"\"%s\" is a file, not a command; `wick show %s` and `wick flame %s` show a "
		"recording, `wick flame -- %s` profiles a program",
		name, typed, typed, typed);
	wk_buf_fini(&quoted);
	return false;
}

static bool fail_unknown(const char *name, struct wk_err *err)
{
	struct wk_suggestion near = wk_suggestion_for(wk_str_c(name));
	const char *typed = elsewhere_typed(name);

	if (typed)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "no command \"%s\"; use `%s`", name,
			       typed);
	if (wk_as_tool_find(wk_str_c(name)))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "no command \"%s\"; use `wick as %s`",
			       name, name);
	if (wk_table_view_find(name))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "no command \"%s\"; use `wick show FILE %s`", name, name);
	if (wk_os_is_there(name) && !wk_os_is_folder(name))
		return fail_file(name, err);
	for (size_t i = 0; wk_commands[i]; i++)
		wk_suggestion_try(&near, wk_commands[i]->name);
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "unknown command \"%s\"", name);
	return wk_suggestion_add(&near,
				 strchr(name, '/') ? "to profile a program: `wick flame -- PROGRAM`"
						   : "`wick help` lists the commands",
				 err);
}

const struct wk_command *wk_command_named(const char *name, struct wk_err *err)
{
	const struct wk_command *command = wk_command_find(name);

	if (!command)
		fail_unknown(name, err);
	return command;
}

struct wk_choice wk_command_choice(size_t index)
{
	const struct wk_command *command = wk_commands[index];

	if (!command)
		return (struct wk_choice){ 0 };
	return (struct wk_choice){ command->name, command->summary };
}

int wk_exit_code(const struct wk_err *err)
{
	return err->code == WK_EUSAGE ? WK_EXIT_USAGE : WK_EXIT_FAILED;
}
