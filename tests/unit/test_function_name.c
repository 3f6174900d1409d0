#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "names/function_name.h"

static void assert_name(const char *linked, const char *expected)
{
	struct wk_buf name = { 0 };

	wk_function_name(wk_str_c(linked), &name);
	assert_string_equal(wk_buf_text(&name), expected);
	wk_buf_fini(&name);
}

static void a_copy_for_some_calls_is_called_as_the_function_is(void **state)
{
	(void)state;
	assert_name("hot.constprop.0", "hot");
	assert_name("finish_task_switch.isra.0", "finish_task_switch");
	assert_name("hot.part.0.cold", "hot");
	assert_name("hot.cold.3", "hot");
	assert_name("_ZN4shop3payEi.constprop.0.isra.1", "shop::pay(int)");
	assert_name("_ZZ4mainENKUliE_clEi.constprop.0",
		    "main::{lambda(int)#1}::operator()(int) const");
	assert_name("_ZN3app3run17h0123456789abcdefE.llvm.123456789", "app::run");
}

static void other_endings_are_functions_of_their_own(void **state)
{
	(void)state;
	assert_name("memcpy.avx2", "memcpy.avx2");
	assert_name("main.main.func1", "main.main.func1");
	assert_name("counter.1234", "counter.1234");
	assert_name("main._omp_fn.0", "main._omp_fn.0");
	assert_name("core.cold_start", "core.cold_start");
	assert_name(".cold", ".cold");
	assert_name("", "");
}

static void what_a_demangler_wrote_behind_a_name_is_taken_off(void **state)
{
	(void)state;
	assert_name("app::run(int) (.isra.0)", "app::run(int)");
	assert_name("app::run(int) [clone .isra.0] [clone .cold]", "app::run(int)");
	assert_name("app::run(int) [clone", "app::run(int) [clone");
	assert_name("app::(anonymous namespace)::run", "app::(anonymous namespace)::run");
	assert_name("(.x)", "(.x)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_copy_for_some_calls_is_called_as_the_function_is),
		cmocka_unit_test(other_endings_are_functions_of_their_own),
		cmocka_unit_test(what_a_demangler_wrote_behind_a_name_is_taken_off),
	};

	return cmocka_run_group_tests_name("function_name", tests, NULL, NULL);
}
