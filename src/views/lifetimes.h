/* How much memory is still allocated, and how much there was at most, from samples whose sources
 * have lifetimes.
 *
 * For other sources nothing ends, and all of a sample is left for ever. The cost is in line with
 * the samples and ends of the model. */
#ifndef WK_VIEWS_LIFETIMES_H
#define WK_VIEWS_LIFETIMES_H

#include "views/filter/filter.h"

/* By sample: what is left of it at the end of `to_ns`, of a comparison's "before" side at that of
 * `before_to_ns`, whenever it began. The caller frees it with wk_left_fini. */
struct wk_left wk_lifetimes_left(const struct wk_model *model, uint64_t to_ns,
				 uint64_t before_to_ns);

/* Of what was allocated in the time in view; what is freed later counts as left. */
struct wk_lifetimes {
	uint64_t count, bytes;           /* allocated */
	uint64_t left_count, left_bytes; /* not freed: parts of one count as one */
	uint64_t there_bytes;            /* of those, without what ended processes left */
	uint64_t peak_bytes, peak_ns;    /* the most that was there, and when that was so first */
};

enum wk_lifetimes_by {
	WK_LIFETIMES_PROCESSES,
	WK_LIFETIMES_HEAPS,
	WK_LIFETIMES_FUNCTIONS,
};

/* If the model sums blocks of all heaps, the most that was there at once is known only of all
 * blocks of a heap, and only at the end of the recording: the filter must not be narrowed for that.
 * The same is true for how long they lived. */

/* Adds up the samples of a source that pass the filter: `sums` has a row for each process, heap or
 * function of the model, and `whole` is of all of them. Both begin as zeros. `functions` are those
 * of stacks (wk_flat_functions); NULL if there is no row for each. */
void wk_lifetimes_add_up(const struct wk_model *model, const struct wk_filter *filter,
			 wk_source_id source, enum wk_lifetimes_by by,
			 const wk_function_id *functions, struct wk_lifetimes *sums,
			 struct wk_lifetimes *whole);

/* How long blocks lived that were freed in the time in view: half of them no longer than the
 * median, none longer than the longest. */
struct wk_block_lifetimes {
	uint64_t count;
	uint64_t median_ns, longest_ns;
};

/* By heap of the model, of the samples that pass the filter and are of the source. The caller frees
 * it. The cost is in line with the samples and ends. */
struct wk_block_lifetimes *wk_lifetimes_of_blocks(const struct wk_model *model,
						  const struct wk_filter *filter,
						  wk_source_id source);

/* The source of a name whose rows have lifetimes, or 0. */
wk_source_id wk_lifetimes_source(const struct wk_model *model, const char *name);

#endif
