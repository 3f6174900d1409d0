/* Words for files that are kept: the columns and sums of both parts of `wick symbols --cache`. */
#ifndef WK_SESSION_IMAGES_CACHED_ROWS_H
#define WK_SESSION_IMAGES_CACHED_ROWS_H

#include <stdint.h>

#include "base/out.h"

/* "     1.2 MB  2026-01-31 10:20  ": the time is UTC. */
void wk_cached_rows_add_size_and_time(struct wk_out *out, uint64_t size_bytes, uint64_t time_ns);

/* "3 WHAT files, 4.5 MB"; `what` ends in a blank where it is not empty. */
void wk_cached_rows_add_sum(struct wk_out *out, uint64_t files, const char *what,
			    uint64_t size_bytes);

#endif
