/* Other programs that wick runs for its user: cargo, sudo, a browser. Not the command that is
 * recorded, which record/launch.h starts. */
#ifndef WK_CLI_CHILD_H
#define WK_CLI_CHILD_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* A command line that grows; always ends with NULL. The words are borrowed. */
struct wk_argv {
	const char **at;
	size_t count, cap;
};

void wk_argv_add(struct wk_argv *argv, const char *word);

/* `option` and, behind it, `value`; nothing where the value is NULL. */
void wk_argv_add_pair(struct wk_argv *argv, const char *option, const char *value);
void wk_argv_fini(struct wk_argv *argv);

/* The line as a shell would take it, on standard error. */
void wk_argv_say(const struct wk_argv *argv);

/* Where a child's standard input comes from and its output goes to. */
struct wk_child_io {
	int input, output;      /* descriptors; -1: wick's own */
	struct wk_buf *collect; /* where the output is kept instead; NULL: it is not */
	bool is_mute;           /* what it says on standard error goes nowhere */
	bool outlives_interrupt; /* Ctrl-C is for the child; we go on when it has ended */
};

#define WK_CHILD_PLAIN ((struct wk_child_io){ .input = -1, .output = -1 })

/* Runs a program (looked for in PATH) to its end. Its exit code, 128 + N where signal N ended
 * it; -1 where it could not be run. */
int wk_child_run(const struct wk_argv *argv, struct wk_child_io io, struct wk_err *err);

/* Where the shell would find a program in PATH; the caller frees it. NULL if nowhere. */
char *wk_program_find(const char *name);

#endif
