/* The part of a tree that is shown: what is wide enough to see, and what was opened.
 *
 * Of each of its nodes, the children that are left out are counted, so that nothing is hidden
 * silently. Rows are in order of nodes: a parent comes before its children. */
#ifndef WK_VIEWS_AGGREGATE_TREE_CUT_H
#define WK_VIEWS_AGGREGATE_TREE_CUT_H

#include "views/aggregate/tree_weights.h"

struct wk_cut_options {
	uint32_t root; /* a node that is shown in more detail; its callers are in the cut as well */
	double share;  /* nodes are shown if they weigh at least this part of the whole; below the
			* root, of that */
	const uint32_t *opened; /* nodes whose children are shown, whatever they weigh */
	uint32_t opened_count;
	uint32_t current; /* a node that is shown with its callers, even if it weighs nothing; 0:
			   * none */
	uint32_t most;    /* beyond this number of rows, the deepest of those that are shown for
			   * their weight are left out; 0: all are shown */
	uint32_t most_opened; /* the heaviest children of each opened node; 0: all */
};

struct wk_cut_row {
	uint32_t node, parent; /* parent: its row; 0 for row 0 */
	struct wk_node_sum total, self;
	struct wk_node_sum total_before, self_before; /* of a comparison */
	uint32_t left_out;                            /* children with weight that are in no row, */
	struct wk_node_sum left_out_sum, left_out_before; /* and their totals */
};

struct wk_tree_cut {
	uint32_t count;
	struct wk_cut_row *rows;  /* row 0 is the whole */
	uint32_t levels_left_out; /* because of `most`: how many levels below the last one */
};

/* `before`: of a comparison the weights of the other side, with the same shape; nodes are shown if
 * they are heavy enough on one of them. Otherwise NULL. Unknown nodes are ignored. */
void wk_tree_cut_init(struct wk_tree_cut *cut, const struct wk_tree_weights *weights,
		      const struct wk_tree_weights *before, const struct wk_cut_options *options);
void wk_tree_cut_fini(struct wk_tree_cut *cut);

#endif
