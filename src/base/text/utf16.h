/* Text in the encodings that Windows gives it, as UTF-8. */
#ifndef WK_BASE_TEXT_UTF16_H
#define WK_BASE_TEXT_UTF16_H

#include "base/buf.h"
#include "base/bytes.h"

/* Adds UTF-16 of either byte order. Halves of pairs and an odd byte at the end become U+FFFD;
 * at most half as much again is added. */
void wk_utf16_add(struct wk_buf *buf, struct wk_bytes utf16, bool big_endian);

/* What a byte order mark at the beginning says: text behind the mark of UTF-8 is where it is,
 * text behind that of UTF-16 is made UTF-8 in `buf`; and what has none is as it was. */
struct wk_bytes wk_utf16_plain(struct wk_bytes bytes, struct wk_buf *buf);

#endif
