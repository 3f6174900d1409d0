/* The lines of a file that may be somebody who waits for an answer: all that came is passed on
 * before more is waited for. */
#ifndef WK_SESSION_SYMBOLIZE_LINE_INPUT_H
#define WK_SESSION_SYMBOLIZE_LINE_INPUT_H

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

struct wk_line_taker {
	void (*take)(void *context, struct wk_str line); /* without its newline */
	bool (*pause)(void *context);                    /* no whole line is left; false to stop */
	void *context;
};

/* Until the end of `file`. What is behind the first 64 KiB of a line is passed over. */
bool wk_line_input(int file, const struct wk_line_taker *taker, struct wk_err *err);

#endif
