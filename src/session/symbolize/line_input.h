/* The lines of a file that may be a pipe from a program that waits for an answer: all lines that
 * arrived are processed before reading again. */
#ifndef WK_SESSION_SYMBOLIZE_LINE_INPUT_H
#define WK_SESSION_SYMBOLIZE_LINE_INPUT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

struct wk_line_taker {
	void (*take)(void *context, struct wk_str line); /* without its newline */
	bool (*pause)(void *context); /* no complete line is left; false to stop */
	void *context;
};

/* Until the end of `file`. Lines are cut to 64 KiB. */
bool wk_line_input(int file, const struct wk_line_taker *taker, struct wk_err *err);

#endif
