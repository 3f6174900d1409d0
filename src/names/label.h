/* The most telling piece of a function's name that fits into a frame.
 *
 * A name that is too long is shortened (names/short_name.h); if that does not suffice, it loses
 * as much as must be of the path in front ("…Iterator::fold"); and, when not even its last step
 * has room, the end of that. The picture's script does the same. */
#ifndef WK_NAMES_LABEL_H
#define WK_NAMES_LABEL_H

#include "base/buf.h"

/* Cuts `label` to at most `room` characters; emptied where less than four have room. The
 * text must be clean: valid UTF-8, no control characters. */
void wk_label_fit(struct wk_buf *label, size_t room);

#endif
