/* What is shown of an aggregation: cuts, searches and histograms. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "small_model.h"
#include "views/aggregate/histogram.h"
#include "views/aggregate/tree_cut.h"

/* A model, one shape of it and the weights of all its rows. */
struct fixture {
	struct wk_model *model;
	struct wk_event_rows *rows;
	struct wk_tree_shape *shape;
	struct wk_tree_weights weights;
};

static const struct wk_row_selection everything = { .to_ns = UINT64_MAX };

static void start(struct fixture *f, struct wk_model *model, const struct wk_tree_options *options)
{
	struct wk_filter filter;
	struct wk_err err = { 0 };

	f->model = model;
	if (!wk_filter_init(&filter, model, &(struct wk_filter_spec){ 0 }, &err))
		fail_msg("%s", err.text);
	f->rows = wk_event_rows_new(model, &filter);
	wk_filter_fini(&filter);
	f->shape = wk_tree_shape_new(f->rows, options);
	wk_tree_weights_init(&f->weights, f->shape);
	wk_tree_weights_set(&f->weights, &everything);
}

static void end(struct fixture *f)
{
	wk_tree_weights_fini(&f->weights);
	wk_tree_shape_free(f->shape);
	wk_event_rows_free(f->rows);
	wk_model_free(f->model);
}

static const char *const lines[] = {
	"demo;main;work;sum 50", "demo;main;work;add;sum 20", "demo;main;draw;fill 25",
	"demo;main;draw;line 3", "demo;main;exit 1", "demo;start 1", NULL,
};

static bool has_name(const struct wk_tree_shape *shape, uint32_t node, const char *name)
{
	struct wk_arena arena = { 0 };
	bool has = wk_str_is(wk_tree_shape_name(shape, node, &arena), name);

	wk_arena_fini(&arena);
	return has;
}

/* The first node of a name. */
static uint32_t node_named(const struct fixture *f, const char *name)
{
	for (uint32_t i = 0; i < f->shape->count; i++)
		if (has_name(f->shape, i, name))
			return i;
	fail_msg("there is no %s", name);
	return 0;
}

/* "name total self -left_out_count:weight", in samples, indented; in order of nodes. */
static void assert_cut_of(const struct fixture *f, const struct wk_tree_weights *before,
			  struct wk_cut_options options, const char *expected)
{
	struct wk_buf words = { 0 };
	struct wk_arena arena = { 0 };
	struct wk_tree_cut cut;

	wk_tree_cut_init(&cut, &f->weights, before, &options);
	for (uint32_t i = 0; i < cut.count; i++) {
		const struct wk_cut_row *row = &cut.rows[i];

		wk_buf_add_fmt(&words, "%*s%.*s %u %u", (int)f->shape->depth[row->node], "",
			       WK_STR_ARG(wk_tree_shape_name(f->shape, row->node, &arena)),
			       (unsigned)(row->total.weight / SMALL_WEIGHT),
			       (unsigned)(row->self.weight / SMALL_WEIGHT));
		if (before)
			wk_buf_add_fmt(&words, " before %u %u", (unsigned)row->total_before.times,
				       (unsigned)row->self_before.times);
		if (row->left_out)
			wk_buf_add_fmt(&words, " -%u:%u", row->left_out,
				       (unsigned)row->left_out_sum.times);
		wk_buf_add_char(&words, '\n');
	}
	if (cut.levels_left_out)
		wk_buf_add_fmt(&words, "levels -%u\n", cut.levels_left_out);
	assert_string_equal(wk_buf_text(&words), expected);
	wk_buf_fini(&words);
	wk_arena_fini(&arena);
	wk_tree_cut_fini(&cut);
}

static void light_nodes_are_counted_at_their_parents(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, small_model(lines), &(struct wk_tree_options){ 0 });
	assert_cut_of(&f, NULL, (struct wk_cut_options){ .share = 0.1 },
		      "all 100 0 -1:1\n main 99 0 -1:1\n  work 70 0\n   sum 50 50\n   add 20 0\n"
		      "    sum 20 20\n  draw 28 0 -1:3\n   fill 25 25\n");
	assert_cut_of(&f, NULL, (struct wk_cut_options){ .share = 0.6 },
		      "all 100 0 -1:1\n main 99 0 -2:29\n  work 70 0 -2:70\n");
	assert_cut_of(&f, NULL, (struct wk_cut_options){ .share = 2 }, "all 100 0 -2:100\n");
	end(&f);
}

static void a_root_is_shown_in_more_detail(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, small_model(lines), &(struct wk_tree_options){ 0 });
	assert_cut_of(&f, NULL,
		      (struct wk_cut_options){ .share = 0.1, .root = node_named(&f, "draw") },
		      "all 100 0 -1:1\n main 99 0 -1:1\n  work 70 0\n   sum 50 50\n   add 20 0\n"
		      "    sum 20 20\n  draw 28 0\n   fill 25 25\n   line 3 3\n");
	end(&f);
}

static void opened_and_current_nodes_are_shown_whatever_they_weigh(void **state)
{
	struct fixture f;
	uint32_t opened[2];

	(void)state;
	start(&f, small_model(lines), &(struct wk_tree_options){ 0 });
	opened[0] = node_named(&f, "draw");
	opened[1] = 0;
	assert_cut_of(&f, NULL,
		      (struct wk_cut_options){ .share = 0.9, .opened = opened, .opened_count = 1 },
		      "all 100 0 -1:1\n main 99 0 -2:71\n  draw 28 0\n   fill 25 25\n"
		      "   line 3 3\n");
	assert_cut_of(&f, NULL,
		      (struct wk_cut_options){
			      .share = 0.9, .opened = opened, .opened_count = 2, .most_opened = 1 },
		      "all 100 0 -1:1\n main 99 0 -2:71\n  draw 28 0 -1:3\n   fill 25 25\n");
	assert_cut_of(&f, NULL,
		      (struct wk_cut_options){ .share = 0.9, .current = node_named(&f, "line") },
		      "all 100 0 -1:1\n main 99 0 -2:71\n  draw 28 0 -1:25\n   line 3 3\n");
	end(&f);
}

static void a_current_node_outside_of_the_selection_is_shown_without_weight(void **state)
{
	struct wk_row_selection early = { .to_ns = 5000000000 + 49 * 1000000 };
	struct fixture f;

	(void)state;
	start(&f, small_model(lines), &(struct wk_tree_options){ 0 });
	wk_tree_weights_set(&f.weights, &early);
	assert_cut_of(&f, NULL,
		      (struct wk_cut_options){ .share = 0.1, .current = node_named(&f, "draw") },
		      "all 50 0\n main 50 0\n  work 50 0\n   sum 50 50\n  draw 0 0\n");
	end(&f);
}

static void the_deepest_levels_are_left_out_beyond_a_limit(void **state)
{
	struct fixture f;

	(void)state;
	start(&f, small_model(lines), &(struct wk_tree_options){ 0 });
	assert_cut_of(&f, NULL, (struct wk_cut_options){ .share = 0.1, .most = 5 },
		      "all 100 0 -1:1\n main 99 0 -1:1\n  work 70 0 -2:70\n"
		      "  draw 28 0 -2:28\nlevels -2\n");
	assert_cut_of(&f, NULL, (struct wk_cut_options){ .share = 0.1, .most = 1 },
		      "all 100 0 -2:100\nlevels -4\n");
	end(&f);
}

static void unknown_nodes_are_ignored(void **state)
{
	uint32_t opened[] = { 99999, UINT32_MAX };
	int64_t sums[2 * 3] = { 1, 1, 1, 1, 1, 1 };
	struct wk_time_bins bins = { 0, UINT64_MAX, 3 };
	struct fixture f;

	(void)state;
	start(&f, small_model(lines), &(struct wk_tree_options){ 0 });
	assert_cut_of(&f, NULL,
		      (struct wk_cut_options){ .share = 2,
					       .root = 12345,
					       .current = UINT32_MAX,
					       .opened = opened,
					       .opened_count = 2 },
		      "all 100 0 -2:100\n");
	wk_histogram_of_nodes(f.shape, &everything, &bins, opened, 2, sums);
	for (int i = 0; i < 6; i++)
		assert_int_equal(sums[i], 0);
	end(&f);
}

static void either_side_of_a_comparison_makes_a_node_visible(void **state)
{
	struct wk_row_selection early = { .to_ns = 5000000000 + 69 * 1000000 };
	struct wk_row_selection late = { .from_ns = 5000000000 + 70 * 1000000,
					 .to_ns = UINT64_MAX };
	struct wk_tree_weights before;
	struct fixture f;

	(void)state;
	start(&f, small_model(lines), &(struct wk_tree_options){ 0 });
	wk_tree_weights_init(&before, f.shape);
	wk_tree_weights_set(&before, &early);
	wk_tree_weights_set(&f.weights, &late);
	assert_cut_of(&f, &before, (struct wk_cut_options){ .share = 0.2 },
		      "all 30 0 before 70 0 -1:1\n main 29 0 before 70 0 -1:1\n"
		      "  work 0 0 before 70 0\n   sum 0 0 before 50 50\n"
		      "   add 0 0 before 20 0\n    sum 0 0 before 20 20\n"
		      "  draw 28 0 before 0 0 -1:3\n   fill 25 25 before 0 0\n");
	wk_tree_weights_fini(&before);
	end(&f);
}

static void nodes_are_what_their_levels_are(void **state)
{
	struct wk_tree_options options = { .by_process = true, .by_thread = true };
	struct fixture f;
	uint32_t process, thread;

	(void)state;
	start(&f, small_model((const char *const[]){ "other;main 4", "demo;main 5", NULL }),
	      &options);
	process = node_named(&f, "demo");
	thread = node_named(&f, "demo (102)");
	assert_int_equal(wk_tree_shape_kind(f.shape, 0), WK_NODE_WHOLE);
	assert_int_equal(wk_tree_shape_kind(f.shape, process), WK_NODE_PROCESS);
	assert_int_equal(wk_tree_shape_id(f.shape, process), 2);
	assert_int_equal(wk_tree_shape_kind(f.shape, thread), WK_NODE_THREAD);
	assert_int_equal(wk_tree_shape_id(f.shape, thread), 2);
	assert_int_equal(f.shape->parent[thread], process);
	assert_int_equal(f.shape->first_row[process], 4);
	assert_int_equal(f.shape->first_row[0], 0);
	end(&f);
}

static bool is_demo(void *context, struct wk_str name)
{
	(void)context;
	return wk_str_is(name, "demo");
}

static void stacks_with_a_match_count_once(void **state)
{
	struct wk_tree_options options = { .by_process = true };
	struct fixture f;
	uint8_t *functions, *matches;

	(void)state;
	start(&f, small_model((const char *const[]){
			  "demo;main;work;work;sum 5", "demo;main;sum 2", "other;main;work 4",
			  NULL }),
	      &options);
	functions = wk_alloc_zeroed(f.model->function_count, 1);
	for (wk_function_id i = 1; i < f.model->function_count; i++)
		functions[i] = wk_str_is(wk_function_shown_name(f.model, i), "work");
	matches = wk_tree_shape_search(f.shape, functions, NULL, NULL);
	assert_int_equal(wk_tree_weights_of_matches(&f.weights, matches).times, 9);
	wk_free(matches);
	matches = wk_tree_shape_search(f.shape, functions, is_demo, NULL);
	assert_int_equal(wk_tree_weights_of_matches(&f.weights, matches).times, 11);
	wk_free(matches);
	matches = wk_tree_shape_search(f.shape, NULL, NULL, NULL);
	assert_int_equal(wk_tree_weights_of_matches(&f.weights, matches).times, 0);
	matches[0] = 1;
	assert_int_equal(wk_tree_weights_of_matches(&f.weights, matches).times, 11);
	WK_FREE_ALL(matches, functions);
	end(&f);
}

/* ---- over time */

static bool is_within(const struct wk_tree_shape *shape, uint32_t node, uint32_t top)
{
	while (node > top)
		node = shape->parent[node];
	return node == top;
}

/* By the definition: the number of the bin that a time is in, of real numbers. */
static uint32_t slow_bin(const struct wk_time_bins *bins, uint64_t time_ns)
{
	uint32_t bin =
		(uint32_t)((time_ns - bins->from_ns) * bins->count / (bins->to_ns - bins->from_ns));

	return bin < bins->count ? bin : bins->count - 1;
}

static void histograms_are_what_their_rows_weigh(void **state)
{
	static const struct wk_time_bins all_bins[] = {
		{ 5000000000, 5099000000, 7 }, { 5000000000, 5099000000, 1 },
		{ 5010000000, 5020000000, 64 }, { 4000000000, 9000000000, 1000 },
		{ 5050000000, 5050000003, 10 },
	};
	uint32_t nodes[6];
	struct fixture f;

	(void)state;
	start(&f, small_model(lines), &(struct wk_tree_options){ 0 });
	for (uint32_t i = 0; i < 6; i++)
		nodes[i] = i ? (i * 5) % f.shape->count : 0;
	nodes[5] = nodes[2]; /* listed twice */
	for (size_t b = 0; b < sizeof(all_bins) / sizeof(*all_bins); b++) {
		struct wk_time_bins bins = all_bins[b];
		int64_t *sums = wk_alloc(6 * bins.count * sizeof(*sums));
		int64_t *slow = wk_alloc_zeroed(6 * bins.count, sizeof(*slow));

		wk_histogram_of_nodes(f.shape, &everything, &bins, nodes, 6, sums);
		for (uint32_t row = 0; row < f.rows->count; row++)
			for (uint32_t i = 0; i < 6; i++)
				if (f.rows->time_ns[row] >= bins.from_ns &&
				    f.rows->time_ns[row] <= bins.to_ns &&
				    is_within(f.shape, f.shape->node_of[row], nodes[i]))
					slow[i * bins.count +
					     slow_bin(&bins, f.rows->time_ns[row])] += SMALL_WEIGHT;
		assert_memory_equal(sums, slow, 6 * bins.count * sizeof(*sums));
		wk_histogram(f.rows, &everything, &bins, sums);
		assert_memory_equal(sums, slow, bins.count * sizeof(*sums)); /* node 0 */
		WK_FREE_ALL(sums, slow);
	}
	end(&f);
}

/* Blocks of 10, 20 and 30 bytes at 1, 2 and 3 ns; of the first, half is freed at 3 ns and the rest
 * at 4, and the third is freed at 5 ns. */
static struct wk_model *model_of_blocks(void)
{
	struct wk_model *model = wk_model_new();

	wk_model_add_source(model, &(struct wk_source){
		.number = 1, .name = wk_model_text(model, wk_str_c("heap")),
		.unit = wk_model_text(model, wk_str_c("bytes")), .has_lifetimes = true });
	small_line(model, wk_str_c("demo;main;make 3"));
	small_resolved(model);
	for (uint32_t i = 0; i < 3; i++) {
		model->samples.time_ns[i] = i + 1;
		model->samples.weight[i] = 10 * (i + 1);
	}
	wk_model_add_end(model, &(struct wk_end){ .sample = 0, .time_ns = 3, .weight = 5 });
	wk_model_add_end(model, &(struct wk_end){ .sample = 0, .time_ns = 4, .weight = 5 });
	wk_model_add_end(model, &(struct wk_end){ .sample = 2, .time_ns = 5, .weight = 30 });
	return model;
}

static void levels_are_what_is_there_at_the_end_of_each_bin(void **state)
{
	struct wk_time_bins bins = { 0, 6, 6 }, late = { 3, 6, 3 };
	int64_t levels[6];
	struct fixture f;

	(void)state;
	start(&f, model_of_blocks(), &(struct wk_tree_options){ 0 });
	wk_histogram_levels(f.rows, NULL, &bins, levels);
	assert_memory_equal(levels, ((int64_t[]){ 0, 10, 30, 55, 50, 20 }), sizeof(levels));
	wk_histogram_levels(f.rows, NULL, &late, levels);
	assert_memory_equal(levels, ((int64_t[]){ 55, 50, 20 }), 3 * sizeof(*levels));
	end(&f);
}

static void levels_lose_what_a_process_left(void **state)
{
	struct wk_time_bins bins = { 0, 7, 7 };
	struct wk_model *model = model_of_blocks();
	int64_t levels[7], sums[7];
	struct fixture f;

	(void)state;
	wk_model_add_end(model, &(struct wk_end){ .sample = 1, .time_ns = 6, .weight = 20,
						  .is_left = true });
	start(&f, model, &(struct wk_tree_options){ 0 });
	wk_histogram_levels(f.rows, NULL, &bins, levels);
	assert_memory_equal(levels, ((int64_t[]){ 0, 10, 30, 55, 50, 20, 0 }), sizeof(levels));
	wk_histogram(f.rows,
		     &(struct wk_row_selection){ .to_ns = UINT64_MAX,
						 .measure = WK_MEASURE_OUTSTANDING },
		     &bins, sums);
	assert_memory_equal(sums, ((int64_t[]){ 0, 10, 20, 25, -5, -30, 0 }), sizeof(sums));
	end(&f);
}

static void what_is_gone_was_freed_in_the_time_in_view(void **state)
{
	struct wk_row_selection selection = { .from_ns = 4, .to_ns = 5,
					      .measure = WK_MEASURE_GONE };
	struct wk_time_bins bins = { 0, 6, 6 };
	int64_t sums[6];
	struct fixture f;

	(void)state;
	start(&f, model_of_blocks(), &(struct wk_tree_options){ 0 });
	wk_tree_weights_set(&f.weights, &selection);
	assert_int_equal(f.weights.total[0].weight, 35);
	assert_int_equal(f.weights.total[0].times, 2);
	wk_histogram(f.rows, &selection, &bins, sums);
	assert_memory_equal(sums, ((int64_t[]){ 0, 0, 0, 0, 5, 30 }), sizeof(sums));
	selection.measure = WK_MEASURE_OUTSTANDING;
	selection.from_ns = 1;
	selection.to_ns = 3;
	wk_histogram(f.rows, &selection, &bins, sums);
	assert_memory_equal(sums, ((int64_t[]){ 0, 10, 20, 25, 0, 0 }), sizeof(sums));
	end(&f);
}

/* What was there at the first of two snapshots and is not at the second. */
static void what_is_gone_between_snapshots_was_there_at_the_first(void **state)
{
	struct wk_span span = { .is_given = true, .from = { .at_row = 2, .at_end = 1 },
				.to = { .at_row = 3, .at_end = 3 } };
	struct wk_row_selection selection = { .to_ns = UINT64_MAX, .span = &span,
					      .measure = WK_MEASURE_GONE };
	struct wk_model *model = model_of_blocks();
	struct fixture f;

	(void)state;
	wk_model_add_snapshot(model, &(struct wk_snapshot){ .time_ns = 6 });
	start(&f, model, &(struct wk_tree_options){ 0 });
	wk_tree_weights_set(&f.weights, &selection);
	assert_int_equal(f.weights.total[0].weight, 5);
	end(&f);
}

/* ---- hostile input */

enum { MANY_THREADS = 1000000, DEEP = 100000 };

static void a_million_threads_are_one_row(void **state)
{
	struct wk_model *model = small_model((const char *const[]){ "demo;main 1", NULL });
	struct wk_cut_options options = { .share = 0.001 };
	uint32_t all = 0;
	struct wk_tree_cut cut;
	struct fixture f;

	(void)state;
	for (uint32_t i = 1; i < MANY_THREADS; i++)
		wk_model_add_sample(model, &(struct wk_sample){
			.time_ns = 5000000000 + i, .weight = SMALL_WEIGHT, .stack = 1, .source = 1,
			.thread = wk_model_add_thread(model, &(struct wk_thread){
				.tid = i, .process = 1 }) });
	start(&f, model, &(struct wk_tree_options){ .by_thread = true });
	assert_int_equal(f.shape->count, 1 + 2 * MANY_THREADS);
	wk_tree_cut_init(&cut, &f.weights, NULL, &options);
	assert_int_equal(cut.count, 1);
	assert_int_equal(cut.rows[0].left_out, MANY_THREADS);
	assert_int_equal(cut.rows[0].left_out_sum.times, MANY_THREADS);
	wk_tree_cut_fini(&cut);
	options.opened = &all;
	options.opened_count = 1;
	options.most_opened = 500;
	wk_tree_cut_init(&cut, &f.weights, NULL, &options);
	assert_int_equal(cut.count, 501);
	assert_int_equal(cut.rows[0].left_out, MANY_THREADS - 500);
	wk_tree_cut_fini(&cut);
	end(&f);
}

static void a_deep_stack_is_a_list_of_levels(void **state)
{
	struct wk_cut_options options = { .share = 0.5 };
	struct wk_model *model = small_empty_model();
	struct wk_tree_cut cut;
	struct fixture f;
	wk_stack_id stack = 0;
	uint32_t frames[2];

	(void)state;
	for (int i = 0; i < 2; i++)
		frames[i] = small_frame(model, wk_str_c(i ? "odd" : "even"));
	for (uint32_t i = 0; i < DEEP; i++)
		stack = wk_model_add_named(model, stack, frames[i % 2]);
	small_samples(model, small_thread(model, wk_str_c("demo")), stack, 3, 1, SMALL_WEIGHT);
	small_resolved(model);
	for (int inverted = 0; inverted < 2; inverted++) {
		start(&f, model, &(struct wk_tree_options){ .inverted = inverted });
		assert_int_equal(f.shape->depth_max, DEEP);
		options.most = 0;
		wk_tree_cut_init(&cut, &f.weights, NULL, &options);
		assert_int_equal(cut.count, DEEP + 1);
		assert_int_equal(cut.rows[DEEP].self.times, 3);
		wk_tree_cut_fini(&cut);
		options.most = 1000;
		wk_tree_cut_init(&cut, &f.weights, NULL, &options);
		assert_int_equal(cut.count, 1000);
		assert_int_equal(cut.levels_left_out, DEEP - 999);
		assert_int_equal(cut.rows[999].left_out, 1);
		wk_tree_cut_fini(&cut);
		f.model = NULL;
		end(&f);
	}
	wk_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(light_nodes_are_counted_at_their_parents),
		cmocka_unit_test(a_root_is_shown_in_more_detail),
		cmocka_unit_test(opened_and_current_nodes_are_shown_whatever_they_weigh),
		cmocka_unit_test(a_current_node_outside_of_the_selection_is_shown_without_weight),
		cmocka_unit_test(the_deepest_levels_are_left_out_beyond_a_limit),
		cmocka_unit_test(unknown_nodes_are_ignored),
		cmocka_unit_test(either_side_of_a_comparison_makes_a_node_visible),
		cmocka_unit_test(nodes_are_what_their_levels_are),
		cmocka_unit_test(stacks_with_a_match_count_once),
		cmocka_unit_test(histograms_are_what_their_rows_weigh),
		cmocka_unit_test(levels_are_what_is_there_at_the_end_of_each_bin),
		cmocka_unit_test(levels_lose_what_a_process_left),
		cmocka_unit_test(what_is_gone_was_freed_in_the_time_in_view),
		cmocka_unit_test(what_is_gone_between_snapshots_was_there_at_the_first),
		cmocka_unit_test(a_million_threads_are_one_row),
		cmocka_unit_test(a_deep_stack_is_a_list_of_levels),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
