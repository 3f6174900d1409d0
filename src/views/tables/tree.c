/* The table of the calling tree. */
#include "views/tables/internal.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "views/lifetimes.h"

/* The rows of the tree that are big enough, and how they hang together. */
struct outline {
	const struct wk_model *model;
	const struct wk_filter *filter;
	const struct wk_tree *tree;
	uint8_t *is_shown; /* by node */
	uint32_t *indent;  /* of shown nodes, by node */
	bool is_limited;   /* there are more big ones than may be shown */
	bool is_inverted;
	const char *part; /* the name of the first row; NULL: it is the whole */
	uint64_t hidden, hidden_weight;
};

static bool is_function(const struct wk_tree *tree, uint32_t node)
{
	return wk_node_is_code(tree->kind[node]) || tree->kind[node] == WK_NODE_SMALL;
}

/* A function's own weight: in an inverted tree that is all of the first level, whose callers below
 * it are only its origins. */
static uint64_t self_of(const struct outline *outline, uint32_t node)
{
	const struct wk_tree *tree = outline->tree;

	if (outline->part && !node)
		return 0;
	if (!outline->is_inverted)
		return tree->self[node];
	return node && is_function(tree, node) && !is_function(tree, tree->parent[node])
		       ? tree->total[node]
		       : 0;
}

/* The weight hidden if this node and everything below it are left out: nothing for an inverted
 * tree's callers. */
static uint64_t weight_lost_with(const struct outline *outline, uint32_t node)
{
	const struct wk_tree *tree = outline->tree;

	if (outline->is_inverted && node && is_function(tree, tree->parent[node]))
		return 0;
	return tree->total[node];
}

/* The large ones, which for a function in focus are those of its own weight: a function that costs
 * little has callers as well. If there are too many, those with the highest totals. A caller's
 * total is no less than that of what it called, and it comes first in the tree: so no node is shown
 * without its callers. */
static void choose_nodes(struct outline *outline, const struct wk_table_options *options)
{
	const struct wk_tree *tree = outline->tree;
	struct wk_ranked *ranked = wk_alloc((size_t)tree->count * sizeof(*ranked));
	uint64_t whole = tree->total[0] - (outline->part ? tree->self[0] : 0);
	uint32_t count = 0;

	for (uint32_t node = 0; node < tree->count; node++)
		if (node == 0 ||
		    !wk_tables_is_small(tree->total[node], whole, options->min_percent))
			ranked[count++] = (struct wk_ranked){ .weight = tree->total[node],
							      .id = node };
	outline->is_limited = options->limit && count > options->limit;
	if (outline->is_limited) {
		qsort(ranked, count, sizeof(*ranked), wk_tables_heavier_first);
		count = options->limit;
	}
	for (uint32_t i = 0; i < count; i++)
		outline->is_shown[ranked[i].id] = 1;
	wk_free(ranked);
}

static uint32_t shown_children(const struct outline *outline, uint32_t node)
{
	const struct wk_tree *tree = outline->tree;
	uint32_t count = 0;

	for (uint32_t child = node + 1; child < tree->end[node]; child = tree->end[child])
		count += outline->is_shown[child];
	return count;
}

/* How many lines of a caller call what is above it, in addition to the one that is shown. */
static uint32_t more_calls(const struct outline *outline, uint32_t node)
{
	const struct wk_tree *tree = outline->tree;
	bool is_caller = outline->is_inverted && node && is_function(tree, tree->parent[node]);

	return is_caller && tree->line_count && tree->line_count[node] ? tree->line_count[node] - 1
								       : 0;
}

/* Of the whole of a part only what its nodes have. */
static uint64_t left_of(const struct wk_tree *tree, uint32_t node, bool is_part)
{
	uint64_t left = 0;

	if (!is_part)
		return tree->total_left[node];
	for (uint32_t i = 1; i < tree->count; i++)
		left += tree->parent[i] == 0 ? tree->total_left[i] : 0;
	return left;
}

static void tree_row(struct wk_table *table, const struct outline *outline, uint32_t node)
{
	const struct wk_tree *tree = outline->tree;
	/* Samples without the function in focus are the whole's own. */
	bool is_part = outline->part && !node;
	uint64_t total = tree->total[node] - (is_part ? tree->self[0] : 0);
	uint32_t samples = tree->total_samples[node] - (is_part ? tree->self_samples[0] : 0);
	uint64_t self = self_of(outline, node);

	wk_column_share(table, "total_percent", "total %", total, tree->total[0]);
	wk_column_share(table, "self_percent", "self %", self, tree->total[0]);
	wk_tables_weight_detail(table, "total", tree->unit, total);
	wk_tables_weight(table, "self", tree->unit, true, self);
	if (tree->total_left)
		wk_tables_weight(table, "outstanding", tree->unit, false,
				 left_of(tree, node, is_part));
	wk_tables_samples(table, "samples", tree->total_left ? 1 : 0, outline->model,
			  outline->filter, tree->unit, total, samples);
	wk_column_number(table, WK_CELL_NUMBER, "depth", "depth", WK_DETAIL, tree->depth[node]);
	wk_tables_source(table, outline->model, tree->place ? 2 : WK_DETAIL,
			 tree->place ? tree->place[node] : 0, more_calls(outline, node));
	/* The names of processes and threads may belong to the tree, which is freed. */
	wk_column_text(table, "name", "name", 0,
		       is_part ? wk_str_c(outline->part)
		       : tree->kind[node] == WK_NODE_FUNCTION
			       ? tree->name[node]
			       : wk_table_keep(table, tree->name[node]));
}

/* An only child stays under its parent without a step to the right, so that a chain of
 * calls is one straight column however long it is. */
static void tree_rows(struct wk_table *table, struct outline *outline)
{
	const struct wk_tree *tree = outline->tree;
	uint32_t *left = wk_alloc((size_t)tree->count * sizeof(*left)); /* children yet to come */
	uint32_t *siblings = wk_alloc((size_t)tree->count * sizeof(*siblings));
	uint32_t node = 0;

	while (node < tree->count) {
		uint32_t parent = tree->parent[node];
		struct wk_row shape = { 0 };

		if (!outline->is_shown[node]) {
			outline->hidden += tree->end[node] - node;
			outline->hidden_weight += weight_lost_with(outline, node);
			node = tree->end[node];
			continue;
		}
		left[node] = siblings[node] = shown_children(outline, node);
		if (node) {
			shape.is_branch = siblings[parent] > 1;
			shape.is_last = --left[parent] == 0;
			shape.indent = outline->indent[parent] + shape.is_branch;
			shape.is_inlined = tree->is_inlined[node];
			shape.is_recursive = tree->is_recursive && tree->is_recursive[node];
		}
		outline->indent[node] = shape.indent;
		*wk_table_row(table) = shape;
		tree_row(table, outline, node);
		node++;
	}
	WK_FREE_ALL(left, siblings);
}

/* "callers: 12 nodes under 0.5 % are folded away; their self % adds up to 3.1 %". */
static void note_folded(struct wk_table *table, const struct outline *outline,
			const struct wk_table_options *options)
{
	struct wk_buf words = { 0 };

	if (outline->hidden == 0)
		return;
	if (outline->part)
		wk_buf_add_fmt(&words, "%s: ", outline->part);
	wk_num_add_counted(&words, outline->hidden, " node", " nodes");
	if (options->min_percent > 0)
		wk_buf_add_fmt(&words, " under %g %%%s", options->min_percent,
			       outline->part ? " of the function" : "");
	if (outline->is_limited)
		wk_buf_add_fmt(&words, "%s beyond the %" PRIu32 " with the highest total",
			       options->min_percent > 0 ? " or" : "", options->limit);
	wk_buf_add_text(&words, outline->hidden == 1 ? " is folded away; " : " are folded away; ");
	if (outline->part) {
		wk_buf_add_text(&words,
				outline->hidden == 1 ? "--all shows it" : "--all shows them");
	} else {
		wk_buf_add_text(&words, outline->hidden == 1 ? "its self % is "
							     : "their self % adds up to ");
		wk_num_add_share(&words, outline->hidden_weight, outline->tree->total[0]);
	}
	wk_table_note(table, "%s", wk_buf_text(&words));
	wk_buf_fini(&words);
}

static void note_cut(struct wk_table *table, const struct wk_tree *tree)
{
	struct wk_buf words = { 0 };

	wk_tree_cut_note(tree, &words);
	if (words.len)
		wk_table_note(table, "%s", wk_buf_text(&words));
	wk_buf_fini(&words);
}

static void fill_part(struct wk_table *table, const struct wk_model *model,
		      const struct wk_filter *filter, const struct wk_table_options *options,
		      const char *part)
{
	struct wk_tree tree;
	struct wk_tree_options how = options->tree;
	struct outline outline = { .model = model, .filter = filter, .tree = &tree,
				   .is_inverted = options->tree.inverted, .part = part };
	bool has_left = model->sources[filter->source].has_lifetimes && !filter->weights;
	struct wk_left left = { 0 };

	if (has_left)
		left = wk_lifetimes_left(model, filter->to_ns, filter->before_to_ns);
	how.left = left.bytes;
	wk_tree_init(&tree, model, filter, &how);
	wk_tree_find_lines(&tree, model, filter, &how);
	outline.indent = wk_alloc_zeroed(tree.count, sizeof(*outline.indent));
	outline.is_shown = wk_alloc_zeroed(tree.count, 1);
	choose_nodes(&outline, options);
	if (!table->column_count)
		tree_row(table, &outline, 0);
	table->names_functions = table->is_tree = true;
	if (tree.total_samples[0])
		tree_rows(table, &outline);
	note_folded(table, &outline, options);
	note_cut(table, &tree);
	WK_FREE_ALL(outline.is_shown, outline.indent);
	wk_left_fini(&left);
	wk_tree_fini(&tree);
}

void wk_tables_fill_tree(struct wk_table *table, const struct wk_model *model,
			 const struct wk_filter *filter, const struct wk_table_options *options)
{
	fill_part(table, model, filter, options, NULL);
}

void wk_tables_fill_callers(struct wk_table *table, const struct wk_model *model,
			    const struct wk_filter *filter, const struct wk_table_options *options)
{
	struct wk_table_options inverted = *options;

	inverted.tree.inverted = true;
	fill_part(table, model, filter, &inverted, "callers");
}

void wk_tables_fill_callees(struct wk_table *table, const struct wk_model *model,
			    const struct wk_filter *filter, const struct wk_table_options *options)
{
	fill_part(table, model, filter, options, "callees");
}

void wk_tables_fill_sandwich(struct wk_table *table, const struct wk_model *model,
			     const struct wk_filter *filter, const struct wk_table_options *options)
{
	wk_tables_fill_callers(table, model, filter, options);
	wk_tables_fill_callees(table, model, filter, options);
}
