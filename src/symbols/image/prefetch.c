/* Fetches the missing files of many images before names are looked up. */
#include "symbols/image/image.h"

#include <stdlib.h>

#include "base/mem.h"

bool wk_symbols_asks_machines(const struct wk_symbols *symbols)
{
	return wk_fetcher_asks_servers(symbols->fetcher, WK_FETCH_FOR_WINDOWS) ||
	       wk_fetcher_asks_servers(symbols->fetcher, WK_FETCH_FOR_ELF);
}

enum wk_fetching wk_symbols_fetching(const struct wk_symbols *symbols)
{
	if (wk_fetcher_was_stopped(symbols->fetcher))
		return WK_FETCHING_STOPPED;
	return wk_fetcher_asks_servers(symbols->fetcher, WK_FETCH_FOR_WINDOWS)
		       ? WK_FETCHING_DONE
		       : WK_FETCHING_NOTHING;
}

/* A unit that is missing in a cached index is noticed, and fetched, only when it is needed. */
static bool wants_more(struct wk_image_symbols *image, struct wk_fetch_want *want)
{
	return wk_image_has_rvas(image) && !wk_image_is_all_cached(image) &&
	       wk_image_want(image, want);
}

/* Returns the number of fetched images: the ids of their PDBs, or their debug files, can be
 * requested next. */
static size_t fetch(struct wk_symbols *symbols, struct wk_image_symbols *const *images,
		    size_t count,
		    bool (*want)(struct wk_image_symbols *image, struct wk_fetch_want *want))
{
	struct wk_fetch_want *wants = wk_alloc_zeroed(count + 1, sizeof(*wants));
	size_t wanted = 0, came = 0;

	for (size_t i = 0; i < count; i++)
		wanted += want(images[i], &wants[wanted]);
	wk_fetcher_prefetch(symbols->fetcher, wants, wanted);
	for (size_t i = 0; i < count; i++) {
		if (images[i]->file.obj || !want(images[i], &wants[0]))
			continue;
		if (wants[0].kind == WK_FETCH_IMAGE)
			wk_image_fetch(images[i]);
		else if (wants[0].kind == WK_FETCH_PE)
			wk_image_find_file(images[i]);
		came += images[i]->file.obj != NULL;
	}
	wk_free(wants);
	return came;
}

void wk_symbols_prefetch(struct wk_symbols *symbols, struct wk_image_symbols *const *images,
			 size_t count)
{
	symbols->is_narrowed = true;
	for (size_t i = 0; i < count; i++)
		images[i]->is_in_view = true;
	if (wk_fetcher_asks_servers(symbols->fetcher, WK_FETCH_FOR_WINDOWS) &&
	    fetch(symbols, images, count, wants_more))
		fetch(symbols, images, count, wants_more);
	if (wk_fetcher_asks_servers(symbols->fetcher, WK_FETCH_FOR_ELF) &&
	    fetch(symbols, images, count, wk_image_want_remote))
		fetch(symbols, images, count, wk_image_want_remote);
}
