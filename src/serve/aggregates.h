/* Trees, histograms and searches of a recording that is shown, for a page that does not have its
 * samples: docs/view.md has the arguments, docs/report-format.md the answers.
 *
 * The rows of each event are kept, and so are the trees, their weights and the filters that were
 * used last: usually an answer is about another time or depth of a tree that was shown before.
 *
 * For one thread at a time. */
#ifndef WK_SERVE_AGGREGATES_H
#define WK_SERVE_AGGREGATES_H

#include "serve/request.h"
#include "session/report.h"

struct wk_aggregates;

/* The samples that the page may show, and its event if a request names none. The page must outlive
 * it. */
struct wk_aggregates *wk_aggregates_new(const struct wk_report_page *report);
void wk_aggregates_free(struct wk_aggregates *aggregates);

/* Whether these requests are for it: "tree", "bins", "search". */
bool wk_aggregates_has(struct wk_str route);

/* Appends the answer, whose media type is `*type`. False if the arguments are wrong. */
bool wk_aggregates_answer(struct wk_aggregates *aggregates, const struct wk_request *request,
			  struct wk_buf *answer, const char **type, struct wk_err *err);

/* Makes what the first answers need, so that they come at once. */
void wk_aggregates_prepare(struct wk_aggregates *a);

#endif
