/* The tree of all of a model. */
#ifndef WK_TESTS_TREE_OF_H
#define WK_TESTS_TREE_OF_H

#include "views/tree/tree.h"

static inline struct wk_tree tree_of(const struct wk_model *model, struct wk_tree_options options)
{
	struct wk_filter filter;
	struct wk_tree tree;

	assert_true(wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, NULL));
	wk_tree_init(&tree, model, &filter, &options);
	wk_filter_fini(&filter);
	return tree;
}

#endif
