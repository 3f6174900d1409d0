#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "small_model.h"
#include "model/closures.h"
#include "names/closure.h"

static void assert_named(const char *name, const char *expected)
{
	struct wk_buf text = { 0 };

	assert_int_equal(wk_name_is_closure(wk_str_c(name)), strcmp(name, expected) != 0);
	wk_closure_name_add(wk_str_c(name), 31, 31, &text);
	assert_string_equal(wk_buf_text(&text), expected);
	wk_buf_fini(&text);
}

static void the_line_is_in_the_braces(void **state)
{
	(void)state;
	assert_named("app::run::{{closure}}", "app::run::{closure:31}");
	assert_named("app::run::{closure#1}", "app::run::{closure:31#1}");
	assert_named("app::run::{{closure}}::{{closure}}", "app::run::{{closure}}::{closure:31}");
	assert_named("app::run::{closure#0}::<u8, app::f::{closure#2}>",
		     "app::run::{closure:31#0}::<u8, app::f::{closure#2}>");
	assert_named("run()::{lambda(int, int)#2}::operator()(int, int) const",
		     "run()::{lambda:31#2}::operator()(int, int) const");
	assert_named("run::{lambda}::operator()", "run::{lambda:31}::operator()");
	assert_named("run::$_0::operator()(int) const",
		     "run::{lambda:31#1}::operator()(int) const");
	assert_named("$_11::operator()<char>()", "{lambda:31#12}::operator()<char>()");
}

static void assert_lined(const char *name, uint32_t line, const char *plain)
{
	struct wk_buf text = { 0 };

	assert_int_equal(wk_closure_name_line(wk_str_c(name), &text), line);
	assert_string_equal(wk_buf_text(&text), plain);
	wk_buf_fini(&text);
}

static void debug_information_has_put_the_line_in_already(void **state)
{
	(void)state;
	assert_lined("run::{lambda:31}::operator()", 31, "run::{lambda}::operator()");
	assert_lined("f::{lambda:7}::operator()::{lambda:9}::operator()<int>", 9,
		     "f::{lambda:7}::operator()::{lambda}::operator()<int>");
	assert_lined("run::{lambda}::operator()", 0, "");
	assert_lined("run::{lambda:31#2}::operator()", 31, "run::{lambda#2}::operator()");
	assert_lined("run::{lambda:45-51}::operator()", 45, "run::{lambda}::operator()");
	assert_lined("a::run::{closure:15#0}", 15, "a::run::{closure#0}");
	assert_lined("a::run::{closure:15}", 15, "a::run::{closure}");
	assert_lined("run::{lambda:45-}::operator()", 0, "");
	assert_lined("run::{lambda:45x}::operator()", 0, "");
	assert_lined("run::{other:45}", 0, "");
	assert_lined("run::{lambda:4294967296}::operator()", 0, "");
	assert_lined("run::{lambda:}::operator()", 0, "");
	assert_lined("main", 0, "");
	assert_lined("}", 0, "");
}

static void assert_home(const char *name, const char *expected)
{
	struct wk_str home = wk_closure_home(wk_str_c(name));

	assert_int_equal(home.len, strlen(expected));
	assert_memory_equal(home.at, expected, home.len);
}

static void a_closure_is_written_in_a_function(void **state)
{
	(void)state;
	assert_home("app::run::{closure:31}", "app::run");
	assert_home("app::run::{{closure}}::{{closure}}", "app::run");
	assert_home("run(int)::{lambda(int)#2}::operator()(int) const", "run(int)");
	assert_home("{lambda:7}", "");
	assert_home("std::sort<run::{lambda:31}>", "");
	assert_home("run", "");
	assert_home("", "");
}

static void several_lines_are_those_of_lambdas_without_a_number(void **state)
{
	struct wk_buf text = { 0 };

	(void)state;
	wk_closure_name_add(wk_str_c("run::{lambda}::operator()"), 31, 37, &text);
	assert_string_equal(wk_buf_text(&text), "run::{lambda:31-37}::operator()");
	wk_buf_reset(&text);
	wk_closure_name_add(wk_str_c("run()::{lambda(int)#2}::operator()"), 31, 37, &text);
	assert_string_equal(wk_buf_text(&text), "run()::{lambda:31#2}::operator()");
	wk_buf_reset(&text);
	wk_closure_name_add(wk_str_c("app::run::{{closure}}"), 31, 37, &text);
	assert_string_equal(wk_buf_text(&text), "app::run::{closure:31}");
	wk_buf_fini(&text);
}

static void only_the_function_itself_is_meant(void **state)
{
	static const char *const others[] = {
		"core::iter::fold<u8, app::run::{{closure}}>",
		"core::ops::function::FnOnce::call_once{{vtable.shim}}",
		"app::run::{{closure}}::inner", "std::sort<f()::{lambda(int)#1}>(int)", "main", "",
		"}", "{", "run::$_0", "void run<main::$_0>(main::$_0)", "run::a$_0::operator()()",
		"run::$_::operator()()", "run::$_1234567890::operator()()", "$_1", NULL,
	};

	(void)state;
	for (int i = 0; others[i]; i++)
		assert_named(others[i], others[i]);
}

static const char *name_of(const struct wk_model *model, wk_function_id id)
{
	return wk_strtab_get(model->text, model->functions[id].name);
}

/* Of each instance of "run::{{closure}}" the lines that were sampled. */
static struct wk_model *closures(const uint32_t (*lines)[2], uint32_t count)
{
	struct wk_model *model = small_model((const char *[]){ "demo;main@3 1", NULL });

	for (uint32_t i = 0; i < count; i++) {
		char linked[] = "closure0";
		struct wk_function function = {
			.name = wk_model_text(model, wk_str_c("run::{{closure}}")),
			.image = 1, .file = wk_model_text(model, wk_str_c("/src/demo.rs")),
		};
		wk_function_id id;

		linked[7] = (char)('0' + i);
		function.linked = wk_model_text(model, wk_str_c(linked));
		id = wk_model_add_function(model, &function);
		wk_model_add_named_frame(model, id, lines[i][0], 0, false);
		wk_model_add_named_frame(model, id, lines[i][1], 0, false);
	}
	wk_model_name_closures(model);
	return model;
}

static void lines_that_do_not_overlap_are_other_closures(void **state)
{
	static const uint32_t lines[][2] = { { 40, 42 }, { 31, 33 }, { 32, 32 }, { 50, 50 } };
	struct wk_model *model = closures(lines, 4);
	wk_function_id first = model->function_count - 4;

	(void)state;
	assert_string_equal(name_of(model, first), "run::{closure:40}");
	assert_string_equal(name_of(model, first + 1), "run::{closure:31}");
	assert_string_equal(name_of(model, first + 2), "run::{closure:31}");
	assert_string_equal(name_of(model, first + 3), "run::{closure:50}");
	assert_string_equal(name_of(model, 1), "main");
	assert_string_equal(wk_strtab_get(model->text, model->functions[first].plain),
			    "run::{{closure}}");
	assert_int_equal(model->functions[first + 2].closure_line, 31);
	wk_model_free(model);
}

/* Names of gcc's debug information, which stay as they are whatever lines were sampled. */
static void lambdas_with_lines_of_their_own(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "demo;main@3 1", NULL });
	struct wk_function function = {
		.name = wk_model_text(model, wk_str_c("run::{lambda:31}::operator()")),
		.image = 1, .file = wk_model_text(model, wk_str_c("/src/demo.cpp")),
	};
	wk_function_id id = wk_model_add_function(model, &function);

	(void)state;
	wk_model_add_named_frame(model, id, 33, 0, false);
	wk_model_name_closures(model);
	assert_string_equal(name_of(model, id), "run::{lambda:31}::operator()");
	assert_string_equal(wk_strtab_get(model->text, model->functions[id].plain),
			    "run::{lambda}::operator()");
	assert_int_equal(model->functions[id].closure_line, 31);
	wk_model_free(model);
}

static wk_function_id add_at(struct wk_model *model, const char *name, uint32_t line)
{
	wk_function_id id = wk_model_add_function(model, &(struct wk_function){
		.name = wk_model_text(model, wk_str_c(name)), .image = 1,
		.file = wk_model_text(model, wk_str_c("/src/demo.rs")) });

	wk_model_add_named_frame(model, id, line, 0, false);
	return id;
}

static void an_instance_for_a_closure_has_its_line(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "demo;main@3 1", NULL });
	wk_function_id closure = add_at(model, "a::run::{closure#0}", 15);
	wk_function_id apply = add_at(model, "a::apply::<a::run::{closure#0}, u8>", 9);
	wk_function_id twice =
		add_at(model, "a::apply::<a::run::{closure#0}, a::run::{closure#0}>", 9);
	wk_function_id other = add_at(model, "a::apply::<a::run::{closure#1}>", 9);
	wk_function_id broken = add_at(model, "a::apply::<a::run::{closure#0", 9);

	(void)state;
	wk_model_name_closures(model);
	assert_string_equal(name_of(model, closure), "a::run::{closure:15}");
	assert_string_equal(name_of(model, apply), "a::apply::<a::run::{closure:15}, u8>");
	assert_string_equal(name_of(model, twice),
			    "a::apply::<a::run::{closure:15}, a::run::{closure:15}>");
	assert_string_equal(name_of(model, other), "a::apply::<a::run::{closure#1}>");
	assert_string_equal(name_of(model, broken), "a::apply::<a::run::{closure#0");
	assert_string_equal(wk_strtab_get(model->text, model->functions[apply].plain),
			    "a::apply::<a::run::{closure#0}, u8>");
	wk_model_free(model);
}

/* Frames of the machine code of instances; one closure was inlined into each. */
static void inline_closures(struct wk_model *model, const wk_function_id (*pairs)[2],
			    uint32_t count)
{
	uint32_t frames = model->frames.count;

	assert_true(count < frames);
	model->calls.first = wk_alloc_zeroed(frames + 1, sizeof(*model->calls.first));
	model->calls.function = wk_alloc(2 * count * sizeof(*model->calls.function));
	model->calls.line = wk_alloc_zeroed(2 * count, sizeof(*model->calls.line));
	for (uint32_t i = 0; i < frames; i++)
		model->calls.first[i + 1] = 2 * (i < count ? i + 1 : count);
	for (uint32_t i = 0; i < 2 * count; i++)
		model->calls.function[i] = pairs[i / 2][i % 2];
}

static void an_inlined_lambda_gives_the_instance_its_line(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "demo;main;a;b;c;d;e;f 1", NULL });
	wk_function_id first = add_at(model, "run::{lambda:31}::operator()", 32);
	wk_function_id second = add_at(model, "run::{lambda:40}::operator()", 41);
	wk_function_id other = add_at(model, "walk::{lambda:7}::operator()", 8);
	wk_function_id sort = add_at(model, "void sort<It, run(int)::{lambda(int)#1}>(It)", 0);
	wk_function_id heap = add_at(model, "void heap<It, run(int)::{lambda(int)#1}>(It)", 0);
	wk_function_id each = add_at(model, "void each<run(int)::$_3>()", 0);
	wk_function_id both =
		add_at(model, "void both<run(int)::{lambda()#2}, run(int)::{lambda()#3}>()", 0);
	wk_function_id one = add_at(model, "void one<run(int)::{lambda()#4}>()", 0);
	const wk_function_id pairs[][2] = {
		{ sort, first }, { each, second }, { both, first },
		{ one, first },  { one, second },  { heap, other },
	};

	(void)state;
	inline_closures(model, pairs, 6);
	wk_model_name_closures(model);
	assert_string_equal(name_of(model, sort), "void sort<It, run(int)::{lambda:31}>(It)");
	assert_string_equal(name_of(model, heap), "void heap<It, run(int)::{lambda:31}>(It)");
	assert_string_equal(name_of(model, each), "void each<run(int)::{lambda:40}>()");
	assert_string_equal(name_of(model, both),
			    "void both<run(int)::{lambda()#2}, run(int)::{lambda()#3}>()");
	assert_string_equal(name_of(model, one), "void one<run(int)::{lambda()#4}>()");
	assert_string_equal(wk_strtab_get(model->text, model->functions[sort].plain),
			    "void sort<It, run(int)::{lambda(int)#1}>(It)");
	wk_model_free(model);
}

static void an_instance_for_a_closure_in_a_closure_has_the_lines_of_both(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "demo;main;a;b;c;d;e 1", NULL });
	wk_function_id outer, inner, each, last, rust;

	(void)state;
	add_at(model, "f()::{lambda()#1}::operator()() const", 5);
	add_at(model,
	       "f()::{lambda()#1}::operator()() const::{lambda(int)#2}::operator()(int) const", 6);
	add_at(model, "g::{closure#0}", 8);
	add_at(model, "g::{closure#0}::{closure#1}", 9);
	outer = add_at(model, "void each<f()::{lambda()#1}>()", 0);
	inner = add_at(model, "void each<f()::{lambda()#1}::operator()() const::{lambda(int)#2}>()",
		       0);
	each = add_at(model, "void each<f()::{lambda()#1}::operator()() const::{lambda(int)#3}>()",
		      0);
	last = add_at(model, "void each<f()::{lambda()#1}::operator()() const>()", 0);
	rust = add_at(model, "each::<g::{closure#0}::{closure#1}, u8>", 0);
	wk_model_name_closures(model);
	assert_string_equal(name_of(model, outer), "void each<f()::{lambda:5}>()");
	assert_string_equal(name_of(model, inner),
			    "void each<f()::{lambda:5}::operator()() const::{lambda:6}>()");
	assert_string_equal(name_of(model, each),
			    "void each<f()::{lambda:5}::operator()() const::{lambda(int)#3}>()");
	assert_string_equal(name_of(model, last),
			    "void each<f()::{lambda:5}::operator()() const>()");
	assert_string_equal(name_of(model, rust), "each::<g::{closure:8}::{closure:9}, u8>");
	wk_model_free(model);
}

static void a_closure_of_a_const_member_gives_the_instance_its_line(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "demo;main;a 1", NULL });
	wk_function_id each;

	(void)state;
	add_at(model, "Shape::area(int) const::{lambda(int)#1}::operator()(int) const", 5);
	each = add_at(model, "void each<int const, Shape::area(int) const::{lambda(int)#1}>()", 0);
	wk_model_name_closures(model);
	assert_string_equal(name_of(model, each),
			    "void each<int const, Shape::area(int) const::{lambda:5}>()");
	wk_model_free(model);
}

/* Two programs, or two files of one, have closures of the same name. */
static void a_name_of_several_closures_has_the_line_of_its_own_or_none(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "demo;main;a;other!b 1", NULL });
	wk_image_id other = model->image_count - 1;
	wk_function_id first = add_at(model, "run()::{lambda(int)#1}::operator()(int) const", 31);
	wk_function_id second, third, fourth, each, each_of_other, both;

	(void)state;
	each = add_at(model, "void each<run()::{lambda(int)#1}>(int)", 9);
	third = add_at(model, "walk()::{lambda(int)#1}::operator()(int) const", 50);
	model->functions[third].file = wk_model_text(model, wk_str_c("/src/one.cpp"));
	both = add_at(model, "void each<walk()::{lambda(int)#1}>(int)", 9);
	second = wk_model_add_function(model, &(struct wk_function){
		.name = model->functions[first].name, .image = other,
		.file = wk_model_text(model, wk_str_c("/src/other.cpp")) });
	wk_model_add_named_frame(model, second, 77, 0, false);
	each_of_other = wk_model_add_function(model, &(struct wk_function){
		.name = model->functions[each].name, .image = other,
		.file = wk_model_text(model, wk_str_c("/src/other.cpp")) });
	fourth = wk_model_add_function(model, &(struct wk_function){
		.name = model->functions[third].name, .image = 1,
		.file = wk_model_text(model, wk_str_c("/src/two.cpp")) });
	wk_model_add_named_frame(model, fourth, 70, 0, false);
	assert_true(other > 1 && second != first && fourth != third);
	wk_model_name_closures(model);
	assert_string_equal(name_of(model, each), "void each<run()::{lambda:31}>(int)");
	assert_string_equal(name_of(model, each_of_other), "void each<run()::{lambda:77}>(int)");
	assert_string_equal(name_of(model, both), "void each<walk()::{lambda(int)#1}>(int)");
	wk_model_free(model);
}

static void a_lambda_that_is_called_gives_its_instances_its_line(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "demo;main 1", NULL });
	wk_function_id lambda = add_at(model, "run()::{lambda(int)#2}::operator()(int) const", 31);
	wk_function_id each = add_at(model, "void each<run()::{lambda(int)#2}>(int)", 9);
	wk_function_id open = add_at(model, "void each<run()::{lambda(int)#2", 9);
	wk_function_id by_value =
		add_at(model, "void sum<run()::{lambda(int)#2}>(run()::{lambda(int)#2}, int)", 9);

	(void)state;
	wk_model_name_closures(model);
	assert_string_equal(name_of(model, lambda), "run()::{lambda:31}::operator()(int) const");
	assert_string_equal(name_of(model, each), "void each<run()::{lambda:31}>(int)");
	assert_string_equal(name_of(model, open), "void each<run()::{lambda(int)#2");
	assert_string_equal(name_of(model, by_value),
			    "void sum<run()::{lambda:31}>(run()::{lambda:31}, int)");
	wk_model_free(model);
}

/* Numbers change when a lambda is added above, and lines are enough, unless two share one. */
static void numbers_of_lambdas_are_kept_on_lines_of_several(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "demo;main;other!b 1", NULL });
	wk_function_id first = add_at(model, "run()::{lambda(int)#1}::operator()(int) const", 31);
	wk_function_id second = add_at(model, "run()::{lambda()#2}::operator()() const", 31);
	wk_function_id third = add_at(model, "run()::{lambda()#3}::operator()() const", 40);
	wk_function_id walk = add_at(model, "walk()::{lambda()#1}::operator()() const", 31);
	wk_function_id each = add_at(model, "void each<run()::{lambda()#2}>(int)", 9);
	wk_function_id inlined = add_at(model, "run::{lambda:31}::operator()", 31);

	(void)state;
	wk_model_name_closures(model);
	assert_string_equal(name_of(model, first), "run()::{lambda:31#1}::operator()(int) const");
	assert_string_equal(name_of(model, second), "run()::{lambda:31#2}::operator()() const");
	assert_string_equal(name_of(model, third), "run()::{lambda:40}::operator()() const");
	assert_string_equal(name_of(model, walk), "walk()::{lambda:31}::operator()() const");
	assert_string_equal(name_of(model, each), "void each<run()::{lambda:31#2}>(int)");
	assert_string_equal(name_of(model, inlined), "run::{lambda:31}::operator()");
	assert_string_equal(wk_strtab_get(model->text, model->functions[third].plain),
			    "run()::{lambda()#3}::operator()() const");
	wk_model_free(model);
}

static void assert_found(const char *name, uint32_t line, uint32_t number, const char *family)
{
	struct wk_lined_closure closure = { 0 };
	struct wk_buf text = { 0 };

	assert_int_equal(wk_closure_next_lined(wk_str_c(name), &closure), line != 0);
	if (line) {
		assert_int_equal(closure.line, line);
		assert_int_equal(closure.number, number);
		wk_closure_family(wk_str_c(name), closure.begin, &text);
		assert_string_equal(wk_buf_text(&text), family);
	}
	wk_buf_fini(&text);
}

static void closures_with_lines_are_found_with_what_they_are_written_in(void **state)
{
	struct wk_str name = WK_STR("f<a::run(int)::{lambda:31#2}::{lambda:33}>({lambda:45-51})");
	struct wk_lined_closure closure = { 0 };
	struct wk_buf text = { 0 };

	(void)state;
	assert_found("app::run::{closure:31#0}", 31, 1, "app::run");
	assert_found("int run<int>(int)::{lambda:7}::operator()() const", 7, 0, "run<int>");
	assert_found("{lambda:7}", 7, 0, "");
	assert_found("(anonymous namespace)::f()::{lambda:7}", 7, 0, "(anonymous namespace)::f");
	assert_found("run::{lambda:}", 0, 0, "");
	assert_found("run::{lambda:45", 0, 0, "");
	assert_found("run::{lambda:45x}", 0, 0, "");
	assert_found("run::{lambda:4294967296}", 0, 0, "");
	assert_found("run::{lambda}", 0, 0, "");
	assert_true(wk_closure_next_lined(name, &closure));
	assert_true(wk_closure_next_lined(name, &closure));
	assert_int_equal(closure.line, 33);
	wk_closure_family(name, closure.begin, &text);
	assert_string_equal(wk_buf_text(&text), "a::run");
	assert_true(wk_closure_next_lined(name, &closure));
	assert_int_equal(closure.line, 45);
	assert_int_equal(closure.end, name.len - 1);
	assert_false(wk_closure_next_lined(name, &closure));
	wk_buf_fini(&text);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_line_is_in_the_braces),
		cmocka_unit_test(a_closure_is_written_in_a_function),
		cmocka_unit_test(several_lines_are_those_of_lambdas_without_a_number),
		cmocka_unit_test(debug_information_has_put_the_line_in_already),
		cmocka_unit_test(lambdas_with_lines_of_their_own),
		cmocka_unit_test(only_the_function_itself_is_meant),
		cmocka_unit_test(an_instance_for_a_closure_has_its_line),
		cmocka_unit_test(an_inlined_lambda_gives_the_instance_its_line),
		cmocka_unit_test(an_instance_for_a_closure_in_a_closure_has_the_lines_of_both),
		cmocka_unit_test(a_closure_of_a_const_member_gives_the_instance_its_line),
		cmocka_unit_test(a_name_of_several_closures_has_the_line_of_its_own_or_none),
		cmocka_unit_test(a_lambda_that_is_called_gives_its_instances_its_line),
		cmocka_unit_test(lines_that_do_not_overlap_are_other_closures),
		cmocka_unit_test(numbers_of_lambdas_are_kept_on_lines_of_several),
		cmocka_unit_test(closures_with_lines_are_found_with_what_they_are_written_in),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
