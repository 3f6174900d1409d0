/* Shared by lifetimes.c, rows.c and alike.c: what they have for each heap and each
 * row, and what changes there with each block, inlined.
 *
 * Most blocks resemble earlier ones, so what was found for those is remembered, as long as the
 * generation stays: the row that a block is added to (struct wk_heap_site), the rows that count its
 * release (in its row), and the end that it is a part of (struct wk_recent_end). */
#ifndef WK_MODEL_HEAP_INTERNAL_H
#define WK_MODEL_HEAP_INTERNAL_H

#include <assert.h>

#include "base/map.h"
#include "model/heap/blocks.h"
#include "model/heap/lifetimes.h"
#include "model/heap/order.h"
#include "model/heap/rows.h"
#include "model/heap/totals.h"

/* --- Rows --- */

/* What the blocks of a row have in common: numbers of 32 bits in pairs, the first one above. Fields
 * that are written alone and read in pairs would wait for each other. */
struct wk_block_key {
	uint64_t stack_thread;
	uint64_t about_source;
	uint64_t interval_size; /* the interval of its process in which its blocks were allocated;
				 * twice their power of two, and 1 for the side "before" */
};

struct wk_block_row {
	uint64_t bytes, blocks; /* of all its blocks: the sample gets them in the end */
	uint64_t freed_bytes, freed_blocks;
	uint64_t peak;      /* of its process, by number, of which these are known: */
	uint64_t free_mark; /* of the events for which `free_row` was found */
	uint32_t free_row;
	wk_thread_id thread;
	uint32_t temporary_mark, temporary_row; /* the same for temporary blocks */

	uint64_t peak_bytes, peak_blocks; /* what was there at the peak */
	struct wk_block_key key;
	uint32_t sample;
	wk_process_id process;
	uint32_t pending; /* the first end; 0: none */
	uint32_t next;    /* of its process's rows with pending ends */
	bool is_summed, counts_only;
};

/* Blocks of a row that were freed in the current interval, and lived about as long. */
struct wk_pending_end {
	struct wk_end end;
	uint32_t next; /* of its row, or of those that are unused; 0: none */
};

struct wk_block_process {
	uint64_t left_bytes;
	uint64_t peak_bytes, peak_ns;
	uint64_t peak;      /* counts the peaks */
	uint32_t intervals; /* of it alone that ended */
	uint32_t first;     /* of the rows with pending ends; 0: none */
	uint32_t next;      /* of those that were listed since an interval of all ended, + 1 */
	bool is_listed;
};

/* Of the rows, and of the pending ends, that were found last. */
#define WK_RECENT_ROWS 4096
#define WK_RECENT_ENDS 4096

/* The mark of a thread and a side is the double of that. */
#define WK_MOST_MARKS (UINT32_MAX / 2)

struct wk_recent_end {
	uint64_t key; /* row and lifetime; 0: none */
	uint32_t pending;
};

struct wk_heap_rows {
	struct wk_model *model;
	struct wk_block_row *rows; /* row 0 is none */
	size_t rows_cap;
	uint32_t row_count;
	uint32_t mark; /* changes with the generation, and is never 0 */
	uint64_t generation;
	struct wk_pending_end *pending; /* row 0 is none */
	size_t pending_cap;
	uint32_t pending_count, unused;
	struct wk_block_process *processes; /* by process */
	size_t processes_cap;
	uint32_t intervals;      /* of all processes that ended */
	uint32_t listed;         /* the first with pending ends, or that had some, + 1; 0: none */
	uint64_t last_ns;        /* the latest time of all events */
	uint64_t last_row_ns[2]; /* that of those which rows contain, by their side */
	uint64_t slice_end_ns;   /* if the model slices blocks */
	struct wk_index index;
	uint32_t recent[WK_RECENT_ROWS];
	struct wk_recent_end recent_ends[WK_RECENT_ENDS];
};

/* --- Where blocks are added --- */

static inline bool wk_block_row_is_before(const struct wk_block_row *row)
{
	return row->key.interval_size & 1;
}

/* Of events of one thread and side between which no interval ended. */
static inline uint64_t wk_block_free_mark(const struct wk_heap_rows *rows, wk_thread_id thread,
					  bool is_before)
{
	return (uint64_t)thread << 32 | rows->mark << 1 | is_before;
}

/* --- Sums --- */

/* Before a row changes. */
static inline void wk_block_row_note_peak(struct wk_block_row *row,
					  const struct wk_block_process *process)
{
	if (row->peak == process->peak)
		return;
	row->peak_bytes = row->bytes - row->freed_bytes;
	row->peak_blocks = row->blocks - row->freed_blocks;
	row->peak = process->peak;
}

/* A block of a row, which wk_heap_rows_find returned, and of its process. */
static inline void wk_block_row_allocate(struct wk_block_row *row, struct wk_block_process *process,
					 const struct wk_heap_block *block, uint64_t times)
{
	wk_block_row_note_peak(row, process);
	row->bytes += block->weight;
	row->blocks += times;
	process->left_bytes += block->weight;
	if (process->left_bytes <= process->peak_bytes)
		return;
	process->peak_bytes = process->left_bytes;
	process->peak_ns = block->time_ns;
	process->peak++;
}

static inline void wk_block_row_release(struct wk_block_row *row, struct wk_block_process *process,
					const struct wk_heap_block *block, uint64_t times)
{
	wk_block_row_note_peak(row, process);
	row->freed_bytes += block->weight;
	row->freed_blocks += times;
	assert(row->freed_bytes <= row->bytes);
	process->left_bytes -= block->weight;
}

static inline void wk_block_row_count(struct wk_block_row *row, uint64_t weight, uint64_t times)
{
	row->bytes += weight;
	row->blocks += times;
}

/* Rows contain an event of that time and side. */
static inline void wk_heap_rows_see(struct wk_heap_rows *rows, bool is_before, uint64_t time_ns)
{
	if (time_ns > rows->last_row_ns[is_before])
		rows->last_row_ns[is_before] = time_ns;
}

static inline uint64_t wk_recent_end_key(uint32_t row, uint32_t lived)
{
	return (uint64_t)row << 8 | lived;
}

static inline struct wk_recent_end *wk_heap_rows_recent_end(struct wk_heap_rows *rows, uint32_t row,
							    uint32_t lived)
{
	return &rows->recent_ends[((size_t)row * WK_POWERS + lived) % WK_RECENT_ENDS];
}

static inline void wk_pending_end_add(struct wk_pending_end *pending, uint64_t weight,
				      uint64_t times)
{
	pending->end.weight += weight;
	pending->end.times += times;
}

/* --- Heaps --- */

/* Parts of an allocator by the low bits of their name's number. */
#define WK_RECENT_PARTS 8

/* In addition to the model's row of the same number. */
struct wk_heap {
	struct wk_heap_blocks blocks;
	wk_process_id process;
	wk_heap_id next; /* of its process's heaps */
	bool is_listed;  /* among those */
	bool is_loose;   /* times of its threads may be in the wrong order: order.h */
	struct wk_heap_lives lives;
	struct wk_recent_part {
		wk_text_id name;
		wk_subject_id about; /* 0: none yet */
	} recent[WK_RECENT_PARTS];
};

/* The block that a thread allocated, if it did nothing since. */
struct wk_last_block {
	wk_heap_id heap; /* 0: none */
	uint64_t address;
};

/* The rows in which blocks were added last, for those that resemble them. */
#define WK_SITE_BITS 12

struct wk_heap_site {
	uint64_t stack_owner; /* the stack's number in the event, the owner's */
	uint64_t kind;        /* what else the row depends on */
	uint32_t row;
};

struct wk_heap_lifetimes {
	struct wk_model *model;
	struct wk_heap_rows *rows;
	struct wk_heap *heaps;
	size_t heaps_cap;
	uint32_t heap_count; /* the largest number of one in `heaps`, plus 1 */
	struct wk_index heap_index;
	wk_heap_id recent_heap;
	wk_source_id source;           /* 0: not used yet */
	struct wk_map heap_of_process; /* the first of those that had a block since it began */
	struct wk_last_block *last_of_thread;
	size_t threads_cap;
	struct wk_heap_order order;
	uint64_t forgotten; /* how often all sites were */
	struct wk_heap_site sites[1 << WK_SITE_BITS];
};

#endif
