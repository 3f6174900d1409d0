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

/* Into space that is there: 3 bytes for each unit, and 3 for an odd byte. */
static char *put_all(char *at, struct wk_bytes *utf16)
{
	while (wk_bytes_left(utf16) >= 2) {
		uint32_t character = next(utf16);

		if (character < 0x80)
			*at++ = (char)character;
		else
			at += wk_utf8_encode(character, at);
	}
	return wk_bytes_left(utf16) ? at + wk_utf8_encode(0xfffd, at) : at;
}

void wk_utf16_add(struct wk_buf *buf, struct wk_bytes utf16, bool big_endian)
{
	/* All the space at once; untouched pages cost nothing. */
	char *at = wk_buf_extend(buf, wk_bytes_left(&utf16) / 2 * 3 + 3);

	utf16.big_endian = big_endian;
	if (!at)
		return;
	at = put_all(at, &utf16);
	*at = '\0';
	buf->len = (size_t)(at - buf->at);
}

struct wk_str wk_utf16_copy(struct wk_arena *arena, struct wk_bytes utf16)
{
	struct wk_buf text = { 0 };
	struct wk_str copy;

	wk_utf16_add(&text, utf16, false);
	copy = wk_arena_copy(arena, wk_buf_str(&text));
	wk_buf_fini(&text);
	return copy;
}

struct wk_bytes wk_utf16_text(struct wk_bytes *in)
{
	size_t units = wk_bytes_left(in) / 2, len = 0;
	struct wk_bytes text = *in;

	while (len < units && (in->at[2 * len] | in->at[2 * len + 1]))
		len++;
	text.start = text.at;
	text.end = len ? text.at + 2 * len : text.at;
	in->at = len < units ? text.end + 2 : in->end;
	return text;
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
