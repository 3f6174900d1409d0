/* Between the files of remote.h. */
#ifndef WK_FETCH_REMOTE_INTERNAL_H
#define WK_FETCH_REMOTE_INTERNAL_H

#include "fetch/remote.h"
#include "symbols/object/object.h"

/* What is 0 becomes what is usual. */
void wk_remote_usual_limits(struct wk_remote_options *options);

/* Is all there that the headers speak of? A file that was cut still has its build id in front. */
bool wk_remote_is_whole(const struct wk_obj *obj);

/* A folder of its own in the symbol cache's, on the heap; NULL where there is to be none, which
 * then is said. */
char *wk_remote_usual_folder(void);
void wk_remote_fail_no_folder(struct wk_err *err);

/* Removes what killed writers left and what is remembered of servers that holds no more; then what
 * was fetched, or is remembered, and not used for the longest time, until all of it has no more
 * than `most_bytes`; but not `newest`, a name in the folder. */
void wk_remote_trim(const char *folder, const char *newest, uint64_t most_bytes);

/* The same with as many bytes as WICK_CACHE_SIZE says; `newest` may be NULL. */
void wk_remote_trim_default(const char *folder, const char *newest);

#endif
