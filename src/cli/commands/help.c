#include <string.h>

#include "cli/command.h"
#include "cli/help.h"

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct wk_words *words = call->words;
	bool is_all = words->count && strcmp(words->at[words->count - 1], "all") == 0;
	size_t names = words->count - (is_all ? 1 : 0);
	const struct wk_command *command;

	if (names > 1) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "help accepts one command");
		return WK_EXIT_USAGE;
	}
	if (names == 0) {
		wk_help_overview(call->out, wk_help_style());
		return WK_EXIT_DONE;
	}
	command = wk_command_named(words->at[0], err);
	if (!command)
		return WK_EXIT_USAGE;
	wk_help_command(call->out, wk_help_style(), command, is_all);
	return WK_EXIT_DONE;
}

const struct wk_command wk_cmd_help = {
	.name = "help",
	.summary = "list the commands, or print the help of one",
	.usage = (const char *const[]){ "[COMMAND] [all]", NULL },
	.description = (const char *const[]){
		"Lists the commands. With COMMAND it prints what `wick COMMAND --help` prints: the "
		"common options and examples. With `all` it prints every option.", NULL },
	.words = WK_WORD_CHOICE,
	.choice = wk_command_choice,
	.run = run,
};
