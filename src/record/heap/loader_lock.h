/* Which threads hold locks of the loader of a process.
 *
 * glibc has these locks in its variable _rtld_global, and takes one for all the time in which it
 * loads a library and calls its constructors. */
#ifndef WK_RECORD_HEAP_LOADER_LOCK_H
#define WK_RECORD_HEAP_LOADER_LOCK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "record/heap/remote.h"

/* The file of the loader. */
#define WK_LOADER "ld-linux-x86-64.so.2"

bool wk_loader_lock_is_held_by(const struct wk_remote *remote, pid_t tid);
bool wk_loader_lock_is_held_by_others(const struct wk_remote *remote, pid_t tid);

/* Whether the address is that of such a lock. */
bool wk_loader_lock_is_at(const struct wk_remote *remote, uint64_t at);

#endif
