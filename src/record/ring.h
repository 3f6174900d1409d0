/* One ring of the kernel: mapped, and emptied record by record.
 *
 * The kernel writes at data_head, wick reads from data_tail; a record may wrap around the end of
 * the ring. Whole records are copied out contiguously, so later readers see no wrap. */
#ifndef WK_RECORD_RING_H
#define WK_RECORD_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "event/stack_end.h"

struct perf_event_mmap_page;
struct wk_map;

struct wk_ring {
	struct perf_event_mmap_page *page;
	const uint8_t *data;
	uint64_t size_bytes; /* of the data; a power of two */
	uint64_t tail;       /* read up to here */
	uint64_t broken;     /* bytes skipped because they were no records */

	/* Where samples contain copies of stacks: behind so many bytes (0: nowhere), a call chain,
	 * the fields of a tracepoint, and registers, if there are any. */
	uint32_t fixed_bytes, register_bytes;
	uint32_t sp_place; /* in the registers */
	bool has_chain;
	const struct wk_map *with_fields; /* ids of the events that have fields; NULL: none */
	/* NULL: no end is ever known. */
	bool (*find_end)(void *context, uint32_t tid, struct wk_stack_end *end);
	void *stack_context;
};

/* Maps the ring of an event; false leaves the cause in errno. `size_bytes` is a power of two
 * and at least a page. */
bool wk_ring_map(struct wk_ring *ring, int fd, uint64_t size_bytes);
void wk_ring_unmap(struct wk_ring *ring);

/* From now on, copies of stacks end where the stack of the thread does, if `find_end` knows that
 * and its return address is in the copy. */
void wk_ring_limit_stacks(struct wk_ring *ring,
			  bool (*find_end)(void *context, uint32_t tid, struct wk_stack_end *end),
			  void *context);

/* How many bytes wait to be read. */
uint64_t wk_ring_pending(const struct wk_ring *ring);

/* Reads the record at position `at` (from `tail` on) without consuming it: copies at most `room`
 * bytes of it and returns its size; 0 if there is none before `end` or it is damaged. */
size_t wk_ring_peek(const struct wk_ring *ring, uint64_t at, uint64_t end, uint8_t *out,
		    size_t room);

/* Copies whole records, at most `room` bytes and none beyond `pending` (from wk_ring_pending), to
 * `out` and returns their space to the kernel. Stack copies become as long as what they hold.
 * Returns the bytes copied; 0 if nothing is pending or the next record does not fit. */
size_t wk_ring_read(struct wk_ring *ring, uint64_t pending, uint8_t *out, size_t room);

#endif
