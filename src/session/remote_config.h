/* Which other machines are asked for files: none, unless the options, WICK_DEBUGINFOD or
 * WICK_SYMBOL_SERVERS name them, and for Windows programs _NT_SYMBOL_PATH. DEBUGINFOD_URLS alone is
 * not enough, since distributions set it for every user. */
#ifndef WK_SESSION_REMOTE_CONFIG_H
#define WK_SESSION_REMOTE_CONFIG_H

#include "base/err.h"
#include "base/text/text_list.h"
#include "fetch/fetcher.h"
#include "session/messages.h"

struct wk_remote_options {
	bool debuginfod, offline;
	struct wk_text_list servers, symbol_paths;
};

struct wk_remote_config {
	struct wk_fetcher *fetcher; /* may have no sources */
	const struct wk_messages *messages;
};

/* False, with a sentence, if the options ask for something impossible; if only the environment
 * does, that is a warning. Close it in either case: that warns of each server that failed. */
bool wk_remote_config_open(struct wk_remote_config *config, const struct wk_remote_options *options,
			   const struct wk_messages *messages, struct wk_err *err);
void wk_remote_config_close(struct wk_remote_config *config);

#endif
