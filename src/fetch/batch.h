/* Several searches at once: one loop over their transfers, up to eight at a time.
 *
 * Searches are begun in their order, so that the most important files come first and are there if
 * the user stops early. What they find does not depend on which server answers first. */
#ifndef WK_FETCH_BATCH_H
#define WK_FETCH_BATCH_H

#include "fetch/fetcher_internal.h"

/* Runs all of them to their ends. With `is_prefetch`, progress counts them. */
void wk_batch_run(struct wk_fetcher *fetcher, struct wk_search *searches, size_t count,
		  bool is_prefetch);

#endif
