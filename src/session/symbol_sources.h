/* The servers and folders from which files of programs are fetched: those that the options,
 * WICK_DEBUGINFOD, WICK_SYMBOL_SERVERS and, for Windows programs, _NT_SYMBOL_PATH name.
 * DEBUGINFOD_URLS alone is not enough, since distributions set it for every user. */
#ifndef WK_SESSION_SYMBOL_SOURCES_H
#define WK_SESSION_SYMBOL_SOURCES_H

#include "base/err.h"
#include "base/text/text_list.h"
#include "fetch/fetcher.h"
#include "session/messages.h"

struct wk_symbol_source_options {
	bool debuginfod, offline;
	struct wk_text_list servers, symbol_paths;
};

struct wk_symbol_sources {
	struct wk_fetcher *fetcher; /* may have no sources */
	const struct wk_messages *messages;
};

/* False, with a sentence, if the options are impossible; impossible settings of the environment
 * are warnings. Close it in either case: that warns of each server that failed. */
bool wk_symbol_sources_open(struct wk_symbol_sources *sources,
			    const struct wk_symbol_source_options *options,
			    const struct wk_messages *messages, struct wk_err *err);
void wk_symbol_sources_close(struct wk_symbol_sources *sources);

#endif
