/* The rows and ends of blocks of heaps, and what is there of each row.
 *
 * If the model sums blocks, those of one stack, thread, subject and power of two of sizes become
 * one row for each interval in which they were allocated, and one end for each row, interval in
 * which they were freed and power of two of lifetimes. Intervals of a process end at its snapshots,
 * so what is left of a row is exact at each of them and in the end, and memory grows with the
 * number of stacks and snapshots, not with that of blocks. Otherwise each block is a row.
 *
 * If the model slices blocks, what is left is nearly known at any time, and exactly as long as
 * there are few: each of the first WK_SINGLE_BLOCKS has a row, and later intervals end after a
 * hundredth of the time so far or, if there are many rows, a larger part. Their number and that of
 * rows grow slowly, however long the recording is.
 *
 * Which part of a row was there when its process had the most is found without a walk over all rows
 * at each new peak: a row that changes after the latest peak first notes what it was. */
#ifndef WK_MODEL_HEAP_ROWS_H
#define WK_MODEL_HEAP_ROWS_H

#include "model/heap/blocks.h"
#include "model/model.h"

#define WK_SINGLE_BLOCKS 250000

struct wk_heap_rows;

struct wk_heap_rows *wk_heap_rows_new(struct wk_model *model);
void wk_heap_rows_free(struct wk_heap_rows *rows);

/* Before the other calls for an event of that time. */
void wk_heap_rows_pass(struct wk_heap_rows *rows, uint64_t time_ns);

/* Before all calls for a process. */
void wk_heap_rows_expect(struct wk_heap_rows *rows, wk_process_id process);

/* The row for a block of a sample's weight, thread, stack, subject and source, from 1 on: the same
 * for blocks that resemble each other until the generation changes. */
uint32_t wk_heap_rows_find(struct wk_heap_rows *rows, wk_process_id process,
			   const struct wk_sample *block);

/* A block is added to its row. */
void wk_heap_rows_allocate(struct wk_heap_rows *rows, const struct wk_heap_block *block,
			   uint64_t times, bool is_before);
uint64_t wk_heap_rows_generation(const struct wk_heap_rows *rows);
bool wk_heap_rows_sums(const struct wk_heap_rows *rows, uint32_t row);

/* A block that lived that long is freed by `who`. */
void wk_heap_rows_release(struct wk_heap_rows *rows, const struct wk_heap_block *block,
			  uint64_t times, uint64_t life_ns, const struct wk_sample *who);

/* The process of a block ended without freeing it. */
void wk_heap_rows_leave(struct wk_heap_rows *rows, const struct wk_heap_block *block,
			uint64_t times, uint64_t time_ns);

/* Counts a block of that weight by who freed it; and one that was freed before its thread did
 * anything else. */
void wk_heap_rows_count_free(struct wk_heap_rows *rows, uint32_t row, uint64_t weight,
			     uint64_t times, const struct wk_sample *who);
void wk_heap_rows_count_temporary(struct wk_heap_rows *rows, uint32_t row, uint64_t weight,
				  uint64_t time_ns);

/* The bytes that a process has. */
uint64_t wk_heap_rows_left(const struct wk_heap_rows *rows, wk_process_id process);

/* Ends the interval of a process, or those of all: before the model gets a snapshot. The cost does
 * not depend on the number of those that freed nothing in it. */
void wk_heap_rows_close(struct wk_heap_rows *rows, wk_process_id process);
void wk_heap_rows_close_all(struct wk_heap_rows *rows);

/* Once, after the last event: ends all intervals and adds the rows of the peaks. */
void wk_heap_rows_finish(struct wk_heap_rows *rows);

#endif
