/* A recording made by root, for a user who has sudo but not the right to record.
 *
 * Only the recording runs as root, and with it what is recorded: `sudo wick record ...`. The
 * file is made beforehand by the user, who so keeps it and draws from it. */
#ifndef WK_CLI_RUN_RECORD_BY_ROOT_H
#define WK_CLI_RUN_RECORD_BY_ROOT_H

#include "cli/options/record_options.h"
#include "cli/run/child.h"

struct wk_root_request {
	const struct wk_record_args *record;
	const char *sudo_options; /* words for sudo; "" for none */
	const char *data;
	const struct wk_text_list *command; /* empty: what `record` says */
	const char *folder;                 /* where the command runs; NULL: here */
	bool quiet, verbose;
};

/* The exit code of the recording. `has_recorded` says whether there is anything to draw. */
int wk_record_by_root(const struct wk_root_request *request, bool *has_recorded,
		      struct wk_err *err);

#endif
