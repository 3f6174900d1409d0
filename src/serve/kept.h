/* What a server keeps of a recording for answers about selections: the rows of each event, and the
 * filters, trees and weights that were used last. Usually an answer is about another time or depth
 * of a tree that was shown before.
 *
 * For one thread at a time. */
#ifndef WK_SERVE_KEPT_H
#define WK_SERVE_KEPT_H

#include "serve/page_filters.h"
#include "session/selection.h"
#include "views/aggregate/tree_weights.h"
#include "views/tree/annotations.h"

#define WK_KEPT_TREES   4
#define WK_KEPT_FILTERS 8

/* What a request is about. */
struct wk_asked {
	wk_source_id source;
	struct wk_grouping grouping;
	bool inverted, all_inline;
	struct wk_buf preset; /* whose rules the level `annotation` has */
	struct wk_buf expression;
	struct wk_page_filters filters;
	wk_process_id process;             /* only its samples; 0: those of all */
	struct wk_row_selection selection; /* the filters are its bits */
	struct wk_span span;
	uint64_t filter; /* its number; 0: none */
};

void wk_asked_fini(struct wk_asked *asked);

/* What weights are about. */
struct wk_weighed {
	bool is_known;
	uint64_t from_ns, to_ns, filter;
	struct wk_span span;
	enum wk_row_measure measure;
};

struct wk_kept_tree {
	wk_source_id source;
	struct wk_grouping grouping;
	bool inverted, all_inline;
	struct wk_buf key; /* of verbs and of annotations */
	struct wk_page_verbs verbs;
	struct wk_annotation_rule *rules;
	struct wk_annotations annotations;
	struct wk_tree_shape *shape;
	struct wk_tree_weights weights, allocated; /* allocated: by need */
	struct wk_weighed weighed, allocated_of;
	uint64_t *paths; /* by node: wk_page_paths_new(); NULL: not asked for yet */
};

struct wk_kept {
	const struct wk_page *page;
	const struct wk_model *model;
	const struct wk_selection *selection;
	struct wk_event_rows **rows;    /* by event; NULL: not asked for yet */
	void *filters[WK_KEPT_FILTERS]; /* the last used first, then NULL */
	void *trees[WK_KEPT_TREES];     /* struct wk_kept_tree, the same */
	uint64_t filter_count;          /* that were made */
};

void wk_kept_init(struct wk_kept *kept, const struct wk_page *page,
		  const struct wk_selection *selection);
void wk_kept_fini(struct wk_kept *kept);

/* All samples of an event that the page may show. */
const struct wk_event_rows *wk_kept_rows(struct wk_kept *kept, wk_source_id source,
					 struct wk_err *err);

/* Sets the filter and the bits of the selection. */
bool wk_kept_filter(struct wk_kept *kept, struct wk_asked *asked, struct wk_err *err);

/* NULL if there are too many rules of annotations. It lives until a few others are asked for. */
struct wk_kept_tree *wk_kept_tree(struct wk_kept *kept, const struct wk_asked *asked,
				  struct wk_err *err);

/* The same with the weights of the selection. */
struct wk_kept_tree *wk_kept_weighed(struct wk_kept *kept, const struct wk_asked *asked,
				     struct wk_err *err);

/* What was allocated in the same selection; NULL if that is no other thing than its weights. */
const struct wk_node_sum *wk_kept_allocated(struct wk_kept_tree *tree,
					    const struct wk_asked *asked);

#endif
