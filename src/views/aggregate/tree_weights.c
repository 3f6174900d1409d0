#include "views/aggregate/tree_weights.h"

#include <string.h>

#include "base/mem.h"
#include "views/aggregate/internal.h"

void wk_tree_weights_init(struct wk_tree_weights *weights, const struct wk_tree_shape *shape)
{
	*weights = (struct wk_tree_weights){
		.shape = shape,
		.total = wk_alloc_table_zeroed(shape->count, sizeof(*weights->total)),
	};
}

void wk_tree_weights_fini(struct wk_tree_weights *weights)
{
	wk_free(weights->total);
	*weights = (struct wk_tree_weights){ 0 };
}

/* Blocks without bytes are not outstanding. */
static void add_rows(struct wk_node_sum *total, const struct wk_tree_shape *shape,
		     const struct wk_selected_rows *s, bool skips_empty)
{
	const struct wk_number_column weights = shape->rows->weight, times = shape->rows->times;
	const uint32_t *node_of = shape->node_of;

	for (uint32_t row = wk_row_next(s->bits, s->low, s->high); row < s->high;
	     row = wk_row_next(s->bits, row + 1, s->high)) {
		uint32_t next = row + WK_ROWS_AHEAD < s->high ? row + WK_ROWS_AHEAD : row;
		struct wk_node_sum *sum = &total[node_of[row]];
		uint64_t weight = wk_number_at(&weights, row);

		__builtin_prefetch(&total[node_of[next]], 1);
		sum->weight += weight;
		sum->times += weight || !skips_empty ? wk_number_at(&times, row) : 0;
	}
}

static void add_ends(struct wk_node_sum *total, const struct wk_tree_shape *shape,
		     const struct wk_selected_rows *s)
{
	uint64_t sign = (uint64_t)(int64_t)s->sign;

	for (uint32_t i = s->end_low; i < s->end_high; i++) {
		uint32_t next = i + WK_ROWS_AHEAD < s->end_high ? i + WK_ROWS_AHEAD : i;
		struct wk_node_sum *sum = &total[shape->node_of[s->ends->row[i]]];

		__builtin_prefetch(&total[shape->node_of[s->ends->row[next]]], 1);
		if (!wk_selected_end(s, i))
			continue;
		sum->weight += sign * wk_number_at(&s->ends->weight, i);
		sum->times += sign * wk_number_at(&s->ends->times, i);
	}
}

static void roll_up(struct wk_node_sum *total, const struct wk_tree_shape *shape)
{
	for (uint32_t i = shape->count; i-- > 1;) {
		struct wk_node_sum *above = &total[shape->parent[i]];

		__builtin_prefetch(&total[shape->parent[i > WK_ROWS_AHEAD ? i - WK_ROWS_AHEAD : 0]],
				   1);
		above->weight += total[i].weight;
		above->times += total[i].times;
	}
}

void wk_tree_weights_set(struct wk_tree_weights *weights, const struct wk_row_selection *selection)
{
	const struct wk_tree_shape *shape = weights->shape;
	struct wk_node_sum *total = weights->total;
	struct wk_selected_rows selected;

	memset(total, 0, (size_t)shape->count * sizeof(*total));
	wk_selected_rows_init(&selected, shape->rows, selection);
	add_rows(total, shape, &selected,
		 shape->rows->has_lifetimes && selection->measure == WK_MEASURE_OUTSTANDING);
	add_ends(total, shape, &selected);
	wk_selected_rows_fini(&selected);
	roll_up(total, shape);
	weights->by_samples = total[0].weight == 0;
	for (uint32_t i = 0; total[0].times && weights->by_samples && i < shape->count; i++)
		total[i].weight = total[i].times;
}

/* Everything below a match is part of what it weighs. */
struct wk_node_sum wk_tree_weights_of_matches(const struct wk_tree_weights *weights,
					      const uint8_t *matches)
{
	const struct wk_tree_shape *shape = weights->shape;
	uint8_t *is_within = wk_alloc_table(shape->count);
	struct wk_node_sum sum = { 0 };

	is_within[0] = matches[0];
	if (matches[0])
		sum = weights->total[0];
	for (uint32_t i = 1; i < shape->count; i++) {
		bool is_outer = matches[i] && !is_within[shape->parent[i]];

		is_within[i] = matches[i] || is_within[shape->parent[i]];
		if (is_outer) {
			sum.weight += weights->total[i].weight;
			sum.times += weights->total[i].times;
		}
	}
	wk_free(is_within);
	return sum;
}
