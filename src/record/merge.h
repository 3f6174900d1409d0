/* Merges the records of many rings into one order of time.
 *
 * Rings are only roughly in order of time, and rings of different CPUs not at all. Chunks of
 * records are added as they come; wk_merge_flush delivers, oldest first, all that are no younger
 * than a time known to be final, and keeps the rest. Records of the same time stay in the order in
 * which they came. */
#ifndef WK_RECORD_MERGE_H
#define WK_RECORD_MERGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "record/queue.h"

struct wk_merge_entry {
	uint64_t time_ns;
	const uint8_t *record;
	struct wk_chunk *chunk;
	uint32_t size;
};

struct wk_merge {
	struct wk_merge_entry *entries, *scratch;
	size_t count, cap, scratch_cap;
	uint64_t last_ns; /* of the youngest record handed out */
	uint64_t late;    /* records that came after a younger one was handed out */
};

/* Receives one record; false stops the flush. */
typedef bool (*wk_merge_next)(void *context, const uint8_t *record, size_t size, uint64_t time_ns,
			      struct wk_err *err);

/* Indexes the records of a chunk, which must stay until its `live` is 0. */
void wk_merge_add(struct wk_merge *merge, struct wk_chunk *chunk);

/* A record that comes too late is handed out with the time of the last one, so times never
 * fall. Chunks without live records go back to `queue` (unless it is NULL). */
bool wk_merge_flush(struct wk_merge *merge, uint64_t final_ns, struct wk_queue *queue,
		    wk_merge_next take, void *context, struct wk_err *err);

/* Drops what is left. */
void wk_merge_fini(struct wk_merge *merge, struct wk_queue *queue);

#endif
