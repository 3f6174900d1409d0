#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "names/bare_name.h"

static void assert_bare(const char *name, const char *expected, bool has_parameters)
{
	struct wk_buf bare = { 0 };

	assert_int_equal(wk_bare_name(wk_str_c(name), &bare), has_parameters);
	assert_string_equal(wk_buf_text(&bare), expected);
	wk_buf_fini(&bare);
}

static void parameters_and_qualifiers_are_left_out(void **state)
{
	(void)state;
	assert_bare("part", "part", false);
	assert_bare("part(int)", "part", true);
	assert_bare("(anonymous namespace)::Q::run", "(anonymous namespace)::Q::run", false);
	assert_bare("(anonymous namespace)::Q::run(int) const", "(anonymous namespace)::Q::run",
		    true);
	assert_bare("A::f(void (*)(int)) const volatile &", "A::f", true);
	assert_bare("A::f(int) &&", "A::f", true);
	assert_bare("A::name[abi:cxx11](int)", "A::name", true);
}

static void what_templates_return_is_left_out(void **state)
{
	(void)state;
	assert_bare("int apply<long, char>(long)", "apply<long,char>", true);
	assert_bare("apply<long, char>", "apply<long,char>", false);
	assert_bare("std::map<int, long>& get<int>(int const&)", "get<int>", true);
	assert_bare("<T as core::fmt::Display>::fmt", "<Tascore::fmt::Display>::fmt", false);
}

static void lambdas_have_one_name(void **state)
{
	(void)state;
	assert_bare("_Function_handler<double(int), main(int, char**)::{lambda}>::_M_invoke",
		    "_Function_handler<double,main::{lambda}>::_M_invoke", false);
	assert_bare("_Function_handler<double (int), main::{lambda(int)#1}>::_M_invoke("
		    "std::_Any_data const&, int&&)",
		    "_Function_handler<double,main::{lambda}>::_M_invoke", true);
	assert_bare("main::{lambda:31}::operator()", "main::{lambda}::operator()", false);
	assert_bare("main::{lambda(int)#1}::operator()(int) const", "main::{lambda}::operator()",
		    true);
	assert_bare("{{closure}}", "{{closure}}", false);
}

static void operators_keep_their_signs(void **state)
{
	(void)state;
	assert_bare("A::operator()", "A::operator()", false);
	assert_bare("A::operator()(int)", "A::operator()", true);
	assert_bare("A::operator<<(int)", "A::operator<<", true);
	assert_bare("A::operator->() const", "A::operator->", true);
	assert_bare("operator new(unsigned long)", "operator new", true);
	assert_bare("bool operator< <int>(A<int>)", "operator<<int>", true);
	assert_bare("my_operator(int)", "my_operator", true);
}

static void what_is_quoted_is_a_name(void **state)
{
	(void)state;
	assert_bare("public: void __cdecl `anonymous namespace'::Q::run(int) const",
		    "`anonymous namespace'::Q::run", true);
	assert_bare("public: int __thiscall `int __cdecl f(int)'::`1'::<lambda_1>::operator()(int)",
		    "`int __cdecl f(int)'::`1'::<lambda_1>::operator()", true);
	assert_bare("void __cdecl `dynamic initializer for `private: static int C::i''(void)",
		    "`dynamic initializer for `private: static int C::i''", true);
}

static void broken_names_end(void **state)
{
	(void)state;
	assert_bare("`never closed (", "`never closed (", false);
	assert_bare("", "", false);
	assert_bare("f(int", "f", true);
	assert_bare("f)>", "f)>", false);
	assert_bare("[abi:", "", false);
	assert_bare("operator", "operator", false);
	assert_bare("main.(*T).Run", "main..Run", false);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(parameters_and_qualifiers_are_left_out),
		cmocka_unit_test(what_templates_return_is_left_out),
		cmocka_unit_test(lambdas_have_one_name),
		cmocka_unit_test(operators_keep_their_signs),
		cmocka_unit_test(what_is_quoted_is_a_name),
		cmocka_unit_test(broken_names_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
