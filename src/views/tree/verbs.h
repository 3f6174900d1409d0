/* Changes of a tree that the analysis page offers: which frames of stacks are nodes of their own.
 *
 * They are applied frame by frame, from the root on or, inverted, from the innermost function on.
 * What they say of levels above the stacks does not count. Merged functions come first, then the
 * focus, then collapsed ones. */
#ifndef WK_VIEWS_TREE_VERBS_H
#define WK_VIEWS_TREE_VERBS_H

#include <stdbool.h>
#include <stdint.h>

enum wk_frame_action {
	WK_FRAME_KEEP,
	WK_FRAME_MERGE,    /* the frame is part of the one before it */
	WK_FRAME_COLLAPSE, /* all frames that follow are part of it */
};

struct wk_tree_verbs {
	const uint8_t *actions; /* by function: enum wk_frame_action; NULL: all are kept */
	const uint8_t *focus;   /* by function: frames before the first of these are left out, and
				 * without one all are; NULL: none */
	const uint8_t *modules; /* by function: neighbours of its module are one node, which is the
				 * module; NULL: none */
	bool joins_recursion;   /* a function right below itself is one node with it */
};

#endif
