/* A recording made by root, for a user who has sudo but not the right to record.
 *
 * Only the recording runs as root, with the recorded command: `sudo wick record ...`. The user
 * creates the file first, and so owns it. */
#ifndef WK_CLI_RUN_RECORD_BY_ROOT_H
#define WK_CLI_RUN_RECORD_BY_ROOT_H

#include "cli/options/record_options.h"

struct wk_root_request {
	const struct wk_record_args *record;
	const char *sudo_options; /* arguments for sudo; "" for none */
	const char *data;
	const struct wk_text_list *command; /* empty: what `record` selects */
	const char *folder;                 /* where the command runs; NULL: here */
	bool quiet, verbose;
};

/* Returns the exit code of the recording. `has_recorded`: there is something to draw. */
int wk_record_by_root(const struct wk_root_request *request, bool *has_recorded,
		      struct wk_err *err);

#endif
