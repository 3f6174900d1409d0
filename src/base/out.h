/* The one way for text to leave wick: a buffered writer that escapes.
 *
 * Renderers get a wk_out and never open files. A failed write is remembered and makes every later
 * call harmless; wk_out_end flushes and returns the result. Text from a profile is written in the
 * form of its destination: _xml, _json, _csv or _term. */
#ifndef WK_BASE_OUT_H
#define WK_BASE_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/text/printf.h"
#include "base/str.h"

struct wk_out {
	/* Writes all `len` bytes, or returns false with the cause in errno. */
	bool (*write)(void *context, const char *bytes, size_t len);
	void *context;
	struct wk_buf pending;
	uint64_t written; /* bytes handed to `write` so far */
	int error_number; /* errno of the write that failed, or 0 */
	bool failed;
};

/* A writer into `buf`; nothing to end, nothing fails. */
struct wk_out wk_out_to_buf(struct wk_buf *buf);

/* A writer to a file descriptor, which stays the caller's. */
struct wk_out wk_out_to_fd(int fd);

/* Writes what is pending, frees the buffer; false if anything failed since the start. */
bool wk_out_end(struct wk_out *out);
void wk_out_flush(struct wk_out *out);

void wk_out_bytes(struct wk_out *out, const void *bytes, size_t len);
void wk_out_str(struct wk_out *out, struct wk_str text);
void wk_out_text(struct wk_out *out, const char *text);
void wk_out_char(struct wk_out *out, char c);
/* Reserves `len` bytes to be written in place; the second call sets their end. For callers that
 * write many small pieces. */
char *wk_out_reserve(struct wk_out *out, size_t len);
void wk_out_took(struct wk_out *out, const char *end);

/* Decimal; many times as fast as wk_out_fmt. */
void wk_out_u64(struct wk_out *out, uint64_t value);
void wk_out_fmt(struct wk_out *out, const char *format, ...)
	__attribute__((format(WK_PRINTF, 2, 3)));

/* For element content and quoted attributes of XML and HTML. Bytes that XML cannot hold
 * (control characters, broken UTF-8, U+FFFE and U+FFFF) become U+FFFD. */
void wk_out_xml(struct wk_out *out, struct wk_str text);

/* The inside of a JSON string, without its quotes; '<', '>', '&', U+2028, U+2029 and characters
 * that XML cannot contain are written as \u escapes, so that the text can be part of a script
 * element of HTML or XML. Invalid UTF-8 becomes U+FFFD. */
void wk_out_json(struct wk_out *out, struct wk_str text);

/* The same with its quotes. */
void wk_out_json_quoted(struct wk_out *out, struct wk_str text);

/* One field: in quotes if it must be; a field that a spreadsheet would run as a formula
 * (it begins with = + - @) gets a ' in front. Control characters are written as \xNN. */
void wk_out_csv(struct wk_out *out, struct wk_str text);

/* For a terminal or a line of text: control, bidirectional and broken characters are
 * written as \xNN or \u{NNNN}, so one name is one piece of one line. */
void wk_out_term(struct wk_out *out, struct wk_str text);

#endif
