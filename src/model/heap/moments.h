/* Snapshots that a recording asks for and that only its events show: a heap has more than a limit,
 * or more than ever.
 *
 * A limit is exceeded once: the next one is twice as much, until the process runs another program.
 * Where a process had the most is known only after the last event, so a first builder finds these
 * peaks, and a second one takes their snapshots. */
#ifndef WK_MODEL_HEAP_MOMENTS_H
#define WK_MODEL_HEAP_MOMENTS_H

#include "event/event.h"
#include "model/builder.h"
#include "model/model.h"

/* All zero is empty. */
struct wk_heap_moments {
	struct wk_event_snapshot_request request; /* of the input at hand */
	uint64_t events;                          /* of heaps, while something was requested */
	struct wk_heap_moments_process {
		uint64_t limit_bytes; /* 0: that of the request */
		uint64_t most_bytes, peak_event;
	} * processes; /* by process */
	size_t processes_cap;
	const struct wk_heap_peaks *peaks; /* NULL: not known yet */
	size_t next_peak;
};

void wk_heap_moments_fini(struct wk_heap_moments *moments);

/* Whether there is more to do than at the exit. */
static inline bool wk_heap_moments_are_requested(const struct wk_heap_moments *moments)
{
	return moments->request.at_peak || moments->request.over_bytes;
}

/* After each event of a process's heap, which then has `left_bytes`: which snapshots are due. */
struct wk_due_moments {
	bool is_over, is_peak;
};
struct wk_due_moments wk_heap_moments_add(struct wk_heap_moments *moments, wk_process_id process,
					  uint64_t left_bytes);

/* The process runs another program. */
void wk_heap_moments_restart(struct wk_heap_moments *moments, wk_process_id process);

/* Those of inputs that requested them. The caller owns the result. */
struct wk_heap_peaks wk_heap_moments_peaks(const struct wk_heap_moments *moments);

#endif
