/* The calling tree: who called whom, and what it cost.
 *
 * wk_tree_init folds the samples that a filter keeps. Nodes are columns, numbered the way
 * they are drawn: each node is followed by its whole subtree, hottest child first, so one
 * loop from 0 to count draws everything and nobody needs recursion. Node 0 is the whole.
 *
 *	for (child = node + 1; child < tree->end[node]; child = tree->end[child])
 *
 * walks the children of `node`. The cost is in line with the samples plus the frames of
 * distinct stacks, however deep. The tree owns its columns; names point into the model,
 * which must outlive it. */
#ifndef WK_VIEWS_TREE_H
#define WK_VIEWS_TREE_H

#include "base/arena.h"
#include "views/filter.h"

enum wk_node_kind {
	WK_NODE_WHOLE, /* node 0 */
	WK_NODE_PROCESS,
	WK_NODE_THREAD,
	WK_NODE_FUNCTION,
};

enum wk_tree_order {
	WK_TREE_BY_WEIGHT, /* hottest first, then by name */
	WK_TREE_BY_NAME,
	WK_TREE_UNSORTED,  /* for walks that do not care */
};

struct wk_tree_options {
	bool by_process;   /* first level: process names */
	bool by_thread;    /* a level for each thread, under its process's if there is one */
	bool inverted;     /* from the leaves: callers below callees */
	bool by_samples;   /* weigh by number of samples, not by the source's weight */
	bool merge_images; /* functions of one name are one, whatever their images */
	enum wk_tree_order order;
};

struct wk_tree {
	uint32_t count;
	uint32_t *parent;  /* smaller than the node's own number; 0 for node 0 */
	uint32_t *end;     /* the number behind the last node of the subtree */
	uint32_t *depth;   /* 0 for node 0 */
	uint8_t *kind;     /* enum wk_node_kind */
	uint8_t *is_inlined; /* wherever it was met here, it was inlined into its parent */
	wk_function_id *function; /* of a function's node, else 0 */
	struct wk_str *name;
	uint64_t *self, *total;  /* weight; inverted, self is what has no further caller */
	uint32_t *self_samples, *total_samples;

	uint32_t depth_max;
	uint64_t steps;    /* stack entries looked at while folding: the work it took */
	struct wk_str unit; /* of the weights: "ns", "cycles" ..., "samples" */
	struct wk_arena arena; /* names that are not the model's */
};

/* Weighs by samples where the source's weights are all zero. */
void wk_tree_init(struct wk_tree *tree, const struct wk_model *model,
		  const struct wk_filter *filter, const struct wk_tree_options *options);
void wk_tree_fini(struct wk_tree *tree);

#endif
