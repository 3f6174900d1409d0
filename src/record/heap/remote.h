/* The memory of a process that runs, and the symbols of files that are loaded there.
 *
 * What is opened is one address space: once the process ends or runs another program, reading and
 * writing fail, even if another process gets its number. What is read may be hostile: addresses and
 * sizes in it are only used to read more, and loops are bounded. */
#ifndef WK_RECORD_HEAP_REMOTE_H
#define WK_RECORD_HEAP_REMOTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

struct wk_remote {
	pid_t pid;
	int memory_fd;
	struct wk_buf who; /* "process 1234 (app)" */
};

/* WK_ENOTFOUND if there is no such process, WK_EPERM if it may not be changed. */
bool wk_remote_open(struct wk_remote *remote, pid_t pid, struct wk_err *err);
void wk_remote_fini(struct wk_remote *remote);

bool wk_remote_read(const struct wk_remote *remote, uint64_t at, void *bytes, size_t size);
bool wk_remote_write(const struct wk_remote *remote, uint64_t at, const void *bytes, size_t size);

/* Where a file with this name, in any folder, is mapped; 0: it is not. */
uint64_t wk_remote_find_file(const struct wk_remote *remote, const char *name);

/* The address of a symbol that the file at `base` exports; 0: it does not. */
uint64_t wk_remote_find_symbol(const struct wk_remote *remote, uint64_t base, const char *name);

#endif
