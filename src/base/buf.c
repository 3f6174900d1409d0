#include "base/buf.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void wk_buf_fini(struct wk_buf *buf)
{
	wk_free(buf->at);
	*buf = (struct wk_buf){ .limit = buf->limit };
}

void wk_buf_fini_each(struct wk_buf *const *bufs, size_t count)
{
	for (size_t i = 0; i < count; i++)
		wk_buf_fini(bufs[i]);
}

void wk_buf_reset(struct wk_buf *buf)
{
	buf->len = 0;
	buf->full = false;
	if (buf->at)
		buf->at[0] = '\0';
}

void *wk_buf_extend(struct wk_buf *buf, size_t len)
{
	char *at;

	if (buf->full || (buf->limit && len > buf->limit - buf->len)) {
		buf->full = true;
		return NULL;
	}
	buf->at = wk_grow(buf->at, &buf->cap, buf->len + len + 1, 1);
	at = buf->at + buf->len;
	buf->len += len;
	buf->at[buf->len] = '\0';
	return at;
}

void wk_buf_add(struct wk_buf *buf, const void *bytes, size_t len)
{
	void *at = wk_buf_extend(buf, len);

	if (at && len)
		memcpy(at, bytes, len);
}

void wk_buf_add_str(struct wk_buf *buf, struct wk_str text)
{
	wk_buf_add(buf, text.at, text.len);
}

void wk_buf_add_text(struct wk_buf *buf, const char *text)
{
	wk_buf_add(buf, text, strlen(text));
}

static bool is_plain_in_shell(struct wk_str text)
{
	for (size_t i = 0; i < text.len; i++)
		if (!isalnum((unsigned char)text.at[i]) && !strchr("_./:@%+,-", text.at[i]))
			return false;
	return text.len > 0;
}

static bool is_control(char c)
{
	return (unsigned char)c < 0x20 || c == 0x7f;
}

void wk_buf_add_shell(struct wk_buf *buf, struct wk_str text)
{
	bool has_controls = false;

	for (size_t i = 0; i < text.len; i++)
		has_controls |= is_control(text.at[i]);
	if (is_plain_in_shell(text)) {
		wk_buf_add_str(buf, text);
		return;
	}
	wk_buf_add_text(buf, has_controls ? "$'" : "'");
	for (size_t i = 0; i < text.len; i++)
		if (is_control(text.at[i]))
			wk_buf_add_fmt(buf, "\\%03o", (unsigned char)text.at[i]);
		else if (has_controls && (text.at[i] == '\'' || text.at[i] == '\\'))
			wk_buf_add_fmt(buf, "\\%c", text.at[i]);
		else if (text.at[i] == '\'')
			wk_buf_add_text(buf, "'\\''");
		else
			wk_buf_add_char(buf, text.at[i]);
	wk_buf_add_char(buf, '\'');
}

void wk_buf_add_args(struct wk_buf *buf, const char *format, va_list args)
{
	char shorter[512];
	va_list again;
	int len;

	va_copy(again, args);
	len = vsnprintf(shorter, sizeof(shorter), format, args);
	if (len >= 0 && (size_t)len < sizeof(shorter)) {
		wk_buf_add(buf, shorter, (size_t)len);
	} else if (len >= 0) {
		char *text = wk_alloc((size_t)len + 1);

		vsnprintf(text, (size_t)len + 1, format, again);
		wk_buf_add(buf, text, (size_t)len);
		wk_free(text);
	}
	va_end(again);
}

void wk_buf_add_fmt(struct wk_buf *buf, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	wk_buf_add_args(buf, format, args);
	va_end(args);
}

static void add_little_endian(struct wk_buf *buf, uint64_t value, size_t size_bytes)
{
	uint8_t bytes[8];

	for (size_t i = 0; i < size_bytes; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	wk_buf_add(buf, bytes, size_bytes);
}

void wk_buf_add_u16(struct wk_buf *buf, uint16_t value)
{
	add_little_endian(buf, value, 2);
}

void wk_buf_add_u32(struct wk_buf *buf, uint32_t value)
{
	add_little_endian(buf, value, 4);
}

void wk_buf_add_u64(struct wk_buf *buf, uint64_t value)
{
	add_little_endian(buf, value, 8);
}
