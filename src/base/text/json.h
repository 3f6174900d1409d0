/* JSON, pulled piece by piece out of borrowed bytes; no tree is built.
 *
 * The nesting of the caller's loops is the nesting of what it wants to read, and everything else
 * is skipped, however deep, without recursion and without memory:
 *
 *	struct wk_json json = wk_json_of(bytes);
 *	wk_json_enter_object(&json);
 *	while (wk_json_next_key(&json, &key))
 *		if (wk_str_is(key, "samples") && wk_json_enter_array(&json))
 *			while (wk_json_next_element(&json))
 *				add(wk_json_u64(&json));
 *	ok = wk_json_end(&json, err);
 *
 * After a true wk_json_next_key or wk_json_next_element one value may be read; the next call skips
 * one that was not. A value of another kind than requested is skipped and gives zero, the empty
 *text or a container that is not entered, so hostile kinds need no checks. wk_json_value returns a
 *value as a reader of its own, to be read later or twice.
 *
 * A fault (a missing colon, for example) is stored with its offset; from then on nothing more is
 * read and every loop ends. An input that ends early is not a fault: open containers end there
 * and `is_cut` is set, because killed programs leave such files. Also accepted: a comma before a
 * closing bracket, several values without a comma between them, control characters in strings, a
 * byte order mark, NaN and other bare words (read as null). */
#ifndef WK_BASE_TEXT_JSON_H
#define WK_BASE_TEXT_JSON_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/bytes.h"
#include "base/err.h"
#include "base/str.h"

enum wk_json_kind {
	WK_JSON_NONE, /* the end of the input, or a fault */
	WK_JSON_NULL, /* and any bare word that is not true or false */
	WK_JSON_BOOL,
	WK_JSON_NUMBER,
	WK_JSON_STRING,
	WK_JSON_ARRAY,
	WK_JSON_OBJECT,
};

struct wk_json {
	const uint8_t *at, *end, *start; /* offsets count from `start` */
	bool is_cut;
	const char *expected; /* of the first fault, in words; NULL: none */
	uint64_t fault_offset;
	const uint8_t *value; /* of the last key or element; passed over if it is still next */
	struct wk_buf text;   /* for decoded strings with escapes */
};

struct wk_json wk_json_of(struct wk_bytes bytes);

/* Frees the memory of decoding. False if there was a fault, with its place and text in `err`. */
bool wk_json_end(struct wk_json *json, struct wk_err *err);

static inline uint64_t wk_json_offset(const struct wk_json *json)
{
	return (uint64_t)(json->at - json->start);
}

/* The kind of the value that comes next. */
enum wk_json_kind wk_json_peek(struct wk_json *json);

/* False, and the value is passed over, if it is of another kind. */
bool wk_json_enter_object(struct wk_json *json);
bool wk_json_enter_array(struct wk_json *json);

/* False at the end of the container, which is then left. The key is valid until the next text is
 * read. */
bool wk_json_next_key(struct wk_json *json, struct wk_str *key);
bool wk_json_next_element(struct wk_json *json);

void wk_json_skip(struct wk_json *json);

/* Passes over the value and gives a reader for it, which borrows the same bytes and has to be
 * ended as well: by wk_json_end, or so that a fault in it becomes one of `json`. */
struct wk_json wk_json_value(struct wk_json *json);

/* The same, in place of a value read before, which is ended. */
void wk_json_replace_value(struct wk_json *value, struct wk_json *json);
void wk_json_end_value(struct wk_json *value, struct wk_json *json);

/* A string, valid until the next text or key is read. Invalid UTF-8 stays as it is; half of a
 * surrogate pair becomes U+FFFD. */
struct wk_str wk_json_text(struct wk_json *json);

/* Replaces the content of `buf` by a string. */
void wk_json_copy_text(struct wk_json *json, struct wk_buf *buf);

/* Like wk_json_text, but numbers come as they are written: for ids that producers write either way.
 */
struct wk_str wk_json_text_or_number(struct wk_json *json);

bool wk_json_bool(struct wk_json *json);

/* The number times ten to the power of `decimals` (0 to 12), rounded to the nearest whole number,
 * exact as long as the digits fit: use 3 to read fractional microseconds as nanoseconds. Out of
 * range gives the nearest limit. A string that contains a number is accepted. */
int64_t wk_json_scaled(struct wk_json *json, unsigned decimals);
uint64_t wk_json_u64(struct wk_json *json); /* negative ones give 0 */

/* A quick check of the first bytes of a file, for probes: is it JSON, and does it contain `key` as
 * a key of any object, or `text` as any string? All are approximate. */
bool wk_json_looks_like(struct wk_bytes first);
bool wk_json_has_key(struct wk_bytes first, const char *key);
bool wk_json_has_string(struct wk_bytes first, const char *text);

#endif
