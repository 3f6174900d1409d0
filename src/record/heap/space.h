/* What the system says of a process's address space, as rows SPACE (channel/stream.h): it contains
 * what the heap library in the process cannot see. */
#ifndef WK_RECORD_HEAP_SPACE_H
#define WK_RECORD_HEAP_SPACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

/* Zero-initialised is ready. */
struct wk_heap_space {
	struct wk_buf text, ranges; /* /proc/PID/maps, and the parts of rows that it is */
	struct wk_buf last;         /* ranges that are in rows already */
	uint64_t due_ns;            /* of the next look */
};

void wk_heap_space_fini(struct wk_heap_space *space);

/* Reads it. False if it cannot be read, or is as in the last rows. */
bool wk_heap_space_look(struct wk_heap_space *space, uint32_t pid);

/* The rows of what was read, as it was at `ticks`. */
void wk_heap_space_add(struct wk_heap_space *space, struct wk_buf *rows, uint32_t process,
		       uint32_t pid, uint64_t ticks, unsigned flags);

/* Looks again if it is time, which depends on what a look costs. */
void wk_heap_space_follow(struct wk_heap_space *space, struct wk_buf *rows, uint32_t process,
			  uint32_t pid);

#endif
