/* The table of waits: their reasons, their durations, and the threads that ended them. */
#include "views/tables/internal.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/sort.h"
#include "views/intervals.h"

struct waits {
	uint64_t count;
	uint64_t waiting_ns, longest_ns;
	uint64_t ready_ns, longest_ready_ns;
};

/* A row of the table: all waits of one reason. */
struct row {
	struct waits waits;
	wk_subject_id by; /* of the thread that ended most; 0: unknown */
	uint64_t count_by;
};

static void add_longest(uint64_t *longest_ns, uint64_t ns)
{
	if (ns > *longest_ns)
		*longest_ns = ns;
}

/* A preempted thread waits for nothing, but is counted as well; a thread that had waited before is
 * counted already. */
static uint64_t waits_of(const struct wk_model *model, const struct wk_interval *interval)
{
	if (interval->doing == WK_RUNNING ||
	    (interval->doing == WK_READY && !model->subjects[interval->about].could_run))
		return 0;
	return interval->times;
}

static void add_interval(struct waits *waits, const struct wk_model *model,
			 const struct wk_filter *filter, const struct wk_interval *interval)
{
	bool is_ready = interval->doing == WK_READY;
	uint64_t ns = wk_interval_ns_in_view(interval, filter);

	waits->count += waits_of(model, interval);
	*(is_ready ? &waits->ready_ns : &waits->waiting_ns) += ns;
	add_longest(is_ready ? &waits->longest_ready_ns : &waits->longest_ns,
		    interval->times > 1 ? interval->longest_ns : ns);
}

/* By subject. */
static struct waits *add_up_intervals(const struct wk_model *model, const struct wk_filter *filter)
{
	struct waits *sums = wk_alloc_zeroed(model->subject_count, sizeof(*sums));

	for (uint32_t i = 0; i < model->interval_count; i++) {
		const struct wk_interval *interval = &model->intervals[i];

		if (interval->doing != WK_RUNNING &&
		    wk_filter_has_thread(filter, interval->thread) &&
		    wk_interval_is_in_view(interval, filter))
			add_interval(&sums[interval->about], model, filter, interval);
	}
	return sums;
}

static uint64_t key_of(const struct wk_subject *about)
{
	return (uint64_t)about->what << 8 | (uint64_t)about->mode << 1 | about->could_run;
}

static void add_to_row(struct row *row, const struct wk_model *model, const struct waits *waits,
		       wk_subject_id id)
{
	const struct wk_subject *about = &model->subjects[id];

	row->waits.count += waits->count;
	row->waits.waiting_ns += waits->waiting_ns;
	row->waits.ready_ns += waits->ready_ns;
	add_longest(&row->waits.longest_ns, waits->longest_ns);
	add_longest(&row->waits.longest_ready_ns, waits->longest_ready_ns);
	if ((about->by || about->by_interrupt) && waits->count > row->count_by) {
		row->count_by = waits->count;
		row->by = id;
	}
}

/* Those that differ only in the thread that ended them are merged into the row of the first. */
static struct row *join(const struct wk_model *model, const struct waits *sums)
{
	struct wk_sort_key *keys = wk_alloc((size_t)model->subject_count * sizeof(*keys));
	struct row *rows = wk_alloc_zeroed((size_t)model->subject_count, sizeof(*rows));
	uint32_t found = 0, first = 0;

	for (wk_subject_id i = 0; i < model->subject_count; i++)
		if (sums[i].count || sums[i].ready_ns)
			keys[found++] = (struct wk_sort_key){ .key = key_of(&model->subjects[i]),
							      .row = i };
	wk_sort_keys(keys, found);
	for (uint32_t i = 0; i < found; i++) {
		if (i == 0 || keys[i].key != keys[i - 1].key)
			first = keys[i].row;
		add_to_row(&rows[first], model, &sums[keys[i].row], keys[i].row);
	}
	wk_free(keys);
	return rows;
}

/* Those that waited longest first. */
static struct wk_ranked *rank(const struct wk_model *model, const struct row *rows, uint32_t *count)
{
	struct wk_ranked *ranked = wk_alloc((size_t)model->subject_count * sizeof(*ranked));

	*count = 0;
	for (wk_subject_id i = 0; i < model->subject_count; i++)
		if (rows[i].waits.count || rows[i].waits.ready_ns)
			ranked[(*count)++] = (struct wk_ranked){
				.weight = rows[i].waits.waiting_ns,
				.id = i,
				.then = rows[i].waits.ready_ns,
			};
	qsort(ranked, *count, sizeof(*ranked), wk_tables_heavier_first);
	return ranked;
}

static void readied_by(struct wk_table *table, const struct wk_model *model, const struct row *row)
{
	wk_thread_id id = model->subjects[row->by].by;
	const struct wk_thread *thread = &model->threads[id];
	const struct wk_process *process = &model->processes[thread->process];

	wk_column_number(table, WK_CELL_COUNT, "readied_by_waits", "most by", 3, row->count_by);
	wk_tables_pid(table, "readied_by_pid", "by pid", WK_DETAIL, id ? process : NULL);
	wk_column_number_if(table, WK_CELL_NUMBER, "readied_by_tid", "by tid", 6, id, thread->tid);
	wk_column_text_if(table, "readied_by_thread", "thread", 2, id,
			  wk_model_str(model, thread->name));
	wk_column_text(table, "readied_by", "process", 0,
		       id ? wk_model_str(model, process->name)
			  : wk_str_c(row->by ? "(interrupt)" : ""));
}

static void wait_row(struct wk_table *table, const struct wk_model *model, wk_subject_id id,
		     const struct row *row, uint64_t whole_ns)
{
	const struct wk_subject *about = &model->subjects[id];
	const struct waits *waits = &row->waits;

	wk_column_share(table, "percent", "%", waits->waiting_ns, whole_ns);
	wk_column_number(table, WK_CELL_DURATION, "waiting_ns", "waiting", 0, waits->waiting_ns);
	wk_column_number(table, WK_CELL_COUNT, "waits", "waits", 0, waits->count);
	wk_column_number(table, WK_CELL_DURATION, "longest_ns", "longest", 1, waits->longest_ns);
	wk_column_number(table, WK_CELL_DURATION, "ready_ns", "ready", 0, waits->ready_ns);
	wk_column_number(table, WK_CELL_DURATION, "longest_ready_ns", "longest ready", WK_DETAIL,
			 waits->longest_ready_ns);
	wk_tables_name(table, "reason", "reason", model, about->what);
	wk_column_text(table, "mode", "mode", 5,
		       wk_str_c(wk_wait_mode_name((enum wk_wait_mode)about->mode)));
	wk_column_text(table, "state", "state", 4,
		       wk_str_c(about->could_run ? "ready" : "waiting"));
	readied_by(table, model, row);
}

static void report_counts(struct wk_table *table, const struct wk_model *model,
			  const struct waits *sums)
{
	table->counted = "wait";
	for (wk_subject_id i = 0; i < model->subject_count; i++)
		table->counted_in_view += sums[i].count;
	for (uint32_t i = 0; i < model->interval_count; i++)
		table->counted_in_all += waits_of(model, &model->intervals[i]);
}

/* Processes, threads and times of the filter narrow the table; what only samples have does not. */
void wk_tables_fill_waits(struct wk_table *table, const struct wk_model *model,
			  const struct wk_filter *filter, const struct wk_table_options *options)
{
	struct waits *sums = add_up_intervals(model, filter);
	struct row *rows = join(model, sums);
	uint32_t count, shown;
	struct wk_ranked *ranked = rank(model, rows, &count);
	uint64_t whole_ns = 0;

	for (uint32_t i = 0; i < count; i++)
		whole_ns += ranked[i].weight;
	table->has_one_scale = true;
	wait_row(table, model, 0, &(struct row){ 0 }, 0);
	report_counts(table, model, sums);
	shown = wk_tables_limit_rows(table, options, ranked, count, whole_ns, "reason is",
				     "reasons are");
	for (uint32_t i = 0; i < shown; i++) {
		wk_table_row(table);
		wait_row(table, model, ranked[i].id, &rows[ranked[i].id], whole_ns);
	}
	if (filter->is_of_stacks)
		wk_table_note(table, "these are waits of whole threads; --group restricts them to "
				     "stacks in view");
	wk_table_note(table,
		      "`wick show %s waits --group wait-reason,stack` shows where threads waited, "
		      "`--group wait-reason,readied-by` what ended it",
		      wk_model_input(model));
	WK_FREE_ALL(ranked, rows, sums);
}
