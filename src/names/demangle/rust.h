/* What the parts of the Rust demangler share; nobody else includes this.
 *
 * demangle_rust.c takes off prefix and suffix, picks the scheme and undoes a refused name;
 * demangle_rust_legacy.c and demangle_rust_v0.c each read one scheme;
 * demangle_rust_text.c writes what both have to say, punycode and quoted text included.
 *
 * A scheme's reader takes from `rest` what belongs to the name, leaves what follows it (a
 * suffix such as ".cold", or something that shows it was no Rust name after all), and writes
 * to `out`. It may leave half a name behind when it refuses: the caller throws that away. */
#ifndef WK_NAMES_DEMANGLE_RUST_H
#define WK_NAMES_DEMANGLE_RUST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* One readable name on its way into a buffer that may already hold other text. Once `failed`
 * is set, by the cap or by a reader that found a fault, nothing more is written. */
struct wk_rust_out {
	struct wk_buf *buf;
	size_t start; /* where in `buf` this name begins */
	bool failed;
};

bool wk_rust_legacy(struct wk_str *rest, bool with_hash, struct wk_rust_out *out);
bool wk_rust_v0(struct wk_str *rest, bool with_hash, struct wk_rust_out *out);

void wk_rust_put(struct wk_rust_out *out, struct wk_str text);
void wk_rust_put_text(struct wk_rust_out *out, const char *text);
void wk_rust_put_char(struct wk_rust_out *out, uint32_t character);
void wk_rust_put_decimal(struct wk_rust_out *out, uint64_t value);
void wk_rust_put_hex(struct wk_rust_out *out, uint64_t value);

/* A character inside a literal: what would be unreadable there is written as an escape.
 * `quote` is the mark around the literal, ' or ". */
void wk_rust_put_quoted(struct wk_rust_out *out, char quote, uint32_t character);

/* RFC 3492 text in the form Rust uses. Text that does not decode is shown undecoded. */
void wk_rust_put_punycode(struct wk_rust_out *out, struct wk_str encoded);

/* Is this a Unicode scalar value, something a Rust char can hold? */
static inline bool wk_rust_is_scalar(uint64_t value)
{
	return value < 0xd800 || (value > 0xdfff && value <= 0x10ffff);
}

static inline bool wk_rust_is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* The value of a lower-case hexadecimal digit, or -1. */
static inline int wk_rust_nibble(char c)
{
	if (wk_rust_is_digit(c))
		return c - '0';
	return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

#endif
