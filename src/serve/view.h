/* `wick view`: a recording's page on a server of this machine, with what a file cannot have: source
 * code, SQL, and symbols of servers, which are fetched while the page is in use. docs/view.md lists
 * the addresses.
 *
 * Order of calls: new, run again and again, free. The thread that calls them answers what is at
 * hand; others read the model, one for queries, one for trees, one for all else, and one fetches.
 */
#ifndef WK_SERVE_VIEW_H
#define WK_SERVE_VIEW_H

#include "session/open.h"
#include "session/report.h"

/* What it points to must outlive the view. */
struct wk_view_options {
	const char *const *paths;
	const char *const *before_paths; /* of the recording to compare with; NULL: there is none */
	const struct wk_open_options *open;
	const struct wk_report_options *report;
	const char *const *folders; /* that are searched for source code; ends with NULL */
	uint16_t port;              /* 0: any that is free */
	uint64_t query_ns;          /* that a query may take */
	bool sends_trees; /* the page never reads all samples; otherwise only if there are many */
	const struct wk_messages *messages;
};

struct wk_view_server;

/* Opens the recording. NULL on failure. */
struct wk_view_server *wk_view_server_new(const struct wk_view_options *options,
					  struct wk_err *err);

/* Of the page. */
const char *wk_view_server_address(const struct wk_view_server *server);

/* Answers for a fraction of a second. */
void wk_view_server_run(struct wk_view_server *server);

/* Ends it. False, and nothing is freed, if a thread does not end within a short time: it is busy
 * with something that cannot be interrupted. */
bool wk_view_server_free(struct wk_view_server *server);

#endif
