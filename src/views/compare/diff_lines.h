/* Where one side of a comparison knows lines and inlined calls of a program and the other knows
 * none, as a build without debug information: what was inlined is only there on the one side. */
#ifndef WK_VIEWS_COMPARE_DIFF_LINES_H
#define WK_VIEWS_COMPARE_DIFF_LINES_H

#include "base/buf.h"
#include "views/compare/pairs.h"
#include "views/filter/filter.h"

/* "after, no lines of app are known ..."; nothing where both sides are alike. */
void wk_diff_lines_line(const struct wk_model *model, const struct wk_filter *filter,
			const struct wk_pairs *pairs, struct wk_buf *line);

#endif
