#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

#include "small_model.h"
#include "base/mem.h"
#include "tree_of.h"

/* What every tree promises, whatever is in it. */
static void check_shape(const struct wk_tree *tree)
{
	for (uint32_t i = 0; i < tree->count; i++) {
		uint64_t total = tree->self[i];

		assert_true(i == 0 || tree->parent[i] < i);
		assert_true(i == 0 || tree->depth[i] == tree->depth[tree->parent[i]] + 1);
		assert_true(tree->end[i] > i && tree->end[i] <= tree->count);
		for (uint32_t child = i + 1; child < tree->end[i]; child = tree->end[child]) {
			assert_int_equal(tree->parent[child], i);
			total += tree->total[child];
		}
		assert_int_equal(total, tree->total[i]);
	}
}

/* The tree in words: "name total self" a line, indented by depth. */
static void assert_tree(const struct wk_tree *tree, const char *expected)
{
	struct wk_buf words = { 0 };

	check_shape(tree);
	for (uint32_t i = 0; i < tree->count; i++)
		wk_buf_add_fmt(&words, "%*s%.*s %u %u%s\n", (int)tree->depth[i], "",
			       WK_STR_ARG(tree->name[i]), tree->total_samples[i],
			       tree->self_samples[i], tree->is_inlined[i] ? " inlined" : "");
	assert_string_equal(wk_buf_text(&words), expected);
	wk_buf_fini(&words);
}

static const char *const plain_lines[] = {
	"demo;main;b 30", "demo;main;a 60", "demo;main 2", "demo;main;b;c 5", "other;main 3", NULL,
};

static void children_stand_hottest_first_under_their_process(void **state)
{
	struct wk_model *model = small_model(plain_lines);
	struct wk_tree tree = tree_of(model, (struct wk_tree_options){ .by_process = true });

	(void)state;
	assert_tree(&tree, "all 100 0\n"
			   " demo 97 0\n"
			   "  main 97 2\n"
			   "   a 60 60\n"
			   "   b 35 30\n"
			   "    c 5 5\n"
			   " other 3 0\n"
			   "  main 3 3\n");
	assert_int_equal(tree.total[0], 100 * SMALL_WEIGHT);
	assert_int_equal(tree.kind[1], WK_NODE_PROCESS);
	assert_int_equal(tree.depth_max, 4);
	wk_tree_fini(&tree);
	wk_model_free(model);
}

static void children_may_stand_by_name(void **state)
{
	struct wk_model *model = small_model(
		(const char *[]){ "p;foo.a 9", "p;foo;x 1", "p;bar 3", "p;foo 5", NULL });
	struct wk_tree tree = tree_of(model, (struct wk_tree_options){ .order = WK_TREE_BY_NAME });

	(void)state;
	assert_tree(&tree, "all 18 0\n"
			   " bar 3 3\n"
			   " foo 6 5\n"
			   "  x 1 1\n"
			   " foo.a 9 9\n");
	wk_tree_fini(&tree);
	wk_model_free(model);
}

static void inverted_light_stacks_lose_their_callers_where_frames_are_too_many(void **state)
{
	struct wk_model *model = small_model(plain_lines);
	struct wk_tree tree = tree_of(model, (struct wk_tree_options){ .inverted = true,
								       .most_inverted = 5 });
	struct wk_buf note = { 0 };

	(void)state;
	/* "all" and four frames are the five; c is made, its callers are not. */
	assert_tree(&tree, "all 100 0\n"
			   " a 60 0\n"
			   "  main 60 60\n"
			   " b 30 0\n"
			   "  main 30 30\n"
			   " c 5 5\n"
			   " main 5 5\n");
	assert_int_equal(tree.cut_stacks, 1);
	assert_int_equal(tree.cut_whole, tree.total[0]);
	assert_int_equal(tree.cut_weight * 20, tree.cut_whole);
	wk_tree_cut_note(&tree, &note);
	assert_non_null(strstr(wk_buf_text(&note), "Of 1 stack (5.0 % of the whole)"));
	wk_buf_fini(&note);
	wk_tree_fini(&tree);
	wk_model_free(model);
}

static void a_bound_that_is_not_reached_changes_no_inverted_tree(void **state)
{
	struct wk_model *model = small_model(plain_lines);
	struct wk_tree all = tree_of(model, (struct wk_tree_options){ .inverted = true });
	struct wk_tree tree = tree_of(model, (struct wk_tree_options){ .inverted = true,
								       .most_inverted = 9 });

	(void)state;
	assert_int_equal(tree.cut_stacks, 0);
	assert_int_equal(tree.count, all.count);
	for (uint32_t i = 0; i < all.count; i++) {
		assert_int_equal(tree.parent[i], all.parent[i]);
		assert_int_equal(tree.total[i], all.total[i]);
		assert_true(wk_str_eq(tree.name[i], all.name[i]));
	}
	wk_tree_fini(&tree);
	wk_tree_fini(&all);
	wk_model_free(model);
}

static void inverted_it_grows_from_the_leaves(void **state)
{
	struct wk_model *model = small_model(plain_lines);
	struct wk_tree tree = tree_of(model, (struct wk_tree_options){ .inverted = true });

	(void)state;
	assert_tree(&tree, "all 100 0\n"
			   " a 60 0\n"
			   "  main 60 60\n"
			   " b 30 0\n"
			   "  main 30 30\n"
			   " c 5 0\n"
			   "  b 5 0\n"
			   "   main 5 5\n"
			   " main 5 5\n");
	wk_tree_fini(&tree);
	wk_model_free(model);
}

static void threads_may_have_a_level_of_their_own(void **state)
{
	struct wk_model *model = small_model(plain_lines);
	struct wk_tree tree =
		tree_of(model, (struct wk_tree_options){ .by_process = true, .by_thread = true });

	(void)state;
	assert_int_equal(tree.kind[2], WK_NODE_THREAD);
	assert_true(wk_str_is(tree.name[2], "demo (101)"));
	check_shape(&tree);
	wk_tree_fini(&tree);
	wk_model_free(model);
}

static void processes_of_one_name_share_a_node_and_those_without_do_not(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "cc;main 4", NULL });
	struct wk_tree tree;

	(void)state;
	for (uint32_t i = 0; i < 3; i++) {
		wk_process_id process = wk_model_add_process(
			model, &(struct wk_process){
				       .pid = 50 + i,
				       .name = i == 0 ? model->processes[1].name : 0,
			       });
		wk_thread_id thread = wk_model_add_thread(
			model, &(struct wk_thread){ .tid = 50 + i, .process = process });

		small_samples(model, thread, 1, 2 + i, 1, SMALL_WEIGHT);
	}
	tree = tree_of(model, (struct wk_tree_options){ .by_process = true });
	assert_tree(&tree, "all 13 0\n"
			   " cc 6 0\n"
			   "  main 6 6\n"
			   " process 52 4 0\n"
			   "  main 4 4\n"
			   " process 51 3 0\n"
			   "  main 3 3\n");
	wk_tree_fini(&tree);
	wk_model_free(model);
}

static void a_call_that_is_sometimes_inlined_is_one_node(void **state)
{
	struct wk_model *model = small_model(
		(const char *[]){ "p;main;f_[i] 3", "p;main;f 2", "p;main;g_[i] 1", NULL });
	struct wk_tree tree = tree_of(model, (struct wk_tree_options){ 0 });

	(void)state;
	assert_tree(&tree, "all 6 0\n"
			   " main 6 0\n"
			   "  f 5 5\n"
			   "  g 1 1 inlined\n");
	wk_tree_fini(&tree);
	wk_model_free(model);
}

static void one_name_in_two_images_is_two_unless_merged(void **state)
{
	struct wk_model *model =
		small_model((const char *[]){ "p;/a!main;x 3", "p;/b!main;x 2", NULL });
	struct wk_tree apart = tree_of(model, (struct wk_tree_options){ 0 });
	struct wk_tree merged = tree_of(model, (struct wk_tree_options){ .merge_images = true });

	(void)state;
	assert_int_equal(apart.count, 5);
	assert_tree(&merged, "all 5 0\n"
			     " main 5 0\n"
			     "  x 5 5\n");
	wk_tree_fini(&apart);
	wk_tree_fini(&merged);
	wk_model_free(model);
}

static void samples_without_a_stack_stay_with_their_process(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "p;main 3", NULL });
	struct wk_tree tree;

	(void)state;
	small_samples(model, 1, 0, 4, 1, SMALL_WEIGHT);
	tree = tree_of(model, (struct wk_tree_options){ .by_process = true });
	assert_tree(&tree, "all 7 0\n"
			   " p 7 4\n"
			   "  main 3 3\n");
	wk_tree_fini(&tree);
	wk_model_free(model);
}

static void weights_that_are_all_zero_give_way_to_samples(void **state)
{
	struct wk_model *model = small_empty_model();
	struct wk_tree tree;

	(void)state;
	small_line(model, wk_str_c("p;main 1"));
	small_resolved(model);
	model->samples.weight[0] = 0;
	small_samples(model, 1, 1, 3, 1, 0);
	tree = tree_of(model, (struct wk_tree_options){ 0 });
	assert_int_equal(tree.total[0], 4);
	assert_true(wk_str_is(tree.unit, "samples"));
	wk_tree_fini(&tree);
	wk_model_free(model);
}

static void no_samples_give_a_tree_of_one_node(void **state)
{
	struct wk_model *model = small_empty_model();
	struct wk_tree tree = tree_of(model, (struct wk_tree_options){ .by_process = true });

	(void)state;
	assert_tree(&tree, "all 0 0\n");
	wk_tree_fini(&tree);
	wk_model_free(model);
}

/* `depth` nested calls of two functions in turn, with a sample at every depth. */
static struct wk_model *deep_model(uint32_t depth)
{
	struct wk_model *model = small_model((const char *[]){ "deep;a;b 1", NULL });
	uint32_t frames[] = { small_frame(model, wk_str_c("a")),
			      small_frame(model, wk_str_c("b")) };
	wk_stack_id stack = 0;

	for (uint32_t i = 0; i < depth; i++) {
		stack = wk_model_add_named(model, stack, frames[i % 2]);
		small_samples(model, 1, stack, 1, 1, SMALL_WEIGHT);
	}
	small_resolved(model);
	return model;
}

static void a_stack_of_ten_thousand_frames_costs_a_step_a_frame(void **state)
{
	struct wk_model *model = deep_model(10000);
	struct wk_tree tree = tree_of(model, (struct wk_tree_options){ 0 });

	(void)state;
	assert_int_equal(tree.count, 10001);
	assert_int_equal(tree.depth_max, 10000);
	assert_int_equal(tree.steps, 10000);
	assert_int_equal(tree.total_samples[0], 10001);
	assert_int_equal(tree.total_samples[10000], 1);
	wk_tree_fini(&tree);
	wk_model_free(model);
}

static void a_million_distinct_stacks_cost_a_step_a_frame(void **state)
{
	enum { STACKS = 1000000, FUNCTIONS = 1000 };
	struct wk_model *model = small_model((const char *[]){ "wide;main 1", NULL });
	uint32_t *frames = wk_alloc(FUNCTIONS * sizeof(*frames));
	struct wk_tree tree;
	char name[32];

	(void)state;
	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		frames[i] = small_frame(model, wk_str_c(name));
	}
	for (uint32_t i = 0; i < STACKS; i++) {
		wk_stack_id stack = wk_model_add_named(model, 1, frames[i / FUNCTIONS]);

		stack = wk_model_add_named(model, stack, frames[i % FUNCTIONS]);
		small_samples(model, 1, stack, 1, 1, SMALL_WEIGHT);
	}
	small_resolved(model);
	tree = tree_of(model, (struct wk_tree_options){ .by_process = true });
	assert_int_equal(tree.count, STACKS + FUNCTIONS + 3);
	assert_int_equal(tree.steps, STACKS + FUNCTIONS + 1);
	assert_int_equal(tree.total_samples[0], STACKS + 1);
	wk_tree_fini(&tree);
	wk_free(frames);
	wk_model_free(model);
}

static void a_hundred_thousand_processes_are_as_many_nodes(void **state)
{
	enum { PROCESSES = 100000 };
	struct wk_model *model = small_model((const char *[]){ "p;main 1", NULL });
	struct wk_tree tree;
	char name[32];

	(void)state;
	for (uint32_t i = 0; i < PROCESSES; i++) {
		wk_process_id process;
		wk_thread_id thread;

		snprintf(name, sizeof(name), "child-%u", i);
		process = wk_model_add_process(
			model,
			&(struct wk_process){ .pid = 1000 + i,
					      .name = wk_model_text(model, wk_str_c(name)) });
		thread = wk_model_add_thread(
			model, &(struct wk_thread){ .tid = 1000 + i, .process = process });
		small_samples(model, thread, 1, 1, 1, SMALL_WEIGHT);
	}
	tree = tree_of(model, (struct wk_tree_options){ .by_process = true });
	assert_int_equal(tree.count, 1 + 2 * (PROCESSES + 1));
	assert_int_equal(tree.steps, PROCESSES + 1);
	wk_tree_fini(&tree);
	wk_model_free(model);
}

/* A chart of several processes: each is in order of its own time. */
static void charts_of_processes_are_apart(void **state)
{
	struct wk_model *model =
		small_model((const char *[]){ "p;main;a 2", "q;main;b 3", "p;main;c 1", NULL });
	struct wk_tree tree =
		tree_of(model, (struct wk_tree_options){ .by_process = true, .is_chart = true });

	(void)state;
	assert_tree(&tree, "all 6 0\n"
			   " p 3 0\n"
			   "  main 3 0\n"
			   "   a 2 2\n"
			   "   c 1 1\n"
			   " q 3 0\n"
			   "  main 3 0\n"
			   "   b 3 3\n");
	for (uint32_t i = 0; i < tree.count; i++)
		assert_int_equal(tree.is_lane[i], tree.depth[i] == 1);
	wk_tree_fini(&tree);
	wk_model_free(model);
}

/* Samples that are out of order in the file, and a stretch of time without any. */
static void a_chart_has_times_and_gaps(void **state)
{
	static const uint64_t times_ms[] = { 3, 4, 1, 2, 30, 29 };
	struct wk_model *model = small_model(
		(const char *[]){ "p;main;a 2", "p;main;b 2", "p;main;a 1", "p;main;b 1", NULL });
	struct wk_tree tree;

	(void)state;
	for (uint32_t i = 0; i < model->samples.count; i++)
		model->samples.time_ns[i] = times_ms[i] * SMALL_WEIGHT;
	model->first_ns = SMALL_WEIGHT;
	tree = tree_of(model, (struct wk_tree_options){ .is_chart = true });
	assert_tree(&tree, "all 6 0\n"
			   " main 4 0\n"
			   "  b 2 2\n"
			   "  a 2 2\n"
			   " main 2 0\n"
			   "  b 1 1\n"
			   "  a 1 1\n");
	assert_int_equal(tree.from_ns[0], 0);
	assert_int_equal(tree.took_ns[0], 30 * SMALL_WEIGHT);
	assert_int_equal(tree.from_ns[1], 0);
	assert_int_equal(tree.took_ns[1], 4 * SMALL_WEIGHT);
	assert_int_equal(tree.from_ns[3], 2 * SMALL_WEIGHT);
	assert_int_equal(tree.from_ns[4], 28 * SMALL_WEIGHT);
	assert_int_equal(tree.took_ns[4], 2 * SMALL_WEIGHT);
	assert_int_equal(tree.from_ns[6], 29 * SMALL_WEIGHT);
	wk_tree_fini(&tree);
	wk_model_free(model);
}

/* It may have slept as well, and so the function that was running ends. */
static void longer_gaps_are_visible_above_the_callers(void **state)
{
	struct wk_model *model = small_model((const char *[]){ "p;main;a 2", NULL });
	struct wk_tree tree;

	(void)state;
	model->samples.time_ns[0] = model->first_ns = SMALL_WEIGHT;
	model->samples.time_ns[1] = 8 * SMALL_WEIGHT;
	model->sources[0].is_cpu_time = true;
	tree = tree_of(model, (struct wk_tree_options){ .is_chart = true });
	assert_tree(&tree, "all 2 0\n"
			   " main 2 0\n"
			   "  a 1 1\n"
			   "  a 1 1\n");
	wk_tree_fini(&tree);
	wk_model_free(model);
}

/* A thread that was preempted is in the same calls afterwards; one that waited in the kernel may be
 * in the same function of the kernel, but for something else. */
static void short_gaps_end_no_call_of_user_code(void **state)
{
	static const uint64_t times_ms[] = { 1, 2, 6, 7, 14, 40 };
	struct wk_model *model = small_model(
		(const char *[]){ "p;main;a 3", "p;main;a;read_[k] 2", "p;main;a 1", NULL });
	struct wk_tree tree;

	(void)state;
	for (uint32_t i = 0; i < model->samples.count; i++)
		model->samples.time_ns[i] = times_ms[i] * SMALL_WEIGHT;
	model->first_ns = SMALL_WEIGHT;
	model->sources[0].is_cpu_time = true;
	tree = tree_of(model, (struct wk_tree_options){ .is_chart = true });
	assert_tree(&tree, "all 6 0\n"
			   " main 5 0\n"
			   "  a 5 3\n"
			   "   read 1 1\n"
			   "   read 1 1\n"
			   " main 1 0\n"
			   "  a 1 1\n");
	assert_int_equal(tree.took_ns[2], 14 * SMALL_WEIGHT);
	assert_int_equal(tree.from_ns[4], 13 * SMALL_WEIGHT);
	wk_tree_fini(&tree);
	wk_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(children_stand_hottest_first_under_their_process),
		cmocka_unit_test(children_may_stand_by_name),
		cmocka_unit_test(inverted_it_grows_from_the_leaves),
		cmocka_unit_test(
			inverted_light_stacks_lose_their_callers_where_frames_are_too_many),
		cmocka_unit_test(a_bound_that_is_not_reached_changes_no_inverted_tree),
		cmocka_unit_test(charts_of_processes_are_apart),
		cmocka_unit_test(a_chart_has_times_and_gaps),
		cmocka_unit_test(short_gaps_end_no_call_of_user_code),
		cmocka_unit_test(longer_gaps_are_visible_above_the_callers),
		cmocka_unit_test(threads_may_have_a_level_of_their_own),
		cmocka_unit_test(processes_of_one_name_share_a_node_and_those_without_do_not),
		cmocka_unit_test(a_call_that_is_sometimes_inlined_is_one_node),
		cmocka_unit_test(one_name_in_two_images_is_two_unless_merged),
		cmocka_unit_test(samples_without_a_stack_stay_with_their_process),
		cmocka_unit_test(weights_that_are_all_zero_give_way_to_samples),
		cmocka_unit_test(no_samples_give_a_tree_of_one_node),
		cmocka_unit_test(a_stack_of_ten_thousand_frames_costs_a_step_a_frame),
		cmocka_unit_test(a_million_distinct_stacks_cost_a_step_a_frame),
		cmocka_unit_test(a_hundred_thousand_processes_are_as_many_nodes),
	};

	return cmocka_run_group_tests_name("tree", tests, NULL, NULL);
}
