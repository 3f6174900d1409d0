/* Where what is fetched goes for one run alone, since there is no cache to keep it in: files
 * without a name, which are gone when nobody has them open any more, also after a kill.
 *
 * All of them together stay below what the cache may have (WICK_CACHE_SIZE), but for the last that
 * came. Of several that are fetched at once, those that come first in their order have the room,
 * whichever is there first. */
#ifndef WK_FETCH_FETCH_QUOTA_H
#define WK_FETCH_FETCH_QUOTA_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "os/os.h"

struct wk_fetch_quota {
	uint64_t used_bytes;  /* of files that were taken up */
	uint64_t *came_bytes; /* of jobs that run just now, under the lock; NULL: none do */
	struct wk_os_lock *lock;
};

/* Is there room for one more? `job` is its number among those that run. */
bool wk_fetch_quota_is_left(const struct wk_fetch_quota *room, size_t job);

/* A file of that job came. */
void wk_fetch_quota_add(struct wk_fetch_quota *room, size_t job, uint64_t bytes);

/* In the order of the jobs, when all have run: false where there is no room for what came, which is
 * then not to be used. */
bool wk_fetch_quota_merge(struct wk_fetch_quota *room, uint64_t bytes);

/* What is told of a file for which there is none. */
void wk_fetch_quota_fail(struct wk_err *err);

/* What is told of a server whose files are kept for this run alone, for the reason in `why`: no
 * more than a remark, and what went wrong is worth more. */
void wk_fetch_quota_add_remark(struct wk_buf *text, const struct wk_err *why);

/* Of a place: `complaint` becomes `next` where it is none, or only that remark. What is not there
 * any more is NULL. */
void wk_fetch_quota_warn(char **complaint, char **next);

/* A file to be ended by wk_os_keep_end, as one that is not whole: it takes no place. False, with a
 * sentence, where there is no folder for it. */
bool wk_fetch_quota_open(struct wk_os_keep *keep, struct wk_err *err);

#endif
