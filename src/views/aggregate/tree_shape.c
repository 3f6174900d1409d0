#include "views/aggregate/tree_shape.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "views/tree/tree_internal.h"

/* ---- options */

/* Only what the shape depends on. What belongs to a selection is set aside. */
static struct wk_tree_options shape_options(const struct wk_tree_options *options)
{
	struct wk_tree_options used = *options;

	used.order = WK_TREE_UNSORTED;
	used.most_nodes = 0;
	used.left = NULL;
	used.before_factor = 0;
	return used;
}

/* A filter with the rows in view, as a folding reads them. */
static struct wk_filter filter_of(const struct wk_event_rows *rows)
{
	struct wk_filter filter = { .source = rows->source, .before_source = rows->before_source };

	filter.bits =
		wk_alloc_zeroed((size_t)rows->model->samples.count / 64 + 1, sizeof(*filter.bits));
	for (uint32_t i = 0; i < rows->count; i++) {
		uint32_t sample = wk_event_row_sample(rows, i);

		filter.bits[sample / 64] |= (uint64_t)1 << (sample % 64);
	}
	return filter;
}

/* ---- nodes */

static void fill_nodes(struct wk_tree_shape *shape)
{
	const struct wk_folding *f = shape->folding;
	size_t count = f->trie->count;

	shape->count = f->trie->count;
	shape->parent = wk_alloc_table(count * sizeof(*shape->parent));
	shape->depth = wk_alloc_table(count * sizeof(*shape->depth));
	shape->label = wk_alloc_table(count * sizeof(*shape->label));
	shape->is_inlined = wk_alloc_table_zeroed(count, 1);
	shape->is_recursive = wk_alloc_table_zeroed(count, 1);
	shape->parent[0] = shape->depth[0] = shape->label[0] = 0;
	for (uint32_t i = 1; i < shape->count; i++) {
		uint32_t parent = f->trie->entries[i].parent;

		assert(parent < i);
		shape->parent[i] = parent;
		shape->depth[i] = shape->depth[parent] + 1;
		shape->label[i] = wk_folding_label(f, i);
		shape->is_inlined[i] = wk_folding_is_inlined(f, i);
		shape->is_recursive[i] = wk_folding_is_recursive(f, i);
		if (shape->depth[i] > shape->depth_max)
			shape->depth_max = shape->depth[i];
	}
	for (wk_process_id id = f->model->process_count; id-- > 1;)
		wk_map_set(&shape->first_of_names, f->model->processes[id].name, id);
}

/* ---- rows */

static void place_rows(struct wk_tree_shape *shape, uint32_t *node_of_sample)
{
	const struct wk_event_rows *rows = shape->rows;

	if (!rows->sample) {
		shape->node_of = node_of_sample;
		return;
	}
	shape->node_of = wk_alloc_table((size_t)rows->count * sizeof(*shape->node_of) + 1);
	for (uint32_t i = 0; i < rows->count; i++)
		shape->node_of[i] = node_of_sample[rows->sample[i]];
	wk_free(node_of_sample);
}

static void find_first(struct wk_tree_shape *shape)
{
	uint32_t *first = wk_alloc_table((size_t)shape->count * sizeof(*first));

	for (uint32_t i = 0; i < shape->count; i++)
		first[i] = shape->rows->count;
	for (uint32_t row = shape->rows->count; row-- > 0;)
		first[shape->node_of[row]] = row;
	for (uint32_t i = shape->count; i-- > 1;)
		if (first[i] < first[shape->parent[i]])
			first[shape->parent[i]] = first[i];
	shape->first_row = first;
}

/* What is in the shape now, and what only a tree needs. */
static void trim(struct wk_folding *f)
{
	struct wk_folding names = { .model = f->model, .options = f->options,
				    .grouping = f->grouping, .shown = f->shown,
				    .merged = f->merged };

	f->merged = NULL;
	wk_folding_fini(f);
	*f = names;
}

struct wk_tree_shape *wk_tree_shape_new(const struct wk_event_rows *rows,
					const struct wk_tree_options *options)
{
	struct wk_tree_shape *shape = wk_alloc_zeroed(1, sizeof(*shape));
	struct wk_filter filter = filter_of(rows);
	uint32_t *node_of_sample;

	assert(!options->is_chart);
	shape->rows = rows;
	shape->options = shape_options(options);
	shape->grouping = wk_tree_grouping(options);
	shape->options.grouping = &shape->grouping;
	wk_tree_complete_options(&shape->options, rows->model, &filter);
	shape->folding = wk_alloc(sizeof(*shape->folding));
	wk_folding_prepare(shape->folding, rows->model, &shape->options);
	node_of_sample = wk_alloc_table_zeroed((size_t)rows->model->samples.count + 1,
					       sizeof(*node_of_sample));
	shape->folding->node_of = node_of_sample;
	wk_folding_fill(shape->folding, &filter);
	wk_filter_fini(&filter);
	fill_nodes(shape);
	place_rows(shape, node_of_sample);
	find_first(shape);
	shape->cut_stacks = shape->folding->cut_stacks;
	shape->cut_weight = shape->folding->cut_weight;
	shape->cut_whole = shape->folding->cut_whole;
	trim(shape->folding);
	return shape;
}

void wk_tree_shape_free(struct wk_tree_shape *shape)
{
	if (!shape)
		return;
	wk_folding_fini(shape->folding);
	wk_map_fini(&shape->first_of_names);
	WK_FREE_ALL(shape->node_of, shape->parent, shape->depth, shape->first_row,
		    shape->is_inlined, shape->is_recursive, shape->label, shape->folding, shape);
}

enum wk_node_kind wk_tree_shape_kind(const struct wk_tree_shape *shape, uint32_t node)
{
	return node ? wk_label_kind(shape->label[node]) : WK_NODE_WHOLE;
}

uint32_t wk_tree_shape_id(const struct wk_tree_shape *shape, uint32_t node)
{
	uint32_t label = shape->label[node];

	switch (WK_LABEL_KIND(label)) {
	case WK_LABEL_PROCESS_NAME:
		return wk_map_find(&shape->first_of_names, WK_LABEL_ID(label));
	case WK_LABEL_LINE:
		return wk_folding_function(shape->folding, label);
	case WK_LABEL_TEXT:
	case WK_LABEL_HEAP:
	case WK_LABEL_PART:
	case WK_LABEL_SIZE:
	case WK_LABEL_ANNOTATION:
		return label; /* all are subjects */
	default:
		return WK_LABEL_ID(label);
	}
}

struct wk_str wk_tree_shape_name(const struct wk_tree_shape *shape, uint32_t node,
				 struct wk_arena *arena)
{
	return node ? wk_folding_name(shape->folding, shape->label[node], arena)
		    : (struct wk_str)WK_STR("all");
}

uint8_t *wk_tree_shape_search(const struct wk_tree_shape *shape, const uint8_t *functions,
			      bool (*matches)(void *context, struct wk_str name), void *context)
{
	uint8_t *hits = wk_alloc_table_zeroed(shape->count, 1);
	struct wk_arena arena = { 0 };

	for (uint32_t i = 1; i < shape->count; i++) {
		if (wk_label_kind(shape->label[i]) == WK_NODE_FUNCTION) {
			hits[i] = functions && functions[wk_tree_shape_id(shape, i)];
		} else if (matches) {
			hits[i] = matches(context, wk_tree_shape_name(shape, i, &arena));
			wk_arena_reset(&arena);
		}
	}
	wk_arena_fini(&arena);
	return hits;
}
