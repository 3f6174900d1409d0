/* Loads the heap library into a process that runs: one of its threads is made to call dlopen. */
#ifndef WK_RECORD_HEAP_INJECT_H
#define WK_RECORD_HEAP_INJECT_H

#include <stdbool.h>

#include "base/err.h"
#include "record/heap/remote.h"

/* If it fails, the process goes on as it was. */
bool wk_heap_inject(const struct wk_remote *remote, struct wk_err *err);

#endif
