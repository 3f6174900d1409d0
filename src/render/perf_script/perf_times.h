/* Times that `--time` selects, in the forms of `perf script`.
 *
 * "12.5,13" and "12.5," and ",13" are seconds of the recording's clock, several of them apart by
 * blanks. "10%", "10%/2", "10%-20%,40%-50%" are parts of the time from the first sample to the
 * last, and "1.5-3" (or "200ms-1s") counts from the first sample, as everywhere in wick: for these
 * two it must be known when those samples were, which _need_span asks. */
#ifndef WK_RENDER_PERF_SCRIPT_PERF_TIMES_H
#define WK_RENDER_PERF_SCRIPT_PERF_TIMES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct wk_perf_time_range {
	uint64_t from_ns, to_ns; /* both included */
};

struct wk_perf_times {
	struct wk_perf_time_range *at;
	size_t count, cap;
};

bool wk_perf_times_need_span(const char *text);
/* `is_relative`: seconds count from the first sample too, as with `perf script --reltime`. */
bool wk_perf_times_parse(struct wk_perf_times *times, const char *text,
			 struct wk_perf_time_range span, bool is_relative, struct wk_err *err);
void wk_perf_times_fini(struct wk_perf_times *times);

/* Without ranges, or for NULL, all times are selected. */
bool wk_perf_times_have(const struct wk_perf_times *times, uint64_t time_ns);

#endif
