/* Lines of separated values, and text as Windows writes it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/text/csv.h"

static void assert_fields(char separator, const char *line, const char *const *expected)
{
	struct wk_csv csv = { .separator = separator };
	size_t count = 0;

	wk_csv_split(&csv, wk_str_c(line));
	for (; expected[count]; count++) {
		struct wk_str field = wk_csv_field(&csv, count);

		assert_int_equal(field.len, strlen(expected[count]));
		assert_memory_equal(field.at, expected[count], field.len);
	}
	assert_int_equal(csv.count, count);
	assert_int_equal(wk_csv_field(&csv, count).len, 0);
	wk_csv_fini(&csv);
}

#define FIELDS(...) ((const char *const[]){ __VA_ARGS__, NULL })

static void fields_end_at_separators(void **state)
{
	(void)state;
	assert_fields(',', "a,b;c,,d", FIELDS("a", "b;c", "", "d"));
	assert_fields(';', "a,b;c", FIELDS("a,b", "c"));
	assert_fields(',', "", FIELDS(""));
	assert_fields(',', ",", FIELDS("", ""));
}

static void quotes_hold_separators_and_quotes(void **state)
{
	(void)state;
	assert_fields(',', "\"a,b\",c", FIELDS("a,b", "c"));
	assert_fields(',', "\"say \"\"no\"\"\",\"\"", FIELDS("say \"no\"", ""));
	assert_fields(',', "\"a\"b,c", FIELDS("ab", "c"));
	assert_fields(',', "a\"b,c\"", FIELDS("a\"b", "c\""));
}

static void indentation_stays_in_front_of_a_quoted_field(void **state)
{
	(void)state;
	assert_fields(',', "  \"f(int, char)\",1", FIELDS("  f(int, char)", "1"));
	assert_fields(',', "  f,1", FIELDS("  f", "1"));
}

static void a_quote_that_is_not_closed_ends_with_its_line(void **state)
{
	(void)state;
	assert_fields(',', "\"a,b", FIELDS("a,b"));
	assert_fields(',', "x,\"", FIELDS("x", ""));
	assert_fields(',', "x,\"\"\"", FIELDS("x", "\""));
}

static void the_separator_is_the_one_that_stands_most_often(void **state)
{
	(void)state;
	assert_int_equal(wk_csv_separator_of(wk_str_c("a,b;c;d")), ';');
	assert_int_equal(wk_csv_separator_of(wk_str_c("a\tb,c\td")), '\t');
	assert_int_equal(wk_csv_separator_of(wk_str_c("alone")), ',');
}

static void assert_text(const char *bytes, size_t len, const char *expected)
{
	struct wk_buf buf = { 0 };
	struct wk_bytes text = wk_csv_text(wk_bytes_of(bytes, len), &buf);

	assert_int_equal(wk_bytes_left(&text), strlen(expected));
	assert_memory_equal(text.at, expected, strlen(expected));
	wk_buf_fini(&buf);
}

static void the_mark_of_an_encoding_is_no_text(void **state)
{
	(void)state;
	assert_text("\xef\xbb\xbfLevel", 8, "Level");
	assert_text("Level", 5, "Level");
	assert_text("", 0, "");
}

static void utf_16_becomes_utf_8(void **state)
{
	(void)state;
	assert_text("\xff\xfe"
		    "a\0\xf6\0\x3d\xd8\x00\xde",
		    10, "a\xc3\xb6\xf0\x9f\x98\x80");
	assert_text("\xfe\xff\0a\0b", 6, "ab");
	assert_text("a\0b\0", 4, "ab");
}

static void halves_of_pairs_are_replaced(void **state)
{
	(void)state;
	assert_text("\xff\xfe\x3d\xd8"
		    "a\0",
		    6,
		    "\xef\xbf\xbd"
		    "a");
	assert_text("\xff\xfe\x00\xde", 4, "\xef\xbf\xbd");
	assert_text("\xff\xfe"
		    "a\0b",
		    5, "a\xef\xbf\xbd");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_end_at_separators),
		cmocka_unit_test(quotes_hold_separators_and_quotes),
		cmocka_unit_test(indentation_stays_in_front_of_a_quoted_field),
		cmocka_unit_test(a_quote_that_is_not_closed_ends_with_its_line),
		cmocka_unit_test(the_separator_is_the_one_that_stands_most_often),
		cmocka_unit_test(the_mark_of_an_encoding_is_no_text),
		cmocka_unit_test(utf_16_becomes_utf_8),
		cmocka_unit_test(halves_of_pairs_are_replaced),
	};

	return cmocka_run_group_tests_name("csv", tests, NULL, NULL);
}
