/* The tables of marks, and of what records an input has. */
#include "views/tables/internal.h"

static void mark_row(struct wk_table *table, const struct wk_model *model,
		     const struct wk_mark *mark)
{
	const struct wk_process *process = &model->processes[mark->process];

	wk_tables_moment(table, "time_ns", "time", 0, model, mark->time_ns);
	wk_column_text(table, "provider", "provider", 0, wk_model_str(model, mark->provider));
	wk_tables_pid(table, "pid", "pid", WK_DETAIL, mark->process ? process : NULL);
	wk_column_text(table, "process", "process", 0, wk_model_str(model, process->name));
	wk_column_text(table, "label", "label", 0, wk_model_str(model, mark->label));
}

static void count_row(struct wk_table *table, const struct wk_model *model,
		      const struct wk_count *count)
{
	wk_column_number(table, WK_CELL_COUNT, "count", "records", 0, count->count);
	wk_column_text(table, "used", "used", 0, wk_str_c(count->is_used ? "yes" : "no"));
	wk_column_text(table, "provider", "provider", 0, wk_model_str(model, count->provider));
	wk_column_text(table, "name", "name", 0, wk_model_str(model, count->name));
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

	mark_row(table, model, &(struct wk_mark){ 0 });
	for (uint32_t i = 0; i < model->mark_count; i++) {
		const struct wk_mark *mark = &model->marks[i];

		if (mark->time_ns < filter->from_ns || mark->time_ns > filter->to_ns)
			continue;
		if (wk_tables_is_full(table, options)) {
			hidden++;
			continue;
		}
		wk_table_row(table);
		mark_row(table, model, mark);
	}
	note_more(table, hidden, "mark is", "marks are");
}

void wk_tables_fill_counts(struct wk_table *table, const struct wk_model *model,
			   const struct wk_filter *filter, const struct wk_table_options *options)
{
	uint32_t hidden = 0;

	(void)filter;
	count_row(table, model, &(struct wk_count){ 0 });
	table->lists_events = true;
	for (uint32_t i = 0; i < model->count_count; i++) {
		if (wk_tables_is_full(table, options)) {
			hidden++;
			continue;
		}
		wk_table_row(table);
		count_row(table, model, &model->counts[i]);
	}
	note_more(table, hidden, "kind is", "kinds are");
	wk_table_note(table,
		      "this table counts all records of the input; several can make one sample, "
		      "and `wick show %s system` counts the samples for --by",
		      wk_model_input(model));
}
