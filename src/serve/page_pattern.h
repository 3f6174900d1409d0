/* Patterns as the analysis page has them: regular expressions of JavaScript, for one question. */
#ifndef WK_SERVE_PAGE_PATTERN_H
#define WK_SERVE_PAGE_PATTERN_H

#include "base/text/pattern.h"

/* As the page does, ignores case unless there is a capital letter in `text`. NULL if it is invalid,
 * or something that only JavaScript has; `why` as for wk_pattern_new. The caller frees it. */
struct wk_pattern *wk_page_pattern_new(struct wk_str text, const char **why);

#endif
