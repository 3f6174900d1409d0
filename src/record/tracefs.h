/* Numbers of tracepoints, from the kernel's trace file system.
 *
 * It is looked for where it is usually mounted. Where it is not mounted and the user may,
 * it is mounted at /sys/kernel/tracing, as other tools do; else the error says what to do. */
#ifndef WK_RECORD_TRACEFS_H
#define WK_RECORD_TRACEFS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

/* The number of SYSTEM:POINT, for perf_event_attr.config. */
bool wk_tracepoint_id(const char *system, const char *point, uint64_t *id, struct wk_err *err);

/* The same below a given folder `root` that holds "events". */
bool wk_tracepoint_id_at(const char *root, const char *system, const char *point, uint64_t *id,
			 struct wk_err *err);

/* Tells all tracepoints of this kernel, in the order of their names. False where they cannot be
 * read, with a sentence on what to do. */
bool wk_tracepoints_each(void (*tell)(void *context, const char *system, const char *point),
			 void *context, struct wk_err *err);

#endif
