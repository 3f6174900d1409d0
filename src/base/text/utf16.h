/* Text in the encodings that Windows gives it, as UTF-8. */
#ifndef WK_BASE_TEXT_UTF16_H
#define WK_BASE_TEXT_UTF16_H

#include "base/arena.h"
#include "base/buf.h"
#include "base/bytes.h"

/* Adds UTF-16 of either byte order. Halves of pairs and an odd byte at the end become U+FFFD;
 * at most half as much again is added. A limit of the buffer counts 3 bytes for each unit. */
void wk_utf16_add(struct wk_buf *buf, struct wk_bytes utf16, bool big_endian);

/* Little-endian UTF-16 as UTF-8 in an arena. */
struct wk_str wk_utf16_copy(struct wk_arena *arena, struct wk_bytes utf16);

/* UTF-16 up to a zero or the end, without it; the zero is passed over. */
struct wk_bytes wk_utf16_text(struct wk_bytes *in);

/* Evaluates a byte order mark: text after a UTF-8 mark stays in place, text after a UTF-16 mark is
 * converted to UTF-8 in `buf`, and text without a mark is returned unchanged. */
struct wk_bytes wk_utf16_plain(struct wk_bytes bytes, struct wk_buf *buf);

#endif
