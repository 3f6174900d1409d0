/* What the tables of processes and threads share: the samples of each, which are shown, and when
 * things were. */
#include "views/tables/internal.h"

#include <stdlib.h>

#include "base/mem.h"

struct wk_tally wk_tables_tally_by(const struct wk_model *model, const struct wk_filter *filter,
				   bool of_processes)
{
	uint32_t rows = of_processes ? model->process_count : model->thread_count;
	struct wk_tally tally = {
		.weight = wk_alloc_zeroed(rows, sizeof(*tally.weight)),
		.samples = wk_alloc_zeroed(rows, sizeof(*tally.samples)),
	};
	bool by_samples;

	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_has(filter, i))
			tally.whole += wk_filter_weight(filter, model, i);
	by_samples = tally.whole == 0;
	if (by_samples)
		tally.whole = filter->in_view;
	tally.unit = by_samples ? wk_str_c("samples")
				: wk_model_str(model, model->sources[filter->source].unit);
	for (uint32_t i = 0; i < model->samples.count; i++) {
		wk_thread_id thread = wk_sample_thread(&model->samples, i);
		uint32_t row = of_processes ? model->threads[thread].process : thread;
		uint64_t times = wk_filter_times(filter, model, i);

		if (!wk_filter_has(filter, i))
			continue;
		tally.weight[row] += by_samples ? times : wk_filter_weight(filter, model, i);
		tally.samples[row] += times;
	}
	return tally;
}

void wk_tables_end_tally(struct wk_tally *tally)
{
	WK_FREE_ALL(tally->weight, tally->samples);
}

struct wk_ranked *wk_tables_rank_rows(const struct wk_tally *tally, uint32_t rows, bool is_narrowed,
				      uint32_t *count)
{
	struct wk_ranked *ranked = wk_alloc((size_t)rows * sizeof(*ranked));

	*count = 0;
	for (uint32_t i = 1; i < rows; i++)
		if (tally->samples[i] || !is_narrowed || (tally->others && tally->others[i]))
			ranked[(*count)++] = (struct wk_ranked){ .weight = tally->weight[i],
								 .id = i };
	qsort(ranked, *count, sizeof(*ranked), wk_tables_heavier_first);
	return ranked;
}

void wk_tables_tally(struct wk_table *table, const struct wk_model *model,
		     const struct wk_filter *filter, const struct wk_tally *tally, uint32_t row)
{
	bool weighs_samples = wk_tables_weighs_samples(tally->unit);

	wk_column_share(table, "percent", "%", tally->weight[row], tally->whole);
	if (!weighs_samples) /* a detail if the samples say the same */
		wk_tables_weight(table, "weight", tally->unit,
				 wk_str_is(tally->unit, "events") &&
					 tally->whole == filter->in_view,
				 tally->weight[row]);
	wk_tables_samples(table, "samples", weighs_samples ? 0 : 4, model, filter, tally->unit,
			  tally->samples[row], tally->samples[row]);
}

void wk_tables_moment(struct wk_table *table, const char *key, const char *title, unsigned how,
		      const struct wk_model *model, uint64_t time_ns)
{
	wk_column_signed_if(table, WK_CELL_MOMENT, key, title, how, time_ns,
			    (int64_t)(time_ns - wk_model_begin_ns(model)));
}

void wk_tables_start(struct wk_table *table, unsigned how, const struct wk_model *model,
		     uint64_t time_ns)
{
	wk_column_signed_if(table, WK_CELL_START, "start_ns", "start", how, time_ns,
			    (int64_t)(time_ns - wk_model_begin_ns(model)));
}

void wk_tables_hide_samples(struct wk_table *table, const struct wk_model *model)
{
	if (table->row_count || model->samples.count)
		return;
	for (uint32_t i = 0; i < table->column_count; i++)
		table->columns[i].is_detail = true;
}
