/* How far the changes of a comparison of heaps may be off if only some blocks were recorded. */
#ifndef WK_VIEWS_COMPARE_DIFF_MARGINS_H
#define WK_VIEWS_COMPARE_DIFF_MARGINS_H

#include "views/compare/diff.h"
#include "views/tree/flat.h"

/* Are the weights bytes of blocks, and those of one side at least estimates? */
bool wk_diff_is_estimated(const struct wk_model *model, const struct wk_filter *filter,
			  bool by_samples);

/* By function of a list of wk_flat_compare, in the unit of weights: in 19 of 20 pairs of recordings
 * the true change is within that much of the change shown. The caller frees it. NULL if they
 * are no estimates. */
uint64_t *wk_diff_margins(const struct wk_flat *flat, const struct wk_model *model,
			  const struct wk_filter *filter, const struct wk_diff_options *options);

#endif
