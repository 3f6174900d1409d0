/* Converts call trees that are printed one function per line, with callees indented below their
 * caller, to samples.
 *
 * A reader adds each line with its depth; the own weight of the line becomes a sample as soon as no
 * more callees can follow. If a level is missing, a line is placed below the nearest existing one.
 * Order of calls:
 *
 *	struct wk_call_tree tree = { .writer = writer, .with_callees = true,
 *					.pid = WK_NO_PID, .tid = WK_NO_PID };
 *	for each line: wk_call_tree_add(&tree, depth, &frame, weight);
 *	wk_call_tree_fini(&tree);                       ends all lines, and frees */
#ifndef WK_FORMATS_REPORTS_CALL_TREE_H
#define WK_FORMATS_REPORTS_CALL_TREE_H

#include "formats/stack_writer.h"

struct wk_call_level {
	uint64_t weight, in_callees;
	uint32_t depth, stack;
	bool has_callees;
	bool is_silent; /* emits no sample; set by the reader */
};

struct wk_call_tree {
	struct wk_stack_writer *writer;
	bool with_callees; /* weights include callees */
	bool leaves_only;  /* a line with callees emits no sample, whatever it weighs */
	bool keeps_zero;   /* emits samples of weight 0 */
	bool keeps_last;   /* a repeated stack replaces its weight; emitted at the end */

	uint32_t pid, tid; /* of the samples; may be WK_NO_PID */

	struct wk_call_level *levels; /* the path to the last line */
	size_t count, cap;

	uint64_t misplaced, first_misplaced; /* lines, see wk_call_tree_misplaced */

	uint64_t *last; /* by stack, if keeps_last */
	size_t last_cap;
	uint64_t replaced; /* weight dropped by keeps_last */
};

/* The greatest depth of the next line that skips no level. */
static inline uint32_t wk_call_tree_deepest(const struct wk_call_tree *tree)
{
	return tree->count ? tree->levels[tree->count - 1].depth + 1 : 0;
}

/* `frame` may be NULL for a line that is not a function (a thread) and starts new stacks. The
 * result is valid until the next call. */
struct wk_call_level *wk_call_tree_add(struct wk_call_tree *tree, uint32_t depth,
				       const struct wk_event_frame *frame, uint64_t weight);

/* The indentation of this line is wrong; the line is used nevertheless. */
void wk_call_tree_misplaced(struct wk_call_tree *tree, uint64_t line_number);

/* One note for all such lines; nothing if there were none. */
void wk_call_tree_emit_misplaced(const struct wk_call_tree *tree);

/* Ends all lines at `depth` and deeper. */
void wk_call_tree_close(struct wk_call_tree *tree, uint32_t depth);

void wk_call_tree_fini(struct wk_call_tree *tree);

#endif
