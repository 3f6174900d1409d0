/* The filters and verbs of the analysis page, as it sends them: a list of JSON in the argument
 * `filters`, which docs/view.md describes.
 *
 * Filters keep samples: processes, ids of processes and ids of threads that are kept are
 * alternatives, all else has to be true at once. Verbs change trees (views/tree/verbs.h); a focus
 * does both. */
#ifndef WK_SERVE_PAGE_FILTERS_H
#define WK_SERVE_PAGE_FILTERS_H

#include "base/arena.h"
#include "render/page/page.h"
#include "views/aggregate/event_rows.h"
#include "views/tree/verbs.h"

struct wk_page_filter;

struct wk_page_filters {
	struct wk_page_filter *at;
	size_t count, cap;
	struct wk_arena arena;
	/* Equal for lists that keep the same, and for those that change trees in the same way;
	 * empty if they do not. */
	struct wk_buf kept_key, verbs_key;
};

/* Zeros are an empty list. On failure as well, it must be freed. */
bool wk_page_filters_read(struct wk_page_filters *filters, struct wk_str json, struct wk_err *err);
void wk_page_filters_fini(struct wk_page_filters *filters);

/* By row: 1 if all filters keep it, and it is of the process, if that is not 0. The caller frees
 * it.
 */
uint64_t *wk_page_filters_bits(const struct wk_page_filters *filters,
			       const struct wk_event_rows *rows, wk_process_id process,
			       const struct wk_page *page);

/* Owns what `verbs` points to. */
struct wk_page_verbs {
	struct wk_tree_verbs verbs;
	uint8_t *actions, *focus, *modules;
};

void wk_page_verbs_init(struct wk_page_verbs *verbs, const struct wk_page_filters *filters,
			const struct wk_model *model);
void wk_page_verbs_fini(struct wk_page_verbs *verbs);

#endif
