/* The parts of a filter as expressions: what --process, --time and the other options mean. */
#ifndef WK_VIEWS_FILTER_FILTER_PARTS_H
#define WK_VIEWS_FILTER_FILTER_PARTS_H

#include "views/filter/expression.h"
#include "views/filter/filter.h"

struct wk_filter_parts {
	struct wk_expr own[WK_FILTER_PARTS];
	const struct wk_expr *exprs[WK_FILTER_PARTS]; /* NULL: not given */
	bool uses_threads[WK_FILTER_PARTS];           /* it is about threads as well */
};

/* The spec's texts must outlive the parts. Free them in either case. */
bool wk_filter_parts_init(struct wk_filter_parts *parts, const struct wk_model *model,
			  const struct wk_filter_spec *spec, struct wk_err *err);
void wk_filter_parts_fini(struct wk_filter_parts *parts);

enum wk_filter_use wk_term_use(const struct wk_term *term);

#endif
