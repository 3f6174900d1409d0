/* The wire form of protocol buffers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text/proto.h"

static struct wk_bytes message_of(const char *bytes, size_t len)
{
	return wk_bytes_of(bytes, len);
}

static void fields_of_every_wire_type_are_read(void **state)
{
	static const char bytes[] = "\x08\x96\x01"
				    "\x12\x02hi"
				    "\x19\1\2\3\4\5\6\7\10"
				    "\x25\1\0\0\0";
	struct wk_bytes message = message_of(bytes, sizeof(bytes) - 1);
	struct wk_proto_field field;

	(void)state;
	assert_true(wk_proto_next(&message, &field));
	assert_int_equal(field.number, 1);
	assert_int_equal(field.value, 150);
	assert_true(wk_proto_next(&message, &field));
	assert_int_equal(field.number, 2);
	assert_true(wk_str_is(wk_bytes_str(field.bytes), "hi"));
	assert_true(wk_proto_next(&message, &field));
	assert_true(field.number == 3 && field.value == 0x0807060504030201);
	assert_true(wk_proto_next(&message, &field));
	assert_true(field.number == 4 && field.value == 1);
	assert_false(wk_proto_next(&message, &field));
	assert_false(message.bad);
}

static void repeated_numbers_come_packed_or_one_a_field(void **state)
{
	struct wk_bytes message = message_of("\x0a\x03\x01\x80\x01\x08\x05", 7);
	struct wk_proto_field field;
	uint64_t value;

	(void)state;
	assert_true(wk_proto_next(&message, &field));
	assert_true(wk_proto_number(&field, &value) && value == 1);
	assert_true(wk_proto_number(&field, &value) && value == 128);
	assert_false(wk_proto_number(&field, &value));
	assert_true(wk_proto_next(&message, &field));
	assert_true(wk_proto_number(&field, &value) && value == 5);
	assert_false(wk_proto_number(&field, &value));
}

static void what_breaks_off_is_bad(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} rows[] = {
		{ "\x0a\x05hi", 4 }, { "\x08\x80", 2 },
		{ "\x80", 1 },       { "\x09\1\2", 3 },
		{ "\x0d\1\2", 3 },   { "\x0b", 1 },
		{ "\x00\x01", 2 },   { "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct wk_bytes message = message_of(rows[i].bytes, rows[i].len);
		struct wk_proto_field field;

		assert_false(wk_proto_next(&message, &field));
		assert_true(message.bad);
		assert_false(wk_proto_next(&message, &field));
	}
}

static void what_is_written_is_read(void **state)
{
	struct wk_buf message = { 0 }, packed = { 0 };
	struct wk_proto_field field;
	struct wk_bytes in;
	uint64_t value;

	(void)state;
	wk_proto_add_number(&message, 1, 150);
	wk_proto_add_number(&message, 2, 0);
	wk_proto_add_number(&message, 16, UINT64_MAX);
	wk_proto_add_packed(&packed, 127);
	wk_proto_add_packed(&packed, 128);
	wk_proto_add_bytes(&message, 4, wk_buf_str(&packed));
	wk_proto_add_bytes(&message, 5, wk_str_c(""));
	in = message_of(message.at, message.len);
	assert_true(wk_proto_next(&in, &field) && field.number == 1 && field.value == 150);
	assert_true(wk_proto_next(&in, &field) && field.number == 16 && field.value == UINT64_MAX);
	assert_true(wk_proto_next(&in, &field) && field.number == 4);
	assert_true(wk_proto_number(&field, &value) && value == 127);
	assert_true(wk_proto_number(&field, &value) && value == 128);
	assert_false(wk_proto_number(&field, &value));
	assert_true(wk_proto_next(&in, &field) && field.number == 5 && field.is_bytes);
	assert_false(wk_proto_next(&in, &field) || in.bad);
	wk_buf_fini(&packed);
	wk_buf_fini(&message);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_of_every_wire_type_are_read),
		cmocka_unit_test(repeated_numbers_come_packed_or_one_a_field),
		cmocka_unit_test(what_breaks_off_is_bad),
		cmocka_unit_test(what_is_written_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
