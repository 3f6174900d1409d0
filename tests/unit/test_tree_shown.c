#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "small_model.h"
#include "base/mem.h"
#include "tree_of.h"
#include "views/function_choice.h"
#include "views/source_line.h"

static void assert_shown(const struct wk_model *model, struct wk_tree_options options,
			 const char *expected)
{
	struct wk_tree tree = tree_of(model, options);
	struct wk_buf words = { 0 };

	for (uint32_t i = 0; i < tree.count; i++) {
		wk_buf_add_fmt(&words, "%*s%.*s %u %u", (int)tree.depth[i], "",
			       WK_STR_ARG(tree.name[i]), tree.total_samples[i],
			       tree.self_samples[i]);
		if (tree.place && tree.place[i])
			wk_buf_add_fmt(&words, " @%u", model->named_frames.line[tree.place[i]]);
		wk_buf_add_char(&words, '\n');
	}
	assert_string_equal(wk_buf_text(&words), expected);
	wk_buf_fini(&words);
	wk_tree_fini(&tree);
}

static const char *const rust_lines[] = {
	"demo;main;app::run;core::ptr::read<u8>_[i];core::intrinsics::copy_nonoverlapping_[i] 5",
	"demo;main;app::run;alloc::vec::Vec<T,A>::push_[i];core::ptr::write_[i] 4",
	"demo;main;app::run;core::iter::traits::iterator::Iterator::fold_[i];"
	"app::run::{{closure}}_[i] 3",
	"demo;main;app::run;core::slice::sort::merge 2",
	NULL,
};

static void plumbing_is_part_of_its_caller(void **state)
{
	struct wk_model *model = small_model(rust_lines);

	(void)state;
	assert_shown(model, (struct wk_tree_options){ .hides_plumbing = true },
		     "all 14 0\n"
		     " main 14 0\n"
		     "  app::run 14 5\n"
		     "   alloc::vec::Vec<T,A>::push 4 4\n"
		     "   app::run::{{closure}} 3 3\n"
		     "   core::slice::sort::merge 2 2\n");
	wk_model_free(model);
}

static void inverted_it_is_part_of_its_caller_as_well(void **state)
{
	struct wk_model *model = small_model(rust_lines);

	(void)state;
	assert_shown(model, (struct wk_tree_options){ .hides_plumbing = true, .inverted = true },
		     "all 14 0\n"
		     " app::run 5 0\n"
		     "  main 5 5\n"
		     " alloc::vec::Vec<T,A>::push 4 0\n"
		     "  app::run 4 0\n"
		     "   main 4 4\n"
		     " app::run::{{closure}} 3 0\n"
		     "  app::run 3 0\n"
		     "   main 3 3\n"
		     " core::slice::sort::merge 2 0\n"
		     "  app::run 2 0\n"
		     "   main 2 2\n");
	wk_model_free(model);
}

static const char *const allocating[] = {
	"demo;main;app::run;alloc::vec::Vec<T,A>::push;alloc::raw_vec::finish_grow;__rust_alloc;"
	"libc.so.6!malloc 5",
	"demo;main;app::run;alloc::vec::into_iter::IntoIter<T>::for_each;app::load;malloc 4",
	"demo;main;std::vector<int>::_M_realloc_insert;operator new(unsigned long);malloc 3",
	"demo;malloc 2",
	"demo;main;/usr/lib/libjemalloc.so.2!libjemalloc.so.2+0x10;/usr/lib/libjemalloc.so.2!libjemalloc.so.2+0x20 1",
	"demo;main;std::thread::Builder::spawn;malloc 1",
	NULL,
};

/* Only at the inner end: containers that call the program are callers like others. */
static void blocks_count_at_the_caller_of_allocators(void **state)
{
	struct wk_model *model = small_model(allocating);

	(void)state;
	model->sources[1].is_of_blocks = true;
	assert_shown(model, (struct wk_tree_options){ .hides_plumbing = true },
		     "all 16 0\n"
		     " main 14 4\n"
		     "  app::run 9 5\n"
		     "   alloc::vec::into_iter::IntoIter<T>::for_each 4 0\n"
		     "    app::load 4 4\n"
		     "  std::thread::Builder::spawn 1 1\n"
		     " malloc 2 2\n");
	assert_shown(model, (struct wk_tree_options){ .hides_plumbing = true, .inverted = true },
		     "all 16 0\n"
		     " app::run 5 0\n"
		     "  main 5 5\n"
		     " app::load 4 0\n"
		     "  alloc::vec::into_iter::IntoIter<T>::for_each 4 0\n"
		     "   app::run 4 0\n"
		     "    main 4 4\n"
		     " main 4 4\n"
		     " malloc 2 2\n"
		     " std::thread::Builder::spawn 1 0\n"
		     "  main 1 1\n");
	wk_model_free(model);
}

static void blocks_count_at_the_caller_of_what_wraps_allocators(void **state)
{
	static const char *const lines[] = { "demo;main;make_tree;xcalloc;calloc 3",
					     "demo;main;read_name;strdup;malloc 2",
					     "demo;main;xmalloc_failed;malloc 1", NULL };
	struct wk_model *model = small_model(lines);

	(void)state;
	model->sources[1].is_of_blocks = true;
	assert_shown(model, (struct wk_tree_options){ .hides_plumbing = true },
		     "all 6 0\n"
		     " main 6 0\n"
		     "  make_tree 3 3\n"
		     "  read_name 2 2\n"
		     "  xmalloc_failed 1 1\n");
	wk_model_free(model);
}

/* Also of one that interrupted the allocator. */
static void blocks_of_handlers_are_theirs(void **state)
{
	static const char *const lines[] = {
		"demo;main;malloc;_int_malloc;__restore_rt;on_alarm;operator new(unsigned long);"
		"malloc 3",
		NULL
	};
	struct wk_model *model = small_model(lines);

	(void)state;
	model->sources[1].is_of_blocks = true;
	assert_shown(model, (struct wk_tree_options){ .hides_plumbing = true },
		     "all 3 0\n"
		     " main 3 0\n"
		     "  malloc 3 0\n"
		     "   _int_malloc 3 0\n"
		     "    __restore_rt 3 0\n"
		     "     on_alarm 3 3\n");
	wk_model_free(model);
}

static void allocators_are_shown_on_request_and_for_other_events(void **state)
{
	static const char *const lines[] = { "demo;main;malloc 2", NULL };
	struct wk_model *model = small_model(lines);

	(void)state;
	assert_shown(model, (struct wk_tree_options){ .hides_plumbing = true },
		     "all 2 0\n main 2 0\n  malloc 2 2\n");
	model->sources[1].is_of_blocks = true;
	assert_shown(model, (struct wk_tree_options){ 0 },
		     "all 2 0\n main 2 0\n  malloc 2 2\n");
	wk_model_free(model);
}

static void own_code_is_charged_for_what_it_calls(void **state)
{
	struct wk_model *model = small_model((const char *[]){
		"demo;main;parse;/lib/libc.so.6!memcpy 3", "demo;main;parse;malloc;brk_[k] 2",
		"demo;main;parse 1", "demo;/lib/libc.so.6!start;/lib/libc.so.6!idle 4", NULL });

	(void)state;
	assert_shown(model, (struct wk_tree_options){ .charges_own = true },
		     "all 10 0\n"
		     " main 6 0\n"
		     "  parse 6 6\n"
		     " start 4 0\n"
		     "  idle 4 4\n");
	wk_model_free(model);
}

static const char *const recursive_lines[] = {
	"demo;main;f;g;f;h 4", "demo;main;f;h 3", "demo;main;h 2", "demo;main;k 1", NULL,
};

/* Is "cmp" below "main" marked as recursive? The function is as linked: "cmp" or a part of it. */
static bool is_marked(const char *line, const char *linked)
{
	struct wk_model *model = small_model((const char *[]){ line, NULL });
	struct wk_tree tree;
	bool is_recursive;

	for (wk_function_id id = 1; id < model->function_count; id++)
		if (wk_str_is(wk_model_str(model, model->functions[id].name), "cmp"))
			model->functions[id].linked = wk_model_text(model, wk_str_c(linked));
	tree = tree_of(model, (struct wk_tree_options){ .folds_recursion = true });
	assert_int_equal(tree.count, 3);
	assert_true(wk_str_is(tree.name[2], "cmp"));
	is_recursive = tree.is_recursive && tree.is_recursive[2];
	wk_tree_fini(&tree);
	wk_model_free(model);
	return is_recursive;
}

static void the_rest_of_an_inlined_function_is_no_recursion(void **state)
{
	(void)state;
	assert_true(is_marked("demo;main;cmp;cmp 3", "cmp"));
	assert_false(is_marked("demo;main;cmp 3", "cmp"));
	assert_false(is_marked("demo;main;cmp_[i];cmp 3", "cmp.part.0"));
	assert_true(is_marked("demo;main;cmp_[i];cmp 3", "cmp"));
	assert_true(is_marked("demo;main;cmp_[i];cmp;cmp_[i];cmp 3", "cmp.part.0"));
}

static void assert_focus(const char *word, bool inverted, const char *expected)
{
	struct wk_model *model = small_model(recursive_lines);
	struct wk_err err = { 0 };
	uint8_t *functions = wk_choose_functions(model, word, false, &err);

	assert_non_null(functions);
	assert_shown(model, (struct wk_tree_options){ .focus = functions, .inverted = inverted },
		     expected);
	wk_free(functions);
	wk_model_free(model);
}

static void callees_start_at_the_outermost_call(void **state)
{
	(void)state;
	assert_focus("f", false,
		     "all 10 3\n"
		     " f 7 0\n"
		     "  g 4 0\n"
		     "   f 4 0\n"
		     "    h 4 4\n"
		     "  h 3 3\n");
}

static void callers_start_at_the_innermost_call(void **state)
{
	(void)state;
	assert_focus("f", true,
		     "all 10 3\n"
		     " f 7 0\n"
		     "  g 4 0\n"
		     "   f 4 0\n"
		     "    main 4 4\n"
		     "  main 3 3\n");
}

static void a_node_has_its_hottest_line(void **state)
{
	struct wk_model *model = small_model((const char *[]){
		"demo;main@3;work@10 2", "demo;main@3;work@11 5", "demo;main@4;work@10 4", NULL });
	struct wk_tree_options options = { 0 };
	struct wk_filter filter;
	struct wk_tree tree = tree_of(model, options);

	(void)state;
	assert_true(wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, NULL));
	wk_tree_find_lines(&tree, model, &filter, &options);
	assert_int_equal(tree.count, 3);
	assert_int_equal(model->named_frames.line[tree.place[1]], 3);
	assert_int_equal(model->named_frames.line[tree.place[2]], 10);
	assert_int_equal(tree.place[0], 0);
	wk_tree_fini(&tree);
	wk_filter_fini(&filter);
	assert_shown(model, (struct wk_tree_options){ .by_lines = true },
		     "all 11 0\n"
		     " main 7 0 @3\n"
		     "  work 5 5 @11\n"
		     "  work 2 2 @10\n"
		     " main 4 0 @4\n"
		     "  work 4 4 @10\n");
	wk_model_free(model);
}

static void lines_are_written_with_the_end_of_their_path(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "demo;main@3 1", NULL });
	struct wk_buf text = { 0 };

	(void)state;
	assert_string_equal(wk_source_brief_path(wk_str_c("/a/b/src/x.c")).at, "src/x.c");
	assert_string_equal(wk_source_brief_path(wk_str_c("C:\\a\\b\\x.c")).at, "b\\x.c");
	assert_string_equal(wk_source_brief_path(wk_str_c("x.c")).at, "x.c");
	for (uint32_t i = 1; i < model->named_frames.count; i++)
		wk_source_line_add(model, i, false, &text);
	assert_string_equal(wk_buf_text(&text), "/src/demo.c:3");
	wk_buf_fini(&text);
	wk_model_free(model);
}

/* How many functions a word chooses; -1: it is an error. */
static int chosen(const char *word)
{
	static const char *const lines[] = {
		"demo;malloc;malloc_consolidate 1", "demo;alloc::vec::Vec<T,A>::push 1",
		"demo;std::vector<int, std::allocator<int> >::push_back(int const&) 1", NULL,
	};
	struct wk_model *model = small_model(lines);
	struct wk_err err = { 0 };
	uint8_t *functions = wk_choose_functions(model, word, false, &err);
	int count = functions ? 0 : -1;

	for (wk_function_id id = 0; functions && id < model->function_count; id++)
		count += functions[id];
	wk_free(functions);
	wk_model_free(model);
	return count;
}

/* "image:name," of each, in the order of the samples. */
static void assert_mains(const char *const *lines, const char *expected)
{
	struct wk_model *model = small_model(lines);
	uint8_t *functions = wk_choose_functions(model, "main", false, NULL);
	struct wk_buf words = { 0 };

	assert_non_null(functions);
	for (wk_function_id id = 1; id < model->function_count; id++) {
		const struct wk_function *function = &model->functions[id];

		if (functions[id])
			wk_buf_add_fmt(
				&words, "%s:%s,",
				wk_strtab_get(model->text, model->images[function->image].path),
				wk_strtab_get(model->text, function->name));
	}
	assert_string_equal(wk_buf_text(&words), expected);
	wk_buf_fini(&words);
	wk_free(functions);
	wk_model_free(model);
}

static void main_of_a_rust_program_is_its_own(void **state)
{
	static const char *const rust[] = { "app;main;std::rt::lang_start;app::main 1", NULL };
	static const char *const c[] = { "app;main;cmd::main;domain::remainder 1", NULL };
	static const char *const both[] = { "a;/a!main;/a!std::rt::lang_start;/a!a::main 1",
					    "b;/b!main;/b!b::main 1", "c;/c!main 1",
					    "d;/d!main;/d!std::rt::lang_start;/d!Main.main 1",
					    NULL };

	(void)state;
	assert_mains(rust, "/home/me/demo:app::main,");
	assert_mains(c, "/home/me/demo:main,");
	assert_mains(both, "/a:a::main,/b:main,/c:main,/d:main,");
}

static void a_word_means_a_name_then_an_end_then_a_pattern(void **state)
{
	(void)state;
	assert_int_equal(chosen("malloc"), 1);
	assert_int_equal(chosen("^malloc"), 2);
	assert_int_equal(chosen("Vec::push"), 1);
	assert_int_equal(chosen("push"), 1);
	assert_int_equal(chosen("push_back"), 1);
	assert_int_equal(chosen("pus"), 2);
	assert_int_equal(chosen("nothing"), -1);
	assert_int_equal(chosen("("), -1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(plumbing_is_part_of_its_caller),
		cmocka_unit_test(inverted_it_is_part_of_its_caller_as_well),
		cmocka_unit_test(blocks_count_at_the_caller_of_allocators),
		cmocka_unit_test(blocks_count_at_the_caller_of_what_wraps_allocators),
		cmocka_unit_test(blocks_of_handlers_are_theirs),
		cmocka_unit_test(allocators_are_shown_on_request_and_for_other_events),
		cmocka_unit_test(own_code_is_charged_for_what_it_calls),
		cmocka_unit_test(callees_start_at_the_outermost_call),
		cmocka_unit_test(callers_start_at_the_innermost_call),
		cmocka_unit_test(the_rest_of_an_inlined_function_is_no_recursion),
		cmocka_unit_test(a_node_has_its_hottest_line),
		cmocka_unit_test(lines_are_written_with_the_end_of_their_path),
		cmocka_unit_test(main_of_a_rust_program_is_its_own),
		cmocka_unit_test(a_word_means_a_name_then_an_end_then_a_pattern),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
