/* How long threads waited, and how long they were ready but did not run, from context switches.
 *
 * The state of an existing thread before its first switch is unknown and counts as nothing; a new
 * thread waits until it is readied. The time in one state is an interval of the model; intervals
 * that end at a switch are returned, for the rows of the sources "wait" and "ready". */
#ifndef WK_MODEL_WAITS_H
#define WK_MODEL_WAITS_H

#include "model/model.h"

struct wk_waits;

struct wk_waits *wk_waits_new(struct wk_model *model);
void wk_waits_free(struct wk_waits *waits);

/* The past of a thread that starts to run. */
struct wk_waited {
	uint64_t wait_ns, ready_ns;
	wk_subject_id about; /* the wait */
};

/* Either row may be 0: no thread, like the one that runs when the processor is idle. `why` is the
 * reason for which the old one leaves the processor; nothing has ended its wait yet. */
struct wk_waited wk_waits_switch(struct wk_waits *waits, wk_thread_id old,
				 const struct wk_subject *why, wk_thread_id now, uint64_t time_ns);

/* A thread that waited may run on: `by` 0 is an interrupt. */
void wk_waits_ready(struct wk_waits *waits, wk_thread_id thread, wk_thread_id by, uint64_t time_ns);

/* A thread begins. */
void wk_waits_begin(struct wk_waits *waits, wk_thread_id thread, uint64_t time_ns);

/* After the last event of an input: the states of threads at that time become intervals as well. */
void wk_waits_finish(struct wk_waits *waits);

#endif
