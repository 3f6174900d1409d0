/* POSIX extended regular expressions, for one question: does a text contain a match?
 *
 * Texts are names from files, which may be hostile: the time is the text's length times the
 * pattern's in any case, and nothing recurses on the text. For that reason there are no back
 * references. \w \W \s \S \b \B \< \> mean the same as in grep. Bytes are characters; case is that
 * of ASCII. */
#ifndef WK_BASE_TEXT_PATTERN_H
#define WK_BASE_TEXT_PATTERN_H

#include <stdbool.h>

#include "base/str.h"

struct wk_pattern;

/* NULL if it is invalid; `why` is then half a sentence with static storage duration. */
struct wk_pattern *wk_pattern_new(const char *text, bool ignore_case, const char **why);
void wk_pattern_free(struct wk_pattern *pattern);

/* Not const, because its working state is in the pattern: one thread at a time. */
bool wk_pattern_matches(struct wk_pattern *pattern, struct wk_str text);

#endif
