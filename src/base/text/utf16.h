/* Text in the encodings that Windows gives it, as UTF-8. */
#ifndef WK_BASE_TEXT_UTF16_H
#define WK_BASE_TEXT_UTF16_H

#include "base/buf.h"
#include "base/bytes.h"

/* Adds UTF-16 of either byte order. Halves of pairs and an odd byte at the end become U+FFFD;
 * at most half as much again is added. A limit of the buffer counts 3 bytes for each unit. */
void wk_utf16_add(struct wk_buf *buf, struct wk_bytes utf16, bool big_endian);

/* Evaluates a byte order mark: text after a UTF-8 mark stays in place, text after a UTF-16 mark is
 * converted to UTF-8 in `buf`, and text without a mark is returned unchanged. */
struct wk_bytes wk_utf16_plain(struct wk_bytes bytes, struct wk_buf *buf);

#endif
