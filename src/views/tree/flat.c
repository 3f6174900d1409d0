#include "views/tree/flat.h"

#include "base/mem.h"
#include "base/sort.h"
#include "views/tree/tree_internal.h"

#define NO_ROW UINT32_MAX /* of what represents a process */
#define AHEAD  16         /* stacks whose memory is fetched before they are needed */

/* What a stack or row weighs, and besides how many samples that is, or what it weighs on the
 * "before" side of a comparison. */
enum { WEIGHT, OTHER, WEIGHTS };

/* A named stack: its own weight first, then that of everything it called as well. */
struct node {
	uint64_t weight[WEIGHTS];
	uint32_t size; /* how many stacks it is with all that it called */
	union {
		uint32_t next; /* while positions are handed out: that of the next it called */
		uint32_t row;
	};
};

/* Of a function, image or line, seen or not. */
struct sum {
	uint64_t self[WEIGHTS], total[WEIGHTS];
	uint32_t until; /* positions before it are below a stack that is counted */
	wk_function_id function;
};

static void count_samples(struct node *nodes, const struct wk_folding *f,
			  const struct wk_filter *filter)
{
	const struct wk_samples *samples = &f->model->samples;

	for (uint32_t i = 0; i < samples->count; i++) {
		uint64_t *of, times, weight;

		if (!wk_filter_has(filter, i))
			continue;
		of = nodes[wk_folding_leaf(f, i)].weight;
		times = wk_model_sample_times(f->model, i);
		weight = f->options->by_samples ? times : wk_filter_weight(filter, f->model, i);
		if (samples->is_before) {
			of[samples->is_before[i] ? OTHER : WEIGHT] += weight;
		} else {
			of[WEIGHT] += weight;
			of[OTHER] += times;
		}
	}
}

static uint32_t row_of(const struct wk_folding *f, enum wk_flat_by by, wk_stack_id id)
{
	uint32_t label;

	if (wk_folding_is_process(f, id))
		return NO_ROW;
	label = WK_LABEL_ID(wk_folding_stack_label(f, id));
	return by == WK_FLAT_IMAGES ? f->model->functions[label].image : label;
}

static wk_function_id function_of(const struct wk_folding *f, enum wk_flat_by by, wk_stack_id id)
{
	uint32_t label = WK_LABEL_ID(wk_folding_stack_label(f, id));

	return by == WK_FLAT_LINES ? f->shown[f->model->named_frames.function[label]] : label;
}

static void add(uint64_t *to, const uint64_t *weight)
{
	to[WEIGHT] += weight[WEIGHT];
	to[OTHER] += weight[OTHER];
}

/* Fills `self` of each row. */
static void add_up_self(struct sum *sums, const struct node *nodes, const struct wk_folding *f,
			enum wk_flat_by by)
{
	for (wk_stack_id id = 1; id < f->model->named.count; id++) {
		uint32_t row;

		if (!nodes[id].weight[WEIGHT] && !nodes[id].weight[OTHER])
			continue;
		row = row_of(f, by, id);
		if (row != NO_ROW)
			add(sums[row].self, nodes[id].weight);
	}
}

/* Callers come before what they call. */
static void roll_up(struct node *nodes, const struct wk_folding *f)
{
	for (wk_stack_id id = f->model->named.count; id-- > 1;) {
		struct node *caller = &nodes[wk_folding_caller(f, id)];

		add(caller->weight, nodes[id].weight);
		caller->size += ++nodes[id].size;
	}
}

/* The stacks in the order of a walk that goes from each to what it called. */
static wk_stack_id *walk(struct node *nodes, const struct wk_folding *f)
{
	uint32_t count = f->model->named.count;
	wk_stack_id *order = wk_alloc_table((size_t)count * sizeof(*order));

	for (wk_stack_id id = 1; id < count; id++) {
		struct node *node = &nodes[id], *caller = &nodes[wk_folding_caller(f, id)];
		uint32_t position = caller->next;

		caller->next += node->size;
		node->next = position + 1;
		order[position] = id;
	}
	return order;
}

/* In the order of memory, which that of a walk is not. */
static void find_rows(struct node *nodes, const struct wk_folding *f, enum wk_flat_by by,
		      struct sum *sums)
{
	for (wk_stack_id id = 1; id < f->model->named.count; id++) {
		nodes[id].row = row_of(f, by, id);
		if (nodes[id].row != NO_ROW)
			sums[nodes[id].row].function = function_of(f, by, id);
	}
}

/* Fills `total` of each row: of its stacks those that another of them did not call. */
static void add_up(struct sum *sums, const struct node *nodes, const struct wk_folding *f,
		   const wk_stack_id *order)
{
	uint32_t count = f->model->named.count - 1;

	for (uint32_t i = 0; i < count; i++) {
		const struct node *node = &nodes[order[i]];
		struct sum *sum;

		if (i + AHEAD < count)
			__builtin_prefetch(&nodes[order[i + AHEAD]]);
		if (node->row == NO_ROW)
			continue;
		sum = &sums[node->row];
		if (i < sum->until)
			continue;
		sum->until = i + node->size;
		add(sum->total, node->weight);
	}
}

static uint32_t fit(uint64_t count)
{
	return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

static uint64_t scaled(uint64_t weight, double factor)
{
	return factor == 1 ? weight : (uint64_t)((double)weight * factor + 0.5);
}

static struct wk_flat_row finished(const struct sum *sum, uint32_t id, bool is_comparison,
				   const struct wk_tree_options *options)
{
	double factor = options->before_factor > 0 ? options->before_factor : 1;
	struct wk_flat_row row = { .id = id, .function = sum->function,
				   .self = sum->self[WEIGHT], .total = sum->total[WEIGHT] };

	if (is_comparison) {
		row.self_before = scaled(sum->self[OTHER], factor);
		row.total_before = scaled(sum->total[OTHER], factor);
	} else {
		row.self_samples = fit(sum->self[OTHER]);
		row.total_samples = fit(sum->total[OTHER]);
	}
	return row;
}

struct sort_row {
	struct wk_flat_row row;
	struct wk_str name;
};

static int hotter_first(const void *left, const void *right)
{
	const struct sort_row *a = left, *b = right;
	int order;

	if (a->row.self != b->row.self)
		return a->row.self < b->row.self ? 1 : -1;
	if (a->row.total != b->row.total)
		return a->row.total < b->row.total ? 1 : -1;
	order = wk_str_compare(a->name, b->name);
	return order ? order : (a->row.id > b->row.id) - (a->row.id < b->row.id);
}

static void keep_rows(struct wk_flat *flat, const struct wk_model *model, const struct sum *sums,
		      uint32_t count, enum wk_flat_by by, const struct wk_tree_options *options)
{
	bool is_comparison = model->samples.is_before != NULL;
	struct sort_row *sorted = wk_alloc((size_t)count * sizeof(*sorted));

	for (uint32_t i = 0; i < count; i++) {
		wk_text_id name = by == WK_FLAT_IMAGES ? model->images[i].path
						       : model->functions[sums[i].function].name;

		if (!sums[i].total[WEIGHT] && !sums[i].total[OTHER])
			continue;
		sorted[flat->count++] = (struct sort_row){
			finished(&sums[i], i, is_comparison, options), wk_model_str(model, name) };
	}
	qsort(sorted, flat->count, sizeof(*sorted), hotter_first);
	flat->rows = wk_alloc(((size_t)flat->count + 1) * sizeof(*flat->rows));
	for (uint32_t i = 0; i < flat->count; i++)
		flat->rows[i] = sorted[i].row;
	wk_free(sorted);
}

static void list(struct wk_flat *flat, const struct wk_model *model, const struct wk_filter *filter,
		 enum wk_flat_by by, const struct wk_tree_options *options)
{
	uint32_t groups = by == WK_FLAT_IMAGES  ? model->image_count
			  : by == WK_FLAT_LINES ? model->named_frames.count
						: model->function_count;
	struct sum *sums = wk_alloc_zeroed(groups, sizeof(*sums));
	struct wk_tree_options used = *options;
	struct wk_folding folding;
	struct node *nodes;
	wk_stack_id *order;

	used.by_samples |= wk_tree_weighs_nothing(model, filter);
	wk_folding_prepare(&folding, model, &used);
	nodes = wk_alloc_table_zeroed(model->named.count, sizeof(*nodes));
	count_samples(nodes, &folding, filter);
	add_up_self(sums, nodes, &folding, by);
	roll_up(nodes, &folding);
	order = walk(nodes, &folding);
	find_rows(nodes, &folding, by, sums);
	add_up(sums, nodes, &folding, order);
	*flat = (struct wk_flat){
		.whole = nodes[0].weight[WEIGHT],
		.whole_samples = model->samples.is_before ? 0 : fit(nodes[0].weight[OTHER]),
		.unit = used.by_samples ? (struct wk_str)WK_STR("samples")
					: wk_model_str(model, model->sources[filter->source].unit) };
	keep_rows(flat, model, sums, groups, by, &used);
	WK_FREE_ALL(sums, nodes, order);
	wk_folding_fini(&folding);
}

void wk_flat_init(struct wk_flat *flat, const struct wk_model *model,
		  const struct wk_filter *filter, enum wk_flat_by by,
		  const struct wk_tree_options *shown)
{
	list(flat, model, filter, by, &(struct wk_tree_options){
		.by_lines = by == WK_FLAT_LINES,
		.hides_plumbing = shown && shown->hides_plumbing,
		.charges_own = shown && shown->charges_own });
}

void wk_flat_compare(struct wk_flat *flat, const struct wk_model *model,
		     const struct wk_filter *filter, const struct wk_tree_options *how)
{
	list(flat, model, filter, WK_FLAT_FUNCTIONS, &(struct wk_tree_options){
		.pairs = how->pairs, .by_samples = how->by_samples, .before_factor = how->before_factor,
		.hides_plumbing = how->hides_plumbing, .charges_own = how->charges_own });
}

void wk_flat_sort_by_total(struct wk_flat *flat)
{
	struct wk_sort_key *keys = wk_alloc((size_t)flat->count * sizeof(*keys));

	for (uint32_t i = 0; i < flat->count; i++)
		keys[i] = (struct wk_sort_key){ UINT64_MAX - flat->rows[i].total, i };
	wk_sort_keys(keys, flat->count);
	flat->rows = wk_sort_gather(flat->rows, keys, flat->count, sizeof(*flat->rows));
	wk_free(keys);
}

void wk_flat_fini(struct wk_flat *flat)
{
	wk_free(flat->rows);
	*flat = (struct wk_flat){ 0 };
}
