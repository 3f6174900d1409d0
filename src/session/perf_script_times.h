/* `--time` of `wick export --to perf-script`, which may count from a recording's first sample or in
 * parts of the time up to its last: then the recording is looked at before. */
#ifndef WK_SESSION_PERF_SCRIPT_TIMES_H
#define WK_SESSION_PERF_SCRIPT_TIMES_H

#include "formats/reader.h"
#include "render/perf_script/perf_times.h"

/* `text` may be NULL; `is_relative` as for wk_perf_times_parse. The times are the caller's to end,
 * whatever the answer. */
bool wk_perf_script_times(const char *text, bool is_relative, struct wk_opened *opened,
			  struct wk_perf_times *times, struct wk_err *err);

#endif
