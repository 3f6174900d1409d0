#include "views/compare/diff_margins.h"

#include <math.h>

#include "base/mem.h"
#include "views/estimates.h"
#include "views/tree/flat.h"

/* One side of one function. */
struct side {
	bool is_seen;
	double distance;
	struct wk_estimate estimate; /* in distances */
};

/* A flat list adds up integers, so samples weigh their bytes times the part that a step is of the
 * distance, or times the square of that. */
static struct wk_flat list_parts(const struct wk_model *model, const struct wk_filter *filter,
				 const struct wk_tree_options *tree, bool is_squared)
{
	struct wk_filter weighed = *filter;
	struct wk_flat flat = { 0 };
	uint64_t sum = 0;

	weighed.weights = wk_alloc_zeroed((size_t)model->samples.count + 1, sizeof(uint64_t));
	for (uint32_t i = 0; i < model->samples.count; i++) {
		bool is_before = model->samples.is_before && model->samples.is_before[i];
		double step = wk_estimate_step(model, i), part;

		if (step <= 0 || !wk_filter_has(filter, i))
			continue;
		part = step / (double)wk_sample_distance(model, is_before);
		weighed.weights[i] = (uint64_t)llround((double)wk_filter_weight(filter, model, i) *
						       (is_squared ? part * part : part));
		sum += weighed.weights[i];
	}
	if (sum) /* else it would be a list of numbers of samples */
		wk_flat_compare(&flat, model, &weighed, tree);
	wk_free(weighed.weights);
	return flat;
}

static uint64_t number_of(const struct wk_flat_row *row, bool by_total, bool is_before)
{
	if (by_total)
		return is_before ? row->total_before : row->total;
	return is_before ? row->self_before : row->self;
}

/* If none of its blocks was chosen, they may be like those of the other side. */
static double margin_of(const struct side *side, const struct side *other)
{
	struct wk_estimate estimate = side->estimate;
	double like = 1, distance = side->distance;

	if (other->is_seen && other->distance > 0)
		like = other->estimate.variance > 0
			       ? other->estimate.squares / other->estimate.variance
			       : 0;
	estimate.variance *= distance;
	estimate.squares *= distance * distance;
	return wk_estimate_margin(estimate, side->is_seen ? 0 : like * distance);
}

static void add_estimates(struct side *sides, const struct wk_flat *variances,
			  const struct wk_flat *squares, bool by_total, bool is_before)
{
	for (uint32_t i = 0; i < variances->count; i++)
		sides[variances->rows[i].id].estimate.variance =
			(double)number_of(&variances->rows[i], by_total, is_before);
	for (uint32_t i = 0; i < squares->count; i++)
		sides[squares->rows[i].id].estimate.squares =
			(double)number_of(&squares->rows[i], by_total, is_before);
}

/* By function. */
static struct side *list_side(const struct wk_flat *flat, const struct wk_flat *variances,
			      const struct wk_flat *squares, const struct wk_model *model,
			      bool by_total, double distance, bool is_before)
{
	struct side *sides = wk_alloc_zeroed(model->function_count, sizeof(*sides));

	for (uint32_t i = 0; i < flat->count; i++)
		sides[flat->rows[i].id] = (struct side){
			number_of(&flat->rows[i], by_total, is_before) > 0, distance, { 0, 0 }
		};
	add_estimates(sides, variances, squares, by_total, is_before);
	return sides;
}

bool wk_diff_is_estimated(const struct wk_model *model, const struct wk_filter *filter,
			  bool by_samples)
{
	return model->sources[filter->source].is_of_blocks && !by_samples &&
	       (wk_sample_distance(model, true) || wk_sample_distance(model, false));
}

uint64_t *wk_diff_margins(const struct wk_flat *flat, const struct wk_model *model,
			  const struct wk_filter *filter, const struct wk_diff_options *options)
{
	double factor = options->tree.before_factor > 0 ? options->tree.before_factor : 1;
	double before_distance = (double)wk_sample_distance(model, true) * factor;
	double after_distance = (double)wk_sample_distance(model, false);
	struct wk_flat variances, squares;
	struct side *before, *after;
	uint64_t *margins;

	if (!wk_diff_is_estimated(model, filter, options->tree.by_samples))
		return NULL;
	variances = list_parts(model, filter, &options->tree, false);
	squares = list_parts(model, filter, &options->tree, true);
	before = list_side(flat, &variances, &squares, model, options->by_total, before_distance,
			   true);
	after = list_side(flat, &variances, &squares, model, options->by_total, after_distance,
			  false);
	margins = wk_alloc_zeroed(model->function_count, sizeof(*margins));
	for (uint32_t i = 0; i < model->function_count; i++)
		margins[i] = (uint64_t)llround(
			hypot(margin_of(&before[i], &after[i]), margin_of(&after[i], &before[i])));
	wk_flat_fini(&variances);
	wk_flat_fini(&squares);
	WK_FREE_ALL(before, after);
	return margins;
}
