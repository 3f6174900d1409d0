/* The table of threads. */
#include "views/tables/internal.h"

#include <stdlib.h>

#include "base/mem.h"
#include "views/intervals.h"

/* Context switches cover everything that the threads did in the time in view. */
static void switch_columns(struct wk_table *table, const struct wk_filter *filter)
{
	wk_table_column(table, WK_CELL_DURATION, "running_ns", "running");
	wk_table_column(table, WK_CELL_DURATION, "waiting_ns", "waiting");
	wk_table_column(table, WK_CELL_DURATION, "ready_ns", "ready");
	wk_table_spare(table, 1);
	wk_table_column(table, WK_CELL_COUNT, "switches", "switches");
	wk_table_spare(table, 2);
	if (filter->is_of_stacks)
		wk_table_note(table, "running, waiting, ready and switches cover the whole thread, "
				     "not only the stacks in view");
}

static void switch_cells(struct wk_table *table, const struct wk_interval_sums *sums)
{
	wk_table_number(table, sums->running_ns);
	wk_table_number(table, sums->waiting_ns);
	wk_table_number(table, sums->ready_ns);
	wk_table_number(table, sums->switches);
}

/* A thread that did nothing but wait has no samples, and is in view. */
static uint8_t *seen_in_intervals(const struct wk_model *model, const struct wk_filter *filter)
{
	uint8_t *seen;

	if (filter->is_of_stacks)
		return NULL;
	seen = wk_alloc_zeroed(model->thread_count, 1);
	for (uint32_t i = 0; i < model->spells.count; i++)
		if (wk_filter_has_thread(filter, model->spells.thread[i]) &&
		    wk_interval_is_in_view(model, filter, i))
			seen[model->spells.thread[i]] = 1;
	return seen;
}

static void thread_row(struct wk_table *table, const struct wk_model *model,
		       const struct wk_tally *tally, wk_thread_id id,
		       const struct wk_interval_sums *sums)
{
	const struct wk_thread *thread = &model->threads[id];
	const struct wk_process *process = &model->processes[thread->process];

	wk_table_row(table);
	wk_tables_tally_cells(table, tally, id);
	if (sums)
		switch_cells(table, &sums[id]);
	wk_tables_pid_cell(table, process);
	wk_table_number(table, thread->tid);
	wk_tables_time_cell(table, model, thread->start_ns);
	wk_tables_time_cell(table, model, thread->end_ns);
	wk_table_text(table, wk_tables_or_else(wk_model_str(model, process->name), "(unknown)"));
	wk_table_text(table, wk_tables_or_else(wk_model_str(model, thread->name), "(unknown)"));
}

void wk_tables_fill_threads(struct wk_table *table, const struct wk_model *model,
			    const struct wk_filter *filter, const struct wk_table_options *options)
{
	struct wk_tally tally = wk_tables_start_tally(model, filter, model->thread_count);
	struct wk_ranked *ranked;
	struct wk_interval_sums *sums = wk_intervals_of_threads(model, filter);
	uint8_t *seen = seen_in_intervals(model, filter);
	uint32_t count, shown;

	tally.others = seen;
	table->has_one_scale = true;
	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_has(filter, i))
			wk_tables_count_sample(&tally, model, filter, i, model->samples.thread[i]);
	wk_tables_tally_columns(table, model, filter, &tally);
	if (sums)
		switch_columns(table, filter);
	wk_table_column(table, WK_CELL_NUMBER, "pid", "pid");
	wk_table_column(table, WK_CELL_NUMBER, "tid", "tid");
	wk_table_column(table, WK_CELL_MOMENT, "start_ns", "start");
	wk_table_spare(table, 3);
	wk_table_detail_column(table, WK_CELL_MOMENT, "end_ns", "end");
	wk_table_column(table, WK_CELL_TEXT, "process", "process");
	wk_table_column(table, WK_CELL_TEXT, "thread", "thread");
	ranked = wk_tables_rank_rows(&tally, model->thread_count, filter->is_narrowed, &count);
	shown = wk_tables_limit_rows(table, options, ranked, count, tally.whole, "thread is",
				     "threads are");
	for (uint32_t i = 0; i < shown; i++)
		thread_row(table, model, &tally, ranked[i].id, sums);
	wk_tables_note_without_samples(table, "thread", "threads", model->thread_count - 1 - count);
	WK_FREE_ALL(ranked, sums, seen);
	wk_tables_end_tally(&tally);
}
