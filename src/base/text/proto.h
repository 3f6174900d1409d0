/* The wire format of protocol buffers: the fields of a message, one after the other.
 *
 *	while (wk_proto_next(&message, &field))
 *		switch (field.number) {
 *		case 1: id = field.value; break;
 *		case 2: read_line(field.bytes); break;
 *		case 3: while (wk_proto_number(&field, &value)) add(value); break;
 *		}
 *	if (message.bad) ...
 *
 * Everything is bounded by the message; a truncated one sets `bad`. Repeated numbers may be packed
 * or one a field: wk_proto_number accepts both. Groups, which are obsolete, set `bad` as well.
 *
 * To write, add fields to a buffer; build a nested message in a buffer of its own and add it as
 * bytes:
 *
 *	wk_proto_add_number(&line, 1, function);
 *	wk_proto_add_number(&line, 2, number);
 *	wk_proto_add_bytes(&location, 4, wk_buf_str(&line)); */
#ifndef WK_BASE_TEXT_PROTO_H
#define WK_BASE_TEXT_PROTO_H

#include "base/buf.h"
#include "base/bytes.h"

struct wk_proto_field {
	uint32_t number;
	bool is_bytes; /* text, a message, packed numbers: `bytes`, else `value` */
	bool is_taken; /* see wk_proto_number */
	uint64_t value;
	struct wk_bytes bytes; /* keeps the message's `start`, so offsets count from there */
};

/* False at the end, or if the rest is not a field: then message->bad is set. */
bool wk_proto_next(struct wk_bytes *message, struct wk_proto_field *field);

/* The next of repeated variable-length numbers; false when there is none left. */
bool wk_proto_number(struct wk_proto_field *field, uint64_t *value);

/* A field with a number; 0, the default, is not written. */
void wk_proto_add_number(struct wk_buf *message, uint32_t field, uint64_t value);

/* A field with text, a message, or packed numbers; empty ones are written as well. */
void wk_proto_add_bytes(struct wk_buf *message, uint32_t field, struct wk_str bytes);

/* One of packed numbers. */
void wk_proto_add_packed(struct wk_buf *numbers, uint64_t value);

#endif
