/* Tracepoints and their numbers, from the kernel's trace file system.
 *
 * It is searched for at its usual mount points. If it is not mounted and the user may mount it,
 * it is mounted at /sys/kernel/tracing, as other tools do; otherwise the error has the command
 * to run. */
#ifndef WK_RECORD_TRACEFS_H
#define WK_RECORD_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* The folder of the mounted trace file system, mounting it if need be; NULL with a sentence. */
const char *wk_tracefs_root(struct wk_err *err);

/* The number of SYSTEM:POINT, for perf_event_attr.config. */
bool wk_tracepoint_id(const char *system, const char *point, uint64_t *id, struct wk_err *err);

/* The same below a given folder `root` that contains "events". */
bool wk_tracepoint_id_at(const char *root, const char *system, const char *point, uint64_t *id,
			 struct wk_err *err);

/* Lists all tracepoints of this kernel, sorted by name. False, with a sentence on what to do, if
 * they cannot be read. */
bool wk_tracepoints_each(void (*list)(void *context, const char *system, const char *point),
			 void *context, struct wk_err *err);

#endif
