/* The kernel's descriptions of tracepoints, as perf's section TRACING_DATA has them: files of the
 * trace file system, one after the other. docs/formats/perf-data.md has the layout. */
#ifndef WK_RECORD_TRACING_DATA_H
#define WK_RECORD_TRACING_DATA_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "record/perf_names.h"

/* Adds the descriptions of those of the events that are tracepoints. False, with nothing added and
 * a sentence, if one of them cannot be read: perf refuses recordings that lack any. */
bool wk_tracing_data_add(const struct wk_perf_event *events, size_t count, struct wk_buf *out,
			 struct wk_err *err);

/* The same below a given folder `root` that contains "events". */
bool wk_tracing_data_add_at(const char *root, const struct wk_perf_event *events, size_t count,
			    struct wk_buf *out, struct wk_err *err);

#endif
