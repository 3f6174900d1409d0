#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "small_model.h"
#include "tree_of.h"
#include "views/tree/annotations.h"

static const char *const lines[] = {
	"demo;main;lib.so!open;lib.so!read;[kernel]!sys_read 5",
	"demo;main;work 3",
	"demo;main;lib.so!open 2",
	"other;lib.so!open 4",
	NULL,
};

static void assert_grouped(const char *by, struct wk_tree_options options, const char *expected)
{
	struct wk_model *model = small_model(lines);
	struct wk_grouping grouping;
	struct wk_buf words = { 0 };
	struct wk_tree tree;

	assert_true(wk_grouping_read(&grouping, wk_str_c(by), NULL));
	options.grouping = &grouping;
	tree = tree_of(model, options);
	for (uint32_t i = 0; i < tree.count; i++)
		wk_buf_add_fmt(&words, "%*s%.*s %u %u\n", (int)tree.depth[i], "",
			       WK_STR_ARG(tree.name[i]), tree.total_samples[i],
			       tree.self_samples[i]);
	assert_string_equal(wk_buf_text(&words), expected);
	wk_buf_fini(&words);
	wk_tree_fini(&tree);
	wk_model_free(model);
}

static void a_grouping_that_says_nothing_of_where_ends_in_the_stack(void **state)
{
	(void)state;
	assert_grouped("process", (struct wk_tree_options){ 0 },
		       "all 14 0\n"
		       " demo 10 0\n"
		       "  main 10 0\n"
		       "   open 7 2\n"
		       "    read 5 0\n"
		       "     sys_read 5 5\n"
		       "   work 3 3\n"
		       " other 4 0\n"
		       "  open 4 4\n");
}

static void functions_of_one_file_in_a_row_are_one_frame_of_the_stack_by_modules(void **state)
{
	(void)state;
	assert_grouped("module", (struct wk_tree_options){ 0 },
		       "all 14 0\n"
		       " demo 10 3\n"
		       "  lib.so 7 2\n"
		       "   [kernel] 5 5\n"
		       " lib.so 4 4\n");
	assert_grouped("module", (struct wk_tree_options){ .inverted = true },
		       "all 14 0\n"
		       " lib.so 6 4\n"
		       "  demo 2 2\n"
		       " [kernel] 5 0\n"
		       "  lib.so 5 0\n"
		       "   demo 5 5\n"
		       " demo 3 3\n");
}

static void a_module_above_others_is_the_one_that_a_sample_was_in(void **state)
{
	(void)state;
	assert_grouped("module,function", (struct wk_tree_options){ 0 },
		       "all 14 0\n"
		       " lib.so 6 0\n"
		       "  open 6 6\n"
		       " [kernel] 5 0\n"
		       "  sys_read 5 5\n"
		       " demo 3 0\n"
		       "  work 3 3\n");
	assert_grouped("function,pid,stack", (struct wk_tree_options){ 0 },
		       "all 14 0\n"
		       " open 6 0\n"
		       "  other (102) 4 0\n"
		       "   open 4 4\n"
		       "  demo (101) 2 0\n"
		       "   main 2 0\n"
		       "    open 2 2\n"
		       " sys_read 5 0\n"
		       "  demo (101) 5 0\n"
		       "   main 5 0\n"
		       "    open 5 0\n"
		       "     read 5 0\n"
		       "      sys_read 5 5\n"
		       " work 3 0\n"
		       "  demo (101) 3 0\n"
		       "   main 3 0\n"
		       "    work 3 3\n");
}

static void the_first_frame_from_the_root_that_a_rule_matches_labels_a_stack(void **state)
{
	static const struct wk_annotation_rule rules[] = {
		{ "reading", "^read$", NULL },
		{ "library", NULL, "^lib[.]so$" },
		{ "reading", "^sys_", NULL },
		{ "nothing", "^open$", "^demo$" },
		{ "working", "^work$", "^demo$" },
	};
	static const struct wk_annotations annotations = { rules, 5 };

	(void)state;
	assert_grouped("annotation,function",
		       (struct wk_tree_options){ .annotations = &annotations },
		       "all 14 0\n"
		       " library 11 0\n"
		       "  open 6 6\n"
		       "  sys_read 5 5\n"
		       " working 3 0\n"
		       "  work 3 3\n");
	assert_grouped("process,annotation,function",
		       (struct wk_tree_options){
			       .annotations = &(const struct wk_annotations){ rules, 1 } },
		       "all 14 0\n"
		       " demo 10 0\n"
		       "  (not annotated) 5 0\n"
		       "   work 3 3\n"
		       "   open 2 2\n"
		       "  reading 5 0\n"
		       "   sys_read 5 5\n"
		       " other 4 0\n"
		       "  (not annotated) 4 0\n"
		       "   open 4 4\n");
}

static void without_rules_no_stack_is_annotated(void **state)
{
	(void)state;
	assert_grouped("annotation,process,function", (struct wk_tree_options){ 0 },
		       "all 14 0\n"
		       " (not annotated) 14 0\n"
		       "  demo 10 0\n"
		       "   sys_read 5 5\n"
		       "   work 3 3\n"
		       "   open 2 2\n"
		       "  other 4 0\n"
		       "   open 4 4\n");
}

static void levels_stand_in_the_order_they_were_asked_for(void **state)
{
	(void)state;
	assert_grouped("module,process,function", (struct wk_tree_options){ 0 },
		       "all 14 0\n"
		       " lib.so 6 0\n"
		       "  other 4 0\n"
		       "   open 4 4\n"
		       "  demo 2 0\n"
		       "   open 2 2\n"
		       " [kernel] 5 0\n"
		       "  demo 5 0\n"
		       "   sys_read 5 5\n"
		       " demo 3 0\n"
		       "  demo 3 0\n"
		       "   work 3 3\n");
}

static void modules_are_coloured_and_told_as_code(void **state)
{
	struct wk_model *model = small_model(lines);
	struct wk_grouping grouping;
	struct wk_tree tree;

	(void)state;
	assert_true(wk_grouping_read(&grouping, wk_str_c("process,module"), NULL));
	tree = tree_of(model, (struct wk_tree_options){ .grouping = &grouping });
	assert_int_equal(tree.kind[1], WK_NODE_PROCESS);
	assert_int_equal(tree.kind[2], WK_NODE_MODULE);
	assert_int_not_equal(tree.function[2], 0);
	wk_tree_fini(&tree);
	wk_model_free(model);
}

static void assert_wrong(const char *by, const char *sentence)
{
	struct wk_grouping grouping;
	struct wk_err err = { 0 };

	assert_false(wk_grouping_read(&grouping, wk_str_c(by), &err));
	assert_string_equal(err.text, sentence);
}

static void a_wrong_column_is_told_with_the_right_ones(void **state)
{
	(void)state;
	assert_wrong("process,treads",
		     "unknown level \"treads\" of a grouping; did you mean \"thread\"?");
	assert_wrong("process,",
		     "unknown level \"\" of a grouping; expected one of: process, pid, thread, "
		     "cpu, wait-reason, readied-by, heap, allocator, size, "
		     "annotation, module, function, stack");
	assert_wrong("thread,thread", "thread is there twice");
	assert_wrong("stack,process",
		     "`stack` must be the last level of a grouping; found process after it");
}

static void a_grouping_is_written_as_it_is_read(void **state)
{
	static const char *const texts[] = { "process,stack", "pid,thread,module,function",
					     "cpu,module", "process,module,stack",
					     "wait-reason,readied-by,heap,allocator,size,stack",
					     "process,annotation,stack",
					     NULL };

	(void)state;
	for (int i = 0; texts[i]; i++) {
		struct wk_grouping grouping;
		struct wk_buf text = { 0 };

		assert_true(wk_grouping_read(&grouping, wk_str_c(texts[i]), NULL));
		wk_grouping_write(&grouping, &text);
		assert_string_equal(wk_buf_text(&text), texts[i]);
		wk_buf_fini(&text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_grouping_that_says_nothing_of_where_ends_in_the_stack),
		cmocka_unit_test(
			functions_of_one_file_in_a_row_are_one_frame_of_the_stack_by_modules),
		cmocka_unit_test(a_module_above_others_is_the_one_that_a_sample_was_in),
		cmocka_unit_test(
			the_first_frame_from_the_root_that_a_rule_matches_labels_a_stack),
		cmocka_unit_test(without_rules_no_stack_is_annotated),
		cmocka_unit_test(levels_stand_in_the_order_they_were_asked_for),
		cmocka_unit_test(modules_are_coloured_and_told_as_code),
		cmocka_unit_test(a_wrong_column_is_told_with_the_right_ones),
		cmocka_unit_test(a_grouping_is_written_as_it_is_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
