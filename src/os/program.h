/* Other programs, run to their end: their paths, input and output, and exit code. Not the recorded
 * command, which record/launch.h starts. */
#ifndef WK_OS_PROGRAM_H
#define WK_OS_PROGRAM_H

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"

/* Source of a program's standard input and destination of its output. */
struct wk_os_program_io {
	int input, output;       /* descriptors; -1: ours */
	struct wk_buf *collect;  /* receives the output; NULL: it is not captured */
	bool is_mute;            /* its standard error is discarded */
	bool outlives_interrupt; /* Ctrl-C ends only the program, not wick */
	bool is_detached;        /* it is not waited for, has no input and no output, and Ctrl-C
				  * does not end it; its exit code is 0 */
};

#define WK_OS_PROGRAM_PLAIN ((struct wk_os_program_io){ .input = -1, .output = -1 })

/* Runs a program (found in PATH) to its end. `words` ends with NULL. Returns its exit code, 128 + N
 * if signal N ended it; -1 if it could not be run. */
int wk_os_program_run(const char *const *words, struct wk_os_program_io io, struct wk_err *err);

/* The path at which the shell would find a program: in PATH or, for a path, there. On Windows the
 * ending is optional (.exe and the others of PATHEXT). The caller frees it; NULL if it is not
 * found. */
char *wk_os_program_find(const char *name);

/* The arguments before a line that the system's shell is to run. */
extern const char *const wk_os_shell[2];

/* The program that opens a file or an address in the user's default application. */
extern const char *const wk_os_opener;

/* Whether there is a screen for one. */
bool wk_os_has_display(void);

#endif
