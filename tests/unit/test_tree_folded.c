/* Trees of stacks that came with their names. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"
#include "folded_model.h"
#include "formats/stack_writer.h"

static void the_stacks_of_the_model_are_the_tree(void **state)
{
	(void)state;
	assert_tree_of("a;b 3\na;c;d 4\na 1\n", (struct wk_tree_options){ 0 },
			   "all 8 0\n a 8 1\n  c 4 0\n   d 4 4\n  b 3 3\n");
}

static void a_name_is_never_split_by_another_that_sorts_between(void **state)
{
	(void)state;
	assert_tree_of("foo;x 1\nfoo.a 9\nfoo 5\n",
		       (struct wk_tree_options){ .order = WK_TREE_BY_NAME },
		       "all 15 0\n foo 6 5\n  x 1 1\n foo.a 9 9\n");
}

/* "foo.a 9" comes before "foo;x 1" among sorted lines, and behind "foo 5". */
static void by_text_siblings_stand_as_their_lines_do(void **state)
{
	(void)state;
	assert_tree_of("foo;x 1\nfoo.a 9\n", (struct wk_tree_options){ .order = WK_TREE_BY_TEXT },
		       "all 10 0\n foo.a 9 9\n foo 1 0\n  x 1 1\n");
	assert_tree_of("foo;x 1\nfoo.a 9\nfoo 5\n",
		       (struct wk_tree_options){ .order = WK_TREE_BY_TEXT },
		       "all 15 0\n foo 6 5\n  x 1 1\n foo.a 9 9\n");
}

static void a_chart_keeps_the_order_of_time(void **state)
{
	(void)state;
	assert_tree_of("a;b 1\na;c 2\na;b 3\nz 1\na;b 4\n",
		       (struct wk_tree_options){ .is_chart = true },
		       "all 11 0\n a 6 0\n  b 1 1\n  c 2 2\n  b 3 3\n z 1 1\n a 4 0\n"
		       "  b 4 4\n");
}

static void a_chart_joins_neighbours_that_go_on(void **state)
{
	(void)state;
	assert_tree_of("a;b;c 1\na;b 2\na;b;c 3\n", (struct wk_tree_options){ .is_chart = true },
			   "all 6 0\n a 6 0\n  b 6 2\n   c 1 1\n   c 3 3\n");
}

static void recursion_may_be_one_frame(void **state)
{
	static const char input[] = "a;r;r;r;b 2\na;r 1\nr;a;r 1\n";

	(void)state;
	assert_tree_of(input, (struct wk_tree_options){ .collapses_recursion = true },
			   "all 4 0\n a 3 0\n  r 3 1\n   b 2 2\n r 1 0\n  a 1 0\n   r 1 1\n");
	assert_tree_of("a;r;r;b 2\na;r 1\n",
			   (struct wk_tree_options){ .collapses_recursion = true, .is_chart = true },
			   "all 3 0\n a 3 0\n  r 3 1\n   b 2 2\n");
}

static void callers_of_a_function_may_be_left_out(void **state)
{
	const char *const skip[] = { "main", NULL };

	(void)state;
	assert_tree_of("start;main;b 2\nother;main;b 3\nthread;c 4\n",
		       (struct wk_tree_options){ .skip_after = skip },
		       "all 9 0\n main 5 0\n  b 5 5\n thread 4 0\n  c 4 4\n");
	assert_tree_of("start;main;b 2\nthread;c 4\n",
		       (struct wk_tree_options){ .skip_after = skip, .inverted = true },
		       "all 6 0\n c 4 0\n  thread 4 4\n b 2 0\n  main 2 2\n");
}

static void the_lightest_frames_become_counted_boxes(void **state)
{
	static const char input[] = "a;b 50\na;x1 1\na;x2;y 2\na;x3 1\nc 3\nd 40\n";
	struct wk_tree_options options = { .most_nodes = 5 };
	const char *inputs[] = { input };
	struct wk_model *model = folded_model(inputs, 1);
	struct wk_tree tree = tree_of(model, options);
	struct wk_buf words = { 0 };

	(void)state;
	tree_words(&tree, &words);
	/* c stands alone below its parent, so it stays what it is. */
	assert_string_equal(wk_buf_text(&words),
			    "all 97 0\n a 54 0\n  4 small frames 4 4\n  b 50 50\n d 40 40\n"
			    " c 3 3\n");
	assert_int_equal(tree.small_nodes, 4);
	assert_int_equal(tree.small_weight, 4);
	assert_int_equal(tree.kind[2], WK_NODE_SMALL);
	assert_int_equal(tree.small_count[2], 4);
	wk_buf_fini(&words);
	wk_tree_fini(&tree);
	wk_model_free(model);
}

/* Whatever is folded away, the limit holds and no weight is lost. */
static void a_limit_holds_and_loses_no_weight(void **state)
{
	struct wk_buf input = { 0 };
	const char *text;
	struct wk_model *model;

	(void)state;
	for (unsigned i = 0; i < 3000; i++)
		wk_buf_add_fmt(&input, "m;f%u;g%u;h%u %u\n", i % 7, i % 91, i, 1 + i % 13);
	text = wk_buf_text(&input);
	model = folded_model(&text, 1);
	for (uint32_t most = 1; most < 3500; most = most * 3 / 2 + 1) {
		struct wk_tree tree =
			tree_of(model, (struct wk_tree_options){ .most_nodes = most });
		uint64_t sum = 0;

		assert_in_range(tree.count - 1, 0, most);
		for (uint32_t i = 0; i < tree.count; i++)
			sum += tree.self[i];
		assert_int_equal(sum, tree.total[0]);
		wk_tree_fini(&tree);
	}
	wk_model_free(model);
	wk_buf_fini(&input);
}

static void assert_sides(enum wk_tree_side side, double factor, const char *expected)
{
	const char *input = "a;b 10 12\na;c 5 2\na;gone 3 0\na;new 0 3\n";

	assert_tree_of(input, (struct wk_tree_options){ .side = side, .before_factor = factor,
							    .order = WK_TREE_BY_NAME }, expected);
}

static void a_comparison_has_both_sides_in_every_node(void **state)
{
	(void)state;
	assert_sides(WK_TREE_AFTER, 0,
		     "all 17 0 18>17\n a 17 0 18>17\n  b 12 12 10>12\n"
		     "  c 2 2 5>2\n  new 3 3 0>3\n");
	assert_sides(WK_TREE_BEFORE, 0,
		     "all 18 0 18>17\n a 18 0 18>17\n  b 10 10 10>12\n"
		     "  c 5 5 5>2\n  gone 3 3 3>0\n");
	assert_sides(WK_TREE_LARGER, 0,
		     "all 23 0 18>17\n a 23 0 18>17\n  b 12 12 10>12\n"
		     "  c 5 5 5>2\n  gone 3 3 3>0\n  new 3 3 0>3\n");
	assert_sides(WK_TREE_AFTER_AND_GONE, 0,
		     "all 20 0 18>17\n a 20 0 18>17\n  b 12 12 10>12\n  c 2 2 5>2\n"
		     "  gone 3 3 3>0\n  new 3 3 0>3\n");
	assert_sides(WK_TREE_AFTER, 2,
		     "all 17 0 36>17\n a 17 0 36>17\n  b 12 12 20>12\n"
		     "  c 2 2 10>2\n  new 3 3 0>3\n");
}

/* A stack has its own rounded weight; the "before" number of a subtree is rounded once: 7.5 is 8,
 * although 1.5, 1.5 and 4.5 become 2, 2 and 5; and 7 stays 7, although 1.4, 1.4 and 4.2 lose it. */
static void a_scaled_before_side_is_rounded_half_up(void **state)
{
	const char *input = "a;b 1 0\na;c 1 0\na;d 3 0\n";
	struct wk_tree_options options = { .side = WK_TREE_BEFORE, .before_factor = 1.5,
					   .order = WK_TREE_BY_NAME };

	(void)state;
	assert_tree_of(input, options,
		       "all 9 0 8>0\n a 9 0 8>0\n  b 2 2 2>0\n  c 2 2 2>0\n  d 5 5 5>0\n");
	options.before_factor = 1.4;
	assert_tree_of(input, options,
		       "all 6 0 7>0\n a 6 0 7>0\n  b 1 1 1>0\n  c 1 1 1>0\n  d 4 4 4>0\n");
}

static void assert_two_inputs(struct wk_stack_store *stacks)
{
	const char *inputs[] = { "a;b 1\na;c 2\n", "x 1\na;c 4\na;b;d 8\n" };
	struct wk_model *model = folded_model_with(stacks, inputs, 2);
	struct wk_tree tree = tree_of(model, (struct wk_tree_options){ 0 });
	struct wk_buf words = { 0 };

	tree_words(&tree, &words);
	assert_string_equal(wk_buf_text(&words), "all 16 0\n a 15 0\n  b 9 1\n   d 8 8\n"
						 "  c 6 6\n x 1 1\n");
	assert_int_equal(model->stacks.count, 6); /* with the empty one */
	wk_buf_fini(&words);
	wk_tree_fini(&tree);
	wk_model_free(model);
}

static void several_inputs_share_their_stacks(void **state)
{
	(void)state;
	assert_two_inputs(NULL);
}

static void what_an_input_has_named_the_next_one_need_not_tell(void **state)
{
	struct wk_stack_store *stacks = wk_stack_store_new();
	struct wk_event_frame c = { .name = WK_STR("c") };
	struct wk_stack_writer *writer;

	(void)state;
	assert_two_inputs(stacks);
	writer = wk_stack_writer_new(&(struct wk_sink){ .stacks = stacks });
	assert_int_equal(wk_stack_writer_frame(writer, &c), 3); /* as the first input told it */
	assert_true(wk_stack_writer_end(writer, NULL));
	wk_stack_store_free(stacks);
}

static void counts_beyond_32_bits_do_not_overflow(void **state)
{
	const char *input = "cksum;main;cksum 239807672958951499\ncksum;noise 129127208516546613\n";
	struct wk_model *model = folded_model(&input, 1);
	struct wk_tree tree = tree_of(model, (struct wk_tree_options){ 0 });

	(void)state;
	assert_true(tree.total[0] == 368934881475498112u);
	assert_int_equal(tree.total_samples[0], UINT32_MAX);
	wk_tree_fini(&tree);
	wk_model_free(model);
}

/* 40 stacks of 1 times 1.4 are 56, not 40. */
static void a_scaled_side_is_not_rounded_stack_by_stack(void **state)
{
	struct wk_buf input = { 0 };
	const char *text;
	struct wk_model *model;
	struct wk_tree tree;

	(void)state;
	for (unsigned i = 0; i < 40; i++)
		wk_buf_add_fmt(&input, "m;f%u 1 %u\n", i, i % 2);
	text = wk_buf_text(&input);
	model = folded_model(&text, 1);
	tree = tree_of(model, (struct wk_tree_options){ .before_factor = 1.4 });
	assert_int_equal(tree.total_before[0], 56);
	assert_int_equal(tree.total_after[0], 20);
	wk_tree_fini(&tree);
	wk_model_free(model);
	wk_buf_fini(&input);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_stacks_of_the_model_are_the_tree),
		cmocka_unit_test(a_name_is_never_split_by_another_that_sorts_between),
		cmocka_unit_test(by_text_siblings_stand_as_their_lines_do),
		cmocka_unit_test(a_chart_keeps_the_order_of_time),
		cmocka_unit_test(a_chart_joins_neighbours_that_go_on),
		cmocka_unit_test(recursion_may_be_one_frame),
		cmocka_unit_test(callers_of_a_function_may_be_left_out),
		cmocka_unit_test(the_lightest_frames_become_counted_boxes),
		cmocka_unit_test(a_limit_holds_and_loses_no_weight),
		cmocka_unit_test(a_comparison_has_both_sides_in_every_node),
		cmocka_unit_test(a_scaled_side_is_not_rounded_stack_by_stack),
		cmocka_unit_test(a_scaled_before_side_is_rounded_half_up),
		cmocka_unit_test(several_inputs_share_their_stacks),
		cmocka_unit_test(what_an_input_has_named_the_next_one_need_not_tell),
		cmocka_unit_test(counts_beyond_32_bits_do_not_overflow),
	};

	return cmocka_run_group_tests_name("tree_folded", tests, NULL, NULL);
}
