#include "formats/perfparser/internal.h"

#include <inttypes.h>

/* A tracepoint's fields are a hash of numbers of names to Qt's variants, in no order. Names were
 * numbered in the order of the fields, so sorting by number restores it. */

#define MOST_FIELDS 64
#define MOST_ITEMS  64 /* of an array */

/* Qt's types of variants. */
enum { QT_INVALID = 0, QT_LIST = 9, QT_BYTES = 12 };

static const struct integer_type {
	uint32_t type;
	uint8_t bytes;
	bool is_signed;
} integer_types[] = {
	{ 2, 4, true },  { 3, 4, false },  { 4, 8, true },   { 5, 8, false }, { 33, 2, true },
	{ 34, 1, true }, { 36, 2, false }, { 37, 1, false }, { 40, 1, true },
};

struct field {
	int32_t name;
	size_t at, len; /* of its text */
};

static void add_text(struct wk_str text, struct wk_buf *out)
{
	const char *nul = text.len ? memchr(text.at, 0, text.len) : NULL;

	if (nul)
		text.len = (size_t)(nul - text.at);
	wk_buf_add_str(out, text);
}

static void add_integer(const struct integer_type *type, struct wk_bytes *body, struct wk_buf *out)
{
	unsigned unused_bits = 64 - 8 * type->bytes;
	uint64_t bits = 0;

	for (unsigned i = 0; i < type->bytes; i++)
		bits = bits << 8 | wk_u8(body);
	if (type->is_signed)
		wk_buf_add_fmt(out, "%" PRId64, (int64_t)(bits << unused_bits) >> unused_bits);
	else
		wk_buf_add_fmt(out, "%" PRIu64, bits);
}

/* False if the type is unknown: then the next field cannot be found. */
static bool add_scalar(uint32_t type, struct wk_bytes *body, struct wk_buf *out)
{
	for (size_t i = 0; i < sizeof(integer_types) / sizeof(integer_types[0]); i++)
		if (integer_types[i].type == type) {
			add_integer(&integer_types[i], body, out);
			return true;
		}
	if (type == QT_BYTES)
		add_text(wk_bytes_str(wk_hotspot_blob(body)), out);
	return type == QT_BYTES || type == QT_INVALID;
}

static bool add_list(struct wk_bytes *body, struct wk_buf *out)
{
	uint32_t count = wk_u32(body);

	for (uint32_t i = 0; i < count && !body->bad; i++) {
		uint32_t type = wk_u32(body);
		size_t len = out->len;

		wk_u8(body); /* whether it is null */
		if (i)
			wk_buf_add_char(out, ',');
		if (!add_scalar(type, body, out))
			return false;
		if (i >= MOST_ITEMS)
			out->len = len;
	}
	return true;
}

static bool add_value(struct wk_bytes *body, struct wk_buf *out)
{
	uint32_t type = wk_u32(body);

	wk_u8(body); /* whether it is null */
	return type == QT_LIST ? add_list(body, out) : add_scalar(type, body, out);
}

static void insert(struct field *fields, size_t count, struct field field)
{
	while (count > 0 && fields[count - 1].name > field.name) {
		fields[count] = fields[count - 1];
		count--;
	}
	fields[count] = field;
}

void wk_hotspot_print_fields(const struct wk_hotspot *hotspot, struct wk_bytes *body,
			     struct wk_buf *text)
{
	struct field fields[MOST_FIELDS];
	struct wk_buf values = { 0 };
	size_t count = 0;

	for (uint32_t left = wk_u32(body); left && count < MOST_FIELDS && !body->bad; left--) {
		struct field field = { .name = (int32_t)wk_u32(body), .at = values.len };

		if (!add_value(body, &values) || body->bad)
			break;
		field.len = values.len - field.at;
		insert(fields, count++, field);
	}
	for (size_t i = 0; i < count; i++) {
		struct wk_str name = wk_hotspot_string(hotspot, fields[i].name);

		wk_buf_add_fmt(text, "%s%.*s=", i ? " " : "", WK_STR_ARG(name));
		wk_buf_add(text, wk_buf_text(&values) + fields[i].at, fields[i].len);
	}
	wk_buf_fini(&values);
}
