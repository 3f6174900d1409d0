/* Other programs, run to their end: where they lie, their input and output, their exit code. Not
 * the command that is recorded, which record/launch.h starts. */
#ifndef WK_OS_PROGRAM_H
#define WK_OS_PROGRAM_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Where a program's standard input comes from and its output goes to. */
struct wk_os_program_io {
	int input, output;       /* descriptors; -1: ours */
	struct wk_buf *collect;  /* where the output is kept instead; NULL: it is not */
	bool is_mute;            /* what it says on standard error goes nowhere */
	bool outlives_interrupt; /* Ctrl-C is for the program; we go on when it has ended */
};

#define WK_OS_PROGRAM_PLAIN ((struct wk_os_program_io){ .input = -1, .output = -1 })

/* Runs a program (looked for in PATH) to its end. `words` ends with NULL. Its exit code,
 * 128 + N where signal N ended it; -1 where it could not be run. */
int wk_os_program_run(const char *const *words, struct wk_os_program_io io, struct wk_err *err);

/* Where the shell would find a program: in PATH or, of a word that says where it lies, there. On
 * Windows the ending may be left out (.exe and the others of PATHEXT). The caller frees it; NULL if
 * nowhere. */
char *wk_os_program_find(const char *name);

/* The words in front of a line that the system's shell is to run. */
extern const char *const wk_os_shell[2];

/* What opens a file in the program that its user likes for it. */
extern const char *const wk_os_opener;

#endif
