/* Counts what the kernel lost while recording, and emits it as LOST events.
 *
 * The kernel writes how many records it lost in front of the next one that fits. Those lost at the
 * very end have no next one: wk_losses_emit_late finds them in the kernel's own total. */
#ifndef WK_RECORD_LOSSES_H
#define WK_RECORD_LOSSES_H

#include "event/sink.h"

struct wk_losses {
	uint64_t samples;
	uint64_t records; /* of any kind */
};

/* `event` has the time and the thread of a record that reports `count` lost samples or records.
 * False if the sink failed. */
bool wk_losses_emit(struct wk_losses *losses, uint64_t count, bool samples_only,
		    struct wk_event *event, const struct wk_sink *sink, struct wk_err *err);

/* `total` is the number of records that the kernel lost in all, 0 if it does not count them. Those
 * not reported before are emitted at `time_ns`, and count as reported from then on. */
bool wk_losses_emit_late(struct wk_losses *losses, uint64_t total, uint64_t time_ns,
			 const struct wk_sink *sink, struct wk_err *err);

#endif
