#include "names/demangle/rust.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/text/utf8.h"
#include "names/demangle/demangle.h"

/* Decoding inserts into the middle, so its cost grows with the square of the length. Names
 * longer than this are shown undecoded, as rustc's own demangler does. */
#define MAX_PUNYCODE 128

/* May `len` bytes be written? */
static bool has_room(struct wk_rust_out *out, size_t len)
{
	const struct wk_buf *buf = out->buf;

	if (out->silent)
		return false;
	if (buf->full || len > WK_DEMANGLE_LIMIT - (buf->len - out->start) ||
	    (buf->limit && len > buf->limit - buf->len))
		out->failed = true;
	return !out->failed;
}

void wk_rust_put(struct wk_rust_out *out, struct wk_str text)
{
	if (has_room(out, text.len))
		wk_buf_add_str(out->buf, text);
}

void wk_rust_put_text(struct wk_rust_out *out, const char *text)
{
	wk_rust_put(out, wk_str_c(text));
}

void wk_rust_put_char(struct wk_rust_out *out, uint32_t character)
{
	if (has_room(out, character < 0x80 ? 1 : 4))
		wk_utf8_add(out->buf, character);
}

void wk_rust_put_decimal(struct wk_rust_out *out, uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIu64, value);
	wk_rust_put_text(out, digits);
}

void wk_rust_put_hex(struct wk_rust_out *out, uint64_t value)
{
	char digits[24];

	snprintf(digits, sizeof(digits), "%" PRIx64, value);
	wk_rust_put_text(out, digits);
}

struct span {
	uint32_t first, last;
};

/* Characters that are invisible or would merge with the mark next to them: controls, separators,
 * format characters, combining marks of the general blocks, private use. Sorted. Rust escapes more
 * (marks of single scripts, code points that its Unicode version does not know); those are printed
 * as they are. */
static const struct span unreadable[] = {
	{ 0x0000, 0x001f },   { 0x007f, 0x00a0 },   { 0x00ad, 0x00ad },	  { 0x0300, 0x036f },
	{ 0x0483, 0x0489 },   { 0x0600, 0x0605 },   { 0x061c, 0x061c },	  { 0x06dd, 0x06dd },
	{ 0x070f, 0x070f },   { 0x0890, 0x0891 },   { 0x08e2, 0x08e2 },	  { 0x1680, 0x1680 },
	{ 0x180b, 0x180f },   { 0x1ab0, 0x1aff },   { 0x1dc0, 0x1dff },	  { 0x2000, 0x200f },
	{ 0x2028, 0x202f },   { 0x205f, 0x206f },   { 0x20d0, 0x20ff },	  { 0x3000, 0x3000 },
	{ 0x302a, 0x302f },   { 0x3099, 0x309a },   { 0xe000, 0xf8ff },	  { 0xfdd0, 0xfdef },
	{ 0xfe00, 0xfe0f },   { 0xfe20, 0xfe2f },   { 0xfeff, 0xfeff },	  { 0xfff0, 0xfffb },
	{ 0xfffe, 0xffff },   { 0x110bd, 0x110bd }, { 0x110cd, 0x110cd }, { 0x13430, 0x1343f },
	{ 0x1bca0, 0x1bca3 }, { 0x1d165, 0x1d169 }, { 0x1d16d, 0x1d182 }, { 0xe0000, 0x10ffff },
};

static bool is_unreadable(uint32_t character)
{
	for (size_t i = 0; i < sizeof(unreadable) / sizeof(unreadable[0]); i++)
		if (character <= unreadable[i].last)
			return character >= unreadable[i].first;
	return false;
}

void wk_rust_put_quoted(struct wk_rust_out *out, char quote, uint32_t character)
{
	static const char *const short_forms[0x60] = {
		['\0'] = "\\0", ['\t'] = "\\t", ['\n'] = "\\n", ['\r'] = "\\r", ['\\'] = "\\\\",
	};

	if (character == (unsigned char)quote)
		wk_rust_put_text(out, "\\");
	if (character < sizeof(short_forms) / sizeof(short_forms[0]) && short_forms[character]) {
		wk_rust_put_text(out, short_forms[character]);
	} else if (is_unreadable(character)) {
		wk_rust_put_text(out, "\\u{");
		wk_rust_put_hex(out, character);
		wk_rust_put_text(out, "}");
	} else {
		wk_rust_put_char(out, character);
	}
}

struct punycode {
	uint32_t text[MAX_PUNYCODE];
	size_t len;
};

/* RFC 3492, section 6.1: how far apart the next thresholds are. */
static uint64_t adapt_bias(uint64_t delta, bool first, size_t points)
{
	uint64_t k = 0;

	delta /= first ? 700 : 2;
	delta += delta / points;
	for (; delta > 35 * 26 / 2; k += 36)
		delta /= 35;
	return k + 36 * delta / (delta + 38);
}

/* One variable-length integer (section 3.3), whose digits are a-z then 0-9. */
static bool read_delta(struct wk_str *digits, uint64_t bias, uint64_t *delta)
{
	uint64_t weight = 1;

	*delta = 0;
	for (uint64_t k = 36; digits->len > 0; k += 36) {
		char c = digits->at[0];
		uint64_t threshold = k <= bias ? 1 : k >= bias + 26 ? 26 : k - bias;
		uint64_t digit;

		if (c >= 'a' && c <= 'z')
			digit = (uint64_t)(c - 'a');
		else if (wk_rust_is_digit(c))
			digit = (uint64_t)(c - '0') + 26;
		else
			return false;
		*digits = wk_str_skip(*digits, 1);
		*delta += digit * weight;
		if (digit < threshold)
			return true;
		weight *= 36 - threshold;
		if (*delta > UINT32_MAX || weight > UINT32_MAX)
			return false;
	}
	return false;
}

static bool insert(struct punycode *name, size_t at, uint64_t character)
{
	if (name->len == MAX_PUNYCODE || !wk_rust_is_scalar(character))
		return false;
	memmove(name->text + at + 1, name->text + at, (name->len - at) * sizeof(name->text[0]));
	name->text[at] = (uint32_t)character;
	name->len++;
	return true;
}

static bool decode(struct wk_str ascii, struct wk_str digits, struct punycode *name)
{
	uint64_t character = 0x80, at = 0, bias = 72, delta;

	for (size_t i = 0; i < ascii.len; i++)
		if (!insert(name, i, (unsigned char)ascii.at[i]))
			return false;
	for (bool first = true; digits.len > 0; first = false) {
		size_t points = name->len + 1;

		if (!read_delta(&digits, bias, &delta))
			return false;
		bias = adapt_bias(delta, first, points);
		at += delta;
		character += at / points;
		at %= points;
		if (!insert(name, (size_t)at++, character))
			return false;
	}
	return true;
}

void wk_rust_put_punycode(struct wk_rust_out *out, struct wk_str encoded)
{
	struct wk_str ascii = encoded, digits = encoded;
	struct punycode name = { .len = 0 };

	/* The delimiter is the last underscore, since v0 names cannot hold RFC 3492's '-'. */
	while (ascii.len > 0 && ascii.at[ascii.len - 1] != '_')
		ascii.len--;
	digits = wk_str_skip(encoded, ascii.len);
	if (ascii.len > 0)
		ascii.len--;
	if (decode(ascii, digits, &name)) {
		for (size_t i = 0; i < name.len; i++)
			wk_rust_put_char(out, name.text[i]);
		return;
	}
	wk_rust_put_text(out, "punycode{");
	wk_rust_put(out, ascii);
	if (ascii.len > 0)
		wk_rust_put_text(out, "-");
	wk_rust_put(out, digits);
	wk_rust_put_text(out, "}");
}
