/* Counts what the kernel lost while recording, and emits it as LOST events.
 *
 * The kernel writes how many records it lost in front of the next one that fits, but not of which
 * kind, and those lost at the very end have no next one. Since 6.0 it counts them for each event:
 * such a record then only announces that wk_losses_emit_new has something to emit. On older kernels
 * all are taken for samples, which fill the rings. */
#ifndef WK_RECORD_LOSSES_H
#define WK_RECORD_LOSSES_H

#include "event/sink.h"

struct wk_losses {
	uint64_t samples;
	uint64_t records;   /* of other kinds */
	uint64_t announced; /* by the kernel's records, and not yet looked up */
	uint64_t *emitted;  /* of these, what wk_losses_emit_new emitted, by source */
	size_t emitted_count;
};

void wk_losses_fini(struct wk_losses *losses);

/* `event` has the time and the thread of a record that reports `count` lost samples. False if the
 * sink failed. */
bool wk_losses_emit(struct wk_losses *losses, uint64_t count, struct wk_event *event,
		    const struct wk_sink *sink, struct wk_err *err);

/* `total` is what the kernel lost in all, by number of source; [0]: records of other kinds. What
 * was not emitted before is emitted at `time_ns`. */
bool wk_losses_emit_new(struct wk_losses *losses, const uint64_t *total, size_t count,
			uint64_t time_ns, const struct wk_sink *sink, struct wk_err *err);

#endif
