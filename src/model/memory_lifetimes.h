/* Committed and reserved memory of address spaces, and the calls that took it: rows and ends of the
 * sources "commit" and "reserve"; and the calls that returned committed pages: rows of the source
 * "decommit".
 *
 * The weight of a call is what it newly took: pages that were there already stay with the row that
 * took them first. Memory from before the recording has no owner, and releasing it ends nothing.
 * Sizes are whole pages. */
#ifndef WK_MODEL_MEMORY_LIFETIMES_H
#define WK_MODEL_MEMORY_LIFETIMES_H

#include "base/ranges.h"
#include "model/model.h"

struct wk_memory_lifetimes {
	struct wk_model *model;
	struct wk_ranges ranges; /* of pages, by process and whether committed or reserved */
	uint64_t discards, discard_steps; /* how many there were, and ranges looked at for them */
};

void wk_memory_lifetimes_fini(struct wk_memory_lifetimes *lifetimes);

/* `who` did it to the memory of `owner`, a row of processes: time, thread, stack and so on; source
 * and weight are set here. */
void wk_memory_lifetimes_add(struct wk_memory_lifetimes *lifetimes, wk_process_id owner,
			     const struct wk_event_memory *memory, const struct wk_sample *who);

/* A process gives everything back when it ends. */
void wk_memory_lifetimes_end(struct wk_memory_lifetimes *lifetimes, wk_process_id process,
			     uint64_t time_ns);

#endif
