/* The table of threads. */
#include "views/tables/internal.h"

#include <stdlib.h>

#include "base/mem.h"
#include "views/intervals.h"

/* A thread that did nothing but wait has no samples, and is in view. */
static uint8_t *seen_in_intervals(const struct wk_model *model, const struct wk_filter *filter)
{
	uint8_t *seen;

	if (filter->is_of_stacks)
		return NULL;
	seen = wk_alloc_zeroed(model->thread_count, 1);
	for (uint32_t i = 0; i < model->interval_count; i++)
		if (wk_filter_has_thread(filter, model->intervals[i].thread) &&
		    wk_interval_is_in_view(&model->intervals[i], filter))
			seen[model->intervals[i].thread] = 1;
	return seen;
}

/* Context switches cover everything that the threads did in the time in view. */
static void switches(struct wk_table *table, const struct wk_interval_sums *sums)
{
	wk_column_number(table, WK_CELL_DURATION, "running_ns", "running", 0, sums->running_ns);
	wk_column_number(table, WK_CELL_DURATION, "waiting_ns", "waiting", 0, sums->waiting_ns);
	wk_column_number(table, WK_CELL_DURATION, "ready_ns", "ready", 1, sums->ready_ns);
	wk_column_number(table, WK_CELL_COUNT, "switches", "switches", 2, sums->switches);
}

static void thread_row(struct wk_table *table, const struct wk_model *model,
		       const struct wk_filter *filter, const struct wk_tally *tally,
		       wk_thread_id id, const struct wk_interval_sums *sums)
{
	const struct wk_thread *thread = &model->threads[id];
	const struct wk_process *process = &model->processes[thread->process];

	wk_tables_tally(table, model, filter, tally, id);
	if (sums)
		switches(table, &sums[id]);
	wk_tables_pid(table, "pid", "pid", 0, process);
	wk_column_number(table, WK_CELL_NUMBER, "tid", "tid", 0, thread->tid);
	wk_tables_start(table, 3, model, thread->start_ns);
	wk_tables_moment(table, "end_ns", "end", WK_DETAIL, model, thread->end_ns);
	wk_tables_name(table, "process", "process", model, process->name);
	wk_tables_name(table, "thread", "thread", model, thread->name);
}

void wk_tables_fill_threads(struct wk_table *table, const struct wk_model *model,
			    const struct wk_filter *filter, const struct wk_table_options *options)
{
	struct wk_tally tally = wk_tables_tally_by(model, filter, false);
	struct wk_ranked *ranked;
	struct wk_interval_sums *sums = wk_intervals_of_threads(model, filter);
	uint8_t *seen = seen_in_intervals(model, filter);
	uint32_t count, shown;

	tally.others = seen;
	table->has_one_scale = true;
	thread_row(table, model, filter, &tally, 0, sums);
	if (sums && filter->is_of_stacks)
		wk_table_note(table, "running, waiting, ready and switches cover the whole thread, "
				     "not only the stacks in view");
	ranked = wk_tables_rank_rows(&tally, model->thread_count, filter->is_narrowed, &count);
	shown = wk_tables_limit_rows(table, options, ranked, count, tally.whole, "thread is",
				     "threads are");
	for (uint32_t i = 0; i < shown; i++) {
		wk_table_row(table);
		thread_row(table, model, filter, &tally, ranked[i].id, sums);
	}
	wk_tables_note_without_samples(table, "thread", "threads", model->thread_count - 1 - count);
	WK_FREE_ALL(ranked, sums, seen);
	wk_tables_end_tally(&tally);
}
