/* POSIX extended regular expressions, asked one question: does a text hold a match?
 *
 * Texts are names from files, which may be hostile: the time is the text's length times the
 * pattern's, whatever they are, and nothing recurses on the text. There are no back references, for
 * that reason. \w \W \s \S \b \B \< \> mean what they do in grep. Bytes are characters; case is
 * that of ASCII. */
#ifndef WK_BASE_TEXT_PATTERN_H
#define WK_BASE_TEXT_PATTERN_H

#include <stdbool.h>

#include "base/str.h"

struct wk_pattern;

/* NULL where it is none; `why` is then half a sentence that tells so, for ever. */
struct wk_pattern *wk_pattern_new(const char *text, bool ignore_case, const char **why);
void wk_pattern_free(struct wk_pattern *pattern);

/* Not const, since it keeps its notes in the pattern: one thread at a time. */
bool wk_pattern_matches(struct wk_pattern *pattern, struct wk_str text);

#endif
