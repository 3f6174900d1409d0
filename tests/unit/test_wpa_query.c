#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"
#include "small_model.h"
#include "views/filter/filter.h"
#include "views/filter/wpa_query.h"

static const char *const lines[] = {
	"demo.exe;main;ntdll.dll!wait 1",    /* pid 101 */
	"demo.exe;main;work 1",
	"Other.exe;loop;ntdll.dll!wait 1",   /* pid 102 */
	NULL,
};

/* Which of the three samples are kept, as "101". */
static void assert_keeps(const char *text, bool keeps, const char *expected)
{
	struct wk_model *model = small_model(lines);
	struct wk_err err = { 0 };
	struct wk_preset_query query;
	struct wk_filter filter;
	char found[4] = "";

	if (!wk_wpa_query_read(&query, wk_str_c(text), keeps, &err))
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(model->samples.count, 3);
	assert_true(wk_filter_init(&filter, model, &(struct wk_filter_spec){ .query = &query },
				   NULL));
	for (uint32_t i = 0; i < 3; i++)
		found[i] = wk_filter_has(&filter, i) ? '1' : '0';
	assert_string_equal(found, expected);
	wk_filter_fini(&filter);
	wk_preset_query_fini(&query);
	wk_model_free(model);
}

static void assert_wrong(const char *text, const char *sentence)
{
	struct wk_err err = { 0 };
	struct wk_preset_query query;

	assert_false(wk_wpa_query_read(&query, wk_str_c(text), true, &err));
	assert_string_equal(err.text, sentence);
}

static void a_process_is_its_name_and_number(void **state)
{
	(void)state;
	assert_keeps("[Process]:=\"demo.exe (101)\"", true, "110");
	assert_keeps("[Process]:=\"demo.exe\"", true, "000");
	assert_keeps("[Process Name]:=\"DEMO.EXE\"", true, "110");
	assert_keeps("[Process (Name)]:=\"other.exe\"", true, "001");
	assert_keeps("[New Process]:~<\"other\"", true, "001");
	assert_keeps("[Process ID]:=102", true, "001");
	assert_keeps("[PID]:<102", true, "110");
}

static void operators_compare_as_they_are_written(void **state)
{
	(void)state;
	assert_keeps("[Function]:=wait", true, "101");
	assert_keeps("[Function]:<>wait", true, "010");
	assert_keeps("[Module]:~=\"TDL\"", true, "101");
	assert_keeps("[Module]:~<\"nt\"", true, "101");
	assert_keeps("[Module]:~>\".dll\"", true, "101");
	assert_keeps("[Function]:*\"^w.*k$|nothing\"", true, "010");
	assert_keeps("[Function]:*\"ai|or\"", true, "111");
	assert_keeps("[Process ID]:>=102", true, "001");
}

static void conditions_are_joined_as_they_bind(void **state)
{
	static const char both[] = "[Function]:=work OR [Function]:=wait AND [PID]:=102";

	(void)state;
	assert_keeps(both, true, "011");
	assert_keeps("([Function]:=work OR [Function]:=wait) AND [PID]:=102", true, "001");
	assert_keeps("NOT [PID]:=102 [Function]:=wait", true, "100");
	assert_keeps("not ([Function]:=wait and [PID]:=102)", true, "110");
	assert_keeps("NOT NOT [PID]:=102", true, "001");
}

static void a_filter_may_say_what_is_left_out(void **state)
{
	(void)state;
	assert_keeps("[Process Name]:=demo.exe", false, "001");
	assert_keeps("[Function]:=wait OR [PID]:=101", false, "000");
}

static void a_stack_has_a_frame_or_has_it_not(void **state)
{
	(void)state;
	assert_keeps("[Stack]:~=\"ntdll.dll!\"", true, "101");
	assert_keeps("[Stack]:=\"demo!main\"", true, "110");
	assert_keeps("[Stack]:<>\"demo!main\"", true, "001");
}

/* What nobody can tell leaves nothing out by itself. */
static void conditions_on_unknown_columns_are_neither_true_nor_false(void **state)
{
	(void)state;
	assert_keeps("[DPC/ISR]:=DPC", true, "111");
	assert_keeps("[DPC/ISR]:=DPC", false, "111");
	assert_keeps("[DPC/ISR]:=DPC AND [PID]:=102", true, "001");
	assert_keeps("[DPC/ISR]:=DPC OR [PID]:=102", true, "111");
	assert_keeps("[DPC/ISR]:=DPC OR [PID]:=102", false, "110");
	assert_keeps("NOT [DPC/ISR]:=DPC AND [PID]:=102", true, "001");
	assert_keeps("[Function]:*\"(?<a>b)\"", true, "111"); /* no pattern for wick */
}

static void a_column_may_stand_without_brackets(void **state)
{
	(void)state;
	assert_keeps("Function:=work", true, "010");
	assert_keeps("(Function:=work)", true, "010");
}

static void what_is_no_expression_is_told(void **state)
{
	(void)state;
#define CONDITION "a condition such as [Process]:=\"a.exe\""
	assert_wrong("", "column 1: expected " CONDITION ", but the expression ends here");
	assert_wrong("[A]:=1 AND",
		     "column 11: expected " CONDITION ", but the expression ends here");
	assert_wrong("([A]:=1",
		     "column 8: expected \")\", \"and\" or \"or\", but the expression ends here");
	assert_wrong("[A]:=1) x",
		     "column 7: expected \"and\", \"or\" or the end instead of \") x\"");
	assert_wrong("()", "column 2: expected " CONDITION " instead of \")\"");
	assert_wrong("[A", "column 1: expected " CONDITION " instead of \"[A\"");
	assert_wrong("[A]=3", "column 1: expected " CONDITION " instead of \"[A]=3\"");
	assert_wrong("[A]:=\"b", "column 1: expected a condition with a closing quotation mark "
				 "instead of \"[A]:=\"b\"");
}

static void a_filter_of_very_many_conditions_is_refused(void **state)
{
	struct wk_buf text = { 0 };
	struct wk_preset_query query;
	struct wk_err err = { 0 };

	(void)state;
	for (int i = 0; i < 101; i++)
		wk_buf_add_text(&text, "[A]:=1 ");
	assert_false(wk_wpa_query_read(&query, wk_buf_str(&text), true, &err));
	assert_string_equal(err.text, "column 701: more than 100 conditions");
	wk_buf_reset(&text);
	for (int i = 0; i < 500; i++)
		wk_buf_add_text(&text, "NOT ");
	wk_buf_add_text(&text, "[A]:=1");
	err = (struct wk_err){ 0 };
	assert_false(wk_wpa_query_read(&query, wk_buf_str(&text), true, &err));
	assert_string_equal(err.text, "column 1605: more than 400 steps");
	wk_buf_fini(&text);
}

static void deep_parentheses_end_at_the_limit_of_steps(void **state)
{
	struct wk_buf text = { 0 };
	struct wk_preset_query query;
	struct wk_err err = { 0 };

	(void)state;
	for (int i = 0; i < 100000; i++)
		wk_buf_add_char(&text, '(');
	assert_false(wk_wpa_query_read(&query, wk_buf_str(&text), true, &err));
	assert_string_equal(err.text, "column 402: more than 400 steps");
	wk_buf_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_process_is_its_name_and_number),
		cmocka_unit_test(operators_compare_as_they_are_written),
		cmocka_unit_test(conditions_are_joined_as_they_bind),
		cmocka_unit_test(a_filter_may_say_what_is_left_out),
		cmocka_unit_test(a_stack_has_a_frame_or_has_it_not),
		cmocka_unit_test(conditions_on_unknown_columns_are_neither_true_nor_false),
		cmocka_unit_test(a_column_may_stand_without_brackets),
		cmocka_unit_test(what_is_no_expression_is_told),
		cmocka_unit_test(a_filter_of_very_many_conditions_is_refused),
		cmocka_unit_test(deep_parentheses_end_at_the_limit_of_steps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
