/* ??_C@_ <0 or 1> <bytes> <checksum>@ <character>* @: a string literal, of which the first 32 bytes
 * or characters are stored. 1 is wchar_t; whether 0 is char, char16_t or char32_t is a guess. */
#include "names/demangle/msvc.h"

/* Some compilers store more than 32 bytes. */
#define MOST_BYTES 128

/* Two digits, A to P. */
static uint8_t coded_byte(struct wk_cxx *p)
{
	char high = wk_cxx_peek(p, 0), low = wk_cxx_peek(p, 1);

	if (high < 'A' || high > 'P' || low < 'A' || low > 'P') {
		wk_cxx_fail(p);
		return 0;
	}
	p->at += 2;
	return (uint8_t)((high - 'A') << 4 | (low - 'A'));
}

/* The character itself, or ? and its code: $ and two digits, a digit, or a letter for the top
 * bit. */
static uint8_t character(struct wk_cxx *p)
{
	char c = wk_cxx_peek(p, 0);

	if (p->at == p->end) {
		wk_cxx_fail(p);
		return 0;
	}
	p->at++;
	if (c != '?')
		return (uint8_t)c;
	if (wk_cxx_accept(p, '$'))
		return coded_byte(p);
	c = wk_cxx_peek(p, 0);
	p->at += p->at < p->end;
	if (wk_cxx_is_digit(c))
		return (uint8_t)(",/\\:. \n\t'-"[c - '0']);
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
		return (uint8_t)(c | 0x80);
	wk_cxx_fail(p);
	return 0;
}

static void put_hex(struct wk_buf *out, uint32_t c)
{
	unsigned digits = c > 0xffffff ? 8 : c > 0xffff ? 6 : c > 0xff ? 4 : 2;

	wk_buf_add_fmt(out, "\\x%0*X", (int)digits, c);
}

static void put_escaped(struct wk_buf *out, uint32_t c)
{
	static const char escapes[] = { '0', 0, 0, 0, 0, 0, 0, 'a', 'b', 't', 'n', 'v', 'f', 'r' };

	if (c < sizeof(escapes) && escapes[c]) {
		wk_buf_add_char(out, '\\');
		wk_buf_add_char(out, escapes[c]);
	} else if (c < 0x20 || c > 0x7e) {
		put_hex(out, c);
	} else {
		if (c == '\'' || c == '"' || c == '\\')
			wk_buf_add_char(out, '\\');
		wk_buf_add_char(out, (char)c);
	}
}

/* The last character is the zero at the end, unless the end is cut off. */
static bool wide_text(struct wk_cxx *p, uint64_t bytes_left)
{
	bool is_cut = bytes_left > 64;

	wk_buf_add_text(&p->words, "L\"");
	while (wk_cxx_until(p, '@')) {
		uint32_t high = character(p), low = character(p);

		if (bytes_left == 0 || bytes_left % 2 != 0)
			wk_cxx_fail(p);
		if (bytes_left != 2 || is_cut)
			put_escaped(&p->words, high << 8 | low);
		bytes_left -= 2;
	}
	return is_cut;
}

static size_t zeros_at_the_end(const uint8_t *bytes, size_t count)
{
	size_t zeros = 0;

	while (zeros < count && bytes[count - 1 - zeros] == 0)
		zeros++;
	return zeros;
}

/* The width of its characters: from the terminating zero if the string is complete, otherwise from
 * the number of zero bytes, which works for Western languages. */
static size_t guess_width(const uint8_t *bytes, size_t count, uint64_t size)
{
	size_t zeros = 0;

	if (size % 2 != 0)
		return 1;
	if (size < 32) {
		zeros = zeros_at_the_end(bytes, count);
		return zeros >= 4 && size % 4 == 0 ? 4 : zeros >= 2 ? 2 : 1;
	}
	for (size_t i = 0; i < count; i++)
		zeros += bytes[i] == 0;
	if (zeros >= 2 * count / 3 && size % 4 == 0)
		return 4;
	return zeros >= count / 3 ? 2 : 1;
}

static void put_narrow(struct wk_buf *out, const uint8_t *bytes, size_t count, size_t width,
		       bool is_cut)
{
	size_t characters = count / width;

	wk_buf_add_text(out, width == 4 ? "U\"" : width == 2 ? "u\"" : "\"");
	for (size_t i = 0; i < characters; i++) {
		uint32_t c = 0;

		for (size_t k = width; k-- > 0;)
			c = c << 8 | bytes[i * width + k];
		if (i + 1 < characters || is_cut)
			put_escaped(out, c);
	}
}

static bool narrow_text(struct wk_cxx *p, uint64_t size)
{
	uint8_t bytes[MOST_BYTES];
	size_t count = 0;

	while (wk_cxx_until(p, '@')) {
		if (count == MOST_BYTES) {
			wk_cxx_fail(p);
			break;
		}
		bytes[count++] = character(p);
	}
	put_narrow(&p->words, bytes, count, guess_width(bytes, count, size), size > count);
	return size > count;
}

struct wk_cxx_node *wk_msvc_string(struct wk_cxx *p)
{
	bool is_wide, is_cut;
	uint64_t size;

	if (!wk_cxx_accept_text(p, "@_"))
		return wk_cxx_fail(p);
	is_wide = wk_cxx_accept(p, '1');
	if (!is_wide)
		wk_cxx_need(p, '0');
	size = wk_msvc_unsigned(p);
	while (wk_cxx_until(p, '@')) /* the checksum */
		p->at++;
	if (size < (is_wide ? 2 : 1))
		return wk_cxx_fail(p);
	is_cut = is_wide ? wide_text(p, size) : narrow_text(p, size);
	wk_buf_add_text(&p->words, is_cut ? "\"..." : "\"");
	return wk_cxx_text(p, WK_MSVC_STRING, wk_msvc_words(p), NULL);
}
