#include "formats/scan.h"
#include "formats/tracepoint/format_internal.h"

uint64_t wk_trace_read(const struct wk_bytes *raw, uint64_t offset, uint64_t size)
{
	struct wk_bytes piece = wk_bytes_at(raw, offset, size);

	switch (piece.bad ? 0 : size) {
	case 1:
		return wk_u8(&piece);
	case 2:
		return wk_u16(&piece);
	case 4:
		return wk_u32(&piece);
	case 8:
		return wk_u64(&piece);
	default:
		return 0;
	}
}

/* The bytes of a field or, if it is dynamic, those it refers to. */
static struct wk_bytes field_bytes(const struct wk_trace_field *field, const struct wk_bytes *raw)
{
	uint64_t word, offset;

	if (!field->is_dynamic)
		return wk_bytes_at(raw, field->offset, field->size);
	word = wk_trace_read(raw, field->offset, field->size);
	offset = word & 0xffff;
	if (field->is_relative)
		offset += (uint64_t)field->offset + field->size;
	return wk_bytes_at(raw, offset, word >> 16 & 0xffff);
}

void wk_trace_clear_bad_places(const struct wk_trace_format *format, struct wk_bytes raw,
			       uint8_t *copy)
{
	for (size_t i = 0; i < format->field_count; i++) {
		const struct wk_trace_field *field = &format->fields[i];

		if (field->is_dynamic && field_bytes(field, &raw).bad)
			memset(copy + field->offset, 0, field->size);
	}
}

/* Up to the first NUL, if there is one. */
static struct wk_str text_of(struct wk_bytes bytes)
{
	size_t size = wk_bytes_left(&bytes);
	const void *nul = size ? memchr(bytes.at, 0, size) : NULL;

	return wk_str_of((const char *)bytes.at,
			 nul ? (size_t)((const uint8_t *)nul - bytes.at) : size);
}

static bool is_readable(struct wk_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.at[i];

		if ((c < ' ' || c > '~') && (c < '\t' || c > '\r'))
			return false;
	}
	return true;
}

static void add_array(const struct wk_trace_field *field, struct wk_bytes bytes, struct wk_buf *out)
{
	if (field->is_text && is_readable(text_of(bytes))) {
		wk_buf_add_str(out, text_of(bytes));
		return;
	}
	wk_buf_add_text(out, "ARRAY[");
	for (size_t i = 0; wk_bytes_left(&bytes) > 0 && !out->full; i++)
		wk_buf_add_fmt(out, "%s%02x", i ? ", " : "", wk_u8(&bytes));
	wk_buf_add_char(out, ']');
}

static void add_number(const struct wk_trace_field *field, unsigned long long value,
		       struct wk_buf *out)
{
	bool is_long = wk_str_find(field->type, "long") != SIZE_MAX;

	if (field->is_pointer || (is_long && (!field->is_signed || field->size == 4)))
		wk_buf_add_fmt(out, "0x%llx", value);
	else if (!field->is_signed)
		wk_buf_add_fmt(out, "%llu", value);
	else if (field->size == 4)
		wk_buf_add_fmt(out, "%d", (int)value);
	else if (field->size == 2)
		wk_buf_add_fmt(out, "%2d", (int16_t)value);
	else if (field->size == 1)
		wk_buf_add_fmt(out, "%1d", (int8_t)value);
	else
		wk_buf_add_fmt(out, "%lld", (long long)value);
}

void wk_trace_fields_text(const struct wk_trace_format *format, struct wk_bytes raw,
			  struct wk_buf *out)
{
	const char *before = "";

	for (size_t i = 0; i < format->field_count && !out->full; i++) {
		const struct wk_trace_field *field = &format->fields[i];

		if (field->is_common)
			continue;
		wk_buf_add_fmt(out, "%s%.*s=", before, WK_STR_ARG(field->name));
		if (field->is_array)
			add_array(field, field_bytes(field, &raw), out);
		else
			add_number(field, wk_trace_read(&raw, field->offset, field->size), out);
		before = " ";
	}
}
