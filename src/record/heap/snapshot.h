/* Requests a snapshot of a process's heap from the recorder of that process. */
#ifndef WK_RECORD_HEAP_SNAPSHOT_H
#define WK_RECORD_HEAP_SNAPSHOT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

/* The most bytes of a label. */
#define WK_SNAPSHOT_LABEL_BYTES 200

struct wk_taken_snapshot {
	uint32_t number; /* in the recording, counted from 1; 0: not known yet */
	pid_t pid;       /* the process, also if `pid` was one of its threads */
	struct wk_buf name;
};

/* The snapshot is of a moment between this call and its return. Fails if there is no such process
 * (WK_ENOTFOUND), if it is another user's (WK_EPERM), if it is not recorded, or if the recorder
 * does not answer. `label`: at most WK_SNAPSHOT_LABEL_BYTES. */
bool wk_heap_snapshot_request(pid_t pid, struct wk_str label, struct wk_taken_snapshot *taken,
			      struct wk_err *err);
void wk_taken_snapshot_fini(struct wk_taken_snapshot *taken);

#endif
