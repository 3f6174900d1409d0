/* The table of what the system counted for the memory of processes, over time. */
#include "views/tables/internal.h"

#include "base/mem.h"
#include "base/num.h"

/* Without samples it is the first moment. */
static uint64_t begin_ns(const struct wk_model *model)
{
	return model->samples.count || !model->use_count ? wk_model_begin_ns(model)
							 : model->uses[0].time_ns;
}

static void counters_row(struct wk_table *table, const struct wk_model *model,
			 const struct wk_use_row *row)
{
	const struct wk_process *process = &model->processes[row->process];
	const struct wk_process_use *use = &row->use;

	wk_column_signed_if(table, WK_CELL_MOMENT, "time_ns", "time", 0, row->time_ns,
			    (int64_t)(row->time_ns - begin_ns(model)));
	wk_column_number(table, WK_CELL_BYTES, "working_set_bytes", "resident", 0,
			 use->working_set_bytes);
	wk_column_number(table, WK_CELL_BYTES, "peak_working_set_bytes", "peak", 0,
			 use->peak_working_set_bytes);
	wk_column_number(table, WK_CELL_BYTES, "anonymous_bytes", "anonymous", 3,
			 use->anonymous_bytes);
	wk_column_number(table, WK_CELL_BYTES, "heap_bytes", "heap", 7, use->heap_bytes);
	wk_column_number(table, WK_CELL_BYTES, "stack_bytes", "stack", 8, use->stack_bytes);
	wk_column_number(table, WK_CELL_BYTES, "file_bytes", "files", 6, use->file_bytes);
	wk_column_number(table, WK_CELL_BYTES, "shared_bytes", "shared", 7, use->shared_bytes);
	wk_column_number(table, WK_CELL_BYTES, "share_bytes", "own share", 3, use->share_bytes);
	wk_column_number(table, WK_CELL_BYTES, "huge_bytes", "huge pages", 4,
			 use->huge_bytes + use->huge_tlb_bytes);
	wk_column_number(table, WK_CELL_BYTES, "swap_bytes", "swap", 5, use->swap_bytes);
	wk_column_number(table, WK_CELL_BYTES, "commit_bytes", "commit", WK_DETAIL,
			 use->commit_bytes);
	wk_column_number(table, WK_CELL_BYTES, "peak_virtual_bytes", "peak addresses", WK_DETAIL,
			 use->peak_virtual_bytes);
	wk_tables_pid(table, "pid", "pid", 2, row->process ? process : NULL);
	wk_column_text(table, "process", "process", 0, wk_model_str(model, process->name));
}

bool wk_tables_has_use(const struct wk_model *model, const struct wk_filter *filter,
		       const struct wk_use_row *row)
{
	if (row->time_ns < filter->from_ns || row->time_ns > filter->to_ns)
		return false;
	for (wk_thread_id i = 1; filter->threads && i < model->thread_count; i++)
		if (filter->threads[i] && model->threads[i].process == row->process)
			return true;
	return !filter->threads;
}

static void note_peak(struct wk_table *table, const struct wk_model *model,
		      const struct wk_use_row *peak)
{
	struct wk_buf words = { 0 };

	wk_num_add_bytes(&words, peak->use.peak_working_set_bytes);
	wk_table_note(table, "%s of %.*s is the largest peak", wk_buf_text(&words),
		      WK_STR_ARG(wk_model_str(model, model->processes[peak->process].name)));
	wk_buf_fini(&words);
}

/* Evenly over the rows, the first and the last among them. */
static bool is_picked(uint32_t number, uint32_t count, uint32_t limit)
{
	return count <= limit ||
	       (uint64_t)number * limit / count != (uint64_t)(number + 1) * limit / count;
}

void wk_tables_fill_counters(struct wk_table *table, const struct wk_model *model,
			     const struct wk_filter *filter, const struct wk_table_options *options)
{
	uint32_t *rows = wk_alloc(((size_t)model->use_count + 1) * sizeof(*rows));
	uint32_t limit = options->limit ? options->limit : UINT32_MAX, count = 0;
	const struct wk_use_row *peak = NULL;
	bool has_slow = false;

	for (uint32_t i = 0; i < model->use_count; i++)
		if (wk_tables_has_use(model, filter, &model->uses[i]))
			rows[count++] = i;
	counters_row(table, model, &(struct wk_use_row){ 0 });
	for (uint32_t i = 0; i < count; i++) {
		const struct wk_use_row *row = &model->uses[rows[i]];

		if (!peak || row->use.peak_working_set_bytes > peak->use.peak_working_set_bytes)
			peak = row;
		has_slow |= row->use.share_bytes;
		if (!is_picked(i, count, limit))
			continue;
		wk_table_row(table);
		counters_row(table, model, row);
	}
	if (peak)
		note_peak(table, model, peak);
	if (has_slow)
		wk_table_note(table,
			      "heap, stack, own share and huge pages are counted more rarely "
			      "than the rest: rows repeat what was counted last");
	if (count > limit)
		wk_table_note(table, "%u of %u moments are shown; --all shows all", limit, count);
	wk_free(rows);
}
