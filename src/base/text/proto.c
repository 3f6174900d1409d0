#include "base/text/proto.h"

enum wire_type {
	WIRE_VARINT = 0,
	WIRE_FIXED64 = 1,
	WIRE_BYTES = 2,
	WIRE_FIXED32 = 5,
};

#define MOST_FIELD_NUMBER ((1u << 29) - 1)

bool wk_proto_next(struct wk_bytes *message, struct wk_proto_field *field)
{
	uint64_t tag;

	*field = (struct wk_proto_field){ 0 };
	if (message->bad || wk_bytes_left(message) == 0)
		return false;
	tag = wk_uleb(message);
	if (tag >> 3 == 0 || tag >> 3 > MOST_FIELD_NUMBER)
		message->bad = true;
	field->number = (uint32_t)(tag >> 3);
	switch (tag & 7) {
	case WIRE_VARINT:
		field->value = wk_uleb(message);
		break;
	case WIRE_FIXED64:
		field->value = wk_u64le(message);
		break;
	case WIRE_FIXED32:
		field->value = wk_u32le(message);
		break;
	case WIRE_BYTES:
		field->is_bytes = true;
		field->bytes = wk_bytes_slice(message, wk_uleb(message));
		break;
	default:
		message->bad = true;
	}
	return !message->bad;
}

bool wk_proto_number(struct wk_proto_field *field, uint64_t *value)
{
	if (field->is_bytes) {
		if (field->bytes.bad || wk_bytes_left(&field->bytes) == 0)
			return false;
		*value = wk_uleb(&field->bytes);
		return !field->bytes.bad;
	}
	*value = field->value;
	if (field->is_taken)
		return false;
	field->is_taken = true;
	return true;
}

void wk_proto_add_packed(struct wk_buf *numbers, uint64_t value)
{
	for (; value >= 0x80; value >>= 7)
		wk_buf_add_char(numbers, (char)(value | 0x80));
	wk_buf_add_char(numbers, (char)value);
}

static void add_tag(struct wk_buf *message, uint32_t field, enum wire_type type)
{
	wk_proto_add_packed(message, (uint64_t)field << 3 | type);
}

void wk_proto_add_number(struct wk_buf *message, uint32_t field, uint64_t value)
{
	if (value == 0)
		return;
	add_tag(message, field, WIRE_VARINT);
	wk_proto_add_packed(message, value);
}

void wk_proto_add_bytes(struct wk_buf *message, uint32_t field, struct wk_str bytes)
{
	add_tag(message, field, WIRE_BYTES);
	wk_proto_add_packed(message, bytes.len);
	wk_buf_add_str(message, bytes);
}
