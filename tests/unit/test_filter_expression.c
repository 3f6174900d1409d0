/* Filter expressions: what each field and operator keeps, and how errors read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"
#include "small_model.h"
#include "views/filter/expression.h"
#include "views/filter/filter.h"

static const char *const lines[] = {
	"demo;main;libc.so!wait 1", /* pid 101, at 0 ms */
	"demo;main;work 1",         /* at 1 ms */
	"Other;loop;libc.so!wait 1", /* pid 102, at 2 ms */
	NULL,
};

/* Which of the three samples are kept, as "101". */
static void assert_keeps(const char *text, const char *expected)
{
	struct wk_model *model = small_model(lines);
	struct wk_err err = { 0 };
	struct wk_filter filter;
	char found[4] = "";

	if (!wk_filter_init(&filter, model, &(struct wk_filter_spec){ .expression = text }, &err))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(model->samples.count, 3);
	for (uint32_t i = 0; i < 3; i++)
		found[i] = wk_filter_has(&filter, i) ? '1' : '0';
	if (strcmp(found, expected))
		fail_msg("%s: keeps %s, expected %s", text, found, expected);
	wk_filter_fini(&filter);
	wk_model_free(model);
}

static void assert_wrong(const char *text, const char *expected)
{
	struct wk_err err = { 0 };
	struct wk_expr expr;

	assert_false(wk_expr_read(&expr, wk_str_c(text), &err));
	assert_int_equal(err.code, WK_EUSAGE);
	assert_string_equal(err.text, expected);
}

static void fields_of_processes_and_threads_are_compared(void **state)
{
	(void)state;
	assert_keeps("process == demo", "110");
	assert_keeps("pid == 102", "001");
	assert_keeps("process-label == 'Other (102)'", "001");
	assert_keeps("command == ''", "111");
	assert_keeps("tid > 0", "111");
}

static void fields_of_the_innermost_frame_are_compared(void **state)
{
	(void)state;
	assert_keeps("function == wait", "101");
	assert_keeps("function == main", "000");
	assert_keeps("module == libc.so", "101");
	assert_keeps("image =~ libc", "101");
	assert_keeps("file == ''", "111");
	assert_keeps("kind == kernel", "000");
}

static void fields_of_the_stack_match_any_frame(void **state)
{
	(void)state;
	assert_keeps("stack == main", "110");
	assert_keeps("stack-frame == 'libc.so!wait'", "101");
	assert_keeps("stack-image =~ libc", "101");
	assert_keeps("stack-file =~ c", "000");
}

static void fields_of_the_sample_are_compared(void **state)
{
	(void)state;
	assert_keeps("event == cpu-clock", "111");
	assert_keeps("cpu == 0", "111");
	assert_keeps("time == 1ms", "010");
	assert_keeps("weight == 1ms", "111");
	assert_keeps("weight > 1ms", "000");
}

static void text_is_equal_or_matches_a_pattern(void **state)
{
	(void)state;
	assert_keeps("process != demo", "001");
	assert_keeps("process =~ ^d", "110");
	assert_keeps("process !~ ^d", "001");
	assert_keeps("process == other", "000");
	assert_keeps("process in Other, demo", "111");
	assert_keeps("process == \"de\"\"mo\"", "000");
}

static void numbers_and_times_have_an_order(void **state)
{
	(void)state;
	assert_keeps("time < 1ms", "100");
	assert_keeps("time <= 1ms", "110");
	assert_keeps("time > 1ms", "001");
	assert_keeps("time >= 0.001", "011");
	assert_keeps("time != 1000us", "101");
	assert_keeps("time in 0-500us, 2ms-", "101");
	assert_keeps("time < 50%", "100");
	assert_keeps("time > 50%", "001");
	assert_keeps("time < 0", "000");
	assert_keeps("pid > 18446744073709551615", "000");
}

static void not_binds_tighter_than_and_which_binds_tighter_than_or(void **state)
{
	(void)state;
	assert_keeps("pid == 102 or pid == 101 and function == work", "011");
	assert_keeps("(pid == 102 or pid == 101) and function == work", "010");
	assert_keeps("not pid == 102 and function == wait", "100");
	assert_keeps("not (pid == 102 and function == wait)", "110");
	assert_keeps("NOT NOT pid == 102", "001");
}

static void fields_and_keywords_are_found_in_any_case(void **state)
{
	(void)state;
	assert_keeps("PID In 101 AND Function == work", "010");
}

static void an_error_names_its_column_and_what_was_expected(void **state)
{
	(void)state;
	assert_wrong("", "column 1: expected a field such as process, \"not\" or \"(\""
			 ", but the expression ends here");
	assert_wrong("(pid == 1", "column 10: expected \")\", \"and\" or \"or\""
				  ", but the expression ends here");
	assert_wrong("pid == 1)", "column 9: expected \"and\", \"or\" or the end instead of \")\"");
	assert_wrong("process == 'ä' x", "column 16: expected \"and\", \"or\" or the end "
					 "instead of \"x\"");
	assert_wrong("process == 'x", "column 12: expected a closing quotation mark "
				      "instead of \"'x\"");
	assert_wrong("process < 3", "column 9: expected ==, !=, =~, !~ or in after a field "
				    "of text instead of \"< 3\"");
	assert_wrong("time in 3-2", "column 9: expected a range that does not end before it "
				    "begins instead of \"3-2\"");
	assert_wrong("stack =~ '('", "column 10: pattern \"(\": a ( is not closed");
}

static void an_unknown_field_brings_a_suggestion(void **state)
{
	(void)state;
	assert_wrong("pid == 1 or proces == x",
		     "column 13: no field \"proces\"; did you mean \"process\"?");
}

/* `count` times `part`, then `last`. */
static bool reads_repeated(const char *part, int count, const char *last, struct wk_err *err)
{
	struct wk_buf text = { 0 };
	struct wk_expr expr;
	bool ok;

	for (int i = 0; i < count; i++)
		wk_buf_add_text(&text, part);
	wk_buf_add_text(&text, last);
	ok = wk_expr_read(&expr, wk_buf_str(&text), err);
	if (ok)
		wk_expr_fini(&expr);
	wk_buf_fini(&text);
	return ok;
}

static void conditions_and_steps_have_limits(void **state)
{
	struct wk_err err = { 0 };

	(void)state;
	assert_true(reads_repeated("pid == 1 or ", WK_EXPR_MOST_TERMS - 1, "pid == 1", &err));
	assert_false(reads_repeated("pid == 1 or ", WK_EXPR_MOST_TERMS, "pid == 1", &err));
	assert_non_null(strstr(err.text, "more than 100 conditions"));
	err = (struct wk_err){ 0 };
	assert_false(reads_repeated("not ", WK_EXPR_MOST_STEPS + 1, "pid == 1", &err));
	assert_non_null(strstr(err.text, "more than 400 steps"));
}

static void deep_parentheses_end_at_the_limit_of_steps(void **state)
{
	struct wk_err err = { 0 };

	(void)state;
	assert_false(reads_repeated("(", 1000000, "pid == 1", &err));
	assert_string_equal(err.text, "column 402: more than 400 steps");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fields_of_processes_and_threads_are_compared),
		cmocka_unit_test(fields_of_the_innermost_frame_are_compared),
		cmocka_unit_test(fields_of_the_stack_match_any_frame),
		cmocka_unit_test(fields_of_the_sample_are_compared),
		cmocka_unit_test(text_is_equal_or_matches_a_pattern),
		cmocka_unit_test(numbers_and_times_have_an_order),
		cmocka_unit_test(not_binds_tighter_than_and_which_binds_tighter_than_or),
		cmocka_unit_test(fields_and_keywords_are_found_in_any_case),
		cmocka_unit_test(an_error_names_its_column_and_what_was_expected),
		cmocka_unit_test(an_unknown_field_brings_a_suggestion),
		cmocka_unit_test(conditions_and_steps_have_limits),
		cmocka_unit_test(deep_parentheses_end_at_the_limit_of_steps),
	};

	return cmocka_run_group_tests_name("filter_expression", tests, NULL, NULL);
}
