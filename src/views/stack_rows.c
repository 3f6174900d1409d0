#include "views/stack_rows.h"

#include "base/mem.h"
#include "views/pairs.h"
#include "views/siblings.h"
#include "views/tree_internal.h"

struct sides {
	uint64_t before, after;
};

/* A frame of the walk through the tree, each before those that it calls. */
struct step {
	wk_function_id function;
	uint32_t depth;    /* of the outermost: 1 */
};

/* How many steps and rows there are at a node and below it. */
struct extent {
	uint32_t steps, rows;
};

/* Which step and row are the first of those. */
struct place {
	uint32_t step, row, depth;
};

/* Nodes are those of the folding's trie, of which nothing but its nodes is made. */
struct wk_stack_rows {
	struct wk_tree_options options;
	struct wk_folding folding;
	const struct wk_filter *filter;
	uint32_t *joined;    /* by named stack: the node that it is; NULL: the same */
	uint8_t *is_row;     /* by node: is it a stack that was met? */
	struct place *place; /* by node */
	struct step *steps;  /* [step_count] */
	uint8_t *ends;       /* [step_count]: is it the last one of a row? */
	struct sides *sides; /* by row */
	uint32_t step_count, row_count;

	uint32_t step, row;  /* that come next */
	uint32_t depth;      /* of the row before */
	wk_function_id *functions;
	size_t functions_cap;
};

static uint32_t node_of_sample(const struct wk_stack_rows *rows, uint32_t sample)
{
	wk_stack_id stack = rows->folding.model->samples.stack[sample];

	return rows->joined ? rows->joined[stack] : stack;
}

/* ---- the order of rows */

static void find_rows(struct wk_stack_rows *rows)
{
	rows->is_row = wk_alloc_zeroed(rows->folding.trie->count, 1);
	for (uint32_t i = 0; i < rows->folding.model->samples.count; i++)
		if (wk_filter_has(rows->filter, i))
			rows->is_row[node_of_sample(rows, i)] = 1;
	rows->is_row[0] = 0; /* that has no name */
}

static struct extent *find_extents(const struct wk_stack_rows *rows)
{
	const struct wk_trie *trie = rows->folding.trie;
	struct extent *extent = wk_alloc_table_zeroed(trie->count, sizeof(*extent));

	for (uint32_t i = trie->count; i-- > 1;) {
		extent[i].rows += rows->is_row[i];
		extent[i].steps += extent[i].rows > 0;
		extent[trie->parent[i]].rows += extent[i].rows;
		extent[trie->parent[i]].steps += extent[i].steps;
	}
	return extent;
}

/* By node: is it on the way to a row? */
static uint8_t *find_steps(const struct wk_stack_rows *rows, const struct extent *extent)
{
	uint32_t count = rows->folding.trie->count;
	uint8_t *is_step = wk_alloc(count);

	for (uint32_t i = 0; i < count; i++)
		is_step[i] = extent[i].rows > 0;
	return is_step;
}

/* By function: its place among the names of those that are shown. */
static uint32_t *rank_functions(const struct wk_stack_rows *rows, const uint8_t *is_step)
{
	const struct wk_folding *f = &rows->folding;
	uint32_t most = f->model->function_count, count = 0;
	uint32_t *number = wk_alloc_zeroed(most, sizeof(*number)), *rank;
	struct wk_ranked_name *names = wk_alloc((size_t)most * sizeof(*names));

	for (uint32_t i = 1; i < f->trie->count; i++) {
		wk_function_id shown = WK_LABEL_ID(wk_folding_label(f, i));

		if (!is_step[i] || number[shown])
			continue;
		names[count] = (struct wk_ranked_name){
			wk_function_shown_name(f->model, shown), count, 0 };
		number[shown] = ++count;
	}
	rank = wk_rank_names(names, count, count);
	for (wk_function_id id = 0; id < most; id++)
		number[id] = number[id] ? rank[number[id] - 1] : 0;
	free(rank);
	free(names);
	return number;
}

static void sort_siblings(const struct wk_stack_rows *rows, const uint8_t *is_step,
			  struct wk_siblings *siblings)
{
	const struct wk_folding *f = &rows->folding;
	uint32_t *of_function = rank_functions(rows, is_step);
	uint32_t *rank = wk_alloc_table((size_t)f->trie->count * sizeof(*rank));

	for (uint32_t i = 0; i < f->trie->count; i++)
		rank[i] = of_function[WK_LABEL_ID(wk_folding_label(f, i))];
	wk_siblings_init(siblings, f->trie->parent, is_step, f->trie->count);
	wk_siblings_sort(siblings, rank, f->trie->count);
	free(rank);
	free(of_function);
}

/* A node's place is known before its children's: they follow it one behind the other. */
static void place_children(struct wk_stack_rows *rows, uint32_t node, const struct extent *extent,
			   const struct wk_siblings *siblings)
{
	struct place next = rows->place[node];

	next.step += node != 0;
	next.row += rows->is_row[node];
	next.depth++;
	for (uint32_t i = siblings->first[node]; i < siblings->first[node + 1]; i++) {
		uint32_t child = siblings->order[i];

		rows->place[child] = next;
		next.step += extent[child].steps;
		next.row += extent[child].rows;
	}
}

static void set_step(struct wk_stack_rows *rows, uint32_t node)
{
	const struct place *place = &rows->place[node];

	rows->steps[place->step] = (struct step){
		WK_LABEL_ID(wk_folding_label(&rows->folding, node)), place->depth };
	rows->ends[place->step] = rows->is_row[node];
}

static void make_steps(struct wk_stack_rows *rows)
{
	uint32_t count = rows->folding.trie->count;
	struct extent *extent = find_extents(rows);
	uint8_t *is_step = find_steps(rows, extent);
	struct wk_siblings siblings;

	sort_siblings(rows, is_step, &siblings);
	rows->step_count = extent[0].steps;
	rows->row_count = extent[0].rows;
	rows->steps = wk_alloc_table((size_t)rows->step_count * sizeof(*rows->steps));
	rows->ends = wk_alloc_table(rows->step_count);
	rows->place = wk_alloc_table((size_t)count * sizeof(*rows->place));
	rows->place[0] = (struct place){ 0 };
	for (uint32_t i = 0; i < count; i++) {
		if (i && is_step[i])
			set_step(rows, i);
		if (is_step[i])
			place_children(rows, i, extent, &siblings);
	}
	wk_siblings_fini(&siblings);
	free(is_step);
	free(extent);
}

static void add_up(struct wk_stack_rows *rows)
{
	const struct wk_model *model = rows->folding.model;
	const struct wk_samples *samples = &model->samples;

	rows->sides = wk_alloc_table_zeroed(rows->row_count, sizeof(*rows->sides));
	for (uint32_t i = 0; i < samples->count; i++) {
		uint32_t node = node_of_sample(rows, i);
		uint64_t weight = rows->options.by_samples ? wk_model_sample_times(model, i)
							   : samples->weight[i];
		struct sides *sides;

		if (!node || !wk_filter_has(rows->filter, i))
			continue;
		sides = &rows->sides[rows->place[node].row];
		*(samples->is_before[i] ? &sides->before : &sides->after) += weight;
	}
}

/* ---- */

static bool may_be_rows(const struct wk_model *model, const struct wk_tree_options *options)
{
	return options->pairs && model->samples.is_before && options->most_nodes == 0 &&
	       (options->before_factor == 0 || options->before_factor == 1);
}

struct wk_stack_rows *wk_stack_rows_new(const struct wk_model *model,
					const struct wk_filter *filter,
					const struct wk_tree_options *options)
{
	struct wk_stack_rows *rows;

	if (!may_be_rows(model, options))
		return NULL;
	rows = wk_alloc_zeroed(1, sizeof(*rows));
	rows->options = *options;
	rows->options.by_samples |= wk_tree_weighs_nothing(model, filter);
	rows->filter = filter;
	rows->folding = (struct wk_folding){ .model = model, .options = &rows->options,
					     .shown = options->pairs->shown };
	if (!wk_folding_borrow(&rows->folding, &rows->joined)) {
		wk_stack_rows_free(rows);
		return NULL;
	}
	find_rows(rows);
	make_steps(rows);
	add_up(rows);
	return rows;
}

void wk_stack_rows_free(struct wk_stack_rows *rows)
{
	if (!rows)
		return;
	wk_folding_fini(&rows->folding);
	free(rows->joined);
	free(rows->is_row);
	free(rows->place);
	free(rows->steps);
	free(rows->ends);
	free(rows->sides);
	free(rows->functions);
	free(rows);
}

struct wk_str wk_stack_rows_unit(const struct wk_stack_rows *rows)
{
	const struct wk_model *model = rows->folding.model;

	return rows->options.by_samples
		       ? (struct wk_str)WK_STR("samples")
		       : wk_model_str(model, model->sources[rows->filter->source].unit);
}

/* Goes on to the end of the next row; false where there is none. */
static bool go_on(struct wk_stack_rows *rows, struct wk_stack_row *row)
{
	const struct step *step;

	do {
		if (rows->step == rows->step_count)
			return false;
		step = &rows->steps[rows->step];
		if (step->depth <= row->as_before)
			row->as_before = step->depth - 1;
		rows->functions = wk_grow(rows->functions, &rows->functions_cap, step->depth,
					  sizeof(*rows->functions));
		rows->functions[step->depth - 1] = step->function;
	} while (!rows->ends[rows->step++]);
	row->depth = step->depth;
	return true;
}

bool wk_stack_rows_next(struct wk_stack_rows *rows, struct wk_stack_row *row)
{
	row->as_before = rows->depth;
	do {
		if (!go_on(rows, row))
			return false;
		row->before = rows->sides[rows->row].before;
		row->after = rows->sides[rows->row++].after;
	} while (!row->before && !row->after);
	row->functions = rows->functions;
	rows->depth = row->depth;
	return true;
}
