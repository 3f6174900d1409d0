/* Selections of a recording with many samples: how long each step takes that an analysis page waits
 * for, and how long a tree of the same takes.
 *
 *	build/bench/aggregate [ROWS [STACKS]]
 *
 * The recording is made here: threads that each walk through a part of the stacks of a program
 *whose functions call each other at random. Some stacks have many samples, most have few, and
 *samples of a thread that follow each other have much of their stacks in common. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/mem.h"
#include "render/page/page_tree.h"
#include "views/aggregate/histogram.h"
#include "views/aggregate/tree_cut.h"

enum { FUNCTIONS = 20000, THREADS = 64, DEEPEST = 60, BINS = 1000, ROUNDS = 9, LISTED = 200 };

static uint64_t seed = 1;

static uint32_t random_below(uint32_t limit)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)((seed >> 33) % limit);
}

/* ---- the recording */

static void add_stacks(struct wk_model *model, uint32_t count)
{
	uint32_t *frames = wk_alloc(FUNCTIONS * sizeof(*frames));
	uint8_t *depth = wk_alloc_zeroed((size_t)count + 1, 1);
	char name[32];

	for (uint32_t i = 0; i < FUNCTIONS; i++) {
		struct wk_function function = { 0 };

		snprintf(name, sizeof(name), "function_%u", i);
		function.name = wk_model_text(model, wk_str_c(name));
		frames[i] = wk_model_add_named_frame(model, wk_model_add_function(model, &function),
						     0, 0, false);
	}
	while (model->named.count < count) {
		uint32_t parent =
			model->named.count - 1 -
			random_below(model->named.count < 2000 ? model->named.count : 2000);
		uint32_t frame = frames[random_below(1 + random_below(FUNCTIONS))], id;

		if (depth[parent] == DEEPEST)
			parent = random_below(model->named.count);
		id = wk_model_add_named(model, parent, frame);
		if (id < count)
			depth[id] = depth[parent] < DEEPEST ? depth[parent] + 1 : DEEPEST;
	}
	WK_FREE_ALL(frames, depth);
	model->came_named = true; /* recorded stacks are the named ones */
	for (uint32_t i = model->stacks.count; i < model->named.count; i++)
		wk_model_add_stack(model, model->named.entries[i].parent,
				   wk_model_add_frame(model, 0, i));
}

/* The first ones more often than others. */
static uint32_t any_stack(uint32_t count)
{
	return random_below(1 + random_below(1 + random_below(1 + random_below(count))));
}

static void add_rows(struct wk_model *model, uint32_t count, bool is_heap)
{
	uint32_t at[THREADS] = { 0 };
	wk_process_id process = 0;

	for (uint32_t i = 0; i < THREADS; i++) {
		if (i % 8 == 0)
			process = wk_model_add_process(model, &(struct wk_process){
				.pid = i + 1, .name = wk_model_text(model, wk_str_c("worker")) });
		wk_model_add_thread(model, &(struct wk_thread){ .tid = i, .process = process });
	}
	wk_model_expect_samples(model, count);
	for (uint32_t i = 0; i < count; i++) {
		uint32_t thread = random_below(THREADS);

		at[thread] = random_below(50) ? at[thread] + random_below(40)
					      : thread * 4001 + any_stack(model->named.count);
		wk_model_add_sample(model, &(struct wk_sample){
			.time_ns = (uint64_t)i * 20000, .thread = 1 + thread, .source = 1,
			.stack = 1 + at[thread] % (model->named.count - 1),
			.weight = is_heap ? 16 + random_below(4096) : 1000000 });
		if (is_heap && i > 1000 && random_below(4))
			wk_model_add_end(model, &(struct wk_end){
				.sample = i - random_below(1000), .times = 1,
				.time_ns = (uint64_t)i * 20000, .weight = 4200 });
	}
}

static struct wk_model *made_model(uint32_t rows, uint32_t stacks, bool is_heap)
{
	struct wk_model *model = wk_model_new();

	wk_model_add_source(model, &(struct wk_source){
		.number = 1, .name = wk_model_text(model, wk_str_c(is_heap ? "heap" : "cycles")),
		.unit = wk_model_text(model, wk_str_c(is_heap ? "bytes" : "ns")),
		.has_lifetimes = is_heap, .is_of_blocks = is_heap, .is_cpu_time = !is_heap });
	add_stacks(model, stacks);
	add_rows(model, rows, is_heap);
	return model;
}

/* ---- measuring */

/* The fastest: the others shared the machine's caches. */
static void print(const char *kind, const char *what, const double *ms, int count)
{
	double least = ms[0];

	for (int i = 1; i < count; i++)
		least = ms[i] < least ? ms[i] : least;
	printf("%s, %s: %.1f ms\n", kind, what, least);
}

/* Time of the processor, as the machine may have other work. */
static double since(clock_t begun)
{
	return (double)(clock() - begun) * 1e3 / CLOCKS_PER_SEC;
}

struct bench {
	const char *kind;
	const struct wk_model *model;
	struct wk_filter filter;
	struct wk_event_rows *rows;
	struct wk_tree_shape *shape;
	struct wk_tree_weights weights;
};

/* As a command does it for one selection: filter, fold, keep the heaviest, sort. */
static void measure_tree(const struct bench *b, const struct wk_tree_options *options,
			 const char *time, const char *what)
{
	struct wk_filter_spec spec = { .time = time };
	struct wk_tree_options drawn = *options;
	clock_t begun = clock();
	struct wk_filter filter;
	struct wk_tree tree;
	double ms;

	drawn.most_nodes = 20000;
	if (!wk_filter_init(&filter, b->model, &spec, NULL))
		exit(1);
	wk_tree_init(&tree, b->model, &filter, &drawn);
	ms = since(begun);
	print(b->kind, what, &ms, 1);
	wk_tree_fini(&tree);
	wk_filter_fini(&filter);
}

static void measure_shape(struct bench *b, const struct wk_tree_options *options, const char *what)
{
	clock_t begun = clock();
	struct wk_tree_shape *shape = wk_tree_shape_new(b->rows, options);
	double ms = since(begun);

	print(b->kind, what, &ms, 1);
	printf("%s, %s: %" PRIu32 " nodes\n", b->kind, what, shape->count);
	wk_tree_shape_free(b->shape);
	b->shape = shape;
}

static void measure_weights(struct bench *b, const struct wk_row_selection *selection,
			    const char *what)
{
	double ms[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		clock_t begun = clock();

		wk_tree_weights_set(&b->weights, selection);
		ms[i] = since(begun);
	}
	print(b->kind, what, ms, ROUNDS);
}

static void measure_cut(const struct bench *b)
{
	struct wk_cut_options options = { .share = 0.5 / 1600 };
	struct wk_tree_cut cut = { 0 };
	const struct wk_page_tree written = { .shape = b->shape, .cut = &cut };
	struct wk_buf answer = { 0 };
	double ms[ROUNDS];

	for (int i = 0; i < ROUNDS; i++) {
		clock_t begun = clock();

		wk_tree_cut_fini(&cut);
		wk_tree_cut_init(&cut, &b->weights, NULL, &options);
		ms[i] = since(begun);
	}
	print(b->kind, "cut of half a pixel in 1600", ms, ROUNDS);
	for (int i = 0; i < ROUNDS; i++) {
		clock_t begun = clock();

		answer.len = 0;
		wk_page_tree_write(&written, &answer);
		ms[i] = since(begun);
	}
	print(b->kind, "answer", ms, ROUNDS);
	printf("%s, cut: %" PRIu32 " nodes, %zu bytes\n", b->kind, cut.count, answer.len);
	wk_buf_fini(&answer);
	wk_tree_cut_fini(&cut);
}

static void measure_histograms(const struct bench *b)
{
	struct wk_row_selection all = { .to_ns = UINT64_MAX };
	struct wk_time_bins bins = { 0, b->model->last_ns, BINS };
	int64_t *sums = wk_alloc((size_t)LISTED * BINS * sizeof(*sums));
	double of_all[ROUNDS], of_nodes[ROUNDS], levels[ROUNDS];
	uint32_t nodes[LISTED];

	for (uint32_t i = 0; i < LISTED; i++)
		nodes[i] = random_below(b->shape->count);
	for (int i = 0; i < ROUNDS; i++) {
		clock_t begun = clock();

		wk_histogram(b->rows, &all, &bins, sums);
		of_all[i] = since(begun);
		begun = clock();
		wk_histogram_levels(b->rows, NULL, &bins, sums);
		levels[i] = since(begun);
		begun = clock();
		wk_histogram_of_nodes(b->shape, &all, &bins, nodes, LISTED, sums);
		of_nodes[i] = since(begun);
	}
	print(b->kind, "histogram of all", of_all, ROUNDS);
	print(b->kind, "levels", levels, ROUNDS);
	print(b->kind, "histograms of 200 nodes", of_nodes, ROUNDS);
	wk_free(sums);
}

static void measure_search(const struct bench *b)
{
	uint8_t *functions = wk_alloc_zeroed(b->model->function_count, 1), *matches;
	double ms[ROUNDS];

	for (uint32_t i = 0; i < b->model->function_count; i += 50)
		functions[i] = 1;
	for (int i = 0; i < ROUNDS; i++) {
		clock_t begun = clock();

		matches = wk_tree_shape_search(b->shape, functions, NULL, NULL);
		wk_tree_weights_of_matches(&b->weights, matches);
		ms[i] = since(begun);
		wk_free(matches);
	}
	print(b->kind, "search", ms, ROUNDS);
	wk_free(functions);
}

/* A filter as it is set: its bits once, then the weights. */
static void measure_filter(struct bench *b)
{
	struct wk_filter_spec spec = { .function = "7$" };
	struct wk_row_selection selection = { .to_ns = UINT64_MAX };
	clock_t begun = clock();
	uint64_t *bits;
	struct wk_filter filter;
	double ms;

	if (!wk_filter_init(&filter, b->model, &spec, NULL))
		exit(1);
	selection.bits = bits = wk_event_rows_in_view(b->rows, &filter, WK_SPAN_OF_ALL);
	ms = since(begun);
	print(b->kind, "bits of a filter", &ms, 1);
	measure_weights(b, &selection, "weights of a filter");
	wk_filter_fini(&filter);
	wk_free(bits);
}

static void measure_selections(struct bench *b)
{
	uint64_t last_ns = b->model->last_ns;
	struct wk_row_selection all = { .to_ns = UINT64_MAX };
	struct wk_row_selection half = { .from_ns = last_ns / 4, .to_ns = last_ns / 4 * 3 };
	struct wk_row_selection brush = { .from_ns = last_ns / 2,
					  .to_ns = last_ns / 2 + last_ns / 100 };

	wk_tree_weights_init(&b->weights, b->shape);
	if (b->rows->has_lifetimes) {
		all.measure = WK_MEASURE_OUTSTANDING;
		measure_weights(b, &all, "weights of what is outstanding");
		half.measure = WK_MEASURE_GONE;
		measure_weights(b, &half, "weights of what is freed in half of the time");
		all.measure = half.measure = WK_MEASURE_ALL;
	}
	measure_weights(b, &brush, "weights of 1 % of the time");
	measure_weights(b, &half, "weights of half of the time");
	measure_weights(b, &all, "weights of all");
	measure_cut(b);
	measure_histograms(b);
	measure_search(b);
	measure_filter(b);
	wk_tree_weights_fini(&b->weights);
}

static void measure(const char *kind, uint32_t row_count, uint32_t stacks, bool is_heap)
{
	struct wk_tree_options plain = { 0 }, by_thread = { .by_thread = true },
			       inverted = { .inverted = true,
					    .most_inverted = 2000000 };
	struct bench b = { .kind = kind, .model = made_model(row_count, stacks, is_heap) };
	clock_t begun;
	double ms;

	if (!wk_filter_init(&b.filter, b.model, &(struct wk_filter_spec){ 0 }, NULL))
		exit(1);
	measure_tree(&b, &plain, "25%-75%", "a tree of half of the time");
	measure_tree(&b, &plain, NULL, "a tree of all");
	measure_tree(&b, &by_thread, NULL, "a tree of all by thread");
	begun = clock();
	b.rows = wk_event_rows_new(b.model, &b.filter);
	ms = since(begun);
	print(kind, "rows", &ms, 1);
	measure_shape(&b, &inverted, "inverted shape");
	measure_shape(&b, &by_thread, "shape by thread");
	measure_selections(&b);
	measure_shape(&b, &plain, "shape");
	measure_selections(&b);
	wk_tree_shape_free(b.shape);
	wk_event_rows_free(b.rows);
	wk_filter_fini(&b.filter);
	wk_model_free((struct wk_model *)b.model);
}

int main(int argc, char **argv)
{
	uint32_t rows = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 5000000;
	uint32_t stacks = argc > 2 ? (uint32_t)strtoul(argv[2], NULL, 10) : 300000;

	measure("samples", rows, stacks, false);
	measure("blocks", rows, stacks, true);
	return 0;
}
