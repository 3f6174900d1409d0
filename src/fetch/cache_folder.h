/* The folder of fetched files in the user's cache.
 *
 * Files are named by their keys: ID.debuginfo and ID.executable; of Windows programs ID.pdb, ID.sym
 * and ID.image. NAME.asked is the negative cache (misses.h) of each. Together they stay below
 * WICK_CACHE_SIZE: those not used for the longest time are removed, but never the newest. Other
 * files in the folder are left alone. A `path` of NULL is the default folder. */
#ifndef WK_FETCH_CACHE_FOLDER_H
#define WK_FETCH_CACHE_FOLDER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define WK_FETCH_MISSES_SUFFIX ".asked"

struct wk_fetch_cached {
	const char *name; /* without folders, valid during the call */
	uint64_t size_bytes;
	uint64_t fetched_ns; /* since 1970 */
};

/* On the heap; NULL, with a sentence, if the cache is switched off or there is no home. */
char *wk_fetch_cache_default(struct wk_err *err);

/* All fetched files; none if there is no such folder. */
bool wk_fetch_cache_each(const char *path,
			 bool (*take)(void *context, const struct wk_fetch_cached *file),
			 void *context, struct wk_err *err);

/* Removes them, with the negative cache, which is not counted. */
bool wk_fetch_cache_clear(const char *path, uint64_t *files, uint64_t *bytes, struct wk_err *err);

/* Removes what killed writers left and expired misses; then the files not used for the longest time
 * until the rest has at most `most_bytes`. `newest`, a name in the folder or NULL, stays. */
void wk_fetch_cache_trim(const char *path, const char *newest, uint64_t most_bytes);

#endif
