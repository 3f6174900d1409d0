/* The most informative part of a function's name that fits into a frame.
 *
 * A name that is too long is shortened (names/short_name.h); if that is not enough, it loses the
 * front of its path ("…Iterator::fold"); and if not even the last step fits, the end of that. The
 * script of the picture does the same. */
#ifndef WK_NAMES_LABEL_H
#define WK_NAMES_LABEL_H

#include "base/buf.h"

/* Cuts `label` to at most `room` characters; empties it if fewer than four fit. The text must be
 * clean: valid UTF-8, no control characters. */
void wk_label_fit(struct wk_buf *label, size_t room);

#endif
