/* Which other machines are asked for files, as typed and as the environment says: nobody, unless
 * --debuginfod, --symbol-server, WICK_DEBUGINFOD or WICK_SYMBOL_SERVERS name them, and for Windows
 * programs --symbol-path or _NT_SYMBOL_PATH. That DEBUGINFOD_URLS is set is not enough, since
 * distributions set it for everybody. */
#ifndef WK_CLI_OPTIONS_REMOTE_OPTIONS_H
#define WK_CLI_OPTIONS_REMOTE_OPTIONS_H

#include "cli/fetch_progress.h"
#include "cli/options/options.h"
#include "fetch/fetcher.h"

struct wk_remote_args {
	bool debuginfod, offline;
	struct wk_text_list servers, symbol_paths;
};

struct wk_remote_config {
	struct wk_fetcher *fetcher; /* may have no sources */
	struct wk_fetch_progress progress;
};

/* False, with a sentence, where what was typed cannot be done; what only the environment asks for
 * and cannot be done is said in a line on standard error. `asked` stays where it is until it is
 * closed, which says of each server that could not be asked why: a line on standard error. */
bool wk_remote_config_open(struct wk_remote_config *asked, const struct wk_remote_args *args,
			   struct wk_err *err);
void wk_remote_config_close(struct wk_remote_config *asked);

#endif
