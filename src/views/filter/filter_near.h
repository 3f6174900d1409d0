/* If a filter keeps nothing: what may have been meant, or what there is. */
#ifndef WK_VIEWS_FILTER_FILTER_NEAR_H
#define WK_VIEWS_FILTER_FILTER_NEAR_H

#include "views/filter/filter.h"

/* Adds "; no sampled process matches \"iperf\"; sampled were: a.exe, b.exe ..." for each option and
 * each condition of --filter that nothing matches. */
void wk_filter_near(const struct wk_filter *filter, const struct wk_model *model,
		    const struct wk_filter_spec *spec, struct wk_buf *sentence);

#endif
