/* The part of a tree that is shown, as an answer to the page: docs/report-format.md, "Answers".
 *
 * With the names of its nodes, and of no others: what an answer costs depends on what is shown, not
 * on the size of the recording. */
#ifndef WK_RENDER_PAGE_PAGE_TREE_H
#define WK_RENDER_PAGE_PAGE_TREE_H

#include "base/buf.h"
#include "views/aggregate/tree_cut.h"

struct wk_page_tree {
	const struct wk_tree_shape *shape;
	const struct wk_tree_cut *cut;
	bool has_before;                     /* the cut is of a comparison */
	const struct wk_node_sum *allocated; /* by node, in addition to its weight; NULL: none */
	uint32_t root, current;              /* nodes that were asked for; 0: none */
};

/* Appends the bytes. */
void wk_page_tree_write(const struct wk_page_tree *tree, struct wk_buf *answer);

#endif
