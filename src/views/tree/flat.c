#include "views/tree/flat.h"

#include "base/mem.h"
#include "base/sort.h"
#include "views/tree/tree_internal.h"

/* By named stack: what it weighs with everything it called. */
struct stacks {
	uint64_t *weight, *before; /* before: of a comparison, otherwise NULL */
	uint64_t *samples;
	uint32_t *first, *next; /* callees that weigh something */
};

/* The sums of every function, image or line, seen or not, by its id. */
struct sums {
	struct wk_flat_row *rows;
	uint64_t *self_samples, *total_samples;
	uint32_t *open; /* how many times it is on the path from the root to this stack */
	uint32_t count;
};

/* A frame on the path to a stack. What represents a process has no row. */
struct step {
	wk_stack_id stack;
	uint32_t row;
	bool has_row;
};

static void count_samples(struct stacks *stacks, const struct wk_folding *f,
			  const struct wk_filter *filter)
{
	const struct wk_samples *samples = &f->model->samples;

	for (uint32_t i = 0; i < samples->count; i++) {
		wk_stack_id named;
		uint64_t times, weight;

		if (!wk_filter_has(filter, i))
			continue;
		named = wk_folding_leaf(f, i);
		times = wk_model_sample_times(f->model, i);
		weight = f->options->by_samples ? times : wk_filter_weight(filter, f->model, i);
		stacks->samples[named] += times;
		*(stacks->before && samples->is_before[i] ? &stacks->before[named]
							  : &stacks->weight[named]) += weight;
	}
}

static bool weighs(const struct stacks *stacks, wk_stack_id id)
{
	return stacks->weight[id] || (stacks->before ? stacks->before[id] : stacks->samples[id]);
}

/* Callers come before what they call. */
static void roll_up(struct stacks *stacks, const struct wk_folding *f)
{
	for (wk_stack_id id = f->model->named.count; id-- > 1;) {
		wk_stack_id caller = wk_folding_caller(f, id);

		if (!weighs(stacks, id))
			continue;
		stacks->weight[caller] += stacks->weight[id];
		stacks->samples[caller] += stacks->samples[id];
		if (stacks->before)
			stacks->before[caller] += stacks->before[id];
		stacks->next[id] = stacks->first[caller];
		stacks->first[caller] = id;
	}
}

static void stacks_init(struct stacks *stacks, const struct wk_folding *f,
			const struct wk_filter *filter)
{
	size_t count = f->model->named.count;

	*stacks = (struct stacks){
		.weight = wk_alloc_table_zeroed(count, sizeof(*stacks->weight)),
		.samples = wk_alloc_table_zeroed(count, sizeof(*stacks->samples)),
		.first = wk_alloc_table_zeroed(count, sizeof(*stacks->first)),
		.next = wk_alloc_table_zeroed(count, sizeof(*stacks->next)),
	};
	if (f->model->samples.is_before)
		stacks->before = wk_alloc_table_zeroed(count, sizeof(*stacks->before));
	count_samples(stacks, f, filter);
	roll_up(stacks, f);
}

static void stacks_fini(struct stacks *stacks)
{
	WK_FREE_ALL(stacks->weight, stacks->before, stacks->samples, stacks->first, stacks->next);
}

static uint32_t row_of(const struct wk_folding *f, enum wk_flat_by by, wk_stack_id id,
		       struct sums *sums)
{
	uint32_t label = WK_LABEL_ID(wk_folding_stack_label(f, id));
	uint32_t row = by == WK_FLAT_IMAGES ? f->model->functions[label].image : label;

	sums->rows[row].function =
		by == WK_FLAT_LINES ? f->shown[f->model->named_frames.function[label]] : label;
	return row;
}

/* Adds a frame to its row; what it weighs is not the self weight of the next frame outwards. */
static void enter(struct sums *sums, const struct stacks *stacks, const struct step *step,
		  const struct step *outer)
{
	wk_stack_id id = step->stack;
	struct wk_flat_row *row = &sums->rows[step->row], *caller;
	uint64_t before = stacks->before ? stacks->before[id] : 0;

	row->self += stacks->weight[id];
	row->self_before += before;
	sums->self_samples[step->row] += stacks->samples[id];
	if (outer->has_row) {
		caller = &sums->rows[outer->row];
		caller->self -= stacks->weight[id];
		caller->self_before -= before;
		sums->self_samples[outer->row] -= stacks->samples[id];
	}
	if (sums->open[step->row]++)
		return; /* an outer call of the same has counted all this */
	row->total += stacks->weight[id];
	row->total_before += before;
	sums->total_samples[step->row] += stacks->samples[id];
}

/* Walks the stacks, callers first, and so knows at each frame what is on the path to it. */
static void add_up(struct sums *sums, const struct wk_folding *f, const struct stacks *stacks,
		   enum wk_flat_by by)
{
	struct step *path = NULL;
	size_t cap = 0, deep = 0;
	wk_stack_id id = stacks->first[0];

	*WK_APPEND(path, deep, cap) = (struct step){ 0 };
	while (id || deep > 1) {
		struct step step = { .stack = id, .has_row = !wk_folding_is_process(f, id) };

		if (!id) {
			step = path[--deep];
			if (step.has_row)
				sums->open[step.row]--;
			id = stacks->next[step.stack];
			continue;
		}
		if (step.has_row) {
			step.row = row_of(f, by, id, sums);
			enter(sums, stacks, &step, &path[deep - 1]);
		}
		*WK_APPEND(path, deep, cap) = step;
		id = stacks->first[id];
	}
	wk_free(path);
}

static uint32_t fit(uint64_t count)
{
	return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

static uint64_t scaled(uint64_t weight, double factor)
{
	return factor == 1 ? weight : (uint64_t)((double)weight * factor + 0.5);
}

static void finish_rows(struct sums *sums, const struct wk_tree_options *options)
{
	double factor = options->before_factor > 0 ? options->before_factor : 1;

	for (uint32_t i = 0; i < sums->count; i++) {
		struct wk_flat_row *row = &sums->rows[i];

		row->self_before = scaled(row->self_before, factor);
		row->total_before = scaled(row->total_before, factor);
		row->self_samples = fit(sums->self_samples[i]);
		row->total_samples = fit(sums->total_samples[i]);
	}
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

/* What weighs nothing on both sides of a comparison is in neither. */
static bool is_shown(const struct wk_flat_row *row, bool is_comparison)
{
	return row->total_samples && !(is_comparison && !row->total && !row->total_before);
}

static void keep_rows(struct wk_flat *flat, const struct wk_model *model, const struct sums *sums,
		      enum wk_flat_by by)
{
	bool is_comparison = model->samples.is_before != NULL;
	struct sort_row *sorted = wk_alloc((size_t)sums->count * sizeof(*sorted));

	for (uint32_t i = 0; i < sums->count; i++) {
		wk_text_id name = by == WK_FLAT_IMAGES
					  ? model->images[i].path
					  : model->functions[sums->rows[i].function].name;

		if (!is_shown(&sums->rows[i], is_comparison))
			continue;
		sorted[flat->count] = (struct sort_row){ sums->rows[i], wk_model_str(model, name) };
		sorted[flat->count++].row.id = i;
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
	struct sums sums = {
		.rows = wk_alloc_zeroed(groups, sizeof(*sums.rows)),
		.self_samples = wk_alloc_zeroed(groups, sizeof(*sums.self_samples)),
		.total_samples = wk_alloc_zeroed(groups, sizeof(*sums.total_samples)),
		.open = wk_alloc_zeroed(groups, sizeof(*sums.open)),
		.count = groups,
	};
	struct wk_tree_options used = *options;
	struct wk_folding folding;
	struct stacks stacks;

	used.by_samples |= wk_tree_weighs_nothing(model, filter);
	wk_folding_prepare(&folding, model, &used);
	stacks_init(&stacks, &folding, filter);
	add_up(&sums, &folding, &stacks, by);
	finish_rows(&sums, &used);
	*flat = (struct wk_flat){
		.whole = stacks.weight[0],
		.whole_samples = fit(stacks.samples[0]),
		.unit = used.by_samples ? (struct wk_str)WK_STR("samples")
					: wk_model_str(model, model->sources[filter->source].unit) };
	keep_rows(flat, model, &sums, by);
	WK_FREE_ALL(sums.rows, sums.self_samples, sums.total_samples, sums.open);
	stacks_fini(&stacks);
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
