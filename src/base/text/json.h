/* JSON, pulled piece by piece out of bytes that somebody else owns; no tree is built.
 *
 * The caller's own nesting is the nesting of what it wants to know, and everything else is
 * passed over, however deep, without recursion and without memory:
 *
 *	struct wk_json json = wk_json_of(bytes);
 *	wk_json_enter_object(&json);
 *	while (wk_json_next_key(&json, &key))
 *		if (wk_str_is(key, "samples") && wk_json_enter_array(&json))
 *			while (wk_json_next_element(&json))
 *				add(wk_json_u64(&json));
 *		else
 *			wk_json_skip(&json);
 *	ok = wk_json_end(&json, err);
 *
 * After a true wk_json_next_key or wk_json_next_element exactly one value must be taken. A
 * value of another kind than was asked for is passed over and gives zero, the empty text or
 * a container that is not entered, so hostile kinds need no checks. wk_json_value sets a
 * value aside as a reader of its own, to be read later or twice.
 *
 * A fault (a missing colon, say) is kept with its offset; from then on nothing comes any more
 * and every loop ends. An input that ends early is no fault: open containers end there and
 * `is_cut` is set, since programs that are killed leave such files. Tolerated besides: a comma
 * before a closing bracket, several values without a comma between them, control characters in
 * strings, a byte order mark, NaN and other bare words (they count as null). */
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
	struct wk_buf text; /* where strings with escapes are decoded */
};

struct wk_json wk_json_of(struct wk_bytes bytes);

/* Frees what decoding needed. False if there was a fault, with where and what in `err`. */
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

/* False at the end of the container, which is then behind us. The key is valid until the next
 * text is asked for. */
bool wk_json_next_key(struct wk_json *json, struct wk_str *key);
bool wk_json_next_element(struct wk_json *json);

void wk_json_skip(struct wk_json *json);

/* Passes over the value and gives a reader for it, which borrows the same bytes and has to be
 * ended as well: by wk_json_end, or so that a fault in it becomes one of `json`. */
struct wk_json wk_json_value(struct wk_json *json);
void wk_json_end_value(struct wk_json *value, struct wk_json *json);

/* A string, valid until the next text or key is asked for. What is not UTF-8 stays as it is;
 * half a surrogate pair becomes U+FFFD. */
struct wk_str wk_json_text(struct wk_json *json);

/* The same, but numbers come as they are written: for ids that producers write either way. */
struct wk_str wk_json_text_or_number(struct wk_json *json);

bool wk_json_bool(struct wk_json *json);

/* The number times ten to the power of `decimals` (0 to 12), rounded to the nearest whole
 * number, exact as long as the digits fit: microseconds with a fraction to nanoseconds is 3.
 * Beyond the range the nearest end of it. A string that holds a number is taken as one. */
int64_t wk_json_scaled(struct wk_json *json, unsigned decimals);
uint64_t wk_json_u64(struct wk_json *json); /* negative ones give 0 */

static inline int64_t wk_json_i64(struct wk_json *json)
{
	return wk_json_scaled(json, 0);
}

/* A quick look at the first bytes of a file, for probes: is it JSON, and does `key` stand in
 * it as a key of any object, or `text` as any string? All are approximate. */
bool wk_json_looks_like(struct wk_bytes first);
bool wk_json_has_key(struct wk_bytes first, const char *key);
bool wk_json_has_string(struct wk_bytes first, const char *text);

#endif
