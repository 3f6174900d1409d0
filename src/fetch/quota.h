/* How much may be kept for one run alone, if there is no cache: files without a name, which are
 * gone when they are closed, also after a kill.
 *
 * Together they stay below the size of the cache (WICK_CACHE_SIZE), except for the last one. Of
 * several that are fetched at once, the first in their order are within the quota, whichever comes
 * first. */
#ifndef WK_FETCH_QUOTA_H
#define WK_FETCH_QUOTA_H

#include <stddef.h>
#include <stdint.h>

#include "fetch/outcome.h"
#include "os/os.h"

struct wk_fetch_quota {
	uint64_t used_bytes;  /* of files that were accepted */
	uint64_t *came_bytes; /* of the jobs of a prefetch that runs. Or NULL */
};

uint64_t wk_fetch_quota_most_bytes(void);

/* May one more be fetched? `job` is its number among those that run. */
bool wk_fetch_quota_is_left(const struct wk_fetch_quota *quota, size_t job);

/* A file of that job came. */
void wk_fetch_quota_add(struct wk_fetch_quota *quota, size_t job, uint64_t bytes);

/* In the order of the jobs, when all have run: false if what came is above the quota and must not
 * be used. */
bool wk_fetch_quota_merge(struct wk_fetch_quota *quota, uint64_t bytes);

/* A file to be closed by wk_os_keep_end as one that is not whole: it has no place. */
bool wk_fetch_quota_open(struct wk_os_keep *keep, struct wk_outcome *outcome);

#endif
