/* The tables of who ran: processes and threads. */
#include "views/tables_internal.h"

#include <stdlib.h>

#include "base/mem.h"

/* What the samples in view say of each row of another table, by its id. */
struct tally {
	uint64_t *weight;
	uint64_t *samples;
	uint64_t whole;
	bool by_samples;
	struct wk_str unit;
};

static struct tally start_tally(const struct wk_model *model, const struct wk_filter *filter,
				uint32_t rows)
{
	struct tally tally = {
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

static void count_sample(struct tally *tally, const struct wk_model *model,
			 const struct wk_filter *filter, uint32_t sample, uint32_t row)
{
	uint64_t times = wk_model_sample_times(model, sample);

	tally->weight[row] += tally->by_samples ? times : wk_filter_weight(filter, model, sample);
	tally->samples[row] += times;
}

static void end_tally(struct tally *tally)
{
	free(tally->weight);
	free(tally->samples);
}

/* Rows without samples in view are left out (and counted) when the view is narrowed. */
static struct wk_ranked *rank_rows(const struct tally *tally, uint32_t rows, bool is_narrowed,
				   uint32_t *count)
{
	struct wk_ranked *ranked = wk_alloc((size_t)rows * sizeof(*ranked));

	*count = 0;
	for (uint32_t i = 1; i < rows; i++)
		if (tally->samples[i] || !is_narrowed)
			ranked[(*count)++] = (struct wk_ranked){ tally->weight[i], i };
	qsort(ranked, *count, sizeof(*ranked), wk_tables_heavier_first);
	return ranked;
}

/* How many of the ranked rows are shown; a note tells of the rest. */
static uint32_t limit_rows(struct wk_table *table, const struct wk_table_options *options,
			   const struct tally *tally, const struct wk_ranked *ranked,
			   uint32_t count, const char *one, const char *many)
{
	uint64_t weight = 0;

	if (options->limit == 0 || count <= options->limit)
		return count;
	for (uint32_t i = options->limit; i < count; i++)
		weight += ranked[i].weight;
	wk_tables_note_hidden(table, count - options->limit == 1 ? one : many, "%",
			      count - options->limit, weight, tally->whole);
	return options->limit;
}

/* Since the first sample; none for what was before the recording or never came. What happened
 * between the recording's start and its first sample happened at 0. */
static void time_cell(struct wk_table *table, const struct wk_model *model, uint64_t time_ns)
{
	uint64_t begin_ns = wk_model_begin_ns(model);

	if (time_ns == 0)
		wk_table_none(table);
	else
		wk_table_number(table, time_ns > begin_ns ? time_ns - begin_ns : 0);
}

static uint32_t *count_threads(const struct wk_model *model)
{
	uint32_t *threads = wk_alloc_zeroed(model->process_count, sizeof(*threads));

	for (uint32_t i = 1; i < model->thread_count; i++)
		threads[model->threads[i].process]++;
	return threads;
}

static void process_row(struct wk_table *table, const struct wk_model *model,
			const struct tally *tally, wk_process_id id, uint32_t threads)
{
	const struct wk_process *process = &model->processes[id];

	wk_table_row(table);
	wk_table_share(table, tally->weight[id], tally->whole);
	wk_tables_weight_cell(table, tally->unit, tally->weight[id]);
	wk_table_number(table, tally->samples[id]);
	wk_table_number(table, process->pid);
	if (process->parent)
		wk_table_number(table, model->processes[process->parent].pid);
	else
		wk_table_none(table);
	wk_table_number(table, threads);
	time_cell(table, model, process->start_ns);
	time_cell(table, model, process->end_ns);
	if (process->has_exit_code)
		wk_table_signed(table, process->exit_code);
	else
		wk_table_none(table);
	wk_table_text(table, wk_tables_or_else(wk_model_str(model, process->name), "(unknown)"));
	wk_table_text(table, wk_model_str(model, process->command_line));
}

void wk_tables_fill_processes(struct wk_table *table, const struct wk_model *model,
			      const struct wk_filter *filter,
			      const struct wk_table_options *options)
{
	struct tally tally = start_tally(model, filter, model->process_count);
	uint32_t *threads = count_threads(model), count, shown;
	struct wk_ranked *ranked;

	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_has(filter, i))
			count_sample(&tally, model, filter, i,
				     model->threads[model->samples.thread[i]].process);
	wk_table_column(table, WK_CELL_SHARE, "percent", "%");
	if (!wk_tables_weighs_samples(tally.unit))
		wk_table_weight_column(table, "weight", tally.unit);
	wk_tables_samples_column(table, "samples", model, filter);
	wk_table_column(table, WK_CELL_NUMBER, "pid", "pid");
	wk_table_column(table, WK_CELL_NUMBER, "parent_pid", "parent");
	wk_table_detail_column(table, WK_CELL_COUNT, "threads", "threads");
	wk_table_column(table, WK_CELL_MOMENT, "start_ns", "start");
	wk_table_detail_column(table, WK_CELL_MOMENT, "end_ns", "end");
	wk_table_column(table, WK_CELL_NUMBER, "exit_code", "exit");
	wk_table_column(table, WK_CELL_TEXT, "name", "name");
	wk_table_column(table, WK_CELL_TEXT, "command_line", "command line");
	ranked = rank_rows(&tally, model->process_count, filter->is_narrowed, &count);
	shown = limit_rows(table, options, &tally, ranked, count, "process is", "processes are");
	for (uint32_t i = 0; i < shown; i++)
		process_row(table, model, &tally, ranked[i].id, threads[ranked[i].id]);
	wk_tables_note_without_samples(table, "process", "processes",
				       model->process_count - 1 - count);
	free(ranked);
	free(threads);
	end_tally(&tally);
}

static void thread_row(struct wk_table *table, const struct wk_model *model,
		       const struct tally *tally, wk_thread_id id)
{
	const struct wk_thread *thread = &model->threads[id];
	const struct wk_process *process = &model->processes[thread->process];

	wk_table_row(table);
	wk_table_share(table, tally->weight[id], tally->whole);
	wk_tables_weight_cell(table, tally->unit, tally->weight[id]);
	wk_table_number(table, tally->samples[id]);
	wk_table_number(table, process->pid);
	wk_table_number(table, thread->tid);
	time_cell(table, model, thread->start_ns);
	time_cell(table, model, thread->end_ns);
	wk_table_text(table, wk_tables_or_else(wk_model_str(model, process->name), "(unknown)"));
	wk_table_text(table, wk_tables_or_else(wk_model_str(model, thread->name), "(unknown)"));
}

void wk_tables_fill_threads(struct wk_table *table, const struct wk_model *model,
			    const struct wk_filter *filter, const struct wk_table_options *options)
{
	struct tally tally = start_tally(model, filter, model->thread_count);
	struct wk_ranked *ranked;
	uint32_t count, shown;

	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_has(filter, i))
			count_sample(&tally, model, filter, i, model->samples.thread[i]);
	wk_table_column(table, WK_CELL_SHARE, "percent", "%");
	if (!wk_tables_weighs_samples(tally.unit))
		wk_table_weight_column(table, "weight", tally.unit);
	wk_tables_samples_column(table, "samples", model, filter);
	wk_table_column(table, WK_CELL_NUMBER, "pid", "pid");
	wk_table_column(table, WK_CELL_NUMBER, "tid", "tid");
	wk_table_column(table, WK_CELL_MOMENT, "start_ns", "start");
	wk_table_detail_column(table, WK_CELL_MOMENT, "end_ns", "end");
	wk_table_column(table, WK_CELL_TEXT, "process", "process");
	wk_table_column(table, WK_CELL_TEXT, "thread", "thread");
	ranked = rank_rows(&tally, model->thread_count, filter->is_narrowed, &count);
	shown = limit_rows(table, options, &tally, ranked, count, "thread is", "threads are");
	for (uint32_t i = 0; i < shown; i++)
		thread_row(table, model, &tally, ranked[i].id);
	wk_tables_note_without_samples(table, "thread", "threads", model->thread_count - 1 - count);
	free(ranked);
	end_tally(&tally);
}
