/* Shared by the parts of the Rust demangler.
 *
 * rust.c strips prefix and suffix, selects the scheme and drops the output of a rejected name;
 * rust_legacy.c and rust_v0.c each read one scheme; rust_text.c writes text for both, including
 * punycode and quoted literals.
 *
 * A scheme's reader removes the name from the front of `rest`, leaves what follows it (a suffix
 * such as ".cold", or text that shows it is not a Rust name), and writes to `out`. If it fails it
 * may leave half a name in `out`, which the caller drops. */
#ifndef WK_NAMES_DEMANGLE_RUST_H
#define WK_NAMES_DEMANGLE_RUST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* Appends one readable name to a buffer that may already hold other text. Once `failed` is set,
 * by the length limit or by a reader that found a fault, nothing more is written. */
struct wk_rust_out {
	struct wk_buf *buf;
	size_t start;    /* where in `buf` this name begins */
	unsigned silent; /* above 0, text is read only to get past it, and not written */
	bool failed;
};

bool wk_rust_legacy(struct wk_str *rest, bool with_hash, struct wk_rust_out *out);
bool wk_rust_v0(struct wk_str *rest, bool with_hash, struct wk_rust_out *out);

/* An element of a legacy path, with its escapes decoded: "$LT$" is "<", ".." is "::". */
void wk_rust_put_element(struct wk_rust_out *out, struct wk_str text);

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
