/* Bytes as base64: the examples of RFC 4648, all bytes, and more than is written at a time. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/text/base64.h"

static struct wk_buf encoded(struct wk_str bytes)
{
	struct wk_buf text = { 0 };
	struct wk_out out = wk_out_to_buf(&text);

	wk_base64_write(&out, bytes);
	assert_true(wk_out_end(&out));
	return text;
}

static void examples_of_the_standard(void **state)
{
	static const char *const all[][2] = {
		{ "", "" },         { "f", "Zg==" },         { "fo", "Zm8=" },
		{ "foo", "Zm9v" },  { "foob", "Zm9vYg==" },  { "fooba", "Zm9vYmE=" },
		{ "foobar", "Zm9vYmFy" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(all) / sizeof(all[0]); i++) {
		struct wk_buf text = encoded(wk_str_c(all[i][0]));

		assert_string_equal(wk_buf_text(&text), all[i][1]);
		wk_buf_fini(&text);
	}
}

static uint32_t digit(char c)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	assert_non_null(strchr(digits, c));
	return (uint32_t)(strchr(digits, c) - digits);
}

static void long_ones_come_back(void **state)
{
	enum { BYTES = 100000 };
	static char bytes[BYTES];
	struct wk_buf text;

	(void)state;
	for (uint32_t i = 0; i < BYTES; i++)
		bytes[i] = (char)(i * 2654435761u >> 13);
	text = encoded(wk_str_of(bytes, BYTES));
	assert_int_equal(text.len, (BYTES + 2) / 3 * 4);
	for (size_t i = 0; i < BYTES / 3; i++) {
		const char *at = text.at + 4 * i;
		uint32_t group =
			digit(at[0]) << 18 | digit(at[1]) << 12 | digit(at[2]) << 6 | digit(at[3]);

		assert_int_equal((char)(group >> 16), bytes[3 * i]);
		assert_int_equal((char)(group >> 8), bytes[3 * i + 1]);
		assert_int_equal((char)group, bytes[3 * i + 2]);
	}
	wk_buf_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(examples_of_the_standard),
		cmocka_unit_test(long_ones_come_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
