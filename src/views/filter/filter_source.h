/* Which event a view is about: for views/filter/ alone. */
#ifndef WK_VIEWS_FILTER_FILTER_SOURCE_H
#define WK_VIEWS_FILTER_FILTER_SOURCE_H

#include "views/filter/filter.h"

/* By its name, the end of it behind a slash, or NULL: the default. */
bool wk_filter_find_source(const struct wk_model *model, const char *name, wk_source_id *source,
			   struct wk_err *err);

/* Fails if nothing of that source is ever given back. */
bool wk_filter_expect_lifetimes(const struct wk_model *model, wk_source_id source,
				struct wk_err *err);

#endif
