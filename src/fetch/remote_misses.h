/* What servers said before: a small file of lines beside the place that the fetched file would
 * have, so that who did not have it is not asked again at each run.
 *
 *	1732240000 missing http://host
 *	1732240000 failed http://other
 *
 * "missing" holds for a day, "failed" for five minutes. */
#ifndef WK_FETCH_REMOTE_MISSES_H
#define WK_FETCH_REMOTE_MISSES_H

#include "base/buf.h"

/* Nothing that was said longer ago holds. */
#define WK_REMOTE_MEMORY_SECONDS (24 * 3600)

struct wk_remote_memory {
	bool is_missing;        /* else it failed */
	uint64_t ago_s, left_s; /* since it was said, and until it is asked again */
};

/* `path` is the small file's. False where the server may be asked. */
bool wk_remote_remembers(const char *path, const char *server, struct wk_remote_memory *memory);

/* "it did not have it 5 minutes ago, and is asked again in 23 hours". */
void wk_remote_memory_add_words(const struct wk_remote_memory *memory, struct wk_buf *text);

/* What cannot be written is forgotten. */
void wk_remote_remember(const char *path, const char *server, bool is_missing);

#endif
