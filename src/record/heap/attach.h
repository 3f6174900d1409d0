/* Processes that run already: the heap library is switched on there.
 *
 * Order of calls: wk_heap_attach_new finds the library in all processes, and loads it (inject.h)
 * where it is missing; wk_heap_attach_begin switches it on; wk_heap_attach_free withdraws what no
 * process has noticed. The library switches itself off when the recorder has ended. */
#ifndef WK_RECORD_HEAP_ATTACH_H
#define WK_RECORD_HEAP_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"

struct wk_heap_attach;

/* NULL if one of the processes cannot be recorded. */
struct wk_heap_attach *wk_heap_attach_new(const pid_t *pids, size_t count, struct wk_err *err);

/* `name` is that of the recorder's socket. Waits until all have begun, but not for long: a process
 * begins when it calls its allocator. False if one could not begin. */
bool wk_heap_attach_begin(struct wk_heap_attach *attach, const char *name, struct wk_err *err);
void wk_heap_attach_free(struct wk_heap_attach *attach);

/* The name of the socket of the recorder that records `pid` now, if its library has been switched
 * on; false: not known. */
bool wk_heap_attach_find_recorder(pid_t pid, struct wk_buf *name);

#endif
