/* If one side of a comparison has lines and inlined calls of a program and the other has none, like
 * a build without debug information: inlined functions then exist on one side only. */
#ifndef WK_VIEWS_COMPARE_DIFF_LINES_H
#define WK_VIEWS_COMPARE_DIFF_LINES_H

#include "base/buf.h"
#include "views/compare/pairs.h"

/* "after, no lines of app are known ..."; nothing if both sides are alike. */
void wk_diff_lines_line(const struct wk_model *model, const struct wk_pairs *pairs,
			struct wk_buf *line);

#endif
