/* The legacy scheme (before v0): the elements of a path, written as a C++ nested name, the last
 * one a hash. Characters that a C++ name may not contain are written as $..$ or with dots. */
#include "names/demangle/rust.h"

#include "names/rust_escapes.h"

/* Reads a length and that many bytes. */
static bool read_element(struct wk_str *rest, struct wk_str *element)
{
	size_t len = 0;

	if (rest->len == 0 || !wk_rust_is_digit(rest->at[0]))
		return false;
	while (rest->len > 0 && wk_rust_is_digit(rest->at[0])) {
		len = len * 10 + (size_t)(rest->at[0] - '0');
		*rest = wk_str_skip(*rest, 1);
		if (len > rest->len)
			return false;
	}
	*element = wk_str_of(rest->at, len);
	*rest = wk_str_skip(*rest, len);
	return true;
}

static bool is_hash(struct wk_str element)
{
	if (!wk_str_starts(element, "h"))
		return false;
	for (size_t i = 1; i < element.len; i++) {
		char c = element.at[i];

		if (wk_rust_nibble(c) < 0 && !(c >= 'A' && c <= 'F'))
			return false;
	}
	return true;
}

/* "u7b": a character by its code point, unless it is invisible. */
static bool put_numbered(struct wk_str word, struct wk_rust_out *out)
{
	uint32_t character = 0;

	if (!wk_str_starts(word, "u") || word.len < 2 || word.len > 7)
		return false;
	for (size_t i = 1; i < word.len; i++) {
		int nibble = wk_rust_nibble(word.at[i]);

		if (nibble < 0)
			return false;
		character = character << 4 | (uint32_t)nibble;
	}
	if (!wk_rust_is_scalar(character) || character < 0x20 ||
	    (character >= 0x7f && character < 0xa0))
		return false;
	wk_rust_put_char(out, character);
	return true;
}

/* The text between two '$'. */
static bool put_word(struct wk_str word, struct wk_rust_out *out)
{
	static const struct {
		const char *word, *text;
	} words[] = {
		{ "SP", "@" }, { "BP", "*" }, { "RF", "&" }, { "LT", "<" },
		{ "GT", ">" }, { "LP", "(" }, { "RP", ")" }, { "C", "," },
	};

	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++) {
		if (wk_str_is(word, words[i].word)) {
			wk_rust_put_text(out, words[i].text);
			return true;
		}
	}
	return put_numbered(word, out);
}

/* How many bytes come before the next '.' or '$'. */
static size_t plain_length(struct wk_str text)
{
	size_t len = 0;

	while (len < text.len && text.at[len] != '.' && text.at[len] != '$')
		len++;
	return len;
}

/* Writes the escape or dots that `text` begins with; 0 for a '$' that escapes nothing. */
static size_t put_escape(struct wk_str text, struct wk_rust_out *out)
{
	const char *dollar;
	size_t len;

	if (wk_str_starts(text, "..")) {
		wk_rust_put_text(out, "::");
		return 2;
	}
	if (text.at[0] == '.') {
		wk_rust_put_text(out, ".");
		return 1;
	}
	dollar = memchr(text.at + 1, '$', text.len - 1);
	if (!dollar)
		return 0;
	len = (size_t)(dollar - text.at);
	return put_word(wk_str_of(text.at + 1, len - 1), out) ? len + 1 : 0;
}

void wk_rust_put_element(struct wk_rust_out *out, struct wk_str text)
{
	/* A C++ name may not begin with '$', so rustc put an underscore there. */
	if (wk_str_starts(text, "_$"))
		text = wk_str_skip(text, 1);
	while (text.len > 0) {
		size_t len = plain_length(text);

		wk_rust_put(out, wk_str_of(text.at, len));
		text = wk_str_skip(text, len);
		if (text.len == 0)
			return;
		len = put_escape(text, out);
		if (len == 0) {
			wk_rust_put(out, text);
			return;
		}
		text = wk_str_skip(text, len);
	}
}

bool wk_rust_legacy(struct wk_str *rest, bool with_hash, struct wk_rust_out *out)
{
	struct wk_str element;

	for (size_t count = 0; !out->failed; count++) {
		if (wk_str_accept(rest, "E"))
			return true;
		if (!read_element(rest, &element))
			return false;
		if (!with_hash && wk_str_starts(*rest, "E") && is_hash(element))
			continue;
		if (count > 0)
			wk_rust_put_text(out, "::");
		wk_rust_put_element(out, element);
	}
	return false;
}

#define HASH_LEN 19 /* "::h" and 16 digits */

struct wk_str wk_rust_name(struct wk_str name, struct wk_buf *buf)
{
	struct wk_rust_out out = { .buf = buf };
	struct wk_str hash;

	if (name.len <= HASH_LEN)
		return name;
	hash = wk_str_skip(name, name.len - HASH_LEN);
	if (!wk_str_accept(&hash, "::") || !is_hash(hash))
		return name;
	wk_buf_reset(buf);
	wk_rust_put_element(&out, wk_str_of(name.at, name.len - HASH_LEN));
	return out.failed ? name : wk_buf_str(buf);
}
