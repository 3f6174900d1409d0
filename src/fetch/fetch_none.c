#include "fetch/fetch.h"

#define MISSING "wick was built without libcurl and cannot ask symbol servers"

bool wk_fetch_is_possible(struct wk_err *err)
{
	return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, MISSING);
}

struct wk_fetcher *wk_fetcher_new(const struct wk_remote_options *options)
{
	(void)options;
	return NULL;
}

void wk_fetcher_free(struct wk_fetcher *fetcher)
{
	(void)fetcher;
}

void wk_fetcher_share(struct wk_fetcher *fetcher, uint64_t free_bytes,
		      bool (*wait_for_turn)(void *context, const struct wk_fetch *fetch),
		      void *context)
{
	(void)fetcher;
	(void)free_bytes;
	(void)wait_for_turn;
	(void)context;
}

bool wk_fetcher_make_ready(struct wk_fetcher *fetcher, struct wk_err *err)
{
	(void)fetcher;
	return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, MISSING);
}

enum wk_fetched wk_fetch(struct wk_fetcher *fetcher, const struct wk_fetch *fetch,
			 struct wk_err *err)
{
	(void)fetcher;
	(void)fetch;
	wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, MISSING);
	return WK_FETCH_IMPOSSIBLE;
}
