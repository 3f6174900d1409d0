#include "views/tree/stack_rows.h"

#include "base/mem.h"
#include "views/compare/pairs.h"
#include "views/tree/siblings.h"
#include "views/tree/tree_internal.h"

struct sides {
	uint64_t before, after;
};

/* A frame of the walk through the tree, each before those that it calls. */
struct step {
	wk_function_id function;
	uint32_t depth; /* of the outermost: 1 */
	uint32_t row;   /* that ends here, or 0 */
};

/* The step of a node, and its depth. */
struct place {
	uint32_t step, depth;
};

/* Nodes are those of the folding's trie; only its nodes are built. */
struct wk_stack_rows {
	struct wk_tree_options options;
	struct wk_folding folding;
	const struct wk_filter *filter;
	uint32_t *joined;    /* by named stack: the node that it is; NULL: the same */
	uint32_t *row;       /* by node: of the stack that it is, or 0 */
	struct sides *sides; /* by row */
	uint32_t row_count;
	struct step *steps;
	uint32_t step_count;

	uint32_t next;  /* step */
	uint32_t depth; /* of the row before */
	wk_function_id *functions;
	size_t functions_cap;
};

#define NODES_AHEAD 24 /* of those that are looked at, memory is on its way */

static uint32_t node_of_sample(const struct wk_stack_rows *rows, uint32_t sample)
{
	wk_stack_id stack = rows->folding.model->samples.stack[sample];

	return rows->joined ? rows->joined[stack] : stack;
}

/* ---- what rows there are */

/* Samples come roughly in the order in which their stacks were first seen, so rows are close
 * together as well. */
static void add_up(struct wk_stack_rows *rows)
{
	const struct wk_model *model = rows->folding.model;
	const struct wk_samples *samples = &model->samples;
	uint32_t nodes = rows->folding.trie->count;
	size_t most = samples->count < nodes ? samples->count : nodes;

	rows->row = wk_alloc_table_zeroed(rows->folding.trie->count, sizeof(*rows->row));
	rows->sides = wk_alloc_table((most + 1) * sizeof(*rows->sides));
	rows->row_count = 1; /* 0 is none */
	for (uint32_t i = 0; i < samples->count; i++) {
		uint32_t node = node_of_sample(rows, i), *row = &rows->row[node];
		uint64_t weight = rows->options.by_samples
					  ? wk_filter_times(rows->filter, model, i)
					  : wk_filter_weight(rows->filter, model, i);

		if (!node || !weight || !wk_filter_has(rows->filter, i))
			continue;
		if (!*row) {
			rows->sides[rows->row_count] = (struct sides){ 0 };
			*row = rows->row_count++;
		}
		*(samples->is_before[i] ? &rows->sides[*row].before : &rows->sides[*row].after) +=
			weight;
	}
}

/* By node: how many steps there are at it and below, which lead to rows. */
static uint32_t *count_steps(const struct wk_stack_rows *rows)
{
	const struct wk_trie *trie = rows->folding.trie;
	uint32_t *steps = wk_alloc_table_zeroed(trie->count, sizeof(*steps));

	for (uint32_t i = trie->count; i-- > 1;) {
		if (i > NODES_AHEAD)
			__builtin_prefetch(&steps[trie->entries[i - NODES_AHEAD].parent], 1);
		steps[i] += steps[i] || rows->row[i];
		steps[trie->entries[i].parent] += steps[i];
	}
	return steps;
}

/* ---- their order */

/* By frame, as the trie has them: the place of its name among those that are shown. */
static uint32_t *rank_frames(const struct wk_stack_rows *rows, const uint32_t *steps)
{
	const struct wk_folding *f = &rows->folding;
	uint32_t most = f->model->function_count, count = 0;
	const struct wk_named_frames *frames = &f->model->named_frames;
	uint32_t *number = wk_alloc_zeroed(most, sizeof(*number)), *rank;
	uint32_t *rank_of_frame = wk_alloc_zeroed(frames->count, sizeof(*rank_of_frame));
	struct wk_ranked_name *names = wk_alloc((size_t)most * sizeof(*names));

	for (uint32_t i = 1; i < f->trie->count; i++) {
		wk_function_id shown = WK_LABEL_ID(wk_folding_label(f, i));

		if (!steps[i] || number[shown])
			continue;
		names[count] = (struct wk_ranked_name){
			wk_function_shown_name(f->model, shown), count, 0 };
		number[shown] = ++count;
	}
	rank = wk_rank_names(names, count, count);
	for (uint32_t i = 1; i < frames->count; i++) {
		uint32_t own = number[f->shown[frames->function[i]]];

		rank_of_frame[i] = own ? rank[own - 1] : 0;
	}
	WK_FREE_ALL(number, rank, names);
	return rank_of_frame;
}

static void sort_siblings(const struct wk_stack_rows *rows, const uint32_t *steps,
			  struct wk_siblings *siblings)
{
	const struct wk_folding *f = &rows->folding;
	uint32_t count = f->trie->count, *rank = rank_frames(rows, steps);
	uint32_t *parent = wk_alloc_table((size_t)count * sizeof(*parent));
	uint32_t *label = wk_alloc_table((size_t)count * sizeof(*label));

	for (uint32_t i = 0; i < count; i++) {
		parent[i] = f->trie->entries[i].parent;
		label[i] = f->trie->entries[i].label;
	}
	wk_siblings_init(siblings, parent, steps, count);
	wk_siblings_sort(siblings, rank, label, count);
	WK_FREE_ALL(rank, parent, label);
}

/* A node's place is known before its children's: they follow it one behind the other. */
static void place_children(struct place *place, uint32_t node, const uint32_t *steps,
			   const struct wk_siblings *siblings)
{
	struct place next = place[node];
	uint32_t end = siblings->first[node + 1];

	next.step += node != 0;
	next.depth++;
	for (uint32_t i = siblings->first[node]; i < end; i++) {
		if (i + NODES_AHEAD < end) {
			__builtin_prefetch(&steps[siblings->order[i + NODES_AHEAD]]);
			__builtin_prefetch(&place[siblings->order[i + NODES_AHEAD]], 1);
		}
		place[siblings->order[i]] = next;
		next.step += steps[siblings->order[i]];
	}
}

static void make_steps(struct wk_stack_rows *rows)
{
	const struct wk_trie *trie = rows->folding.trie;
	uint32_t *steps = count_steps(rows);
	struct place *place = wk_alloc_table((size_t)trie->count * sizeof(*place));
	struct wk_siblings siblings;

	sort_siblings(rows, steps, &siblings);
	rows->step_count = steps[0];
	rows->steps = wk_alloc_table((size_t)rows->step_count * sizeof(*rows->steps));
	place[0] = (struct place){ 0 };
	for (uint32_t i = 0; i < trie->count; i++) {
		if (!steps[i])
			continue;
		if (i)
			rows->steps[place[i].step] = (struct step){
				WK_LABEL_ID(wk_folding_label(&rows->folding, i)), place[i].depth,
				rows->row[i] };
		place_children(place, i, steps, &siblings);
	}
	wk_siblings_fini(&siblings);
	WK_FREE_ALL(place, steps);
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
	wk_tree_complete_options(&rows->options, model, filter);
	rows->filter = filter;
	rows->folding = (struct wk_folding){ .model = model, .options = &rows->options,
					     .grouping = wk_tree_grouping(options),
					     .shown = options->pairs->shown };
	if (!wk_folding_borrow(&rows->folding, &rows->joined)) {
		wk_stack_rows_free(rows);
		return NULL;
	}
	add_up(rows);
	wk_free(rows->joined); /* all samples are counted */
	rows->joined = NULL;
	make_steps(rows);
	return rows;
}

void wk_stack_rows_free(struct wk_stack_rows *rows)
{
	if (!rows)
		return;
	wk_folding_fini(&rows->folding);
	WK_FREE_ALL(rows->joined, rows->row, rows->steps, rows->sides, rows->functions, rows);
}

struct wk_str wk_stack_rows_unit(const struct wk_stack_rows *rows)
{
	const struct wk_model *model = rows->folding.model;

	return rows->options.by_samples
		       ? (struct wk_str)WK_STR("samples")
		       : wk_model_str(model, model->sources[rows->filter->source].unit);
}

/* Advances to the end of the next row, or to the end of all: 0. */
static uint32_t next_end(struct wk_stack_rows *rows, struct wk_stack_row *row)
{
	while (rows->next < rows->step_count) {
		const struct step *step = &rows->steps[rows->next++];

		if (rows->next + NODES_AHEAD < rows->step_count)
			__builtin_prefetch(&rows->sides[step[NODES_AHEAD].row]);
		if (step->depth <= row->as_before)
			row->as_before = step->depth - 1;
		row->depth = step->depth;
		WK_RESERVE(rows->functions, rows->functions_cap, step->depth);
		rows->functions[step->depth - 1] = step->function;
		if (step->row)
			return step->row;
	}
	return 0;
}

bool wk_stack_rows_next(struct wk_stack_rows *rows, struct wk_stack_row *row)
{
	uint32_t id;

	row->as_before = rows->depth;
	id = next_end(rows, row);
	if (!id)
		return false;
	row->before = rows->sides[id].before;
	row->after = rows->sides[id].after;
	row->functions = rows->functions;
	rows->depth = row->depth;
	return true;
}
