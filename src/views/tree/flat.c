#include "views/tree/flat.h"

#include "base/hash.h"
#include "base/map.h"
#include "base/mem.h"
#include "base/sort.h"
#include "model/stack_lists.h"
#include "views/tree/tree_internal.h"

#define NO_ROW UINT32_MAX /* of what represents a process */
#define AHEAD  16         /* stacks whose memory is fetched before they are needed */

/* What a stack or row weighs, and besides how many samples that is, or what it weighs on the
 * "before" side of a comparison. */
enum { WEIGHT, OTHER, WEIGHTS };

/* Of each named stack: its own weight first, then that of everything it called as well. There are
 * millions, so they have 32 bits until their sum needs more. */
struct weights {
	uint32_t *narrow; /* [count * WEIGHTS] */
	uint64_t *wide;   /* the same instead, or NULL */
	uint32_t sum;     /* of all narrow ones before any was passed up */
	uint32_t count;
};

struct place {
	uint32_t size; /* how many stacks it is with all that it called */
	union {
		uint32_t next; /* while positions are handed out: that of the next it called */
		uint32_t row;
	};
};

/* Of a function, image or line, seen or not. */
struct sum {
	uint64_t self[WEIGHTS], total[WEIGHTS];
	uint32_t until; /* positions before it are below a stack that is counted; of lists: the
			 * number of the last one that has it */
};

static void widen(struct weights *weights)
{
	size_t count = (size_t)weights->count * WEIGHTS;

	weights->wide = wk_alloc_table(count * sizeof(*weights->wide));
	for (size_t i = 0; i < count; i++)
		weights->wide[i] = weights->narrow[i];
	wk_free(weights->narrow);
	weights->narrow = NULL;
}

/* To the weight of a stack itself. */
static inline void weigh(struct weights *weights, wk_stack_id id, int which, uint64_t weight)
{
	size_t at = (size_t)id * WEIGHTS + (size_t)which;

	if (!weights->wide && weight > UINT32_MAX - weights->sum)
		widen(weights);
	if (weights->wide) {
		weights->wide[at] += weight;
	} else {
		weights->narrow[at] += (uint32_t)weight;
		weights->sum += (uint32_t)weight;
	}
}

/* What a row of the samples, or a part of it, weighs. */
static inline void weigh_part(const struct wk_folding *f, uint32_t row, uint64_t weight,
			      uint64_t times, uint64_t weighs[WEIGHTS])
{
	const struct wk_samples *samples = &f->model->samples;
	bool is_before = samples->is_before && samples->is_before[row];

	if (f->options->by_samples)
		weight = times;
	weighs[WEIGHT] = is_before ? 0 : weight;
	weighs[OTHER] = is_before ? weight : samples->is_before ? 0 : times;
}

static void count_samples(struct weights *weights, const struct wk_folding *f,
			  const struct wk_filter *filter)
{
	for (uint32_t i = 0; i < f->model->samples.count; i++) {
		uint64_t weighs[WEIGHTS];
		wk_stack_id leaf;

		if (!wk_filter_has(filter, i))
			continue;
		leaf = wk_folding_leaf(f, i);
		weigh_part(f, i, wk_filter_weight(filter, f->model, i),
			   wk_filter_times(filter, f->model, i), weighs);
		if (weighs[WEIGHT])
			weigh(weights, leaf, WEIGHT, weighs[WEIGHT]);
		if (weighs[OTHER])
			weigh(weights, leaf, OTHER, weighs[OTHER]);
	}
}

/* The row of each named frame. A stack counts for its frame's, unless it represents a process. */
static uint32_t *rows_of_frames(const struct wk_folding *f, enum wk_flat_by by)
{
	const struct wk_model *model = f->model;
	uint32_t *rows = wk_alloc(model->named_frames.count * sizeof(*rows));

	for (uint32_t i = 0; i < model->named_frames.count; i++) {
		wk_function_id function = f->shown[model->named_frames.function[i]];

		rows[i] = by >= WK_FLAT_LINES    ? f->place[i]
			  : by == WK_FLAT_IMAGES ? model->functions[function].image
						 : function;
	}
	return rows;
}

static wk_text_id file_of(const struct wk_model *model, uint32_t named_frame)
{
	return model->functions[model->named_frames.function[named_frame]].file;
}

static bool same_place(const void *table, uint32_t id, const void *key)
{
	const struct wk_model *model = table;
	const uint32_t *frame = key;

	return file_of(model, id) == file_of(model, *frame) &&
	       model->named_frames.line[id] == model->named_frames.line[*frame];
}

/* Of the rows of lines, those of one place become one, and those of other functions row 0. */
static void join_places(const struct wk_folding *f, const uint8_t *chosen, uint32_t *rows)
{
	const struct wk_named_frames *frames = &f->model->named_frames;
	struct wk_index index = { 0 };

	for (uint32_t i = 0; i < frames->count; i++) {
		uint32_t line = rows[i], place;
		uint64_t hash = wk_hash_pair(file_of(f->model, line), frames->line[line]);

		rows[i] = 0;
		if (!frames->line[line] || !file_of(f->model, line) ||
		    (chosen && !chosen[f->shown[frames->function[line]]]))
			continue;
		place = wk_index_find(&index, hash, same_place, f->model, &line);
		if (!place)
			wk_index_add(&index, hash, line);
		rows[i] = place ? place : line;
	}
	wk_index_fini(&index);
}

static uint32_t row_of(const struct wk_folding *f, const uint32_t *rows, wk_stack_id id)
{
	return wk_folding_is_process(f, id) ? NO_ROW : rows[f->model->named.entries[id].label];
}

static uint64_t weight_of(const struct weights *weights, wk_stack_id id, int which)
{
	size_t at = (size_t)id * WEIGHTS + (size_t)which;

	return weights->wide ? weights->wide[at] : weights->narrow[at];
}

static inline void add(uint64_t *to, const struct weights *weights, wk_stack_id id)
{
	to[WEIGHT] += weight_of(weights, id, WEIGHT);
	to[OTHER] += weight_of(weights, id, OTHER);
}

/* To what called it. */
static void pass_up(struct weights *weights, wk_stack_id caller, wk_stack_id id)
{
	size_t to = (size_t)caller * WEIGHTS, from = (size_t)id * WEIGHTS;

	for (int i = 0; i < WEIGHTS; i++)
		if (weights->wide)
			weights->wide[to + i] += weights->wide[from + i];
		else
			weights->narrow[to + i] += weights->narrow[from + i];
}

/* Fills `self` of each row. Whether a stack has a weight of its own cannot be predicted, and adding
 * nothing costs less than the question. */
static void add_up_self(struct sum *sums, const struct weights *weights, const struct wk_folding *f,
			const uint32_t *rows)
{
	for (wk_stack_id id = 1; id < f->model->named.count; id++) {
		uint32_t row = row_of(f, rows, id);

		if (row != NO_ROW)
			add(sums[row].self, weights, id);
	}
}

/* Callers come before what they call. */
static void roll_up(struct weights *weights, struct place *places, const struct wk_folding *f)
{
	for (wk_stack_id id = f->model->named.count; id-- > 1;) {
		wk_stack_id caller = wk_folding_caller(f, id);

		pass_up(weights, caller, id);
		places[caller].size += ++places[id].size;
	}
}

/* The stacks in the order of a walk that goes from each to what it called. */
static wk_stack_id *walk(struct place *places, const struct wk_folding *f)
{
	uint32_t count = f->model->named.count;
	wk_stack_id *order = wk_alloc_table((size_t)count * sizeof(*order));

	for (wk_stack_id id = 1; id < count; id++) {
		struct place *place = &places[id], *caller = &places[wk_folding_caller(f, id)];
		uint32_t position = caller->next;

		caller->next += place->size;
		place->next = position + 1;
		order[position] = id;
	}
	return order;
}

/* In the order of memory, which that of a walk is not. */
static void find_rows(struct place *places, const struct wk_folding *f, const uint32_t *rows)
{
	for (wk_stack_id id = 1; id < f->model->named.count; id++)
		places[id].row = row_of(f, rows, id);
}

static void prefetch(const struct weights *weights, wk_stack_id id)
{
	if (weights->wide)
		__builtin_prefetch(&weights->wide[(size_t)id * WEIGHTS]);
	else
		__builtin_prefetch(&weights->narrow[(size_t)id * WEIGHTS]);
}

/* Fills `total` of each row: of its stacks those that another of them did not call. */
static void add_up(struct sum *sums, const struct weights *weights, const struct place *places,
		   const wk_stack_id *order, uint32_t count)
{
	for (uint32_t i = 0; i < count; i++) {
		struct place place = places[order[i]];
		struct sum *sum;

		if (i + AHEAD < count) {
			__builtin_prefetch(&places[order[i + AHEAD]]);
			prefetch(weights, order[i + AHEAD]);
		}
		if (place.row == NO_ROW)
			continue;
		sum = &sums[place.row];
		if (i < sum->until)
			continue;
		sum->until = i + place.size;
		add(sum->total, weights, order[i]);
	}
}

/* Lists of frames as stacks (model/stack_lists.h). */
struct listing {
	const struct wk_folding *folding;
	const uint32_t *rows; /* by frame */
	uint8_t *plumbing;    /* wk_folding_plumbing */
	struct sum *sums;
};

static bool is_process(const struct listing *l, uint32_t outermost)
{
	const struct wk_pairs *pairs = l->folding->options->pairs;

	return pairs && pairs->is_process &&
	       pairs->is_process[l->folding->model->named_frames.function[outermost]];
}

static bool hides(const struct listing *l, const uint32_t *frame)
{
	const struct wk_named_frames *named = &l->folding->model->named_frames;

	return l->plumbing && named->is_inlined[frame[0]] &&
	       wk_folding_hides(l->folding, l->plumbing, frame[0], named->function[frame[-1]]);
}

/* Adds to the `total` of each row of a list, and to `self` of that of the innermost frame. `number`
 * is that of the list, from 1. */
static inline void add_list(const struct listing *l, const struct wk_stack_list *list,
			    uint32_t number, const uint64_t weighs[WEIGHTS])
{
	uint64_t weight = weighs[WEIGHT], other = weighs[OTHER];
	const uint32_t *rows = l->rows;
	struct sum *sums = l->sums, *sum = NULL;

	for (uint32_t i = is_process(l, list->frames[0]); i < list->frame_count; i++) {
		if (i && hides(l, &list->frames[i]))
			continue;
		sum = &sums[rows[list->frames[i]]];
		if (sum->until == number)
			continue;
		sum->until = number;
		sum->total[WEIGHT] += weight;
		sum->total[OTHER] += other;
	}
	if (sum) {
		sum->self[WEIGHT] += weight;
		sum->self[OTHER] += other;
	}
}

static void add_lists(struct sum *sums, const struct wk_folding *f, const struct wk_filter *filter,
		      const uint32_t *rows)
{
	struct listing l = { .folding = f, .rows = rows, .sums = sums };
	struct wk_list_walk walk = wk_list_walk(f->model);
	struct wk_stack_list list;
	uint32_t number = 0;

	if (!f->model->lists.first)
		return;
	l.plumbing = wk_folding_plumbing(f);
	while (wk_list_walk_next(&walk, &list)) {
		uint64_t weighs[WEIGHTS];

		if (!wk_filter_has(filter, list.row))
			continue;
		weigh_part(f, list.row, list.weight, wk_list_times(f->model, &list), weighs);
		add_list(&l, &list, ++number, weighs);
	}
	wk_free(l.plumbing);
}

static uint32_t fit(uint64_t count)
{
	return count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
}

static struct wk_flat_row finished(const struct sum *sum, uint32_t id, const struct wk_folding *f)
{
	double factor = f->options->before_factor > 0 ? f->options->before_factor : 1;
	struct wk_flat_row row = { .id = id, .self = sum->self[WEIGHT],
				   .total = sum->total[WEIGHT] };

	if (f->model->samples.is_before) {
		row.self_before = wk_folding_scaled(sum->self[OTHER], factor);
		row.total_before = wk_folding_scaled(sum->total[OTHER], factor);
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

static wk_text_id name_of(const struct wk_folding *f, enum wk_flat_by by, uint32_t row)
{
	const struct wk_model *model = f->model;

	switch (by) {
	case WK_FLAT_IMAGES:
		return model->images[row].path;
	case WK_FLAT_LINES:
	case WK_FLAT_PLACES:
		row = f->shown[model->named_frames.function[row]];
		break;
	case WK_FLAT_FUNCTIONS:
		break;
	}
	return model->functions[row].name;
}

static void keep_rows(struct wk_flat *flat, const struct sum *sums, uint32_t count,
		      const struct wk_folding *f, enum wk_flat_by by)
{
	struct sort_row *sorted = wk_alloc((size_t)count * sizeof(*sorted));

	for (uint32_t i = 0; i < count; i++) {
		struct sort_row *row = &sorted[flat->count];

		if (!sums[i].total[WEIGHT] && !sums[i].total[OTHER])
			continue;
		row->row = finished(&sums[i], i, f);
		if (by >= WK_FLAT_LINES)
			row->row.function = f->shown[f->model->named_frames.function[i]];
		row->name = wk_model_str(f->model, name_of(f, by, i));
		flat->count++;
	}
	qsort(sorted, flat->count, sizeof(*sorted), hotter_first);
	flat->rows = wk_alloc(((size_t)flat->count + 1) * sizeof(*flat->rows));
	for (uint32_t i = 0; i < flat->count; i++)
		flat->rows[i] = sorted[i].row;
	wk_free(sorted);
}

static void list(struct wk_flat *flat, const struct wk_model *model, const struct wk_filter *filter,
		 enum wk_flat_by by, const uint8_t *chosen, const struct wk_tree_options *options)
{
	uint32_t groups = by == WK_FLAT_IMAGES  ? model->image_count
			  : by >= WK_FLAT_LINES ? model->named_frames.count
						: model->function_count;
	struct sum *sums = wk_alloc_zeroed(groups, sizeof(*sums));
	struct wk_tree_options used = *options;
	struct wk_folding folding;
	struct weights weights = { .count = model->named.count };
	struct place *places;
	wk_stack_id *order;
	uint32_t *rows;

	wk_tree_complete_options(&used, model, filter);
	wk_folding_prepare(&folding, model, &used);
	rows = rows_of_frames(&folding, by);
	if (by == WK_FLAT_PLACES)
		join_places(&folding, chosen, rows);
	weights.narrow =
		wk_alloc_table_zeroed((size_t)weights.count * WEIGHTS, sizeof(*weights.narrow));
	places = wk_alloc_table_zeroed(model->named.count, sizeof(*places));
	count_samples(&weights, &folding, filter);
	add_up_self(sums, &weights, &folding, rows);
	roll_up(&weights, places, &folding);
	order = walk(places, &folding);
	find_rows(places, &folding, rows);
	add_up(sums, &weights, places, order, model->named.count - 1);
	add_lists(sums, &folding, filter, rows);
	*flat = (struct wk_flat){
		.whole = weight_of(&weights, 0, WEIGHT),
		.whole_samples = model->samples.is_before ? 0 : fit(weight_of(&weights, 0, OTHER)),
		.unit = used.by_samples ? (struct wk_str)WK_STR("samples")
					: wk_model_str(model, model->sources[filter->source].unit) };
	keep_rows(flat, sums, groups, &folding, by);
	WK_FREE_ALL(sums, weights.narrow, weights.wide, places, order, rows);
	wk_folding_fini(&folding);
}

static void init(struct wk_flat *flat, const struct wk_model *model, const struct wk_filter *filter,
		 enum wk_flat_by by, const uint8_t *chosen, const struct wk_tree_options *shown)
{
	list(flat, model, filter, by, chosen, &(struct wk_tree_options){
		.by_lines = by >= WK_FLAT_LINES,
		.hides_plumbing = shown && shown->hides_plumbing,
		.charges_own = shown && shown->charges_own });
}

void wk_flat_init(struct wk_flat *flat, const struct wk_model *model,
		  const struct wk_filter *filter, enum wk_flat_by by,
		  const struct wk_tree_options *shown)
{
	init(flat, model, filter, by, NULL, shown);
}

void wk_flat_init_places(struct wk_flat *flat, const struct wk_model *model,
			 const struct wk_filter *filter, const uint8_t *chosen,
			 const struct wk_tree_options *shown)
{
	init(flat, model, filter, WK_FLAT_PLACES, chosen, shown);
}

wk_function_id *wk_flat_functions(const struct wk_model *model, const struct wk_filter *filter,
				  const struct wk_tree_options *shown)
{
	wk_function_id *functions = wk_alloc_zeroed(model->stacks.count, sizeof(*functions));
	struct wk_tree_options used = { .hides_plumbing = shown->hides_plumbing,
					.charges_own = shown->charges_own };
	struct wk_folding folding;

	wk_tree_complete_options(&used, model, filter);
	wk_folding_prepare(&folding, model, &used);
	for (wk_stack_id i = 1; i < model->stacks.count; i++) {
		wk_stack_id leaf = wk_model_named_of(model, i);
		uint32_t frame;

		if (folding.leaf)
			leaf = folding.leaf[leaf];
		frame = model->named.entries[leaf].label;
		functions[i] = leaf ? folding.shown[model->named_frames.function[frame]] : 0;
	}
	wk_folding_fini(&folding);
	return functions;
}

void wk_flat_compare(struct wk_flat *flat, const struct wk_model *model,
		     const struct wk_filter *filter, const struct wk_tree_options *how)
{
	list(flat, model, filter, WK_FLAT_FUNCTIONS, NULL, &(struct wk_tree_options){
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
