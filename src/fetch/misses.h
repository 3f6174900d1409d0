/* The negative cache: a small text file for each wanted file, so that servers that do not have it
 * are not asked in every run.
 *
 *	1732240000 missing http://host
 *	1732240000 failed http://other
 *
 * "missing" is valid for a day, "failed" for five minutes. */
#ifndef WK_FETCH_MISSES_H
#define WK_FETCH_MISSES_H

#include "base/buf.h"

/* No entry is valid for longer. */
#define WK_MISS_SECONDS (24 * 3600)

struct wk_miss {
	bool is_missing;        /* otherwise the server failed */
	uint64_t ago_s, left_s; /* since then, and until it is asked again */
};

/* `path` is the small file's. False if the server may be asked. */
bool wk_misses_find(const char *path, const char *server, struct wk_miss *miss);

/* If it cannot be written, it is forgotten. */
void wk_misses_add(const char *path, const char *server, bool is_missing);

#endif
