/* The rows of a comparison's stacks are what its tree has. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/buf.h"
#include "folded_model.h"
#include "model/closures.h"
#include "views/compare/pairs.h"
#include "views/tree/stack_rows.h"

static void add_sides(struct wk_buf *words, uint64_t before, uint64_t after)
{
	wk_buf_add_fmt(words, " %u %u\n", (unsigned)before, (unsigned)after);
}

/* "a;b 1 2", a line a row. */
static void rows_words(struct wk_stack_rows *rows, const struct wk_model *model,
		       struct wk_buf *words)
{
	struct wk_stack_row row;
	wk_function_id path[64];

	while (wk_stack_rows_next(rows, &row)) {
		assert_in_range(row.depth, 1, 64);
		assert_true(row.as_before < row.depth);
		for (uint32_t i = 0; i < row.depth; i++) {
			if (i < row.as_before)
				assert_int_equal(row.functions[i], path[i]);
			path[i] = row.functions[i];
			wk_buf_add_text(words, i ? ";" : "");
			wk_buf_add_str(words, wk_function_shown_name(model, path[i]));
		}
		add_sides(words, row.before, row.after);
	}
}

static void tree_lines(const struct wk_tree *tree, struct wk_buf *words)
{
	struct wk_str path[64];

	for (uint32_t node = 1; node < tree->count; node++) {
		path[tree->depth[node]] = tree->name[node];
		if (!tree->self_before[node] && !tree->self_after[node])
			continue;
		for (uint32_t i = 1; i <= tree->depth[node]; i++) {
			wk_buf_add_text(words, i > 1 ? ";" : "");
			wk_buf_add_str(words, path[i]);
		}
		add_sides(words, tree->self_before[node], tree->self_after[node]);
	}
}

struct comparison {
	struct wk_model *model;
	struct wk_filter filter;
	struct wk_pairs pairs;
	struct wk_tree_options options;
};

static void compare(struct comparison *c, const char *text)
{
	c->model = folded_model(&text, 1);
	assert_true(wk_filter_init(&c->filter, c->model, &(struct wk_filter_spec){ 0 }, NULL));
	wk_pairs_init(&c->pairs, c->model, &c->filter, true, true);
	c->options = (struct wk_tree_options){ .order = WK_TREE_BY_NAME, .side = WK_TREE_LARGER,
					       .pairs = &c->pairs };
}

static void end(struct comparison *c)
{
	wk_pairs_fini(&c->pairs);
	wk_filter_fini(&c->filter);
	wk_model_free(c->model);
}

static void assert_rows(const char *text, const char *expected)
{
	struct wk_buf lines = { 0 }, words = { 0 };
	struct comparison c;
	struct wk_stack_rows *rows;
	struct wk_tree tree;

	compare(&c, text);
	wk_tree_init(&tree, c.model, &c.filter, &c.options);
	tree_lines(&tree, &lines);
	rows = wk_stack_rows_new(c.model, &c.filter, &c.options);
	assert_non_null(rows);
	rows_words(rows, c.model, &words);
	assert_string_equal(wk_buf_text(&words), expected);
	assert_string_equal(wk_buf_text(&words), wk_buf_text(&lines));
	wk_stack_rows_free(rows);
	wk_tree_fini(&tree);
	wk_buf_fini(&lines);
	wk_buf_fini(&words);
	end(&c);
}

/* Returns "31=35 40" for the lines of closures in the text, with those that they are shown as. */
static void assert_closures(const char *text, const char *expected)
{
	struct wk_buf words = { 0 };
	struct comparison c = { .model = folded_model(&text, 1) };

	wk_model_note_closures(c.model);
	/* A side on which a stack weighs nothing has no sample of it. */
	for (uint32_t i = 0; i < c.model->samples.count; i++)
		if (!c.model->samples.weight[i])
			c.model->samples.stack[i] = 0;
	assert_true(wk_filter_init(&c.filter, c.model, &(struct wk_filter_spec){ 0 }, NULL));
	wk_pairs_init(&c.pairs, c.model, &c.filter, true, true);
	for (wk_function_id id = 1; id < c.model->function_count; id++) {
		uint32_t line = c.model->functions[id].closure_line;
		uint32_t shown = c.model->functions[c.pairs.shown[id]].closure_line;

		if (line)
			wk_buf_add_fmt(&words, shown == line ? "%u " : "%u=%u ", line, shown);
	}
	assert_string_equal(wk_buf_text(&words), expected);
	wk_buf_fini(&words);
	end(&c);
}

#define C(line) "f::{closure:" #line "}"

static void closures_are_paired_in_order_of_their_lines(void **state)
{
	(void)state;
	assert_closures("m;" C(31) " 3 0\nm;" C(40) " 5 0\nm;" C(35) " 0 2\nm;" C(60) " 0 1\n",
			"31=35 40=60 35 60 ");
}

static void with_other_numbers_of_them_most_moved_as_far(void **state)
{
	(void)state;
	assert_closures("m;" C(31) " 3 0\nm;" C(40) " 5 0\nm;" C(50) " 1 0\nm;" C(35) " 0 2\nm;" C(
				44) " 0 1\n",
			"31=35 40=44 50 35 44 ");
	assert_closures("m;" C(31) " 3 0\nm;" C(32) " 0 2\nm;" C(90) " 0 1\n", "31=32 32 90 ");
}

static void rows_come_in_order_of_names_frame_by_frame(void **state)
{
	(void)state;
	assert_rows("z 1 2\nfoo.a;x 3 0\nfoo;x;y 4 4\nfoo 0 5\nfoo;b 6 1\n",
		    "foo 0 5\nfoo;b 6 1\nfoo;x;y 4 4\nfoo.a;x 3 0\nz 1 2\n");
}

static void a_stack_that_weighs_nothing_is_no_row(void **state)
{
	(void)state;
	assert_rows("a;b 0 0\na;c;d 1 0\na;c 0 0\na;c;e;f 0 0\na;g 0 2\n", "a;c;d 1 0\na;g 0 2\n");
}

/* Below a function of two names stacks may be one, and elsewhere they are not. */
static void what_two_names_have_below_is_one(void **state)
{
	(void)state;
	assert_rows("m;f.part.0;x;y 1 0\nm;f;x;y 0 2\nm;f;x 0 4\nm;f.part.0;w 8 0\nn;x;y 16 16\n"
		    "m;f;x;f;y 0 32\nm;f.part.0;x;f.part.0;y 64 0\n",
		    "m;f.part.0;w 8 0\nm;f.part.0;x 0 4\nm;f.part.0;x;f.part.0;y 64 32\n"
		    "m;f.part.0;x;y 1 2\nn;x;y 16 16\n");
}

static void a_scaled_side_is_for_a_tree(void **state)
{
	struct comparison c;

	(void)state;
	compare(&c, "a 1 2\n");
	c.options.before_factor = 2;
	assert_null(wk_stack_rows_new(c.model, &c.filter, &c.options));
	end(&c);
}

static void wide_and_deep_trees_are_one_with_their_rows(void **state)
{
	struct wk_buf text = { 0 }, expected = { 0 };

	(void)state;
	for (unsigned i = 0; i < 90; i++)
		wk_buf_add_fmt(&text, "m;c%02u;d%u 1 %u\n", (i * 37) % 90, i % 3, i % 2);
	for (unsigned i = 0; i < 90; i++)
		for (unsigned k = 0; k < 90; k++)
			if ((k * 37) % 90 == i)
				wk_buf_add_fmt(&expected, "m;c%02u;d%u 1 %u\n", i, k % 3, k % 2);
	assert_rows(wk_buf_text(&text), wk_buf_text(&expected));
	wk_buf_fini(&text);
	wk_buf_fini(&expected);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(closures_are_paired_in_order_of_their_lines),
		cmocka_unit_test(with_other_numbers_of_them_most_moved_as_far),
		cmocka_unit_test(rows_come_in_order_of_names_frame_by_frame),
		cmocka_unit_test(a_stack_that_weighs_nothing_is_no_row),
		cmocka_unit_test(what_two_names_have_below_is_one),
		cmocka_unit_test(a_scaled_side_is_for_a_tree),
		cmocka_unit_test(wide_and_deep_trees_are_one_with_their_rows),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
