#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "names/demangle/demangle.h"
#include "names/spelling.h"

static void assert_written(const char *written, const char *expected)
{
	struct wk_buf out = { 0 };

	wk_spell_written(wk_str_c(written), &out);
	assert_string_equal(wk_buf_text(&out), expected);
	wk_buf_fini(&out);
}

static void assert_linked(const char *linked, const char *expected)
{
	struct wk_buf out = { 0 };

	assert_true(wk_demangle(wk_str_c(linked), &out));
	assert_string_equal(wk_buf_text(&out), expected);
	wk_buf_fini(&out);
}

static void linked_lambdas_have_their_parameters_and_number(void **state)
{
	(void)state;
	assert_linked("_ZZ4mainENKUlvE_clEv", "main::{lambda()#1}::operator()() const");
	assert_linked("_ZZ1fvENKUlicE0_clEic",
		      "f()::{lambda(int, char)#2}::operator()(int, char) const");
	assert_linked("_Z1fIiEvZ1gvEUlT_E_", "void f<int>(g()::{lambda(auto)#1})");
	assert_linked("_ZZZ1fvENKUlvE_clEvE1x", "f()::{lambda()#1}::operator()() const::x");
}

static void what_only_looks_like_a_lambda_stays(void **state)
{
	static const char *const texts[] = { "a::'lambda", "a::'lambda'", "a::'lambda0'(int",
					     "'lambda99999999999999999999'()", "'lambdas'()" };

	(void)state;
	for (int i = 0; i < 5; i++) {
		struct wk_buf text = { 0 };

		wk_buf_add_text(&text, texts[i]);
		wk_spell_lambdas(&text, 0);
		assert_string_equal(wk_buf_text(&text), texts[i]);
		wk_buf_fini(&text);
	}
}

static void every_compilers_lambda_is_a_lambda(void **state)
{
	(void)state;
	assert_written("std::sort<int*, main()::<lambda(const auto:1&, int)> >",
		       "std::sort<int*, main()::{lambda}>");
	assert_written("std::sort<int *, (lambda at /src/a (1).cpp:24:34)>",
		       "std::sort<int *, {lambda}>");
	assert_written("f<<lambda(", "f<<lambda(");
}

static void brackets_close_without_blanks(void **state)
{
	(void)state;
	assert_written("a<b<c<int> > >::d", "a<b<c<int>>>::d");
	assert_written("a<void (b<c<int> >)>", "a<void (b<c<int>>)>");
	assert_written("a<&b::operator->, c<d> >", "a<&b::operator->, c<d>>");
	assert_written("operator< <int, a<b> >", "operator<<int, a<b>>");
	assert_written("operator>> <int>", "operator>> <int>");
	assert_written("a::operator-><b<c> >", "a::operator-><b<c>>");
	assert_written("a<(1 > 2)>::f", "a<(1 > 2)>::f");
	assert_written("a > b", "a > b");
}

static void default_arguments_are_filled_in(void **state)
{
	(void)state;
	assert_written("std::__cxx11::basic_string<char>",
		       "std::__cxx11::basic_string<char, std::char_traits<char>, "
		       "std::allocator<char>>");
	assert_written("std::vector<std::vector<int> >::f",
		       "std::vector<std::vector<int, std::allocator<int>>, "
		       "std::allocator<std::vector<int, std::allocator<int>>>>::f");
	assert_written("std::vector<int, mine<int> >", "std::vector<int, mine<int>>");
	assert_written("std::map<int, char>", "std::map<int, char, std::less<int>, "
					      "std::allocator<std::pair<int const, char>>>");
	assert_written("std::set<int>", "std::set<int, std::less<int>, std::allocator<int>>");
	assert_written("std::vector<void (*)(int, int)>",
		       "std::vector<void (*)(int, int), std::allocator<void (*)(int, int)>>");
	assert_written("my::vector<int>", "my::vector<int>");
	assert_written("std::my_vector<int>", "std::my_vector<int>");
}

static void deep_names_end(void **state)
{
	struct wk_buf deep = { 0 }, out = { 0 };

	(void)state;
	for (int i = 0; i < 5000; i++)
		wk_buf_add_text(&deep, "std::vector<");
	for (int i = 0; i < 5000; i++)
		wk_buf_add_text(&deep, " >");
	wk_spell_written(wk_buf_str(&deep), &out);
	assert_true(out.len >= deep.len - 5000);
	assert_true(out.len < deep.len + 1024 * 1024);
	wk_buf_fini(&deep);
	wk_buf_fini(&out);
}

static void a_name_of_nothing_but_open_lambdas_is_read_in_no_time(void **state)
{
	struct wk_buf open = { 0 }, kept = { 0 };

	(void)state;
	while (open.len < 1024 * 1024)
		wk_buf_add_text(&open, "'lambda'(<lambda(");
	wk_buf_add_str(&kept, wk_buf_str(&open));
	wk_spell_lambdas(&kept, 0);
	assert_string_equal(wk_buf_text(&kept), wk_buf_text(&open));
	wk_buf_reset(&kept);
	wk_spell_written(wk_buf_str(&open), &kept);
	assert_string_equal(wk_buf_text(&kept), wk_buf_text(&open));
	wk_buf_fini(&open);
	wk_buf_fini(&kept);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(linked_lambdas_have_their_parameters_and_number),
		cmocka_unit_test(what_only_looks_like_a_lambda_stays),
		cmocka_unit_test(every_compilers_lambda_is_a_lambda),
		cmocka_unit_test(brackets_close_without_blanks),
		cmocka_unit_test(default_arguments_are_filled_in),
		cmocka_unit_test(deep_names_end),
		cmocka_unit_test(a_name_of_nothing_but_open_lambdas_is_read_in_no_time),
	};

	return cmocka_run_group_tests_name("spelling", tests, NULL, NULL);
}
