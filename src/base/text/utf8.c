#include "base/text/utf8.h"

uint32_t wk_utf8_next(struct wk_str *text)
{
	const uint8_t *at = (const uint8_t *)text->at;
	static const uint32_t least[] = { 0, 0x80, 0x800, 0x10000 };
	uint32_t character;
	size_t more;

	if (at[0] < 0x80) {
		*text = wk_str_skip(*text, 1);
		return at[0];
	}
	if (at[0] < 0xc0 || at[0] >= 0xf8)
		goto broken;
	more = at[0] < 0xe0 ? 1 : at[0] < 0xf0 ? 2 : 3;
	character = at[0] & 0x3fu >> more;
	if (text->len <= more)
		goto broken;
	for (size_t i = 1; i <= more; i++) {
		if ((at[i] & 0xc0) != 0x80)
			goto broken;
		character = character << 6 | (at[i] & 0x3fu);
	}
	if (character < least[more] || character > 0x10ffff ||
	    (character >= 0xd800 && character < 0xe000))
		goto broken;
	*text = wk_str_skip(*text, more + 1);
	return character;
broken:
	*text = wk_str_skip(*text, 1);
	return WK_UTF8_BROKEN;
}

bool wk_utf8_is_text(struct wk_str text)
{
	size_t ascii = 0; /* bytes at the start, usually all */

	while (ascii < text.len && (signed char)text.at[ascii] > 0)
		ascii++;
	text = wk_str_skip(text, ascii);
	while (text.len) {
		uint32_t c = wk_utf8_next(&text);

		if (c == 0 || c == WK_UTF8_BROKEN)
			return false;
	}
	return true;
}

size_t wk_utf8_encode(uint32_t character, char bytes[4])
{
	static const uint8_t leads[] = { 0, 0xc0, 0xe0, 0xf0 };
	unsigned more = character < 0x80 ? 0 : character < 0x800 ? 1 : character < 0x10000 ? 2 : 3;

	*bytes++ = (char)(leads[more] | character >> 6 * more);
	for (unsigned left = more; left-- > 0;)
		*bytes++ = (char)(0x80 | (character >> 6 * left & 0x3f));
	return more + 1;
}

void wk_utf8_add(struct wk_buf *buf, uint32_t character)
{
	char bytes[4];

	wk_buf_add(buf, bytes, wk_utf8_encode(character, bytes));
}

bool wk_utf8_is_unsafe(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c || c == 0x200e || c == 0x200f ||
	       c == 0x2028 || c == 0x2029 || (c >= 0x202a && c <= 0x202e) ||
	       (c >= 0x2066 && c <= 0x2069) || c == 0xfeff;
}
