#include "base/text/utf16.h"

#include "base/text/utf8.h"

/* Reads a character, or an unpaired half of a surrogate pair. */
static uint32_t next(struct wk_bytes *bytes)
{
	uint32_t unit = wk_u16(bytes);
	struct wk_bytes ahead = *bytes;
	uint32_t low = unit >= 0xd800 && unit < 0xdc00 ? wk_u16(&ahead) : 0;

	if (low >= 0xdc00 && low < 0xe000) {
		*bytes = ahead;
		return 0x10000 + ((unit & 0x3ff) << 10 | (low & 0x3ff));
	}
	return unit >= 0xd800 && unit < 0xe000 ? 0xfffd : unit;
}

void wk_utf16_add(struct wk_buf *buf, struct wk_bytes utf16, bool big_endian)
{
	size_t len = buf->len;

	/* All the space at once, so that nothing is moved; untouched pages cost nothing. */
	if (!buf->limit && wk_buf_extend(buf, wk_bytes_left(&utf16) / 2 * 3 + 3))
		buf->len = len;
	utf16.big_endian = big_endian;
	while (wk_bytes_left(&utf16) >= 2)
		wk_utf8_add(buf, next(&utf16));
	if (wk_bytes_left(&utf16))
		wk_utf8_add(buf, 0xfffd);
}

struct wk_bytes wk_utf16_plain(struct wk_bytes bytes, struct wk_buf *buf)
{
	const uint8_t *at = bytes.at;
	size_t left = wk_bytes_left(&bytes);

	if (left >= 3 && memcmp(at, "\xef\xbb\xbf", 3) == 0)
		return wk_bytes_of(at + 3, left - 3);
	if (left < 2 || !((at[0] == 0xff && at[1] == 0xfe) || (at[0] == 0xfe && at[1] == 0xff)))
		return bytes;
	wk_utf16_add(buf, wk_bytes_of(at + 2, left - 2), at[0] == 0xfe);
	return wk_bytes_of(wk_buf_text(buf), buf->len);
}
