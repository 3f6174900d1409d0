/* The tables of marks, and of what records an input has. */
#include "views/tables/internal.h"

static void mark_row(struct wk_table *table, const struct wk_model *model,
		     const struct wk_mark *mark)
{
	const struct wk_process *process = &model->processes[mark->process];

	wk_table_row(table);
	wk_tables_time_cell(table, model, mark->time_ns);
	wk_table_text(table, wk_model_str(model, mark->provider));
	if (mark->process)
		wk_tables_pid_cell(table, process);
	else
		wk_table_none(table);
	wk_table_text(table, wk_model_str(model, process->name));
	wk_table_text(table, wk_model_str(model, mark->label));
}

static void note_more(struct wk_table *table, uint32_t hidden, const char *one, const char *many)
{
	if (hidden)
		wk_table_note(table, "%u more %s not shown; --all shows %s", hidden,
			      hidden == 1 ? one : many, hidden == 1 ? "it" : "them");
}

/* Only the time of a filter counts: marks are not samples. */
void wk_tables_fill_marks(struct wk_table *table, const struct wk_model *model,
			  const struct wk_filter *filter, const struct wk_table_options *options)
{
	uint32_t hidden = 0;

	wk_table_column(table, WK_CELL_MOMENT, "time_ns", "time");
	wk_table_column(table, WK_CELL_TEXT, "provider", "provider");
	wk_table_detail_column(table, WK_CELL_NUMBER, "pid", "pid");
	wk_table_column(table, WK_CELL_TEXT, "process", "process");
	wk_table_column(table, WK_CELL_TEXT, "label", "label");
	for (uint32_t i = 0; i < model->mark_count; i++) {
		const struct wk_mark *mark = &model->marks[i];

		if (mark->time_ns < filter->from_ns || mark->time_ns > filter->to_ns)
			continue;
		if (wk_tables_is_full(table, options))
			hidden++;
		else
			mark_row(table, model, mark);
	}
	note_more(table, hidden, "mark is", "marks are");
}

void wk_tables_fill_counts(struct wk_table *table, const struct wk_model *model,
			   const struct wk_filter *filter, const struct wk_table_options *options)
{
	uint32_t hidden = 0;

	(void)filter;
	wk_table_column(table, WK_CELL_COUNT, "count", "records");
	wk_table_column(table, WK_CELL_TEXT, "used", "used");
	wk_table_column(table, WK_CELL_TEXT, "provider", "provider");
	wk_table_column(table, WK_CELL_TEXT, "name", "name");
	table->lists_events = true;
	for (uint32_t i = 0; i < model->count_count; i++) {
		const struct wk_count *count = &model->counts[i];

		if (wk_tables_is_full(table, options)) {
			hidden++;
			continue;
		}
		wk_table_row(table);
		wk_table_number(table, count->count);
		wk_table_text(table, wk_str_c(count->is_used ? "yes" : "no"));
		wk_table_text(table, wk_model_str(model, count->provider));
		wk_table_text(table, wk_model_str(model, count->name));
	}
	note_more(table, hidden, "kind is", "kinds are");
	wk_table_note(table, "this table counts all records of the input; several can make one "
			     "sample, and `wick show FILE system` counts the samples for --by");
}
