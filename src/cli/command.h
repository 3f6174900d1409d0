/* A command is one const struct in one file: commands/NAME.c. To add one: the file, one line in
 * command_table.c and one in meson.build, a folder under tests/cli. Help, man page, completion and
 * the hint after an unknown word are printed from this struct.
 *
 * main reads the options into a zeroed struct of `args_size` bytes, so that zero is the default,
 * and calls `run`. A command that fails fills `err` with one sentence and returns
 * wk_exit_code(err); main prints the sentence. */
#ifndef WK_CLI_COMMAND_H
#define WK_CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/out.h"
#include "cli/options/options.h"

enum wk_exit {
	WK_EXIT_DONE = 0,
	WK_EXIT_FAILED = 1,
	WK_EXIT_USAGE = 2,
	WK_EXIT_NOT_EXECUTABLE = 126, /* as shells have it: the command cannot be run */
	WK_EXIT_NO_COMMAND = 127,
};

/* A table of options and the offset of its values in the command's own args. */
struct wk_opt_use {
	const struct wk_opt_group *group;
	size_t at;
};

struct wk_example {
	const char *typed, *does;
};

/* What the arguments are that are not options; for completion. */
enum wk_word_kind {
	WK_WORD_NONE,
	WK_WORD_FILE,
	WK_WORD_FILE_THEN_CHOICE,
	WK_WORD_CHOICE,
	WK_WORD_PROGRAM, /* a command line to run */
};

/* One of a few words that a command accepts. */
struct wk_choice {
	const char *word, *summary;
};

struct wk_command;

struct wk_call {
	const struct wk_command *command;
	const void *args; /* the filled struct of command->args_size bytes */
	const struct wk_words *words;
	struct wk_out *out; /* standard output; main ends it and reports failures */
};

struct wk_command {
	const char *name, *summary;
	const char *const *usage;         /* what may follow "wick NAME", one form per entry */
	const char *const *description;   /* paragraphs */
	const struct wk_opt_use *options; /* ends with a NULL group; NULL if there are none */
	const char *const *common;        /* options on the first screen of help, by name and ending
					   * with NULL; NULL: all options */
	const struct wk_example *examples; /* ends with NULL; the first three are on that screen */
	const char *exit_note;             /* what exit codes mean beyond 0, 1 and 2; or NULL */
	enum wk_word_kind words;
	const char *choices_title; /* their title in help; NULL leaves them out */
	struct wk_choice (*choice)(
		size_t index);  /* by number; the one after the last has no word */
	const char *absent;     /* why this build cannot do it; NULL: it can */
	bool word_ends_options; /* the first word begins a command line */
	size_t args_size;
	int (*run)(const struct wk_call *call, struct wk_err *err);
};

/* All commands, ending with NULL; those that a newcomer needs come first. */
extern const struct wk_command *const wk_commands[];

const struct wk_command *wk_command_find(const char *name);
/* NULL if there is none, with the nearest one as a hint. */
const struct wk_command *wk_command_named(const char *name, struct wk_err *err);

/* The commands as choices, for commands about commands. */
struct wk_choice wk_command_choice(size_t index);

/* 2 for wrong usage, 1 for any other failure. */
int wk_exit_code(const struct wk_err *err);

#endif
