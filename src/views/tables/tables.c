#include "views/tables/internal.h"

#include <inttypes.h>

#include "base/num.h"

bool wk_tables_is_small(uint64_t part, uint64_t whole, double min_percent)
{
	return min_percent > 0 && 100.0 * (double)part < min_percent * (double)whole;
}

bool wk_tables_is_full(const struct wk_table *table, const struct wk_table_options *options)
{
	return options->limit && table->row_count >= options->limit;
}

void wk_tables_note_hidden(struct wk_table *table, const char *what, const char *column,
			   uint64_t count, uint64_t weight, uint64_t whole)
{
	struct wk_buf number = { 0 }, share = { 0 };

	if (count == 0)
		return;
	wk_num_add_grouped(&number, count);
	wk_num_add_share(&share, weight, whole);
	wk_table_note(table, "%s %s not shown; %s %s %s %s; --all shows %s", wk_buf_text(&number),
		      what, count == 1 ? "its" : "their", column, count == 1 ? "is" : "adds up to",
		      wk_buf_text(&share), count == 1 ? "it" : "them");
	wk_buf_fini(&number);
	wk_buf_fini(&share);
}

bool wk_tables_weighs_samples(struct wk_str unit)
{
	return wk_str_is(unit, "samples");
}

void wk_tables_weight_detail(struct wk_table *table, const char *what, struct wk_str unit)
{
	if (wk_tables_weighs_samples(unit))
		return;
	wk_table_weight_column(table, what, unit);
	if (!wk_str_is(unit, "bytes")) /* whose amount says more than their share */
		wk_table_detail(table);
}

void wk_tables_weight_cell(struct wk_table *table, struct wk_str unit, uint64_t weight)
{
	if (!wk_tables_weighs_samples(unit))
		wk_table_number(table, weight);
}

/* What is counted may be more than a node's 32 bits of samples hold. */
void wk_tables_samples_cell(struct wk_table *table, struct wk_str unit, uint64_t weight,
			    uint64_t samples)
{
	wk_table_number(table, wk_tables_weighs_samples(unit) ? weight : samples);
}

void wk_tables_samples_column(struct wk_table *table, const char *key, const struct wk_model *model,
			      const struct wk_filter *filter)
{
	const char *word = wk_source_row_word(&model->sources[filter->source]);
	struct wk_buf title = { 0 };

	if (strncmp(key, "self_", strlen("self_")) == 0)
		wk_buf_add_text(&title, "self ");
	else if (strncmp(key, "total_", strlen("total_")) == 0)
		wk_buf_add_text(&title, "total ");
	wk_buf_add_fmt(&title, "%ss", word);
	wk_table_column(table, WK_CELL_COUNT, key, "");
	table->columns[table->column_count - 1].title = wk_table_keep(table, wk_buf_str(&title));
	wk_buf_fini(&title);
}

int wk_tables_heavier_first(const void *left, const void *right)
{
	const struct wk_ranked *a = left, *b = right;

	if (a->weight != b->weight)
		return a->weight < b->weight ? 1 : -1;
	if (a->then != b->then)
		return a->then < b->then ? 1 : -1;
	return (a->id > b->id) - (a->id < b->id);
}

uint32_t wk_tables_shown_rows(const struct wk_table_options *options,
			      const struct wk_ranked *ranked, uint32_t count, uint64_t whole)
{
	uint32_t shown = options->limit && options->limit < count ? options->limit : count;

	while (shown > 0 &&
	       wk_tables_is_small(ranked[shown - 1].weight, whole, options->min_percent))
		shown--;
	return shown;
}

uint32_t wk_tables_limit_rows(struct wk_table *table, const struct wk_table_options *options,
			      const struct wk_ranked *ranked, uint32_t count, uint64_t whole,
			      const char *one, const char *many)
{
	uint32_t shown = wk_tables_shown_rows(options, ranked, count, whole);
	uint64_t weight = 0;

	for (uint32_t i = shown; i < count; i++)
		weight += ranked[i].weight;
	wk_tables_note_hidden(table, count - shown == 1 ? one : many, "%", count - shown, weight,
			      whole);
	return shown;
}

void wk_tables_note_without_samples(struct wk_table *table, const char *one, const char *many,
				    uint32_t count)
{
	if (count)
		wk_table_note(table, "%" PRIu32 " %s without samples in view %s not shown", count,
			      count == 1 ? one : many, count == 1 ? "is" : "are");
}

#define USUAL_ROWS        40
#define USUAL_MIN_PERCENT 0.5

/* Of samples, in any of the usual ways. */
#define OF_SAMPLES (WK_TABLE_HAS_SHARES | WK_TABLE_HAS_FILTERS | WK_TABLE_HAS_EVENTS)

const struct wk_table_view wk_table_views[] = {
	{ "functions", "functions by the time spent in them",
	  wk_tables_fill_functions, USUAL_ROWS, USUAL_MIN_PERCENT,
	  OF_SAMPLES | WK_TABLE_HAS_TOTALS },
	{ "tree", "who called whom, and what it cost; of a Windows trace the process tree",
	  wk_tables_fill_tree, 0, USUAL_MIN_PERCENT, OF_SAMPLES | WK_TABLE_HAS_LEVELS },
	{ "calls", "who called whom, of any recording",
	  wk_tables_fill_tree, 0, USUAL_MIN_PERCENT, OF_SAMPLES | WK_TABLE_HAS_LEVELS },
	{ "processes", "processes with their times and command lines",
	  wk_tables_fill_processes, USUAL_ROWS, 0, OF_SAMPLES },
	{ "process-tree", "which process began which, and when, of any recording",
	  wk_tables_fill_process_tree, 0, 0, OF_SAMPLES },
	{ "threads", "threads of all processes",
	  wk_tables_fill_threads, USUAL_ROWS, 0, OF_SAMPLES },
	{ "waits", "what for threads waited, how long, and who ended it",
	  wk_tables_fill_waits, USUAL_ROWS, 0,
	  WK_TABLE_HAS_SHARES | WK_TABLE_HAS_TIMES | WK_TABLE_HAS_SAMPLES },
	{ "images", "programs and libraries, and where their names came from",
	  wk_tables_fill_images, USUAL_ROWS, 0, OF_SAMPLES | WK_TABLE_HAS_TOTALS },
	{ "memory", "what processes committed and reserved, and what is left of it",
	  wk_tables_fill_memory, USUAL_ROWS, 0, WK_TABLE_HAS_SHARES | WK_TABLE_HAS_FILTERS },
	{ "heap", "what was allocated from which heap, and what is left of it",
	  wk_tables_fill_heap, USUAL_ROWS, 0, WK_TABLE_HAS_SHARES | WK_TABLE_HAS_FILTERS },
	{ "marks", "moments that somebody named",
	  wk_tables_fill_marks, 0, 0, WK_TABLE_HAS_TIMES },
	{ "events", "how many records of each kind there are, and which are used",
	  wk_tables_fill_counts, 0, 0, 0 },
	{ "system", "the machine, the recording and what was noticed",
	  wk_tables_fill_system, USUAL_ROWS, 0, 0 },
	{ 0 },
};

const struct wk_table_view *wk_table_view_find(const char *name)
{
	for (const struct wk_table_view *view = wk_table_views; view->name; view++)
		if (strcmp(view->name, name) == 0)
			return view;
	return NULL;
}
