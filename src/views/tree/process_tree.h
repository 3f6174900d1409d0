/* Processes as a tree: which one started which.
 *
 * A process is below the one that started it, if the recording has that; siblings are in the order
 * in which they started, those that ran before in the recording's own. Whatever the recording
 * claims, there is no cycle: where one would close, a process is a root. Time and memory are
 * proportional to the processes, however deep the tree is. */
#ifndef WK_VIEWS_TREE_PROCESS_TREE_H
#define WK_VIEWS_TREE_PROCESS_TREE_H

#include "model/model.h"

struct wk_process_tree {
	uint32_t count;
	wk_process_id *order;  /* [count]: a parent before its children, each with all below it */
	uint32_t *depth;       /* [count]: 0 for roots */
	wk_process_id *parent; /* [processes]: 0 for roots */
};

void wk_process_tree_init(struct wk_process_tree *tree, const struct wk_model *model);
void wk_process_tree_fini(struct wk_process_tree *tree);

#endif
