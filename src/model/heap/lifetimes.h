/* The allocated blocks of heaps, and the calls that allocated them: rows and ends of the source
 * "heap"; the calls that freed them: rows of the source "free"; and, of those that allocated, what
 * was freed before its thread allocated or freed anything else, and what was there when the process
 * had the most: rows of the sources "heap-temporary" and "heap-peak".
 *
 * A block that changes its size ends and a new one begins. An allocation at the address of a block
 * ends that block as well: its release was not recorded. Releasing an unknown block ends nothing:
 * it was allocated before the recording. Both are counted, unless order.h says that only their
 * times are in the wrong order.
 *
 * blocks.h has what is allocated now, rows.h the rows, totals.h those of heaps;
 * alike.c is for many blocks at once. */
#ifndef WK_MODEL_HEAP_LIFETIMES_H
#define WK_MODEL_HEAP_LIFETIMES_H

#include "model/model.h"

struct wk_heap_lifetimes;

struct wk_heap_lifetimes *wk_heap_lifetimes_new(struct wk_model *model);
void wk_heap_lifetimes_free(struct wk_heap_lifetimes *lifetimes);

/* `who` did it: time, thread, stack and so on. */
void wk_heap_lifetimes_add(struct wk_heap_lifetimes *lifetimes, wk_process_id process,
			   const struct wk_event_heap *heap, const struct wk_sample *who);

/* The heap of a process that has this handle. */
wk_heap_id wk_heap_lifetimes_heap(struct wk_heap_lifetimes *lifetimes, wk_process_id process,
				  uint64_t handle);

struct wk_heap_allocated {
	uint64_t address, bytes;
	uint64_t of_blocks; /* if it was sampled, as `bytes` then are; otherwise 0 */
	wk_text_id part;    /* of the allocator */
};

/* The same as wk_heap_lifetimes_add for one block. Returns the row that it is summed in, or 0. */
uint32_t wk_heap_lifetimes_allocate(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
				    const struct wk_heap_allocated *block,
				    const struct wk_sample *who);
void wk_heap_lifetimes_free_block(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap,
				  uint64_t address, const struct wk_sample *who);

/* For the events of a heap that follow: times of its threads may be in the wrong order. */
void wk_heap_lifetimes_loosen(struct wk_heap_lifetimes *lifetimes, wk_heap_id heap, bool is_loose);

/* Many blocks that resemble earlier ones, fast: add_alike does for each what the two functions
 * above do, and returns how many it added. The next one is left to those; if it was allocated, the
 * row is remembered for others. Blocks are not sampled, and no moments are requested. */
struct wk_heap_owner {
	wk_thread_id thread;
	wk_process_id process;
	wk_heap_id heap;
	uint32_t number; /* from 1 on, of the thread with its group of stacks */
};

size_t wk_heap_lifetimes_add_alike(struct wk_heap_lifetimes *lifetimes,
				   const struct wk_event_block *blocks, size_t count,
				   const struct wk_heap_owner *owners, bool is_before);
void wk_heap_lifetimes_remember(struct wk_heap_lifetimes *lifetimes,
				const struct wk_event_block *block,
				const struct wk_heap_owner *owner, bool is_before, uint32_t row);

/* From now on, stacks have other numbers. */
void wk_heap_lifetimes_forget(struct wk_heap_lifetimes *lifetimes);

/* The subject of blocks of a process that has one heap. */
wk_subject_id wk_heap_lifetimes_only_heap(struct wk_heap_lifetimes *lifetimes,
					  wk_process_id process);

/* The heaps of a process are gone when it ends; or, if it leaves blocks, what it did not free is
 * left for ever. */
void wk_heap_lifetimes_end(struct wk_heap_lifetimes *lifetimes, wk_process_id process,
			   uint64_t time_ns, bool leaves_blocks);

/* Whether a process had blocks since it began, or began another program; and what is allocated. */
bool wk_heap_lifetimes_has(const struct wk_heap_lifetimes *lifetimes, wk_process_id process);
uint64_t wk_heap_lifetimes_left(const struct wk_heap_lifetimes *lifetimes, wk_process_id process);

/* Before the model gets a snapshot of a process; 0: of all. */
void wk_heap_lifetimes_snapshot(struct wk_heap_lifetimes *lifetimes, wk_process_id process);

/* Once, after the last event. */
void wk_heap_lifetimes_finish(struct wk_heap_lifetimes *lifetimes);

#endif
