/* A recording as `wick record` and `wick flame` make it: session/record.h with Ctrl-C, progress and
 * closing sentences. */
#ifndef WK_CLI_RUN_RECORD_RUN_H
#define WK_CLI_RUN_RECORD_RUN_H

#include "session/record.h"

struct wk_record_end {
	struct wk_record_outcome outcome;
	int exit_code; /* the command's own; 128 + n if signal n ended it; 0 without one */
};

/* On failure `end->exit_code` is what wick should return: 127 or 126 for a command that cannot be
 * run, 130 if a Ctrl-C came first. `quiet`: nothing is printed but errors. */
bool wk_record_run(const struct wk_record_request *request, bool quiet, struct wk_symbols *symbols,
		   struct wk_record_end *end, struct wk_err *err);

/* Waits for a command that is still running (after --duration, or when the disk was full), so that
 * it keeps its terminal and its exit code is passed on. An error is printed first, and `err` is
 * empty afterwards. */
void wk_record_wait(struct wk_record_end *end, bool quiet, struct wk_err *err);

#endif
