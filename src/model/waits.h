/* How long threads waited, and how long they could have run and did not, from switches of
 * processors between them.
 *
 * What a thread that was there before did until its first switch is unknown and counts as nothing;
 * one that begins waits until somebody makes it ready. What a thread does from one moment to
 * another is a spell of the model; what ends at a switch is given back, for the rows of the sources
 * "wait" and "ready". */
#ifndef WK_MODEL_WAITS_H
#define WK_MODEL_WAITS_H

#include "model/model.h"

struct wk_waits;

struct wk_waits *wk_waits_new(struct wk_model *model);
void wk_waits_free(struct wk_waits *waits);

/* Call before the first switch: spells are added up, and none has a row of its own. */
void wk_waits_sum(struct wk_waits *waits);

/* What a thread that begins to run has behind it. */
struct wk_waited {
	uint64_t wait_ns, ready_ns;
	wk_subject_id about; /* the wait */
};

/* Either row may be 0: a thread that is none, as the one that runs where nothing is to be done.
 * `why` the old one leaves the processor; nobody has ended its wait yet. */
struct wk_waited wk_waits_switch(struct wk_waits *waits, wk_thread_id old,
				 const struct wk_subject *why, wk_thread_id now, uint64_t time_ns);

/* A thread that waited may run on: `by` 0 is an interrupt. */
void wk_waits_ready(struct wk_waits *waits, wk_thread_id thread, wk_thread_id by, uint64_t time_ns);

/* A thread begins. */
void wk_waits_begin(struct wk_waits *waits, wk_thread_id thread, uint64_t time_ns);

/* After the last event of an input: what threads still do at that time are spells, too. */
void wk_waits_finish(struct wk_waits *waits);

#endif
