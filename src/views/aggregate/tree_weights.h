/* The weights of a shape's nodes for a selection: one pass over its rows, one over the nodes.
 *
 * What a node weighs without its children is the difference, which a cut has of each node that is
 * shown. */
#ifndef WK_VIEWS_AGGREGATE_TREE_WEIGHTS_H
#define WK_VIEWS_AGGREGATE_TREE_WEIGHTS_H

#include "views/aggregate/selection.h"
#include "views/aggregate/tree_shape.h"

struct wk_node_sum {
	uint64_t weight;
	uint64_t times; /* how many samples or blocks */
};

struct wk_tree_weights {
	const struct wk_tree_shape *shape;
	struct wk_node_sum *total; /* by node */
	bool by_samples; /* all weights are 0: they are numbers of samples instead, as in a tree */
};

/* All weights are 0 until they are set, any number of times. The shape must outlive them. */
void wk_tree_weights_init(struct wk_tree_weights *weights, const struct wk_tree_shape *shape);
void wk_tree_weights_set(struct wk_tree_weights *weights, const struct wk_row_selection *selection);
void wk_tree_weights_fini(struct wk_tree_weights *weights);

/* Stacks with a match, each counted once, by the matches of wk_tree_shape_search(). */
struct wk_node_sum wk_tree_weights_of_matches(const struct wk_tree_weights *weights,
					      const uint8_t *matches);

static inline bool wk_node_sum_is_met(const struct wk_node_sum *sum)
{
	return sum->weight || sum->times;
}

#endif
