#include "formats/perfparser/internal.h"

#include <inttypes.h>

/* A tracepoint's fields are a hash of numbers of names to Qt's variants, in no order. Names were
 * numbered in the order of the fields, so sorting by number restores it. */

#define MOST_FIELDS 64
#define MOST_ITEMS  64 /* of an array */

/* Qt's types of variants. */
enum {
	QT_INVALID = 0,
	QT_INT = 2,
	QT_UINT = 3,
	QT_LONGLONG = 4,
	QT_ULONGLONG = 5,
	QT_LIST = 9,
	QT_BYTES = 12,
	QT_SHORT = 33,
	QT_CHAR = 34,
	QT_USHORT = 36,
	QT_UCHAR = 37,
	QT_SCHAR = 40,
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

/* False if the type is unknown: then the next field cannot be found. */
static bool add_scalar(uint32_t type, struct wk_bytes *body, struct wk_buf *out)
{
	switch (type) {
	case QT_INVALID:
		return true;
	case QT_INT:
		wk_buf_add_fmt(out, "%" PRId32, (int32_t)wk_u32(body));
		return true;
	case QT_UINT:
		wk_buf_add_fmt(out, "%" PRIu32, wk_u32(body));
		return true;
	case QT_LONGLONG:
		wk_buf_add_fmt(out, "%" PRId64, (int64_t)wk_u64(body));
		return true;
	case QT_ULONGLONG:
		wk_buf_add_fmt(out, "%" PRIu64, wk_u64(body));
		return true;
	case QT_SHORT:
		wk_buf_add_fmt(out, "%d", (int16_t)wk_u16(body));
		return true;
	case QT_USHORT:
		wk_buf_add_fmt(out, "%d", wk_u16(body));
		return true;
	case QT_CHAR:
	case QT_SCHAR:
		wk_buf_add_fmt(out, "%d", (int8_t)wk_u8(body));
		return true;
	case QT_UCHAR:
		wk_buf_add_fmt(out, "%d", wk_u8(body));
		return true;
	case QT_BYTES:
		add_text(wk_bytes_str(wk_hotspot_blob(body)), out);
		return true;
	default:
		return false;
	}
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
