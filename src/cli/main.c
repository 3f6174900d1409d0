#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/heap.h"
#include "base/mem.h"
#include "base/text/suggest.h"
#include "cli/as/tool.h"
#include "cli/command.h"
#include "cli/help.h"
#include "cli/terminal.h"
#include "os/os.h"

#define MAX_GROUPS 9

/* Not worth a message if the reader of a pipe has closed it, but not a success. Some systems end
 * the program by a signal instead. */
static bool reader_went_away(const struct wk_out *out)
{
	return out->failed && out->error_number == EPIPE;
}

static int end_output(struct wk_out *out, int exit_code, struct wk_err *err)
{
	if (wk_out_end(out))
		return exit_code;
	if (!reader_went_away(out))
		wk_fail_os(err, out->error_number, "cannot write to standard output");
	return exit_code == WK_EXIT_DONE ? WK_EXIT_FAILED : exit_code;
}

static bool is_version(const char *word)
{
	return word && (strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0);
}

static int print_version(struct wk_out *out)
{
	wk_out_text(out, "wick " WICK_VERSION "\n");
	return WK_EXIT_DONE;
}

/* `argv` begins after the command. */
static int run_command(const struct wk_command *command, char **argv, struct wk_out *out,
		       struct wk_err *err)
{
	struct wk_opt_target targets[MAX_GROUPS + 1] = { 0 };
	char *args = wk_alloc_zeroed(1, command->args_size);
	struct wk_words words = { 0 };
	struct wk_call call = { .command = command, .args = args, .words = &words, .out = out };
	int exit_code = WK_EXIT_DONE;
	enum wk_parsed parsed;

	if (is_version(argv[0])) {
		wk_free(args);
		return print_version(out);
	}
	if (command->absent && !(argv[0] && strcmp(argv[0], "--help") == 0)) {
		wk_free(args);
		wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, "%s", command->absent);
		return WK_EXIT_FAILED;
	}
	for (size_t i = 0; command->options && command->options[i].group && i < MAX_GROUPS; i++)
		targets[i] = (struct wk_opt_target){ command->options[i].group,
						     args + command->options[i].at };
	parsed = wk_options_parse(WK_STYLE_WICK, argv, targets, command->word_ends_options, &words,
				  err);
	switch (parsed) {
	case WK_PARSED:
		exit_code = command->run(&call, err);
		break;
	case WK_PARSED_HELP:
	case WK_PARSED_HELP_ALL:
		wk_help_command(out, wk_help_style(), command, parsed == WK_PARSED_HELP_ALL);
		break;
	case WK_PARSED_WRONG:
		wk_buf_fini(&out->pending);
		exit_code = WK_EXIT_USAGE;
		break;
	}
	wk_options_fini(targets);
	wk_words_fini(&words);
	wk_free(args);
	return exit_code;
}

/* The two options without a command are suggested. */
static void unknown_option(const char *word, struct wk_err *err)
{
	struct wk_suggestion near = wk_suggestion_for(wk_str_c(word));

	wk_suggestion_try(&near, "--version");
	wk_suggestion_try(&near, "--help");
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "unknown option %s", word);
	wk_suggestion_add(&near, "a command comes first: wick COMMAND [OPTION...]", err);
}

static int dispatch(char **argv, struct wk_out *out, struct wk_err *err)
{
	const struct wk_as_tool *tool = wk_as_tool_find(wk_str_basename(wk_str_c(argv[0])));
	bool is_cargo = wk_str_is(wk_str_basename(wk_str_c(argv[0])), "cargo-wick");
	const char *word = argv[1];
	const struct wk_command *command;

	/* cargo adds the name of the subcommand before the arguments. */
	if (is_cargo && word && strcmp(word, "wick") == 0)
		word = (++argv)[1];
	/* `cargo wick diff` and `wick cargo diff` are `wick diff`. */
	if (word && strcmp(word, "cargo") == 0 && argv[2] && wk_command_find(argv[2]))
		word = (++argv)[1];
	if (is_cargo && !(word && wk_command_find(word)))
		return run_command(wk_command_find("cargo"), argv + 1, out, err);
	if (tool) /* started through a link with the tool's name */
		return wk_as_run(tool, argv + 1, out);

	if (!word) {
		wk_help_overview(out, wk_help_style());
		return WK_EXIT_USAGE;
	}
	if (is_version(word))
		return print_version(out);
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
		wk_help_overview(out, wk_help_style());
		return WK_EXIT_DONE;
	}
	if (word[0] == '-') {
		unknown_option(word, err);
		return WK_EXIT_USAGE;
	}
	command = wk_command_named(word, err);
	return command ? run_command(command, argv + 2, out, err) : WK_EXIT_USAGE;
}

struct run {
	char **argv;
	int exit_code;
};

static void run(void *context)
{
	struct run *run = context;
	struct wk_out out = wk_out_to_fd(STDOUT_FILENO);
	struct wk_err err = { 0 };

	run->exit_code = dispatch(wk_os_start(run->argv), &out, &err);
	run->exit_code = end_output(&out, run->exit_code, &err);
	if (err.code != WK_OK && !reader_went_away(&out))
		wk_say(err.text);
}

int main(int argc, char **argv)
{
	struct run call = { .argv = argv };
	struct wk_heap *heap = wk_heap_new_for_process();

	if (argc < 1)
		return WK_EXIT_USAGE;
	wk_heap_use_large_pages();
	wk_os_guard_maps();
	if (heap && wk_heap_run(heap, run, &call))
		return call.exit_code;
	wk_heap_free(heap); /* ends its threads, removes half-written files */
	fputs("wick: out of memory\n", stderr);
	return WK_EXIT_FAILED;
}
