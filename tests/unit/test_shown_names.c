/* One short name for each function, and no two alike. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "small_model.h"
#include "views/shown_names.h"

/* Pairs of a name and what is shown for it, ended by NULL. All are in one model. */
static void assert_shown(const char *const *pairs)
{
	struct wk_model *model = small_model((const char *[]){ "demo;main 1", NULL });
	struct wk_shown_names names;

	for (size_t i = 0; pairs[i]; i += 2) {
		struct wk_function function = {
			.name = wk_model_text(model, wk_str_c(pairs[i])),
		};

		wk_model_add_function(model, &function);
	}
	wk_shown_names_init(&names, model);
	for (size_t i = 0; pairs[i]; i += 2) {
		struct wk_str shown = wk_shown_name(&names, wk_str_c(pairs[i]));

		assert_int_equal(shown.len, strlen(pairs[i + 1]));
		assert_memory_equal(shown.at, pairs[i + 1], shown.len);
	}
	wk_shown_names_fini(&names);
	wk_model_free(model);
}

static void a_name_is_short_if_no_other_looks_like_it(void **state)
{
	(void)state;
	assert_shown((const char *[]){ "main", "main", "<a::Sq as a::Shape>::area", "a::Sq::area",
				       "a::run::{{closure}}", "a::run::{closure}",
				       "double alpha<int>(double)", "alpha",
				       "main::{lambda:38}::operator()<int>", "main::{lambda:38}",
				       "std::__cxx11::list<int>::size() const", "std::list::size",
				       NULL });
}

static void those_that_would_look_alike_keep_what_distinguishes_them(void **state)
{
	(void)state;
	assert_shown((const char *[]){ "alpha(int)", "alpha(int)", "alpha(double)", "alpha(double)",
				       "<Square as Shape>::area", "<Square as Shape>::area",
				       "<Square as Solid>::area", "<Square as Solid>::area",
				       "Vec<u8>::push", "Vec<u8>::push", "Vec<u16>::push",
				       "Vec<u16>::push", "run::{closure#0}", "run::{closure#0}",
				       "run::{closure#1}", "run::{closure#1}", NULL });
	/* The types of a template tell more than those of its result and parameters. */
	assert_shown((const char *[]){
		"float average<float>(std::vector<float> const&, int)", "average<float>",
		"long average<long>(std::vector<long> const&, int)", "average<long>",
		"Solver<Fast, double>::step(double, int) const", "Solver<Fast, double>::step",
		"Solver<Precise, double>::step(double, int) const", "Solver<Precise, double>::step",
		NULL });
	assert_shown((const char *[]){
		"double apply<run()::{lambda(int)#1}>(int, run()::{lambda(int)#1})",
		"apply<run::{lambda#1}>",
		"double apply<run()::{lambda(int)#2}>(int, run()::{lambda(int)#2})",
		"apply<run::{lambda#2}>", "void v<std::pair<int> >::add(std::pair<int>&&)",
		"void v::add(std::pair&&)", "void v<std::pair<int> >::add(std::pair<int> const&)",
		"void v::add(std::pair const&)", NULL });
}

static void unnamed_functions_are_shown_as_they_are(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "demo;app+0x1<a> 1", NULL });
	struct wk_shown_names names, none = { 0 };

	(void)state;
	wk_shown_names_init(&names, model);
	assert_int_equal(wk_shown_name(&names, wk_str_c("app+0x1<a>")).len, 10);
	assert_int_equal(wk_shown_name(&names, wk_str_c("not<in>the model")).len, 16);
	assert_int_equal(wk_shown_name(&none, wk_str_c("f<int>")).len, 6);
	wk_shown_names_fini(&names);
	wk_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_short_if_no_other_looks_like_it),
		cmocka_unit_test(those_that_would_look_alike_keep_what_distinguishes_them),
		cmocka_unit_test(unnamed_functions_are_shown_as_they_are),
	};

	return cmocka_run_group_tests_name("shown_names", tests, NULL, NULL);
}
