#include "base/text/json.h"

#include <string.h>

#include "base/num.h"
#include "base/text/utf8.h"

#define MOST_NUMBER 400 /* bytes of one number: no 64-bit float needs more */

struct wk_json wk_json_of(struct wk_bytes bytes)
{
	struct wk_json json = { .at = bytes.at, .end = bytes.end, .start = bytes.start };

	if (json.end - json.at >= 3 && memcmp(json.at, "\xef\xbb\xbf", 3) == 0)
		json.at += 3;
	return json;
}

static void fault(struct wk_json *json, const char *expected)
{
	if (!json->expected) {
		json->expected = expected;
		json->fault_offset = wk_json_offset(json);
	}
	json->end = json->at;
}

/* The end of the input is not a fault. */
static void cut_or_fault(struct wk_json *json, const char *expected)
{
	if (json->at == json->end)
		json->is_cut = true;
	else
		fault(json, expected);
}

bool wk_json_end(struct wk_json *json, struct wk_err *err)
{
	wk_buf_fini(&json->text);
	if (!json->expected)
		return true;
	return wk_fail(err, WK_ECORRUPT, json->fault_offset, "JSON: expected %s", json->expected);
}

static bool is_space(uint8_t c)
{
	return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static uint8_t byte_behind_space(struct wk_json *json)
{
	while (json->at < json->end && is_space(*json->at))
		json->at++;
	return json->at < json->end ? *json->at : 0;
}

/* The next significant byte, not consumed; 0 at the end. Most files have few blanks. */
static inline uint8_t next_byte(struct wk_json *json)
{
	return json->at<json->end && * json->at> ' ' ? *json->at : byte_behind_space(json);
}

static bool begins_number(uint8_t c)
{
	return (c >= '0' && c <= '9') || c == '-' || c == '+' || c == '.';
}

enum wk_json_kind wk_json_peek(struct wk_json *json)
{
	uint8_t c = next_byte(json);

	switch (c) {
	case '{':
		return WK_JSON_OBJECT;
	case '[':
		return WK_JSON_ARRAY;
	case '"':
		return WK_JSON_STRING;
	case 't':
	case 'f':
		return WK_JSON_BOOL;
	}
	if (begins_number(c))
		return WK_JSON_NUMBER;
	if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
		return WK_JSON_NULL;
	cut_or_fault(json, "a value");
	return WK_JSON_NONE;
}

static bool enter(struct wk_json *json, enum wk_json_kind kind)
{
	if (wk_json_peek(json) != kind) {
		wk_json_skip(json);
		return false;
	}
	json->at++;
	return true;
}

bool wk_json_enter_object(struct wk_json *json)
{
	return enter(json, WK_JSON_OBJECT);
}

bool wk_json_enter_array(struct wk_json *json)
{
	return enter(json, WK_JSON_ARRAY);
}

/* Skips a value that was not read, and commas; false at `close`, which is consumed, and at the end
 * of the input. */
static bool has_next(struct wk_json *json, uint8_t close)
{
	uint8_t c;

	if (json->at == json->value)
		wk_json_skip(json);
	c = next_byte(json);
	while (c == ',') {
		json->at++;
		c = next_byte(json);
	}
	if (c == close) {
		json->at++;
		return false;
	}
	if (json->at == json->end)
		json->is_cut = true;
	return json->at < json->end;
}

static bool begin_value(struct wk_json *json)
{
	bool ok = wk_json_peek(json) != WK_JSON_NONE;

	json->value = json->at;
	return ok;
}

bool wk_json_next_element(struct wk_json *json)
{
	return has_next(json, ']') && begin_value(json);
}

bool wk_json_next_key(struct wk_json *json, struct wk_str *key)
{
	if (!has_next(json, '}'))
		return false;
	if (*json->at != '"') {
		fault(json, "a key in double quotes or }");
		return false;
	}
	*key = wk_json_text(json);
	if (next_byte(json) != ':') {
		cut_or_fault(json, "a colon behind the key");
		return false;
	}
	json->at++;
	return begin_value(json);
}

/* --- Strings ------------------------------------------------------------------------------ */

/* Skips a string that begins at `at` and returns the text between its quotes, escapes included. An
 * unclosed string reaches to the end of the input. */
static struct wk_str read_string(struct wk_json *json, bool *has_escapes)
{
	const uint8_t *from = json->at + 1;
	const uint8_t *at = from;

	*has_escapes = false;
	while (at < json->end && *at != '"') {
		if (*at == '\\') {
			*has_escapes = true;
			at++;
		}
		at++;
	}
	if (at >= json->end) {
		json->is_cut = true;
		at = json->end;
	}
	json->at = at < json->end ? at + 1 : at;
	return wk_str_of((const char *)from, (size_t)(at - from));
}

/* Four hexadecimal digits at `text`, or UINT32_MAX. */
static uint32_t hex4(struct wk_str text)
{
	uint64_t value;

	return text.len >= 4 && wk_num_hex(wk_str_of(text.at, 4), &value) ? (uint32_t)value
									  : UINT32_MAX;
}

/* The digits after "\u"; the second half of a pair is consumed with the first. */
static void decode_unicode(struct wk_str *rest, struct wk_buf *out)
{
	uint32_t high = hex4(*rest), low;

	if (high == UINT32_MAX) {
		wk_buf_add_char(out, 'u');
		return;
	}
	*rest = wk_str_skip(*rest, 4);
	if (high >= 0xd800 && high < 0xdc00 && wk_str_starts(*rest, "\\u")) {
		low = hex4(wk_str_skip(*rest, 2));
		if (low >= 0xdc00 && low < 0xe000) {
			*rest = wk_str_skip(*rest, 6);
			high = 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00);
		}
	}
	wk_utf8_add(out, high >= 0xd800 && high < 0xe000 ? 0xfffd : high);
}

static void decode_escape(struct wk_str *rest, struct wk_buf *out)
{
	static const char from[] = "bfnrt", to[] = "\b\f\n\r\t";
	char c = rest->len ? rest->at[0] : '\0';
	const char *known = c ? strchr(from, c) : NULL;

	if (rest->len == 0)
		return;
	*rest = wk_str_skip(*rest, 1);
	if (c == 'u')
		decode_unicode(rest, out);
	else
		wk_buf_add_char(out, known ? to[known - from] : c);
}

static struct wk_str decode(struct wk_json *json, struct wk_str raw)
{
	wk_buf_reset(&json->text);
	while (raw.len) {
		const char *slash = memchr(raw.at, '\\', raw.len);
		size_t plain = slash ? (size_t)(slash - raw.at) : raw.len;

		wk_buf_add(&json->text, raw.at, plain);
		raw = wk_str_skip(raw, plain + 1);
		if (slash)
			decode_escape(&raw, &json->text);
	}
	return wk_buf_str(&json->text);
}

struct wk_str wk_json_text(struct wk_json *json)
{
	struct wk_str raw;
	bool has_escapes;

	if (wk_json_peek(json) != WK_JSON_STRING) {
		wk_json_skip(json);
		return wk_str_c("");
	}
	raw = read_string(json, &has_escapes);
	return has_escapes ? decode(json, raw) : raw;
}

/* --- Numbers and words --------------------------------------------------------------------- */

/* A number or a bare word as it is written. */
static struct wk_str read_word(struct wk_json *json)
{
	const uint8_t *from = json->at;

	while (json->at < json->end && !is_space(*json->at) && *json->at != ',' &&
	       *json->at != ':' && *json->at != '"' && *json->at != '[' && *json->at != ']' &&
	       *json->at != '{' && *json->at != '}')
		json->at++;
	return wk_str_of((const char *)from, (size_t)(json->at - from));
}

void wk_json_copy_text(struct wk_json *json, struct wk_buf *buf)
{
	wk_buf_reset(buf);
	wk_buf_add_str(buf, wk_json_text(json));
}

struct wk_str wk_json_text_or_number(struct wk_json *json)
{
	return wk_json_peek(json) == WK_JSON_NUMBER ? read_word(json) : wk_json_text(json);
}

static struct wk_str number_text(struct wk_json *json)
{
	struct wk_str text = wk_json_text_or_number(json);

	return text.len <= MOST_NUMBER ? text : wk_str_c("");
}

bool wk_json_bool(struct wk_json *json)
{
	if (wk_json_peek(json) == WK_JSON_BOOL)
		return wk_str_is(read_word(json), "true");
	wk_json_skip(json);
	return false;
}

/* digits * 10^exponent; digits beyond the 19th only move the exponent. */
struct decimal {
	uint64_t digits;
	int64_t exponent;
	bool is_negative;
};

static int64_t exponent_of(struct wk_str text)
{
	bool is_negative = text.len && text.at[0] == '-';
	int64_t value = 0;

	if (text.len && (text.at[0] == '-' || text.at[0] == '+'))
		text = wk_str_skip(text, 1);
	for (size_t i = 0; i < text.len && text.at[i] >= '0' && text.at[i] <= '9'; i++)
		if (value < 100000)
			value = value * 10 + (text.at[i] - '0');
	return is_negative ? -value : value;
}

static struct decimal decimal_of(struct wk_str text)
{
	struct decimal number = { .is_negative = text.len && text.at[0] == '-' };
	bool in_fraction = false, is_full = false;
	size_t i = text.len && (text.at[0] == '-' || text.at[0] == '+');

	for (; i < text.len; i++) {
		uint64_t digit = (uint64_t)(text.at[i] - '0');

		if (text.at[i] == '.') {
			in_fraction = true;
			continue;
		}
		if (digit > 9)
			break;
		is_full = is_full || number.digits > (UINT64_MAX - digit) / 10;
		if (is_full) {
			number.exponent += !in_fraction;
			continue;
		}
		number.digits = number.digits * 10 + digit;
		number.exponent -= in_fraction;
	}
	if (i < text.len && (text.at[i] == 'e' || text.at[i] == 'E'))
		number.exponent += exponent_of(wk_str_skip(text, i + 1));
	return number;
}

/* The size without the sign, rounded half up; UINT64_MAX beyond the range. */
static uint64_t whole(struct decimal number)
{
	if (number.digits == 0)
		return 0;
	for (; number.exponent > 0; number.exponent--) {
		if (number.digits > UINT64_MAX / 10)
			return UINT64_MAX;
		number.digits *= 10;
	}
	for (; number.exponent < -1 && number.digits; number.exponent++)
		number.digits /= 10;
	return number.exponent == -1 ? number.digits / 10 + (number.digits % 10 >= 5)
				     : number.digits;
}

int64_t wk_json_scaled(struct wk_json *json, unsigned decimals)
{
	struct decimal number = decimal_of(number_text(json));
	uint64_t size;

	number.exponent += decimals;
	size = whole(number);
	if (size > INT64_MAX)
		return number.is_negative ? INT64_MIN : INT64_MAX;
	return number.is_negative ? -(int64_t)size : (int64_t)size;
}

uint64_t wk_json_u64(struct wk_json *json)
{
	struct decimal number = decimal_of(number_text(json));

	return number.is_negative ? 0 : whole(number);
}

/* --- Passing over -------------------------------------------------------------------------- */

/* Brackets are counted, not matched, so any depth costs nothing. */
static void skip_container(struct wk_json *json)
{
	uint64_t depth = 0;
	bool has_escapes;

	while (json->at < json->end) {
		uint8_t c = *json->at;

		if (c == '"') {
			read_string(json, &has_escapes);
			continue;
		}
		json->at++;
		if (c == '{' || c == '[')
			depth++;
		else if ((c == '}' || c == ']') && --depth == 0)
			return;
	}
	json->is_cut = true;
}

void wk_json_skip(struct wk_json *json)
{
	bool has_escapes;

	switch (wk_json_peek(json)) {
	case WK_JSON_OBJECT:
	case WK_JSON_ARRAY:
		skip_container(json);
		break;
	case WK_JSON_STRING:
		read_string(json, &has_escapes);
		break;
	case WK_JSON_NUMBER:
	case WK_JSON_BOOL:
	case WK_JSON_NULL:
		read_word(json);
		break;
	case WK_JSON_NONE:
		break;
	}
}

struct wk_json wk_json_value(struct wk_json *json)
{
	struct wk_json value = { .start = json->start };

	wk_json_peek(json);
	value.at = json->at;
	wk_json_skip(json);
	value.end = json->at;
	return value;
}

void wk_json_replace_value(struct wk_json *value, struct wk_json *json)
{
	wk_json_end(value, NULL);
	*value = wk_json_value(json);
}

void wk_json_end_value(struct wk_json *value, struct wk_json *json)
{
	if (value->expected && !json->expected) {
		json->expected = value->expected;
		json->fault_offset = value->fault_offset;
		json->end = json->at;
	}
	wk_json_end(value, NULL);
}

/* --- Looking ------------------------------------------------------------------------------- */

bool wk_json_looks_like(struct wk_bytes first)
{
	struct wk_json json = wk_json_of(first);
	uint8_t open = next_byte(&json), next;

	if (open != '{' && open != '[')
		return false;
	json.at++;
	next = next_byte(&json);
	return open == '{' ? next == '"' || next == '}' : next == '{' || next == '[' || next == ']';
}

static bool finds(struct wk_bytes first, const char *wanted, bool must_be_key)
{
	struct wk_json json = wk_json_of(first);

	while (json.at < json.end) {
		struct wk_str text;
		bool has_escapes;

		if (*json.at != '"') {
			json.at++;
			continue;
		}
		text = read_string(&json, &has_escapes);
		if (wk_str_is(text, wanted) && (!must_be_key || next_byte(&json) == ':'))
			return true;
	}
	return false;
}

bool wk_json_has_key(struct wk_bytes first, const char *key)
{
	return finds(first, key, true);
}

bool wk_json_has_string(struct wk_bytes first, const char *text)
{
	return finds(first, text, false);
}
