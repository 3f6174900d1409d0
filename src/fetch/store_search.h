/* A search for a file that belongs to an image (store.h): candidates are tried one by one until one
 * is it. Between store_debug.c and store_parts.c. */
#ifndef WK_FETCH_STORE_SEARCH_H
#define WK_FETCH_STORE_SEARCH_H

#include "fetch/store.h"

struct wk_store_search {
	bool (*fits)(const void *context, const struct wk_store_file *file); /* NULL: any does */
	const void *context;
	struct wk_store_file *file; /* what was found */
	struct wk_buf *why;         /* what was there and is not it; empty where nothing was */
};

/* Both are emptied. */
struct wk_store_search wk_store_search_of(struct wk_store_file *file, struct wk_buf *why);

/* Is it the file at `path`? */
bool wk_store_try(struct wk_store_search *search, const char *path);

/* Is it in one of the build-id trees, the debug directories' and perf's own? */
bool wk_store_try_id(struct wk_store_search *search, const char *const *debug_dirs,
		     const struct wk_build_id *id);

#endif
