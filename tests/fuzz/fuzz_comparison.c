/* Any bytes, cut into two inputs of folded stacks, as a comparison: the rows of its stacks must be
 * those of its tree, whichever frames are shown as one, and its functions those of the same
 * comparison by lists of frames. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "formats/reader.h"
#include "formats/stack_writer.h"
#include "model/builder.h"
#include "../model_check.h"
#include "model/resolve.h"
#include "views/compare/pairs.h"
#include "views/tree/flat.h"
#include "views/tree/stack_rows.h"

static void demand(bool promise, const char *what)
{
	if (!promise) {
		fprintf(stderr, "broken promise: %s\n", what);
		abort();
	}
}

static bool take_before(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct wk_event marked = *event;

	if (event->kind == WK_EVENT_SAMPLE)
		marked.sample.is_before = true;
	else if (event->kind == WK_EVENT_SUMS)
		marked.sums.is_before = true;
	else if (event->kind == WK_EVENT_LISTS)
		marked.lists.is_before = true;
	return wk_sink_emit(context, &marked, err);
}

static void read_side(const struct wk_sink *sink, const uint8_t *data, size_t size)
{
	struct wk_input input = { .bytes = wk_bytes_of(data, size),
				  .name = "fuzz",
				  .options = { .sums_samples = true } };
	struct wk_err err = { 0 };

	wk_reader_folded.read(&input, sink, &err);
}

/* Up to the first byte 0 is "before". */
static struct wk_model *read_both(const uint8_t *data, size_t size, bool lists)
{
	const uint8_t *cut = size ? memchr(data, 0, size) : NULL;
	size_t first = cut ? (size_t)(cut - data) : size / 2;
	size_t second = cut ? first + 1 : first;
	struct wk_model *model = wk_model_new();
	struct wk_builder *builder = wk_builder_new(model);
	struct wk_sink sink = wk_builder_sink(builder), before;

	sink.stacks = wk_stack_store_new();
	sink.accepts_lists = lists;
	before = sink;
	before.take = take_before;
	before.context = &sink;
	read_side(&before, data, first);
	wk_builder_next_input(builder);
	read_side(&sink, data + second, size - second);
	wk_stack_store_free(sink.stacks);
	wk_builder_finish(builder);
	wk_builder_free(builder);
	wk_model_resolve(model, NULL, (struct wk_resolve_options){ 0 });
	return model;
}

static void check_path(const struct wk_tree *tree, uint32_t node, const struct wk_stack_row *row)
{
	demand(row->depth == tree->depth[node], "a row is as deep as its node");
	demand(row->before == tree->self_before[node] && row->after == tree->self_after[node],
	       "a row weighs what its node does");
	for (uint32_t i = row->depth; i-- > 0; node = tree->parent[node])
		demand(row->functions[i] == tree->function[node], "a row is on its node's path");
}

static void check_rows(const struct wk_tree *tree, struct wk_stack_rows *rows)
{
	struct wk_stack_row row;
	uint32_t depth = 0;

	for (uint32_t node = 1; node < tree->count; node++) {
		if (!tree->self_before[node] && !tree->self_after[node])
			continue;
		demand(wk_stack_rows_next(rows, &row), "a node has a row");
		demand(row.as_before <= depth && row.as_before < row.depth, "rows are distinct");
		check_path(tree, node, &row);
		depth = row.depth;
	}
	demand(!wk_stack_rows_next(rows, &row), "a row has a node");
}

static void compare(const struct wk_model *model, const struct wk_filter *filter)
{
	struct wk_tree_options options = { .order = WK_TREE_BY_NAME, .side = WK_TREE_LARGER };
	struct wk_stack_rows *rows;
	struct wk_pairs pairs;
	struct wk_tree tree;

	wk_pairs_init(&pairs, model, filter, true, true);
	options.pairs = &pairs;
	rows = wk_stack_rows_new(model, filter, &options);
	wk_tree_init(&tree, model, filter, &options);
	if (rows)
		check_rows(&tree, rows);
	wk_stack_rows_free(rows);
	wk_tree_fini(&tree);
	wk_pairs_fini(&pairs);
}

static void init_filter(struct wk_filter *filter, const struct wk_model *model)
{
	struct wk_err err = { 0 };

	demand(model_check(model, &err), err.text);
	demand(wk_filter_init(filter, model, &(struct wk_filter_spec){ 0 }, &err), err.text);
}

static struct wk_flat list_functions(const struct wk_model *model, const struct wk_filter *filter)
{
	struct wk_tree_options options = { .hides_plumbing = true };
	struct wk_pairs pairs;
	struct wk_flat flat;

	wk_pairs_init(&pairs, model, filter, false, false);
	options.pairs = &pairs;
	wk_flat_compare(&flat, model, filter, &options);
	wk_pairs_fini(&pairs);
	return flat;
}

static void check_lists(const struct wk_flat *flat, const uint8_t *data, size_t size)
{
	struct wk_model *model = read_both(data, size, true);
	struct wk_filter filter;
	struct wk_flat listed;

	init_filter(&filter, model);
	listed = list_functions(model, &filter);
	demand(listed.count == flat->count && listed.whole == flat->whole, "lists add up");
	for (uint32_t i = 0; i < flat->count; i++)
		demand(memcmp(&listed.rows[i], &flat->rows[i], sizeof(listed.rows[i])) == 0,
		       "functions of lists are those of stacks");
	wk_flat_fini(&listed);
	wk_filter_fini(&filter);
	wk_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_model *model = read_both(data, size, false);
	struct wk_filter filter;
	struct wk_flat flat;

	init_filter(&filter, model);
	compare(model, &filter);
	flat = list_functions(model, &filter);
	check_lists(&flat, data, size);
	wk_flat_fini(&flat);
	wk_filter_fini(&filter);
	wk_model_free(model);
	return 0;
}
