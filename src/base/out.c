#include "base/out.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/fd.h"
#include "base/text/utf8.h"

#define PENDING_BYTES (64 * 1024)

static bool write_to_buf(void *context, const char *bytes, size_t len)
{
	wk_buf_add(context, bytes, len);
	return true;
}

static bool write_to_fd(void *context, const char *bytes, size_t len)
{
	return wk_fd_write((int)(intptr_t)context, bytes, len);
}

struct wk_out wk_out_to_buf(struct wk_buf *buf)
{
	return (struct wk_out){ .write = write_to_buf, .context = buf };
}

struct wk_out wk_out_to_fd(int fd)
{
	return (struct wk_out){ .write = write_to_fd, .context = (void *)(intptr_t)fd };
}

static void pass_on(struct wk_out *out, const char *bytes, size_t len)
{
	if (out->failed || len == 0)
		return;
	errno = 0;
	if (out->write(out->context, bytes, len)) {
		out->written += len;
		return;
	}
	out->error_number = errno ? errno : EIO;
	out->failed = true;
}

void wk_out_flush(struct wk_out *out)
{
	pass_on(out, out->pending.at, out->pending.len);
	wk_buf_reset(&out->pending);
}

bool wk_out_end(struct wk_out *out)
{
	wk_out_flush(out);
	wk_buf_fini(&out->pending);
	return !out->failed;
}

void wk_out_bytes(struct wk_out *out, const void *bytes, size_t len)
{
	if (out->failed)
		return;
	if (len >= PENDING_BYTES) {
		wk_out_flush(out);
		pass_on(out, bytes, len);
		return;
	}
	wk_buf_add(&out->pending, bytes, len);
	if (out->pending.len >= PENDING_BYTES)
		wk_out_flush(out);
}

char *wk_out_reserve(struct wk_out *out, size_t len)
{
	size_t before = out->pending.len;
	char *at = wk_buf_extend(&out->pending, len);

	out->pending.len = before;
	return at;
}

void wk_out_took(struct wk_out *out, const char *end)
{
	out->pending.len = (size_t)(end - out->pending.at);
	out->pending.at[out->pending.len] = '\0';
	if (out->pending.len >= PENDING_BYTES)
		wk_out_flush(out);
}

void wk_out_str(struct wk_out *out, struct wk_str text)
{
	wk_out_bytes(out, text.at, text.len);
}

void wk_out_text(struct wk_out *out, const char *text)
{
	wk_out_bytes(out, text, strlen(text));
}

void wk_out_char(struct wk_out *out, char c)
{
	wk_out_bytes(out, &c, 1);
}

void wk_out_u64(struct wk_out *out, uint64_t value)
{
	char digits[20];
	size_t at = sizeof(digits);

	do {
		digits[--at] = (char)('0' + value % 10);
		value /= 10;
	} while (value);
	wk_out_bytes(out, digits + at, sizeof(digits) - at);
}

void wk_out_fmt(struct wk_out *out, const char *format, ...)
{
	va_list args;

	if (out->failed)
		return;
	va_start(args, format);
	wk_buf_add_args(&out->pending, format, args);
	va_end(args);
	if (out->pending.len >= PENDING_BYTES)
		wk_out_flush(out);
}

/* Passes on the longest run of plain ASCII for which `special` is false; true if text is left. */
static bool plain_run(struct wk_out *out, struct wk_str *text, bool (*special)(uint8_t))
{
	size_t len = 0;

	while (len < text->len && !special((uint8_t)text->at[len]))
		len++;
	wk_out_bytes(out, text->at, len);
	*text = wk_str_skip(*text, len);
	return text->len > 0;
}

static void out_character(struct wk_out *out, uint32_t character)
{
	struct wk_buf encoded = { 0 };

	wk_utf8_add(&encoded, character);
	wk_out_str(out, wk_buf_str(&encoded));
	wk_buf_fini(&encoded);
}

static bool special_in_xml(uint8_t c)
{
	return c < 0x20 || c > 0x7e || c == '<' || c == '>' || c == '&' || c == '"' || c == '\'';
}

void wk_out_xml(struct wk_out *out, struct wk_str text)
{
	static const char *const entities[128] = {
		['<'] = "&lt;", ['>'] = "&gt;", ['&'] = "&amp;", ['"'] = "&quot;",
		['\''] = "&#39;",
	};

	while (plain_run(out, &text, special_in_xml)) {
		uint32_t c = wk_utf8_next(&text);

		if (c < 128 && entities[c])
			wk_out_text(out, entities[c]);
		else if (wk_utf8_is_unsafe(c) || c == 0xfffe || c == 0xffff || c == WK_UTF8_BROKEN)
			out_character(out, 0xfffd);
		else
			out_character(out, c);
	}
}

static bool special_in_json(uint8_t c)
{
	return c < 0x20 || c > 0x7e || c == '"' || c == '\\' || c == '<' || c == '>' || c == '&';
}

void wk_out_json(struct wk_out *out, struct wk_str text)
{
	static const char *const escapes[128] = {
		['"'] = "\\\"", ['\\'] = "\\\\", ['\n'] = "\\n", ['\t'] = "\\t",
	};

	while (plain_run(out, &text, special_in_json)) {
		uint32_t c = wk_utf8_next(&text);

		if (c < 128 && escapes[c])
			wk_out_text(out, escapes[c]);
		else if (c == WK_UTF8_BROKEN)
			out_character(out, 0xfffd);
		else if (wk_utf8_is_unsafe(c) || c == '<' || c == '>' || c == '&' || c == 0xfffe ||
			 c == 0xffff)
			wk_out_fmt(out, "\\u%04x", (unsigned)c);
		else
			out_character(out, c);
	}
}

void wk_out_json_quoted(struct wk_out *out, struct wk_str text)
{
	wk_out_char(out, '"');
	wk_out_json(out, text);
	wk_out_char(out, '"');
}

static void out_escaped(struct wk_out *out, uint32_t c, uint8_t first_byte)
{
	if (c == WK_UTF8_BROKEN)
		wk_out_fmt(out, "\\x%02x", first_byte);
	else if (!wk_utf8_is_unsafe(c))
		out_character(out, c);
	else if (c < 0x100)
		wk_out_fmt(out, "\\x%02x", (unsigned)c);
	else
		wk_out_fmt(out, "\\u{%" PRIx32 "}", c);
}

static bool special_on_terminal(uint8_t c)
{
	return c < 0x20 || c > 0x7e;
}

/* How many bytes from the start are printable ASCII, in steps of eight. */
static size_t printable(struct wk_str text)
{
	const uint64_t ones = UINT64_MAX / 0xff;
	size_t at = 0;

	for (; text.len - at >= 8; at += 8) {
		uint64_t bytes, below, above;

		memcpy(&bytes, text.at + at, 8);
		below = bytes - 0x20 * ones; /* borrows from a byte below a blank */
		above = bytes + 0x01 * ones; /* 0x7f and above */
		if ((below | above | bytes) & 0x80 * ones)
			break;
	}
	return at;
}

void wk_out_term(struct wk_out *out, struct wk_str text)
{
	size_t plain = printable(text);

	wk_out_str(out, wk_str_of(text.at, plain));
	text = wk_str_skip(text, plain);
	while (plain_run(out, &text, special_on_terminal)) {
		uint8_t first_byte = (uint8_t)text.at[0];

		out_escaped(out, wk_utf8_next(&text), first_byte);
	}
}

void wk_out_csv(struct wk_out *out, struct wk_str text)
{
	bool formula = text.len && text.at[0] && strchr("=+-@", text.at[0]);
	bool quoted = formula;

	for (size_t i = 0; i < text.len && !quoted; i++)
		quoted = text.at[i] == ',' || text.at[i] == '"';
	if (!quoted) {
		wk_out_term(out, text);
		return;
	}
	wk_out_char(out, '"');
	if (formula)
		wk_out_char(out, '\'');
	while (text.len) {
		uint8_t first_byte = (uint8_t)text.at[0];
		uint32_t c = wk_utf8_next(&text);

		if (c == '"')
			wk_out_text(out, "\"\"");
		else
			out_escaped(out, c, first_byte);
	}
	wk_out_char(out, '"');
}
