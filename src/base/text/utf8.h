/* Decodes UTF-8: the next character of a text, or the fact that it is invalid. */
#ifndef WK_BASE_TEXT_UTF8_H
#define WK_BASE_TEXT_UTF8_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

#define WK_UTF8_BROKEN UINT32_MAX

/* Removes the next character from `text`, which must not be empty. A byte that does not start a
 * complete, shortest-form, legal character is removed alone and gives WK_UTF8_BROKEN. */
uint32_t wk_utf8_next(struct wk_str *text);

/* UTF-8 all through, and no NUL? */
bool wk_utf8_is_text(struct wk_str text);

void wk_utf8_add(struct wk_buf *buf, uint32_t character);

/* The number of bytes written. */
size_t wk_utf8_encode(uint32_t character, char bytes[4]);

/* The number of characters in a text, which should be valid. */
static inline size_t wk_utf8_count(struct wk_str text)
{
	size_t count = 0;

	for (size_t i = 0; i < text.len; i++)
		count += (text.at[i] & 0xc0) != 0x80;
	return count;
}

/* The offset of character `n`, from 0, or the length of a text that has fewer. */
static inline size_t wk_utf8_offset(struct wk_str text, size_t n)
{
	size_t at = 0;

	for (; at < text.len; at++)
		if ((text.at[at] & 0xc0) != 0x80 && n-- == 0)
			break;
	return at;
}

/* Does this character change how its neighbours are shown: control or bidirectional? */
bool wk_utf8_is_unsafe(uint32_t character);

#endif
