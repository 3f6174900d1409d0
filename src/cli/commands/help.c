#include "cli/command.h"
#include "cli/help.h"

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct wk_words *words = call->words;
	const struct wk_command *command;

	if (words->count > 1) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "help is for one command at a time");
		return WK_EXIT_USAGE;
	}
	if (words->count == 0) {
		wk_help_overview(call->out, wk_help_style());
		return WK_EXIT_DONE;
	}
	command = wk_command_find(words->at[0]);
	if (!command) {
		wk_command_unknown(words->at[0], err);
		return WK_EXIT_USAGE;
	}
	wk_help_command(call->out, wk_help_style(), command);
	return WK_EXIT_DONE;
}

const struct wk_command wk_cmd_help = {
	.name = "help",
	.summary = "say what commands there are, or what one takes",
	.usage = (const char *const[]){ "[COMMAND]", NULL },
	.description = (const char *const[]){
		"Without a word, lists the commands. With the name of one, prints its options, "
		"examples and exit codes, as `wick COMMAND --help` does.", NULL },
	.words = WK_WORD_CHOICE,
	.choice = wk_command_choice,
	.run = run,
};
