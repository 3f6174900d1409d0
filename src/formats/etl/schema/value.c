#include "formats/etl/schema/value.h"

#include <inttypes.h>

#include "base/bisect.h"
#include "base/text/utf16.h"
#include "formats/etl/config/date.h"
#include "formats/etl/config/sid.h"
#include "formats/etl/payload/payload.h"
#include "formats/etl/file/guid.h"

/* ---- text */

static void add_escaped(struct wk_buf *text, struct wk_str value)
{
	for (size_t i = 0; i < value.len; i++) {
		char c = value.at[i];

		if (c == '"' || c == '\\')
			wk_buf_add_char(text, '\\');
		if (c == '\n')
			wk_buf_add_text(text, "\\n");
		else if (c == '\r')
			wk_buf_add_text(text, "\\r");
		else if (c == '\t')
			wk_buf_add_text(text, "\\t");
		else if ((unsigned char)c < 0x20 || c == 0x7f)
			wk_buf_add_fmt(text, "\\x%02x", (unsigned char)c);
		else
			wk_buf_add_char(text, c);
	}
}

static void add_quoted(struct wk_buf *text, struct wk_str value)
{
	wk_buf_add_char(text, '"');
	add_escaped(text, value);
	wk_buf_add_char(text, '"');
}

static void add_text16(struct wk_buf *text, struct wk_bytes utf16)
{
	struct wk_buf utf8 = { 0 };

	wk_utf16_add(&utf8, utf16, false);
	add_quoted(text, wk_buf_str(&utf8));
	wk_buf_fini(&utf8);
}

/* Up to a zero, if there is one. */
static void add_text8(struct wk_buf *text, struct wk_bytes bytes)
{
	add_quoted(text, wk_etl_text8(&bytes));
}

/* Without a length up to a zero, or to the end of the payload if nothing follows. */
static bool read_text16(struct wk_bytes *in, uint32_t length, struct wk_buf *text)
{
	bool has_length = length != WK_ETL_NO_LENGTH;
	struct wk_bytes value = *in;

	if (has_length)
		value = wk_bytes_slice(in, 2 * (uint64_t)length);
	else
		wk_bytes_need(&value, 2);
	if (!value.bad)
		add_text16(text, wk_utf16_text(has_length ? &value : in));
	return !value.bad;
}

static bool read_text8(struct wk_bytes *in, uint32_t length, struct wk_buf *text)
{
	bool has_length = length != WK_ETL_NO_LENGTH;
	struct wk_bytes value = *in;

	if (has_length)
		value = wk_bytes_slice(in, length);
	else
		wk_bytes_need(&value, 1);
	if (!value.bad)
		add_quoted(text, wk_etl_text8(has_length ? &value : in));
	return !value.bad;
}

/* ---- bytes */

static bool read_binary(struct wk_bytes *in, uint64_t bytes, struct wk_buf *text)
{
	struct wk_bytes value = wk_bytes_slice(in, bytes);

	if (value.bad)
		return false;
	wk_buf_add_text(text, "0x");
	while (wk_bytes_left(&value))
		wk_buf_add_fmt(text, "%02x", wk_u8(&value));
	return true;
}

static void add_ipv4(struct wk_bytes *in, struct wk_buf *text)
{
	for (int i = 0; i < 4; i++)
		wk_buf_add_fmt(text, "%s%u", i ? "." : "", wk_u8(in));
}

static unsigned read_port(struct wk_bytes *in)
{
	unsigned high = wk_u8(in);

	return high << 8 | wk_u8(in);
}

/* The longest run of zeros, the first of those, becomes "::". */
static void find_zeros(const unsigned part[8], int *first, int *count)
{
	*first = 8;
	*count = 1; /* a single one stays */
	for (int i = 0; i < 8; i++) {
		int end = i;

		while (end < 8 && part[end] == 0)
			end++;
		if (end - i > *count) {
			*first = i;
			*count = end - i;
		}
	}
}

static void add_ipv6(struct wk_bytes *in, struct wk_buf *text)
{
	unsigned part[8];
	int first, count;

	for (int i = 0; i < 8; i++)
		part[i] = read_port(in);
	find_zeros(part, &first, &count);
	for (int i = 0; i < 8; i++) {
		if (i == first) {
			wk_buf_add_text(text, "::");
			i += count - 1;
			continue;
		}
		wk_buf_add_fmt(text, "%s%x", i && i != first + count ? ":" : "", part[i]);
	}
}

/* A socket address with its port. */
static bool read_socket(struct wk_bytes *in, uint32_t bytes, struct wk_buf *text)
{
	struct wk_bytes whole = wk_bytes_slice(in, bytes), value = whole;
	uint16_t family = wk_u16le(&value);
	unsigned port = read_port(&value);

	if (value.bad)
		return read_binary(&whole, wk_bytes_left(&whole), text) && !whole.bad;
	if (family == 2) {
		add_ipv4(&value, text);
	} else if (family == 23) {
		wk_bytes_skip(&value, 4);
		wk_buf_add_char(text, '[');
		add_ipv6(&value, text);
		wk_buf_add_char(text, ']');
	} else {
		return read_binary(&whole, bytes, text);
	}
	wk_buf_add_fmt(text, ":%u", port);
	return !value.bad;
}

static bool read_sized_binary(struct wk_bytes *in, const struct wk_etl_field *field,
			      uint32_t length, struct wk_buf *text)
{
	if (length == WK_ETL_NO_LENGTH && field->out_type == WK_ETL_OUT_IPV6)
		length = 16;
	if (length == WK_ETL_NO_LENGTH)
		return false;
	if (field->out_type == WK_ETL_OUT_SOCKET)
		return read_socket(in, length, text);
	if (field->out_type == WK_ETL_OUT_IPV6 && length == 16 && wk_bytes_need(in, 16)) {
		add_ipv6(in, text);
		return true;
	}
	return read_binary(in, length, text);
}

static bool read_guid(struct wk_bytes *in, struct wk_buf *text)
{
	struct wk_guid guid = wk_guid_read(in);

	wk_buf_add_char(text, '{');
	wk_guid_add(&guid, text);
	wk_buf_add_char(text, '}');
	return !in->bad;
}

/* Revision, number of parts, an authority of six bytes, then the parts. */
static bool read_sid(struct wk_bytes *in, struct wk_buf *text)
{
	struct wk_bytes sid;
	size_t before = text->len;

	if (!wk_bytes_need(in, 2))
		return false;
	sid = wk_bytes_slice(in, 8 + 4 * (uint64_t)in->at[1]);
	wk_etl_sid_add_numbers(text, sid);
	return text->len > before;
}

/* A structure of two pointers precedes it; if its first is 0 there is no more. */
static bool read_mof_sid(struct wk_bytes *in, unsigned pointer_bytes, struct wk_buf *text)
{
	struct wk_bytes first = *in;

	if (wk_u32le(&first) == 0) {
		wk_bytes_skip(in, 4);
		wk_buf_add_text(text, "none");
		return !in->bad;
	}
	wk_bytes_skip(in, 2 * (uint64_t)pointer_bytes);
	return read_sid(in, text);
}

/* ---- times */

static bool read_system_time(struct wk_bytes *in, struct wk_buf *text)
{
	unsigned part[8];

	for (int i = 0; i < 8; i++)
		part[i] = wk_u16le(in);
	wk_buf_add_fmt(text, "%04u-%02u-%02uT%02u:%02u:%02u.%03u", part[0], part[1], part[3],
		       part[4], part[5], part[6], part[7]);
	return !in->bad;
}

/* ---- numbers */

static bool is_plain_word(struct wk_str word)
{
	for (size_t i = 0; i < word.len; i++)
		if (word.at[i] <= ' ' || word.at[i] == '"' || word.at[i] == '\\')
			return false;
	return word.len > 0;
}

static void add_word(struct wk_buf *text, struct wk_str word)
{
	if (is_plain_word(word))
		wk_buf_add_str(text, word);
	else
		add_quoted(text, word);
}

static bool add_value_word(const struct wk_etl_values *values, uint64_t number, struct wk_buf *text)
{
	uint32_t low = 0, high = values->count;

	WK_BISECT(low, high, values->at[middle].value < number);
	if (low == values->count || values->at[low].value != number)
		return false;
	add_word(text, values->at[low].word);
	return true;
}

/* The names of `values` whose bits are all in `left`; these are removed. */
static bool add_bits(const struct wk_etl_values *values, bool single, bool has_words,
		     uint64_t *left, struct wk_buf *text)
{
	for (uint32_t i = 0; i < values->count; i++) {
		const struct wk_etl_value *value = &values->at[i];

		if (value->value == 0 || ((value->value & (value->value - 1)) == 0) != single ||
		    (*left & value->value) != value->value)
			continue;
		wk_buf_add_text(text, has_words ? "|" : "");
		add_word(text, value->word);
		*left &= ~(uint64_t)value->value;
		has_words = true;
	}
	return has_words;
}

/* "A|B|0x40": names as far as they exist; those for several bits are less precise and come last. */
static bool add_bit_words(const struct wk_etl_values *values, uint64_t number, struct wk_buf *text)
{
	uint64_t left = number;
	bool has_words = add_bits(values, true, false, &left, text);

	has_words = add_bits(values, false, has_words, &left, text);
	if (has_words && left)
		wk_buf_add_fmt(text, "|0x%" PRIx64, left);
	return has_words;
}

static bool add_words(const struct wk_etl_field *field, uint64_t number, struct wk_buf *text)
{
	if (!field->values)
		return false;
	return field->values->are_bits ? add_bit_words(field->values, number, text)
				       : add_value_word(field->values, number, text);
}

static bool is_hex(const struct wk_etl_field *field)
{
	return (field->out_type >= WK_ETL_OUT_HEX && field->out_type <= WK_ETL_OUT_HEX64) ||
	       field->out_type == WK_ETL_OUT_NTSTATUS || field->out_type == WK_ETL_OUT_HRESULT;
}

static void add_number(const struct wk_etl_field *field, unsigned bytes, bool is_signed,
		       uint64_t number, struct wk_buf *text)
{
	if (add_words(field, number, text))
		return;
	if (field->out_type == WK_ETL_OUT_BOOL)
		wk_buf_add_text(text, number ? "true" : "false");
	else if (is_hex(field))
		wk_buf_add_fmt(text, "0x%" PRIx64, number);
	else if (is_signed)
		wk_buf_add_fmt(text, "%" PRId64,
			       (int64_t)(number << (64 - 8 * bytes)) >> (64 - 8 * bytes));
	else
		wk_buf_add_fmt(text, "%" PRIu64, number);
}

static bool read_number(struct wk_bytes *in, const struct wk_etl_field *field, unsigned bytes,
			bool is_signed, uint64_t *number, struct wk_buf *text)
{
	struct wk_bytes value = wk_bytes_slice(in, bytes);

	if (value.bad)
		return false;
	if (field->out_type == WK_ETL_OUT_IPV4 && bytes == 4) {
		add_ipv4(&value, text);
		return true;
	}
	if (field->out_type == WK_ETL_OUT_PORT && bytes == 2) {
		wk_buf_add_fmt(text, "%u", read_port(&value));
		return true;
	}
	for (unsigned i = 0; i < bytes; i++)
		*number |= (uint64_t)wk_u8(&value) << 8 * i;
	if (wk_etl_value_is_character(field)) {
		value.at = value.end - bytes;
		return wk_etl_characters_add(&value, field, 1, text);
	}
	add_number(field, bytes, is_signed, *number, text);
	return true;
}

/* The same in another form than the field's. */
static bool read_as(struct wk_bytes *in, const struct wk_etl_field *field, uint16_t out_type,
		    unsigned bytes, uint64_t *number, struct wk_buf *text)
{
	struct wk_etl_field shown = *field;

	shown.out_type = out_type;
	return read_number(in, &shown, bytes, false, number, text);
}

static bool read_real(struct wk_bytes *in, bool is_double, struct wk_buf *text)
{
	uint64_t bits = is_double ? wk_u64le(in) : wk_u32le(in);
	uint32_t low_bits = (uint32_t)bits;
	double whole;
	float half;

	memcpy(&whole, &bits, sizeof(whole));
	memcpy(&half, &low_bits, sizeof(half));
	wk_buf_add_fmt(text, is_double ? "%.17g" : "%.9g", is_double ? whole : (double)half);
	return !in->bad;
}

/* ---- characters */

static unsigned character_bytes(const struct wk_etl_field *field)
{
	if (field->in_type == WK_ETL_IN_MOF_CHAR16)
		return 2;
	if (field->in_type == WK_ETL_IN_MOF_CHAR8)
		return 1;
	if (field->out_type != WK_ETL_OUT_STRING)
		return 0;
	if (field->in_type == WK_ETL_IN_U16)
		return 2;
	return field->in_type == WK_ETL_IN_U8 || field->in_type == WK_ETL_IN_I8 ? 1 : 0;
}

bool wk_etl_value_is_character(const struct wk_etl_field *field)
{
	return character_bytes(field) > 0;
}

bool wk_etl_characters_add(struct wk_bytes *in, const struct wk_etl_field *field, uint32_t count,
			   struct wk_buf *text)
{
	struct wk_bytes value = wk_bytes_slice(in, (uint64_t)count * character_bytes(field));

	if (value.bad)
		return false;
	if (character_bytes(field) == 2)
		add_text16(text, wk_utf16_text(&value));
	else
		add_text8(text, value);
	return true;
}

static uint32_t swapped(uint16_t number)
{
	return (uint32_t)(number >> 8 | (number & 0xff) << 8);
}

/* Types of classic events only. */
static bool add_mof_value(struct wk_bytes *in, const struct wk_etl_field *field,
			  unsigned pointer_bytes, uint64_t *number, struct wk_buf *text)
{
	switch (field->in_type) {
	case WK_ETL_IN_MOF_COUNTED_TEXT16:
		return read_text16(in, wk_u16le(in) / 2, text);
	case WK_ETL_IN_MOF_COUNTED_TEXT8:
		return read_text8(in, wk_u16le(in), text);
	case WK_ETL_IN_MOF_REVERSED_TEXT16:
		return read_text16(in, swapped(wk_u16le(in)) / 2, text);
	case WK_ETL_IN_MOF_REVERSED_TEXT8:
		return read_text8(in, swapped(wk_u16le(in)), text);
	case WK_ETL_IN_MOF_REST_TEXT16:
		return read_text16(in, (uint32_t)(wk_bytes_left(in) / 2), text);
	case WK_ETL_IN_MOF_REST_TEXT8:
		return read_text8(in, (uint32_t)wk_bytes_left(in), text);
	case WK_ETL_IN_MOF_CHAR16:
	case WK_ETL_IN_MOF_CHAR8:
		return wk_etl_characters_add(in, field, 1, text);
	case WK_ETL_IN_MOF_SIZE:
		return read_as(in, field, WK_ETL_OUT_HEX64, pointer_bytes, number, text);
	case WK_ETL_IN_MOF_HEX_DUMP:
		return read_binary(in, wk_u32le(in), text);
	case WK_ETL_IN_MOF_SID:
		return read_mof_sid(in, pointer_bytes, text);
	default:
		return false;
	}
}

bool wk_etl_value_add(struct wk_bytes *in, const struct wk_etl_field *field, uint32_t length,
		      unsigned pointer_bytes, uint64_t *number, struct wk_buf *text)
{
	unsigned nth = (unsigned)field->in_type - WK_ETL_IN_I8; /* i8, u8, i16, u16 ... */

	*number = 0;
	switch (field->in_type) {
	case WK_ETL_IN_NULL:
		wk_buf_add_text(text, "null");
		return true;
	case WK_ETL_IN_TEXT16:
		return read_text16(in, length, text);
	case WK_ETL_IN_TEXT8:
		return read_text8(in, length, text);
	case WK_ETL_IN_F32:
	case WK_ETL_IN_F64:
		return read_real(in, field->in_type == WK_ETL_IN_F64, text);
	case WK_ETL_IN_BOOL:
		return read_as(in, field, WK_ETL_OUT_BOOL, 4, number, text);
	case WK_ETL_IN_BINARY:
		return read_sized_binary(in, field, length, text);
	case WK_ETL_IN_COUNTED_BINARY:
		return read_sized_binary(in, field, wk_u16le(in), text) && !in->bad;
	case WK_ETL_IN_GUID:
		return read_guid(in, text);
	case WK_ETL_IN_POINTER:
		return read_as(in, field, WK_ETL_OUT_HEX64, pointer_bytes, number, text);
	case WK_ETL_IN_FILETIME:
		wk_etl_date_add_exact(text, wk_u64le(in));
		return !in->bad;
	case WK_ETL_IN_SYSTEMTIME:
		return read_system_time(in, text);
	case WK_ETL_IN_SID:
		return read_sid(in, text);
	case WK_ETL_IN_HEX32:
	case WK_ETL_IN_HEX64:
		return read_as(in, field, WK_ETL_OUT_HEX64,
			       field->in_type == WK_ETL_IN_HEX32 ? 4 : 8, number, text);
	case WK_ETL_IN_COUNTED_TEXT16:
		return read_text16(in, wk_u16le(in) / 2, text) && !in->bad;
	case WK_ETL_IN_COUNTED_TEXT8:
		return read_text8(in, wk_u16le(in), text) && !in->bad;
	default:
		if (field->in_type >= WK_ETL_IN_I8 && field->in_type <= WK_ETL_IN_U64)
			return read_number(in, field, 1u << nth / 2, nth % 2 == 0, number, text);
		return add_mof_value(in, field, pointer_bytes, number, text) && !in->bad;
	}
}
