/* Which processes are of the command, known to the kernel.
 *
 * Clocks of whole CPUs see every process from its first moment on, but also those of others, whose
 * samples would fill the rings and be counted if they are lost. Two programs for the kernel
 * (bpf(2)) keep a table of the command and all that it starts, at the tracepoint of forks, and let
 * through the samples of those alone. That takes the rights to load programs and to read the trace
 * file system; and the first pid namespace, whose numbers such programs see. */
#ifndef WK_RECORD_FAMILY_FAMILY_H
#define WK_RECORD_FAMILY_FAMILY_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/str.h"

struct wk_family {
	int table, filter;    /* of process ids, and the program that looks there */
	int fork, fork_event; /* the program that keeps it, and where that runs */
};

/* False if the kernel or the rights do not allow it; then nothing was done. */
bool wk_family_open(struct wk_family *family);

/* The command, before it starts anything. */
bool wk_family_add(const struct wk_family *family, pid_t pid);

/* Only samples of the family come through a perf event of whole CPUs from now on. */
bool wk_family_filter(const struct wk_family *family, int perf_event);

void wk_family_close(struct wk_family *family);

/* The place of a field in the records of a tracepoint, from its "format" file; false if it is not a
 * number of 32 bits. */
bool wk_family_field(struct wk_str format, const char *name, unsigned *offset);

#endif
