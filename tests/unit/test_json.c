/* The JSON reader: what it gives, what it tolerates, and where it says a fault lies. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "base/text/json.h"

static struct wk_json json_of(const char *text)
{
	return wk_json_of(wk_bytes_of(text, strlen(text)));
}

static void check_text(const char *input, const char *expected)
{
	struct wk_json json = json_of(input);
	struct wk_str text = wk_json_text(&json);
	char *got = wk_strndup(text.at, text.len);

	assert_string_equal(got, expected);
	assert_true(wk_json_end(&json, NULL));
	wk_free(got);
}

static int64_t scaled(const char *input, unsigned decimals)
{
	struct wk_json json = json_of(input);
	int64_t value = wk_json_scaled(&json, decimals);

	assert_true(wk_json_end(&json, NULL));
	return value;
}

static uint64_t u64(const char *input)
{
	struct wk_json json = json_of(input);
	uint64_t value = wk_json_u64(&json);

	assert_true(wk_json_end(&json, NULL));
	return value;
}

static void what_is_not_asked_for_is_passed_over(void **state)
{
	struct wk_json json =
		json_of("{\"a\": {\"x\": [1, {\"]\": \"}\"}]}, \"b\" : 7, \"c\":null}");
	struct wk_str key;
	uint64_t b = 0, keys = 0;

	(void)state;
	assert_true(wk_json_enter_object(&json));
	while (wk_json_next_key(&json, &key)) {
		keys++;
		if (wk_str_is(key, "b"))
			b = wk_json_u64(&json);
		else
			wk_json_skip(&json);
	}
	assert_int_equal(keys, 3);
	assert_int_equal(b, 7);
	assert_false(json.is_cut);
	assert_true(wk_json_end(&json, NULL));
}

static void containers_nest_as_the_caller_does(void **state)
{
	struct wk_json json = json_of("[[1,2],[],[3]]");
	uint64_t sum = 0, rows = 0;

	(void)state;
	assert_true(wk_json_enter_array(&json));
	while (wk_json_next_element(&json)) {
		rows++;
		assert_true(wk_json_enter_array(&json));
		while (wk_json_next_element(&json))
			sum = sum * 10 + wk_json_u64(&json);
	}
	assert_int_equal(rows, 3);
	assert_int_equal(sum, 123);
	assert_true(wk_json_end(&json, NULL));
}

static void a_value_of_another_kind_counts_as_nothing(void **state)
{
	struct wk_json json = json_of("[\"text\", {\"a\":1}, [2], true, 5]");

	(void)state;
	assert_true(wk_json_enter_array(&json));
	assert_true(wk_json_next_element(&json) && !wk_json_enter_object(&json));
	assert_true(wk_json_next_element(&json) && wk_json_u64(&json) == 0);
	assert_true(wk_json_next_element(&json) && wk_json_text(&json).len == 0);
	assert_true(wk_json_next_element(&json) && wk_json_text(&json).len == 0);
	assert_true(wk_json_next_element(&json) && wk_json_u64(&json) == 5);
	assert_false(wk_json_next_element(&json));
	assert_true(wk_json_end(&json, NULL));
}

static void escapes_are_decoded(void **state)
{
	(void)state;
	check_text("\"plain\"", "plain");
	check_text("\"a\\\"b\\\\c\\/d\\n\\t\\q\"", "a\"b\\c/d\n\tq");
	check_text("\"\\u00e4 \\u20ac \\ud83d\\ude00\"", "\u00e4 \u20ac \U0001f600");
	check_text("\"\\ud83d x \\udc00 \\u12g4\"", "\ufffd x \ufffd u12g4");
	check_text("\"\"", "");
	check_text("17", "");
}

static void numbers_are_exact_as_far_as_they_fit(void **state)
{
	(void)state;
	assert_int_equal(scaled("1234567890123.456", 3), 1234567890123456);
	assert_int_equal(scaled("0.0005", 3), 1);
	assert_int_equal(scaled("0.00049", 3), 0);
	assert_int_equal(scaled("-2.5e1", 0), -25);
	assert_int_equal(scaled("1e400", 3), INT64_MAX);
	assert_int_equal(scaled("-1E+99", 0), INT64_MIN);
	assert_int_equal(scaled("1e-99999999999", 0), 0);
	assert_int_equal(scaled("\"42\"", 0), 42);
	assert_int_equal(scaled("null", 0), 0);
	assert_int_equal(scaled("NaN", 0), 0);
	assert_int_equal(scaled("+7", 0), 7);
	assert_int_equal(scaled("1.5", 0), 2);
	assert_int_equal(scaled("12e-1", 1), 12);
	assert_int_equal(scaled("0.123456789012345678901", 3), 123);
	assert_int_equal(scaled("123456789012345678901234e-20", 3), 1234568);
	assert_int_equal(scaled("9223372036854775807", 0), INT64_MAX);
	assert_int_equal(scaled("-9223372036854775807", 0), -INT64_MAX);
	assert_int_equal(scaled("9.223372036854775807e18", 0), INT64_MAX);
	assert_true(u64("18446744073709551614") == UINT64_MAX - 1);
	assert_true(u64("1844674407370955161e1") == UINT64_MAX - 5);
	assert_true(u64("18446744073709551615") == UINT64_MAX);
	assert_true(u64("20000000000000000000") == UINT64_MAX);
	assert_int_equal(u64("-1"), 0);
}

static void fractions_and_truth_are_read(void **state)
{
	struct wk_json json = json_of("[0.125, -1e3, true, false, 1]");

	(void)state;
	assert_true(wk_json_enter_array(&json));
	assert_true(wk_json_next_element(&json) && wk_json_scaled(&json, 3) == 125);
	assert_true(wk_json_next_element(&json) && wk_json_scaled(&json, 0) == -1000);
	assert_true(wk_json_next_element(&json) && wk_json_bool(&json));
	assert_true(wk_json_next_element(&json) && !wk_json_bool(&json));
	assert_true(wk_json_next_element(&json) && !wk_json_bool(&json));
	assert_true(wk_json_end(&json, NULL));
}

static void an_input_that_ends_early_is_cut_and_no_fault(void **state)
{
	static const char *const inputs[] = { "[1, 2", "[1, 2,", "[1,2,\n{\"a\":", "[1,2,{\"a\"",
					      "[1,2,{", "[1,2,\"ab", "[1,2,\"ab\\" };

	(void)state;
	for (size_t i = 0; i < sizeof(inputs) / sizeof(inputs[0]); i++) {
		struct wk_json json = json_of(inputs[i]);
		uint64_t sum = 0;

		assert_true(wk_json_enter_array(&json));
		while (wk_json_next_element(&json)) {
			struct wk_str key;

			if (wk_json_peek(&json) == WK_JSON_NUMBER)
				sum += wk_json_u64(&json);
			else if (wk_json_enter_object(&json))
				while (wk_json_next_key(&json, &key))
					wk_json_skip(&json);
		}
		assert_int_equal(sum, 3);
		assert_true(json.is_cut);
		assert_true(wk_json_end(&json, NULL));
	}
}

static void sloppy_commas_are_tolerated(void **state)
{
	struct wk_json json = json_of("\xef\xbb\xbf [1,,2 3,]");
	uint64_t sum = 0;

	(void)state;
	assert_true(wk_json_enter_array(&json));
	while (wk_json_next_element(&json))
		sum += wk_json_u64(&json);
	assert_int_equal(sum, 6);
	assert_false(json.is_cut);
	assert_true(wk_json_end(&json, NULL));
}

static void a_fault_ends_all_loops_and_says_where(void **state)
{
	struct wk_json json = json_of("{\"a\" 1, \"b\": 2}");
	struct wk_err err = { 0 };
	struct wk_str key;

	(void)state;
	assert_true(wk_json_enter_object(&json));
	assert_false(wk_json_next_key(&json, &key));
	assert_false(wk_json_next_key(&json, &key));
	assert_false(wk_json_end(&json, &err));
	assert_int_equal(err.offset, 5);
	assert_string_equal(err.text, "JSON: expected a colon behind the key");
}

static void a_value_set_aside_is_read_later(void **state)
{
	struct wk_json json = json_of("[{\"a\": [1, 2]}, 9]");
	struct wk_json later;
	struct wk_str key;

	(void)state;
	assert_true(wk_json_enter_array(&json) && wk_json_next_element(&json));
	later = wk_json_value(&json);
	assert_true(wk_json_next_element(&json));
	assert_int_equal(wk_json_u64(&json), 9);
	assert_true(wk_json_enter_object(&later) && wk_json_next_key(&later, &key));
	assert_true(wk_json_enter_array(&later) && wk_json_next_element(&later));
	assert_int_equal(wk_json_offset(&later), 8);
	assert_true(wk_json_end(&later, NULL) && wk_json_end(&json, NULL));
}

static void a_fault_in_what_was_set_aside_is_one_of_the_whole(void **state)
{
	struct wk_json json = json_of("[{\"a\" 1}, 9]");
	struct wk_json later;
	struct wk_err err = { 0 };
	struct wk_str key;

	(void)state;
	assert_true(wk_json_enter_array(&json) && wk_json_next_element(&json));
	later = wk_json_value(&json);
	assert_true(wk_json_enter_object(&later) && !wk_json_next_key(&later, &key));
	wk_json_end_value(&later, &json);
	assert_false(wk_json_next_element(&json));
	assert_false(wk_json_end(&json, &err));
	assert_int_equal(err.offset, 6);
}

static void ids_come_as_they_are_written(void **state)
{
	struct wk_json json = json_of("[12, \"main\", [3]]");

	(void)state;
	assert_true(wk_json_enter_array(&json) && wk_json_next_element(&json));
	assert_true(wk_str_is(wk_json_text_or_number(&json), "12"));
	assert_true(wk_json_next_element(&json));
	assert_true(wk_str_is(wk_json_text_or_number(&json), "main"));
	assert_true(wk_json_next_element(&json));
	assert_int_equal(wk_json_text_or_number(&json).len, 0);
	assert_true(wk_json_end(&json, NULL));
}

/* A second for all of it is far more than is needed; recursion would end the program. */
static void a_million_levels_are_passed_over(void **state)
{
	size_t depth = 1000000;
	char *text = wk_alloc(2 * depth);
	struct wk_json json;

	(void)state;
	memset(text, '[', depth);
	memset(text + depth, ']', depth);
	json = wk_json_of(wk_bytes_of(text, 2 * depth));
	wk_json_skip(&json);
	assert_ptr_equal(json.at, json.end);
	assert_false(json.is_cut);
	assert_true(wk_json_end(&json, NULL));
	wk_free(text);
}

static void a_look_tells_json_and_its_keys(void **state)
{
	static const char text[] = " {\"nodes\": [{\"callFrame\"  :{\"url\":\"timeDeltas\"";
	struct wk_bytes first = wk_bytes_of(text, strlen(text));

	(void)state;
	assert_true(wk_json_looks_like(first));
	assert_true(wk_json_has_key(first, "nodes"));
	assert_true(wk_json_has_key(first, "callFrame"));
	assert_false(wk_json_has_key(first, "timeDeltas"));
	assert_true(wk_json_has_string(first, "timeDeltas"));
	assert_false(wk_json_has_string(first, "Deltas"));
	assert_false(wk_json_has_key(first, "call"));
	assert_false(wk_json_looks_like(wk_bytes_of("{a", 2)));
	assert_false(wk_json_looks_like(wk_bytes_of("", 0)));
	assert_false(wk_json_looks_like(wk_bytes_of("[main] 1", 8)));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_not_asked_for_is_passed_over),
		cmocka_unit_test(containers_nest_as_the_caller_does),
		cmocka_unit_test(a_value_of_another_kind_counts_as_nothing),
		cmocka_unit_test(escapes_are_decoded),
		cmocka_unit_test(numbers_are_exact_as_far_as_they_fit),
		cmocka_unit_test(fractions_and_truth_are_read),
		cmocka_unit_test(an_input_that_ends_early_is_cut_and_no_fault),
		cmocka_unit_test(sloppy_commas_are_tolerated),
		cmocka_unit_test(a_fault_ends_all_loops_and_says_where),
		cmocka_unit_test(a_value_set_aside_is_read_later),
		cmocka_unit_test(a_fault_in_what_was_set_aside_is_one_of_the_whole),
		cmocka_unit_test(ids_come_as_they_are_written),
		cmocka_unit_test(a_million_levels_are_passed_over),
		cmocka_unit_test(a_look_tells_json_and_its_keys),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
