/* Call trees printed a line a function, callees below their caller and deeper, to samples.
 *
 * A reader tells each line with its depth; what the line weighs by itself becomes a sample
 * of the whole way down to it, as soon as no more callees can come. Where depths leave a
 * level out the line hangs below the nearest one that is there. Usual order of calls:
 *
 *	struct wk_call_tree tree = { .writer = writer, .with_callees = true };
 *	for each line: wk_call_tree_add(&tree, depth, &frame, weight);
 *	wk_call_tree_fini(&tree);                       ends what is open, and frees it */
#ifndef WK_FORMATS_REPORTS_CALL_TREE_H
#define WK_FORMATS_REPORTS_CALL_TREE_H

#include "formats/stack_writer.h"

struct wk_call_level {
	uint64_t weight, in_callees;
	uint32_t depth, stack;
	bool has_callees;
	bool is_silent; /* gives no sample; for the reader to set */
};

struct wk_call_tree {
	struct wk_stack_writer *writer;
	bool with_callees; /* weights are of a function and all that it called */
	bool leaves_only;  /* a line with callees gives no sample, whatever it weighs */
	bool keeps_zero;   /* samples of weight 0, too */
	bool keeps_last;   /* a stack met again replaces what it weighed; told at the end */

	/* What each sample says besides its stack and weight; unset: as
	 * wk_stack_writer_count. */
	struct wk_event sample;

	struct wk_call_level *levels; /* the way down to the last line */
	size_t count, cap;

	uint64_t misplaced, first_misplaced; /* lines, see wk_call_tree_misplaced */

	uint64_t *last; /* by stack, where keeps_last */
	size_t last_cap;
	uint64_t replaced; /* weight that keeps_last let go */
};

/* The depth of the next line may be at most this, or a level is left out. */
static inline uint32_t wk_call_tree_deepest(const struct wk_call_tree *tree)
{
	return tree->count ? tree->levels[tree->count - 1].depth + 1 : 0;
}

/* `frame` may be NULL, for a line that is no function (a thread) and begins stacks anew.
 * What is returned is good until the next call. */
struct wk_call_level *wk_call_tree_add(struct wk_call_tree *tree, uint32_t depth,
				       const struct wk_event_frame *frame, uint64_t weight);

/* The line of this number is not indented as it should be and is used all the same. */
void wk_call_tree_misplaced(struct wk_call_tree *tree, uint64_t line_number);

/* One note for all such lines; nothing if there were none. */
void wk_call_tree_emit_misplaced(const struct wk_call_tree *tree);

/* Ends all lines at `depth` and deeper; 0 ends them all. */
void wk_call_tree_close(struct wk_call_tree *tree, uint32_t depth);

void wk_call_tree_fini(struct wk_call_tree *tree);

#endif
