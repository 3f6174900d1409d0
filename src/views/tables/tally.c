/* What the tables of processes and threads share: the samples of each, which are shown, and when
 * things were. */
#include "views/tables/internal.h"

#include <stdlib.h>

#include "base/mem.h"

struct wk_tally wk_tables_start_tally(const struct wk_model *model, const struct wk_filter *filter,
				      uint32_t rows)
{
	struct wk_tally tally = {
		.weight = wk_alloc_zeroed(rows, sizeof(*tally.weight)),
		.samples = wk_alloc_zeroed(rows, sizeof(*tally.samples)),
	};

	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_has(filter, i))
			tally.whole += wk_filter_weight(filter, model, i);
	if (tally.whole == 0) {
		tally.by_samples = true;
		tally.whole = filter->in_view;
	}
	tally.unit = tally.by_samples ? wk_str_c("samples")
				      : wk_model_str(model, model->sources[filter->source].unit);
	return tally;
}

void wk_tables_count_sample(struct wk_tally *tally, const struct wk_model *model,
			    const struct wk_filter *filter, uint32_t sample, uint32_t row)
{
	uint64_t times = wk_model_sample_times(model, sample);

	tally->weight[row] += tally->by_samples ? times : wk_filter_weight(filter, model, sample);
	tally->samples[row] += times;
}

struct wk_tally wk_tables_tally_processes(const struct wk_model *model,
					  const struct wk_filter *filter)
{
	struct wk_tally tally = wk_tables_start_tally(model, filter, model->process_count);

	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_has(filter, i))
			wk_tables_count_sample(&tally, model, filter, i,
					       model->threads[model->samples.thread[i]].process);
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

void wk_tables_tally_columns(struct wk_table *table, const struct wk_model *model,
			     const struct wk_filter *filter, const struct wk_tally *tally)
{
	wk_table_column(table, WK_CELL_SHARE, "percent", "%");
	if (!wk_tables_weighs_samples(tally->unit))
		wk_table_weight_column(table, "weight", tally->unit);
	if (wk_str_is(tally->unit, "events") && tally->whole == filter->in_view)
		wk_table_detail(table); /* the samples say it */
	wk_tables_samples_column(table, "samples", model, filter);
	if (!wk_tables_weighs_samples(tally->unit))
		wk_table_spare(table, 4);
}

void wk_tables_tally_cells(struct wk_table *table, const struct wk_tally *tally, uint32_t row)
{
	wk_table_share(table, tally->weight[row], tally->whole);
	wk_tables_weight_cell(table, tally->unit, tally->weight[row]);
	wk_table_number(table, tally->samples[row]);
}

void wk_tables_time_cell(struct wk_table *table, const struct wk_model *model, uint64_t time_ns)
{
	uint64_t begin_ns = wk_model_begin_ns(model);

	if (time_ns == 0)
		wk_table_none(table);
	else
		wk_table_number(table, time_ns > begin_ns ? time_ns - begin_ns : 0);
}

void wk_tables_hide_samples(struct wk_table *table, const struct wk_model *model)
{
	for (uint32_t i = 0; model->samples.count == 0 && i < table->column_count; i++)
		table->columns[i].is_detail = true;
}
