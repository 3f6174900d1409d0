/* When the samples of a flame chart began and ended.
 *
 * A sample of CPU time stands for the time up to the next one of its lane. If that is too far away,
 * nothing is known to have run in between: the sample lasts as long as samples usually are apart,
 * and a gap follows. A wait ends when its sample was taken. For views/tree alone. */
#ifndef WK_VIEWS_TREE_CHART_SPANS_H
#define WK_VIEWS_TREE_CHART_SPANS_H

#include "views/filter/filter.h"

struct wk_chart_span {
	uint64_t from_ns, until_ns; /* of the recording's clock; until_ns is the larger one */
};

/* `order` and `lane` have `count` samples, those of one lane next to each other and in order of
 * time. The spans of the same order, for the caller to free; NULL if the samples have no times. */
struct wk_chart_span *wk_chart_spans(const struct wk_model *model, const struct wk_filter *filter,
				     const uint32_t *order, const uint32_t *lane, uint32_t count);

#endif
