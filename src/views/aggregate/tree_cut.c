#include "views/aggregate/tree_cut.h"

#include <assert.h>

#include "base/mem.h"
#include "base/sort.h"

/* Why a node is shown. */
enum {
	IS_BELOW_ROOT = 1, /* may be */
	IS_HEAVY = 2,
	IS_CHOSEN = 4, /* on the way to a node that was asked for, or a child of an opened one */
	IS_OPENED = 8, /* its children are asked for */
};

struct cutter {
	const struct wk_tree_shape *shape;
	const struct wk_node_sum *total, *before; /* before: NULL if it is no comparison */
	const struct wk_cut_options *options;
	uint8_t *why;   /* by node */
	uint32_t count; /* of nodes that are shown */
};

/* The larger of both sides. */
static uint64_t weight_of(const struct cutter *c, uint32_t node)
{
	uint64_t weight = c->total[node].weight;

	return c->before && c->before[node].weight > weight ? c->before[node].weight : weight;
}

static bool is_met(const struct cutter *c, uint32_t node)
{
	return wk_node_sum_is_met(&c->total[node]) ||
	       (c->before && wk_node_sum_is_met(&c->before[node]));
}

static bool is_shown(const struct cutter *c, uint32_t node)
{
	return c->why[node] & (IS_HEAVY | IS_CHOSEN);
}

/* ---- chosen nodes */

static void choose_with_callers(struct cutter *c, uint32_t node)
{
	while (!(c->why[node] & IS_CHOSEN)) {
		c->why[node] |= IS_CHOSEN;
		node = c->shape->parent[node];
	}
}

static void choose(struct cutter *c)
{
	const struct wk_cut_options *options = c->options;

	choose_with_callers(c, 0);
	if (options->root < c->shape->count)
		choose_with_callers(c, options->root);
	if (options->current < c->shape->count)
		choose_with_callers(c, options->current);
	for (uint32_t i = 0; i < options->opened_count; i++) {
		uint32_t node = options->opened[i];

		if (node >= c->shape->count || !is_met(c, node))
			continue;
		choose_with_callers(c, node);
		c->why[node] |= IS_OPENED;
	}
}

/* The children of all opened nodes, the heaviest first. */
static struct wk_sort_key *children_of_opened(const struct cutter *c, size_t *count)
{
	struct wk_sort_key *keys = NULL;
	size_t cap = 0;

	*count = 0;
	for (uint32_t i = 1; i < c->shape->count; i++)
		if ((c->why[c->shape->parent[i]] & IS_OPENED) && is_met(c, i))
			*WK_APPEND(keys, *count, cap) =
				(struct wk_sort_key){ UINT64_MAX - weight_of(c, i), i };
	wk_sort_keys(keys, *count);
	return keys;
}

static void open_nodes(struct cutter *c)
{
	uint32_t most = c->options->most_opened ? c->options->most_opened : UINT32_MAX;
	struct wk_sort_key *keys;
	uint32_t *shown;
	size_t count;

	if (c->options->opened_count == 0)
		return;
	keys = children_of_opened(c, &count);
	shown = wk_alloc_table_zeroed(c->shape->count, sizeof(*shown));
	for (size_t i = 0; i < count; i++)
		if (shown[c->shape->parent[keys[i].row]]++ < most)
			c->why[keys[i].row] |= IS_CHOSEN;
	WK_FREE_ALL(keys, shown);
}

/* ---- heavy nodes */

static uint64_t least_weight(const struct cutter *c, uint32_t root)
{
	double least = c->options->share * (double)weight_of(c, root);

	return least < 1 ? 1 : least < 0x1p63 ? (uint64_t)least : UINT64_MAX;
}

/* A caller weighs no less, so what is found is a tree. `of_depth` counts by depth. */
static void find_heavy(struct cutter *c, uint32_t root, uint32_t *of_depth)
{
	const struct wk_tree_shape *shape = c->shape;
	uint64_t least = least_weight(c, root), least_elsewhere = least_weight(c, 0);

	c->why[root] |= IS_BELOW_ROOT;
	for (uint32_t i = 1; i < shape->count; i++) {
		c->why[i] |= c->why[shape->parent[i]] & IS_BELOW_ROOT;
		if (weight_of(c, i) >= ((c->why[i] & IS_BELOW_ROOT) ? least : least_elsewhere)) {
			c->why[i] |= IS_HEAVY;
			of_depth[shape->depth[i]] += !(c->why[i] & IS_CHOSEN);
		}
	}
}

/* Leaves out the deepest levels of heavy nodes; returns how many. */
static uint32_t limit_heavy(struct cutter *c, const uint32_t *of_depth, uint32_t most)
{
	uint32_t depth = 0, last = 0, left = most;

	for (uint32_t i = 0; i <= c->shape->depth_max; i++)
		last = of_depth[i] ? i : last;
	while (depth <= last && of_depth[depth] <= left)
		left -= of_depth[depth++];
	if (depth > last)
		return 0;
	for (uint32_t i = 1; i < c->shape->count; i++)
		if (c->shape->depth[i] >= depth)
			c->why[i] &= (uint8_t)~IS_HEAVY;
	return last - depth + 1;
}

static uint32_t find_shown(struct cutter *c)
{
	uint32_t *of_depth = wk_alloc_zeroed((size_t)c->shape->depth_max + 1, sizeof(*of_depth));
	uint32_t root = c->options->root < c->shape->count ? c->options->root : 0;
	uint32_t chosen = 0, levels_left_out = 0;

	choose(c);
	open_nodes(c);
	find_heavy(c, root, of_depth);
	for (uint32_t i = 0; i < c->shape->count; i++)
		chosen += c->why[i] / IS_CHOSEN % 2;
	if (c->options->most)
		levels_left_out = limit_heavy(
			c, of_depth, c->options->most > chosen ? c->options->most - chosen : 0);
	for (uint32_t i = 0; i < c->shape->count; i++)
		c->count += is_shown(c, i);
	wk_free(of_depth);
	return levels_left_out;
}

/* ---- rows */

static void add(struct wk_node_sum *sum, const struct wk_node_sum *other)
{
	sum->weight += other->weight;
	sum->times += other->times;
}

/* Sums of children are never larger. */
static void subtract(struct wk_node_sum *sum, const struct wk_node_sum *other)
{
	assert(sum->weight >= other->weight && sum->times >= other->times);
	sum->weight -= other->weight;
	sum->times -= other->times;
}

static void leave_out(const struct cutter *c, struct wk_cut_row *above, uint32_t node)
{
	above->left_out++;
	add(&above->left_out_sum, &c->total[node]);
	if (c->before)
		add(&above->left_out_before, &c->before[node]);
}

static void add_row(const struct cutter *c, struct wk_tree_cut *cut, uint32_t node, uint32_t parent)
{
	struct wk_cut_row *row = &cut->rows[cut->count++];

	*row = (struct wk_cut_row){ .node = node, .parent = parent, .total = c->total[node],
				    .self = c->total[node] };
	if (c->before)
		row->total_before = row->self_before = c->before[node];
}

static void add_rows(const struct cutter *c, struct wk_tree_cut *cut)
{
	const struct wk_tree_shape *shape = c->shape;
	uint32_t *row_of = wk_alloc_table((size_t)shape->count * sizeof(*row_of));

	cut->rows = wk_alloc_table((size_t)c->count * sizeof(*cut->rows));
	row_of[0] = 0;
	add_row(c, cut, 0, 0);
	for (uint32_t i = 1; i < shape->count; i++) {
		struct wk_cut_row *above;

		if (!is_shown(c, shape->parent[i]))
			continue;
		above = &cut->rows[row_of[shape->parent[i]]];
		if (is_met(c, i)) {
			subtract(&above->self, &c->total[i]);
			if (c->before)
				subtract(&above->self_before, &c->before[i]);
		}
		if (is_shown(c, i)) {
			row_of[i] = cut->count;
			add_row(c, cut, i, row_of[shape->parent[i]]);
		} else if (is_met(c, i)) {
			leave_out(c, above, i);
		}
	}
	assert(cut->count == c->count);
	wk_free(row_of);
}

void wk_tree_cut_init(struct wk_tree_cut *cut, const struct wk_tree_weights *weights,
		      const struct wk_tree_weights *before, const struct wk_cut_options *options)
{
	struct cutter c = { .shape = weights->shape, .total = weights->total,
			    .before = before ? before->total : NULL, .options = options };

	assert(!before || before->shape == weights->shape);
	*cut = (struct wk_tree_cut){ 0 };
	c.why = wk_alloc_table_zeroed(c.shape->count, 1);
	cut->levels_left_out = find_shown(&c);
	add_rows(&c, cut);
	wk_free(c.why);
}

void wk_tree_cut_fini(struct wk_tree_cut *cut)
{
	wk_free(cut->rows);
	*cut = (struct wk_tree_cut){ 0 };
}
