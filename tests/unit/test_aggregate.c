/* Aggregations of rows against trees of the same samples: every total and self weight is equal. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "aggregate_nodes.h"
#include "built_model.h"
#include "folded_model.h"
#include "heap_events.h"
#include "read_file.h"
#include "small_model.h"
#include "views/compare/pairs.h"
#include "views/tree/annotations.h"

static uint64_t seed = 1;

static uint32_t random_below(uint32_t limit)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((seed >> 33) % limit);
}

/* ---- models */

static struct wk_model *model_of_file(const char *name)
{
	const char *root = getenv("WICK_SOURCE_ROOT");
	struct wk_err err = { 0 };
	struct built built;
	char path[1024];

	snprintf(path, sizeof(path), "%s/tests/%s", root ? root : ".", name);
	built_start(&built);
	if (!read_file(path, &built.sink, &err))
		fail_msg("%s", err.text);
	built_end(&built);
	wk_model_resolve(built.model, NULL,
			 (struct wk_resolve_options){ .separates_unnamed = true });
	return built.model;
}

/* Random calls of three threads, with snapshots named 0, 1 ... in between. */
static struct wk_model *model_of_heap(bool sums_blocks)
{
	struct built f;

	built_start(&f);
	f.model->sums_samples = f.model->sums_blocks = sums_blocks;
	for (uint64_t time_ns = 1; time_ns < 3000; time_ns++) {
		struct call call = { time_ns * 100, 70 + random_below(3),
				     0x100 * (1 + random_below(9)) };
		uint64_t at = 0x5000 + random_below(200), to = 0x5000 + random_below(200);
		char label[16];

		snprintf(label, sizeof(label), "%u", (unsigned)(time_ns / 300));
		if (time_ns % 300 == 0)
			snapshot_of(&f, time_ns * 100, 7, label);
		else if (random_below(3) == 0)
			release(&f, call, at);
		else if (random_below(4) == 0)
			reallocate(&f, call, at, to, random_below(50));
		else
			allocate(&f, call, at, random_below(5000));
	}
	built_give(&f, (struct wk_event){
		.kind = WK_EVENT_PROCESS, .time_ns = 310000, .pid = 7, .tid = 7,
		.process = { .change = WK_PROCESS_EXIT, .name = WK_STR("app") } });
	allocate(&f, (struct call){ 320000, 90, 0x100 }, 0x9000, 64);
	built_end(&f);
	for (uint32_t i = 0; i < f.model->snapshot_count; i += 2)
		f.model->snapshots[i].process = 0;
	f.model->threads[f.model->samples.thread[9]].process =
		wk_model_add_process(f.model, &(struct wk_process){ .pid = 8 });
	wk_model_resolve(f.model, NULL, (struct wk_resolve_options){ .separates_unnamed = true });
	return f.model;
}

static void change_memory(struct built *f, uint64_t time_ns, uint32_t changes, uint64_t start,
			  uint64_t pages)
{
	uint64_t chain[] = { 0x1000 + 0x100 * (time_ns % 7), 0x2000 };

	built_give(f, (struct wk_event){
		.kind = WK_EVENT_MEMORY, .time_ns = time_ns, .pid = 7,
		.tid = 70 + (uint32_t)(time_ns % 3),
		.memory = { .changes = changes, .owner_pid = 7, .start = start * 4096,
			    .size_bytes = pages * 4096,
			    .sample = { .user_chain = chain, .user_count = 2 } } });
}

/* Pages that are committed and given back, often in parts. */
static struct wk_model *model_of_memory(void)
{
	struct built f;

	built_start(&f);
	for (uint64_t time_ns = 1; time_ns < 2000; time_ns++)
		change_memory(&f, time_ns, random_below(2) ? WK_MEMORY_COMMIT : WK_MEMORY_DECOMMIT,
			      1 + random_below(300), 1 + random_below(20));
	built_end(&f);
	wk_model_resolve(f.model, NULL, (struct wk_resolve_options){ .separates_unnamed = true });
	return f.model;
}

/* Recursion, inlined calls, other images, lines, the kernel. */
static struct wk_model *model_of_calls(void)
{
	return small_model((const char *const[]){
		"demo;main;work;work;sum 20", "demo;main;work;sum;work@7;sum_[i] 13",
		"demo;main;work@3;memcpy_[k] 4", "demo;main;/lib/libc.so.6!malloc;sum 6",
		"other;main;work;core::ptr::read_[i];std::fmt::write_[i] 5",
		"other;start;work;/lib/libc.so.6!sum;sum 9", "demo;main 2",
		"other;cut;work;work;work;work 3", NULL });
}

/* ---- equal nodes */

struct question {
	const struct wk_model *model;
	struct wk_filter_spec spec;
	struct wk_tree_options options;
	char words[600];
};

static struct wk_filter filter_of(const struct wk_model *model, const struct wk_filter_spec *spec)
{
	struct wk_err err = { 0 };
	struct wk_filter filter;

	if (!wk_filter_init(&filter, model, spec, &err))
		fail_msg("%s", err.text);
	return filter;
}

static struct wk_filter_spec without_selection(struct wk_filter_spec spec)
{
	spec.time = NULL;
	spec.outstanding = false;
	spec.span = spec.before_span = (struct wk_span_spec){ 0 };
	return spec;
}

static void compare_side(const struct question *q, const struct wk_tree_shape *shape,
			 const struct wk_tree *tree, const struct wk_filter *filter,
			 enum wk_span_side side)
{
	struct wk_filter_spec timeless = without_selection(q->spec);
	struct wk_filter in_view = filter_of(q->model, &timeless);
	uint64_t *bits = wk_event_rows_in_view(shape->rows, &in_view, side);
	bool is_before = side == WK_SPAN_BEFORE;
	bool is_whole = side == WK_SPAN_OF_ALL && !filter->is_narrowed;
	struct wk_row_selection selection = {
		.from_ns = is_before ? filter->before_from_ns : filter->from_ns,
		.to_ns = is_before ? filter->before_to_ns : filter->to_ns,
		.bits = bits,
		.span = is_before ? &filter->before_span : &filter->span,
		.measure = filter->weights ? WK_MEASURE_OUTSTANDING : WK_MEASURE_ALL,
	};
	struct wk_tree_weights weights;

	wk_tree_weights_init(&weights, shape);
	wk_tree_weights_set(&weights, &(struct wk_row_selection){ .to_ns = UINT64_MAX });
	wk_tree_weights_set(&weights, &selection);
	assert_same_nodes(list_of_shape(&weights, side, is_whole),
			  list_of_tree(tree, side, is_whole), q->words);
	wk_tree_weights_fini(&weights);
	wk_filter_fini(&in_view);
	wk_free(bits);
}

static void compare_with_tree(const struct question *q, const struct wk_event_rows *rows)
{
	struct wk_filter filter = filter_of(q->model, &q->spec);
	struct wk_tree_shape *shape = wk_tree_shape_new(rows, &q->options);
	struct wk_tree tree;

	wk_tree_init(&tree, q->model, &filter, &q->options);
	if (q->model->samples.is_before) {
		compare_side(q, shape, &tree, &filter, WK_SPAN_BEFORE);
		compare_side(q, shape, &tree, &filter, WK_SPAN_AFTER);
	} else {
		compare_side(q, shape, &tree, &filter, WK_SPAN_OF_ALL);
	}
	wk_tree_fini(&tree);
	wk_tree_shape_free(shape);
	wk_filter_fini(&filter);
}

static const char *const groupings[] = {
	"stack", "function", "module", "process,thread,stack", "pid,cpu,module",
	"wait-reason,readied-by,stack", "heap,allocator,size,function", "thread,module,function",
	"size,process,stack", "cpu,function,stack", "annotation,process,stack",
};

static const struct wk_annotation_rule rules[] = {
	{ .label = "working", .function = "^work|1" }, { .label = "starting", .function = "r" },
};
static const struct wk_annotations annotations = { rules, 2 };

static struct wk_grouping random_grouping(const char **words)
{
	struct wk_grouping grouping;
	struct wk_err err = { 0 };

	*words = groupings[random_below(sizeof(groupings) / sizeof(*groupings))];
	assert_true(wk_grouping_read(&grouping, wk_str_c(*words), &err));
	return grouping;
}

static void choose_options(struct question *q, struct wk_grouping *grouping)
{
	uint32_t bits = random_below(1u << 11) & random_below(1u << 11);
	const char *words = "no grouping";

	q->options = (struct wk_tree_options){
		.by_process = bits & 1, .by_thread = bits & 2, .inverted = random_below(2),
		.by_lines = bits & 8, .merge_images = bits & 16, .merge_files = bits & 32,
		.collapses_recursion = bits & 64, .folds_recursion = bits & 128,
		.hides_plumbing = bits & 256, .charges_own = bits & 512,
		.order = (enum wk_tree_order)random_below(3), .keeps_both_sides = true };
	if (random_below(2)) {
		*grouping = random_grouping(&words);
		q->options.annotations = random_below(3) ? &annotations : NULL;
		q->options.grouping = grouping;
	}
	snprintf(q->words, sizeof(q->words), "by %s, %s, options %x%s, time %s, filter %s%s%s",
		 q->spec.source ? q->spec.source : "default", words, bits,
		 q->options.inverted ? " inverted" : "", q->spec.time ? q->spec.time : "all",
		 q->spec.expression ? q->spec.expression : "none",
		 q->spec.outstanding ? ", outstanding" : "",
		 q->spec.span.between[0] || q->spec.span.snapshot ? ", snapshots" : "");
}

static const char *const times[] = { NULL, NULL, "25%-75%", "0-30%", "60%-", "50%-50%" };
static const char *const filters[] = { NULL, NULL, "tid != 71", "function =~ \"1|r\"" };

/* Many selections of one source, of which each has another tree. */
static void compare_source(const struct wk_model *model, const char *source, unsigned count,
			   const struct wk_pairs *pairs)
{
	struct question q = { .model = model, .spec = { .source = source } };
	struct wk_filter all = filter_of(model, &q.spec);
	struct wk_event_rows *rows = wk_event_rows_new(model, &all);
	bool has_lifetimes = rows->has_lifetimes;
	struct wk_grouping grouping;
	char first[16], last[16];

	for (unsigned i = 0; i < count; i++) {
		q.spec = (struct wk_filter_spec){
			.source = source, .time = times[random_below(6)],
			.expression = filters[random_below(4)],
			.outstanding = has_lifetimes && random_below(2) };
		if (model->snapshot_count && has_lifetimes && random_below(3) == 0) {
			snprintf(first, sizeof(first), "%u", 1 + random_below(4));
			snprintf(last, sizeof(last), "%u", 5 + random_below(4));
			q.spec.outstanding = false;
			q.spec.span = random_below(2)
					      ? (struct wk_span_spec){ .snapshot = last }
					      : (struct wk_span_spec){ .between = { first, last } };
		}
		choose_options(&q, &grouping);
		q.options.pairs = pairs;
		compare_with_tree(&q, rows);
	}
	wk_event_rows_free(rows);
	wk_filter_fini(&all);
}

static void compare_model(struct wk_model *model, unsigned count)
{
	uint64_t *samples = wk_model_count_samples(model);

	for (wk_source_id i = 1; i < model->source_count; i++)
		if (samples[i])
			compare_source(model, wk_strtab_get(model->text, model->sources[i].name),
				       count, NULL);
	wk_free(samples);
	wk_model_free(model);
}

static void calls_weigh_what_they_do_in_trees(void **state)
{
	(void)state;
	compare_model(model_of_calls(), 400);
}

static void files_weigh_what_they_do_in_trees(void **state)
{
	static const char *const files[] = {
		"data/shop.data", "data/memory.etl", "golden/etl/kernel/input.etl",
		"golden/etl/managed-code/input.etl", "golden/perf_script/usual/input.perf",
		"golden/perf_script/lines-of-every-kind/input.txt",
		"golden/perf_sched/wakers/input.txt", "golden/nettrace/version-4/input.nettrace",
		"golden/perfparser/stacks/input.perfparser",
		"golden/heaptrack/first/input.heaptrack",
		"golden/firefox/threads-own/input.json",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++)
		compare_model(model_of_file(files[i]), 40);
}

static void blocks_weigh_what_they_do_in_trees(void **state)
{
	(void)state;
	for (int i = 0; i < 3; i++)
		compare_model(model_of_heap(i % 2), 150);
}

static void pages_weigh_what_they_do_in_trees(void **state)
{
	(void)state;
	compare_model(model_of_memory(), 100);
}

static const char folded_lines[] = "main;a;b 3\nmain;a;c 4\nmain;d 1\nold 2\nmain;a;a;b 7\n";

static void folded_lines_weigh_what_they_do_in_trees(void **state)
{
	(void)state;
	compare_model(folded_model((const char *const[]){ folded_lines }, 1), 200);
}

static void both_sides_of_a_comparison_weigh_what_they_do_in_trees(void **state)
{
	struct wk_model *model = small_empty_model();
	struct wk_filter filter;
	struct wk_pairs pairs;

	(void)state;
	for (int side = 0; side < 2; side++) {
		small_line(model, wk_str_c(side ? "demo;main;a;b 5" : "demo;main;a;c 4"));
		small_line(model, wk_str_c(side ? "demo;main;d;a;a 2" : "demo;main;a;a;b 3"));
		small_line(model, wk_str_c("demo;main;d;a 2"));
	}
	small_resolved(model);
	model->samples.is_before = wk_alloc_zeroed(model->samples.cap + 1, 1);
	for (uint32_t i = 0; i < 9; i++)
		model->samples.is_before[i] = 1;
	wk_model_see_last(model, true, model->samples.time_ns[8]);
	filter = filter_of(model, &(struct wk_filter_spec){ 0 });
	wk_pairs_init(&pairs, model, &filter, false, false);
	compare_source(model, NULL, 200, &pairs);
	wk_pairs_fini(&pairs);
	wk_filter_fini(&filter);
	wk_model_free(model);
}

/* ---- hostile input */

static void times_that_go_back_are_sorted(void **state)
{
	struct wk_model *model = model_of_calls(), *heap = model_of_heap(false);

	(void)state;
	for (uint32_t i = 0; i < model->samples.count; i++)
		model->samples.time_ns[i] = 5000000000 + (uint64_t)random_below(60) * 1000000;
	compare_model(model, 200);
	for (uint32_t i = 0; i < heap->samples.count; i++)
		heap->samples.time_ns[i] = random_below(300000);
	for (uint32_t i = 0; i < heap->end_count; i++)
		heap->ends[i].time_ns = random_below(300000);
	compare_model(heap, 200);
}

/* More than there is, and ends of blocks that are gone already. */
static void ends_never_free_more_than_there_is(void **state)
{
	struct wk_model *heap = model_of_heap(false);

	(void)state;
	for (uint32_t i = 0; i < heap->end_count; i += 3) {
		heap->ends[i].weight = i % 2 ? UINT64_MAX : heap->ends[i].weight / 2;
		heap->ends[i].times = random_below(3);
		heap->ends[i].sample = random_below(heap->samples.count - 1);
	}
	compare_model(heap, 300);
}

static void samples_without_weights_count_as_samples(void **state)
{
	struct wk_model *model = model_of_calls();

	(void)state;
	memset(model->samples.weight, 0, model->samples.count * sizeof(*model->samples.weight));
	compare_model(model, 100);
}

static void a_recording_without_samples_has_a_whole(void **state)
{
	struct wk_model *model = small_empty_model();
	struct wk_tree_weights weights;
	struct wk_filter filter;
	struct wk_event_rows *rows;
	struct wk_tree_shape *shape;

	(void)state;
	small_resolved(model);
	filter = filter_of(model, &(struct wk_filter_spec){ 0 });
	rows = wk_event_rows_new(model, &filter);
	shape = wk_tree_shape_new(rows, &(struct wk_tree_options){ 0 });
	wk_tree_weights_init(&weights, shape);
	wk_tree_weights_set(&weights, &(struct wk_row_selection){ .to_ns = UINT64_MAX });
	assert_int_equal(shape->count, 1);
	assert_int_equal(weights.total[0].weight, 0);
	wk_tree_weights_fini(&weights);
	wk_tree_shape_free(shape);
	wk_event_rows_free(rows);
	wk_filter_fini(&filter);
	wk_model_free(model);
}

/* Inverted, with few nodes: the heaviest stacks are whole in both. */
static void too_many_inverted_stacks_are_cut_as_in_a_tree(void **state)
{
	struct wk_model *model = model_of_calls();
	struct question q = { .model = model, .words = "cut" };
	struct wk_filter filter = filter_of(model, &q.spec);
	struct wk_event_rows *rows = wk_event_rows_new(model, &filter);

	(void)state;
	q.options = (struct wk_tree_options){ .inverted = true, .most_inverted = 8 };
	compare_with_tree(&q, rows);
	wk_event_rows_free(rows);
	wk_filter_fini(&filter);
	wk_model_free(model);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calls_weigh_what_they_do_in_trees),
		cmocka_unit_test(files_weigh_what_they_do_in_trees),
		cmocka_unit_test(blocks_weigh_what_they_do_in_trees),
		cmocka_unit_test(pages_weigh_what_they_do_in_trees),
		cmocka_unit_test(folded_lines_weigh_what_they_do_in_trees),
		cmocka_unit_test(both_sides_of_a_comparison_weigh_what_they_do_in_trees),
		cmocka_unit_test(times_that_go_back_are_sorted),
		cmocka_unit_test(ends_never_free_more_than_there_is),
		cmocka_unit_test(samples_without_weights_count_as_samples),
		cmocka_unit_test(a_recording_without_samples_has_a_whole),
		cmocka_unit_test(too_many_inverted_stacks_are_cut_as_in_a_tree),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
