/* As much of a function's name as fits into a frame.
 *
 * A name that is too long loses the front of its path ("…Iterator::fold"); if not even the last
 * step fits, it is that step without its end. The script of the picture does the same
 * (web/svg_words.js); tests/data/short_names.tsv tests both. */
#ifndef WK_NAMES_LABEL_H
#define WK_NAMES_LABEL_H

#include "base/buf.h"

/* Cuts `label` to at most `room` characters; empties it if fewer than four fit. The text must be
 * clean: valid UTF-8, no control characters. */
void wk_label_fit(struct wk_buf *label, size_t room);

#endif
