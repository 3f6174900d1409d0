/* Opens the counters for processes that already run: each of their threads, and those that
 * are born while that is done. */
#ifndef WK_RECORD_ATTACH_H
#define WK_RECORD_ATTACH_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "record/perf_open.h"

/* WK_ENOTFOUND if there is no such process. */
bool wk_attach(struct wk_perf *perf, pid_t pid, struct wk_err *err);

#endif
