/* What is told of files while they are fetched: on a terminal a line that changes, and that goes
 * away at the end; elsewhere, and only for those who set DEBUGINFOD_PROGRESS, a line for whatever
 * was asked for. */
#ifndef WK_CLI_FETCH_PROGRESS_H
#define WK_CLI_FETCH_PROGRESS_H

#include "fetch/fetch_options.h"

/* Of the file at hand; zeroed before the first. */
struct wk_fetch_progress {
	bool is_begun, is_on_screen;
	void (*interrupt)(int signal_number); /* what Ctrl-C did before */
	uint64_t begun_ns; /* of the first of those that are asked for one behind the other */
	uint64_t told_ns, ended_ns;
};

/* For wk_fetch_options; `context` is the struct above. */
void wk_fetch_progress_print(void *context, const struct wk_fetch_status *now);

/* Whether a person stopped fetching: on a terminal, Ctrl-C while a file comes takes it that what is
 * missing stays missing, and the command goes on without. A second one ends it. */
bool wk_fetch_progress_is_stopped(void *context);

/* Whether anybody wants to be told. */
bool wk_fetch_progress_wanted(void);

#endif
