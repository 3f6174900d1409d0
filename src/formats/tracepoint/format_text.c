/* What arguments of %s write, and fields without any `print fmt`. */
#include "formats/scan.h"
#include "formats/tracepoint/format_internal.h"

#define COPIED_AT_ONCE 16 /* bytes of text for a step */

/* Up to the first NUL, if there is one. */
static struct wk_str text_of(struct wk_bytes bytes)
{
	size_t size = wk_bytes_left(&bytes);
	const void *nul = size ? memchr(bytes.at, 0, size) : NULL;

	return wk_str_of((const char *)bytes.at,
			 nul ? (size_t)((const uint8_t *)nul - bytes.at) : size);
}

/* Flags of the kernel's that its descriptions leave as names are not numbers: they match none. */
static void flags_text(const struct wk_trace_sample *sample, const struct wk_trace_node *node,
		       struct wk_buf *out)
{
	const struct wk_trace_node *nodes = sample->event->program.nodes;
	uint64_t value = wk_trace_number(sample, node->a);
	bool any = false;

	for (uint32_t i = node->b; i; i = nodes[i].next) {
		int64_t flag = (int64_t)nodes[i].number;

		if (!wk_trace_step(sample, 1))
			return;
		if (value == 0 && flag < 0) {
			wk_buf_add_str(out, nodes[i].text);
			return;
		}
		if (flag <= 0 || (value & (uint64_t)flag) != (uint64_t)flag)
			continue;
		if (any)
			wk_buf_add_str(out, node->text);
		wk_buf_add_str(out, nodes[i].text);
		any = true;
		value &= ~(uint64_t)flag;
	}
	if (value == 0)
		return;
	if (any)
		wk_buf_add_str(out, node->text);
	wk_buf_add_fmt(out, "0x%llx", (unsigned long long)value);
}

static void symbolic_text(const struct wk_trace_sample *sample, const struct wk_trace_node *node,
			  struct wk_buf *out)
{
	const struct wk_trace_symbol *symbols = sample->event->program.symbols;
	uint64_t value = wk_trace_number(sample, node->a);
	size_t low = node->c, end = low + (size_t)node->number, high = end;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (symbols[middle].value < value)
			low = middle + 1;
		else
			high = middle;
	}
	if (low < end && symbols[low].value == value)
		wk_buf_add_str(out, symbols[low].text);
	else
		wk_buf_add_fmt(out, "0x%llx", (unsigned long long)value);
}

/* The bytes from where an argument points to the end of the sample. */
static struct wk_bytes bytes_from(const struct wk_trace_sample *sample, uint32_t node)
{
	const struct wk_trace_node *where = wk_trace_uncast(&sample->event->program, node);
	struct wk_bytes bytes = { 0 };

	if (where->kind == WK_TRACE_FIELD || where->kind == WK_TRACE_DYNAMIC ||
	    where->kind == WK_TRACE_STRING) {
		bytes = wk_trace_field_bytes(sample, where->field);
		bytes.end = bytes.bad ? bytes.at : sample->raw.end;
	}
	return bytes;
}

static void add_hex_byte(struct wk_buf *out, uint8_t byte)
{
	static const char digits[] = "0123456789abcdef";

	wk_buf_add(out, (char[2]){ digits[byte >> 4], digits[byte & 15] }, 2);
}

static void add_decimal(struct wk_buf *out, uint64_t value)
{
	char text[20];
	size_t at = sizeof(text);

	do
		text[--at] = (char)('0' + value % 10);
	while (value /= 10);
	wk_buf_add(out, text + at, sizeof(text) - at);
}

static void hex_text(const struct wk_trace_sample *sample, const struct wk_trace_node *node,
		     struct wk_buf *out)
{
	struct wk_bytes bytes = bytes_from(sample, node->a);
	uint64_t count = wk_trace_number(sample, node->b);

	for (uint64_t i = 0; i < count && wk_bytes_left(&bytes) > 0; i++) {
		if (out->full || !wk_trace_step(sample, 1))
			return;
		if (i && node->kind == WK_TRACE_HEX)
			wk_buf_add_char(out, ' ');
		add_hex_byte(out, wk_u8(&bytes));
	}
}

static void numbers_text(const struct wk_trace_sample *sample, const struct wk_trace_node *node,
			 struct wk_buf *out)
{
	struct wk_bytes bytes = bytes_from(sample, node->a);
	uint64_t count = wk_trace_number(sample, node->b), size = wk_trace_number(sample, node->c);
	uint64_t offset = bytes.at ? (uint64_t)(bytes.at - bytes.start) : 0;

	if (size != 1 && size != 2 && size != 4 && size != 8)
		return;
	for (uint64_t i = 0; i < count && i < wk_bytes_left(&bytes) / size; i++) {
		if (out->full || !wk_trace_step(sample, 1))
			return;
		if (i)
			wk_buf_add_char(out, ' ');
		add_decimal(out, wk_trace_read(sample, offset + i * size, size));
	}
}

/* As the kernel prints them: words of 32 bits, the highest first, apart by commas. */
static void bitmask_text(const struct wk_trace_sample *sample, const struct wk_trace_node *node,
			 struct wk_buf *out)
{
	struct wk_bytes bytes = wk_trace_field_bytes(sample, node->field);
	uint64_t offset = bytes.at ? (uint64_t)(bytes.at - bytes.start) : 0;
	size_t words = wk_bytes_left(&bytes) / 4;

	for (size_t i = words; i > 0 && !out->full && wk_trace_step(sample, 4); i--) {
		uint64_t word = wk_trace_read(sample, offset + (i - 1) * 4, 4);

		for (int shift = 24; shift >= 0; shift -= 8)
			add_hex_byte(out, (uint8_t)(word >> shift));
		if (i > 1)
			wk_buf_add_char(out, ',');
	}
}

/* An array of characters as text; a pointer by what it points at, which only the table of
 * trace_printk can tell. */
static void field_text(const struct wk_trace_sample *sample, const struct wk_trace_node *node,
		       struct wk_buf *out)
{
	const struct wk_trace_field *field = node->field;
	struct wk_str text;
	uint64_t value;

	if (field->is_array || field->size != sample->formats->long_bytes) {
		wk_buf_add_str(out, text_of(wk_trace_field_bytes(sample, field)));
		return;
	}
	value = wk_trace_read(sample, field->offset, field->size);
	if (wk_trace_find_printk(sample->formats, value, &text))
		wk_buf_add_str(out, text);
	else
		wk_buf_add_fmt(out, "%llx", (unsigned long long)value);
}

void wk_trace_text(const struct wk_trace_sample *sample, uint32_t number, struct wk_buf *out)
{
	const struct wk_trace_node *node = &sample->event->program.nodes[number];
	size_t before = out->len;

	if (out->full || !wk_trace_step(sample, 1))
		return;
	switch (node->kind) {
	case WK_TRACE_TEXT:
		wk_buf_add_str(out, node->text);
		break;
	case WK_TRACE_FIELD:
		field_text(sample, node, out);
		break;
	case WK_TRACE_CAST:
		wk_trace_text(sample, node->a, out);
		break;
	case WK_TRACE_CHOICE:
		wk_trace_text(sample, wk_trace_number(sample, node->a) ? node->b : node->c, out);
		break;
	case WK_TRACE_FLAGS:
		flags_text(sample, node, out);
		break;
	case WK_TRACE_SYMBOLIC:
		symbolic_text(sample, node, out);
		break;
	case WK_TRACE_HEX:
	case WK_TRACE_HEX_PLAIN:
		hex_text(sample, node, out);
		break;
	case WK_TRACE_NUMBERS:
		numbers_text(sample, node, out);
		break;
	case WK_TRACE_STRING:
	case WK_TRACE_DYNAMIC:
		wk_buf_add_str(out, text_of(bytes_from(sample, number)));
		break;
	case WK_TRACE_BITMASK:
		bitmask_text(sample, node, out);
		break;
	case WK_TRACE_SOCKADDR:
		wk_trace_sockaddr_text(wk_trace_field_bytes(sample, node->field), true, out);
		break;
	default:
		break;
	}
	wk_trace_step(sample, (out->len - before) / COPIED_AT_ONCE);
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

static void array_text(const struct wk_trace_sample *sample, const struct wk_trace_field *field,
		       struct wk_buf *out)
{
	struct wk_bytes bytes = wk_trace_field_bytes(sample, field);

	if (field->is_text && is_readable(text_of(bytes))) {
		wk_buf_add_str(out, text_of(bytes));
		return;
	}
	wk_buf_add_text(out, "ARRAY[");
	for (size_t i = 0; wk_bytes_left(&bytes) > 0 && !out->full; i++) {
		if (i)
			wk_buf_add_text(out, ", ");
		add_hex_byte(out, wk_u8(&bytes));
	}
	wk_buf_add_char(out, ']');
}

static void number_text(const struct wk_trace_sample *sample, const struct wk_trace_field *field,
			struct wk_buf *out)
{
	unsigned long long value = wk_trace_read(sample, field->offset, field->size);
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

void wk_trace_fields_text(const struct wk_trace_sample *sample, struct wk_buf *out)
{
	const struct wk_trace_format *format = &sample->event->format;

	for (size_t i = 0; i < format->field_count && !out->full; i++) {
		const struct wk_trace_field *field = &format->fields[i];

		if (field->is_common)
			continue;
		wk_buf_add_fmt(out, " %.*s=", WK_STR_ARG(field->name));
		if (field->is_array)
			array_text(sample, field, out);
		else
			number_text(sample, field, out);
	}
}
