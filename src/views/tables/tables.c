#include "views/tables/internal.h"

#include <inttypes.h>

#include "base/num.h"
#include "views/source_line.h"

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
	WK_BUF_FINI_ALL(&number, &share);
}

void wk_tables_note_share(struct wk_table *table, const char *what, uint64_t part, uint64_t whole)
{
	struct wk_buf share = { 0 };

	if (part) {
		wk_num_add_share(&share, part, whole);
		wk_table_note(table, "%s %s", wk_buf_text(&share), what);
	}
	wk_buf_fini(&share);
}

bool wk_tables_weighs_samples(struct wk_str unit)
{
	return wk_str_is(unit, "samples");
}

void wk_tables_weight(struct wk_table *table, const char *what, struct wk_str unit, bool is_detail,
		      uint64_t weight)
{
	if (table->row_count) {
		wk_table_number(table, weight);
		return;
	}
	wk_table_weight_column(table, what, unit);
	if (is_detail)
		wk_table_detail(table);
}

void wk_tables_weight_detail(struct wk_table *table, const char *what, struct wk_str unit,
			     uint64_t weight)
{
	if (!wk_tables_weighs_samples(unit))
		wk_tables_weight(table, what, unit, !wk_str_is(unit, "bytes"), weight);
}

void wk_tables_samples(struct wk_table *table, const char *key, unsigned how,
		       const struct wk_model *model, const struct wk_filter *filter,
		       struct wk_str unit, uint64_t weight, uint64_t samples)
{
	static const char *const parts[] = { "self", "total" };
	struct wk_buf title = { 0 };

	if (table->row_count) {
		wk_table_number(table, wk_tables_weighs_samples(unit) ? weight : samples);
		return;
	}
	for (size_t i = 0; i < 2; i++)
		if (wk_str_starts(wk_str_c(key), parts[i]))
			wk_buf_add_fmt(&title, "%s ", parts[i]);
	wk_buf_add_fmt(&title, "%ss", wk_source_row_word(&model->sources[filter->source]));
	wk_column_number(table, WK_CELL_COUNT, key, wk_table_keep(table, wk_buf_str(&title)).at,
			 how, 0);
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
	wk_tables_note_hidden(table, count - shown == 1 ? one : many,
			      options->by_total ? "share of all allocated" : "%", count - shown,
			      weight, whole);
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

/* For samples, with all properties that follow. */
#define OF_SAMPLES \
	(WK_TABLE_HAS_SHARES | WK_TABLE_HAS_FILTERS | WK_TABLE_HAS_EVENTS | \
	 WK_TABLE_HAS_SNAPSHOTS | WK_TABLE_IS_OF_SAMPLES)
#define OF_CODE   (OF_SAMPLES | WK_TABLE_HAS_CODE)
#define OF_SYSTEM (OF_SAMPLES | WK_TABLE_IS_OF_SYSTEM)
#define OF_MEMORY \
	(WK_TABLE_HAS_SHARES | WK_TABLE_HAS_FILTERS | WK_TABLE_IS_OF_SAMPLES | WK_TABLE_HAS_CALLS | \
	 WK_TABLE_HAS_OWN_EVENTS | WK_TABLE_HAS_TOTALS)

#define EVENTS(...) (const char *const[]){ __VA_ARGS__, NULL }

static bool has_intervals(const struct wk_model *model)
{
	return model->interval_count > 0;
}

static bool has_marks(const struct wk_model *model)
{
	return model->mark_count > 0;
}

static bool has_counters(const struct wk_model *model)
{
	return model->use_count > 0;
}

static bool has_snapshots(const struct wk_model *model)
{
	return model->snapshot_count > 0;
}

static bool has_counts(const struct wk_model *model)
{
	return model->count_count > 0;
}

const struct wk_table_view wk_table_views[] = {
	{ .name = "functions", .summary = "functions by the time spent in them",
	  .fill = wk_tables_fill_functions, .usual_limit = USUAL_ROWS,
	  .usual_min_percent = USUAL_MIN_PERCENT,
	  .uses = OF_CODE | WK_TABLE_HAS_TOTALS | WK_TABLE_IS_DEFAULT },
	{ .name = "lines", .summary = "source lines by the time spent in them",
	  .fill = wk_tables_fill_lines, .usual_limit = USUAL_ROWS,
	  .usual_min_percent = USUAL_MIN_PERCENT, .uses = OF_CODE | WK_TABLE_HAS_TOTALS,
	  .has_content = wk_has_source_lines, .lacks = WK_ADVICE_NO_LINES },
	{ .name = "calls", .summary = "call tree", .other_name = "tree",
	  .fill = wk_tables_fill_tree, .usual_min_percent = USUAL_MIN_PERCENT,
	  .uses = OF_CODE | WK_TABLE_HAS_LEVELS | WK_TABLE_IS_CALLS },
	{ .name = "callers", .summary = "who called FUNCTION, as a tree",
	  .fill = wk_tables_fill_callers, .usual_min_percent = USUAL_MIN_PERCENT,
	  .uses = OF_CODE | WK_TABLE_IS_OF_FUNCTION },
	{ .name = "callees", .summary = "what FUNCTION called, as a tree",
	  .fill = wk_tables_fill_callees, .usual_min_percent = USUAL_MIN_PERCENT,
	  .uses = OF_CODE | WK_TABLE_IS_OF_FUNCTION },
	{ .name = "sandwich", .summary = "callers and callees of FUNCTION",
	  .fill = wk_tables_fill_sandwich, .usual_min_percent = USUAL_MIN_PERCENT,
	  .uses = OF_CODE | WK_TABLE_IS_OF_FUNCTION },
	{ .name = "processes", .summary = "processes with their times and command lines",
	  .fill = wk_tables_fill_processes, .usual_limit = USUAL_ROWS, .uses = OF_SYSTEM },
	{ .name = "process-tree",
	  .summary = "process tree with start times",
	  .fill = wk_tables_fill_process_tree, .uses = OF_SYSTEM },
	{ .name = "threads", .summary = "threads of all processes",
	  .fill = wk_tables_fill_threads, .usual_limit = USUAL_ROWS, .uses = OF_SYSTEM },
	{ .name = "waits", .summary = "what threads waited for, how long, and what ended the wait",
	  .fill = wk_tables_fill_waits, .usual_limit = USUAL_ROWS,
	  .uses = WK_TABLE_HAS_SHARES | WK_TABLE_HAS_TIMES | WK_TABLE_HAS_SAMPLES |
		  WK_TABLE_IS_OF_INTERVALS | WK_TABLE_HAS_CALLS | WK_TABLE_EXPECTS_ROWS,
	  .events = EVENTS("wait", "ready"), .has_content = has_intervals,
	  .lacks = WK_ADVICE_NO_WAITS },
	{ .name = "images", .summary = "programs and libraries, and the source of their names",
	  .fill = wk_tables_fill_images, .usual_limit = USUAL_ROWS,
	  .uses = OF_SYSTEM | WK_TABLE_HAS_TOTALS | WK_TABLE_HAS_CODE, .other_name = "modules" },
	{ .name = "memory", .summary = "memory that processes committed and reserved or, if there is "
	  "only one, its functions",
	  .fill = wk_tables_fill_memory, .usual_limit = USUAL_ROWS, .uses = OF_MEMORY,
	  .events = EVENTS("commit", "reserve"), .lacks = WK_ADVICE_NO_MEMORY },
	{ .name = "counters", .summary = "memory of processes over time: resident, shared, swapped",
	  .fill = wk_tables_fill_counters, .usual_limit = USUAL_ROWS,
	  .uses = WK_TABLE_HAS_TIMES | WK_TABLE_HAS_SAMPLES,
	  .has_content = has_counters, .lacks = WK_ADVICE_NO_COUNTERS },
	{ .name = "heap", .summary = "memory allocated from each heap or, if there is only one, "
	  "by each function",
	  .fill = wk_tables_fill_heap, .usual_limit = USUAL_ROWS,
	  .uses = OF_MEMORY | WK_TABLE_HAS_CODE | WK_TABLE_HAS_PEAKS |
		  WK_TABLE_HAS_SNAPSHOTS,
	  .events = EVENTS("heap"), .lacks = WK_ADVICE_NO_HEAPS },
	{ .name = "leaks", .summary = "functions that allocated heap blocks which were never freed",
	  .fill = wk_tables_fill_leaks, .usual_limit = USUAL_ROWS,
	  .uses = OF_MEMORY | WK_TABLE_HAS_CODE | WK_TABLE_HAS_SNAPSHOTS | WK_TABLE_IS_OF_LEFT,
	  .events = EVENTS("heap"), .lacks = WK_ADVICE_NO_HEAPS },
	{ .name = "allocations",
	  .summary = "functions that allocated heap blocks, and what is left of them",
	  .fill = wk_tables_fill_allocations, .usual_limit = USUAL_ROWS,
	  .uses = OF_MEMORY | WK_TABLE_HAS_CODE | WK_TABLE_HAS_SNAPSHOTS,
	  .events = EVENTS("heap"), .lacks = WK_ADVICE_NO_HEAPS },
	{ .name = "snapshots", .summary = "moments whose heap blocks can be shown",
	  .fill = wk_tables_fill_snapshots, .uses = WK_TABLE_HAS_TIMES,
	  .has_content = has_snapshots, .lacks = WK_ADVICE_NO_SNAPSHOTS },
	{ .name = "marks", .summary = "named moments",
	  .fill = wk_tables_fill_marks, .uses = WK_TABLE_HAS_TIMES, .has_content = has_marks,
	  .lacks = WK_ADVICE_NO_MARKS },
	{ .name = "events",
	  .summary = "number of records of each kind, and which are used",
	  .fill = wk_tables_fill_counts, .has_content = has_counts,
	  .lacks = WK_ADVICE_NO_COUNTS },
	{ .name = "system", .summary = "machine, recording and notes",
	  .fill = wk_tables_fill_system, .usual_limit = USUAL_ROWS },
	{ 0 },
};

const struct wk_table_view *wk_table_view_find(const char *name)
{
	for (const struct wk_table_view *view = wk_table_views; view->name; view++)
		if (strcmp(view->name, name) == 0 ||
		    (view->other_name && strcmp(view->other_name, name) == 0))
			return view;
	return NULL;
}

const struct wk_table_view *wk_table_view_with(enum wk_table_use use)
{
	const struct wk_table_view *view = wk_table_views;

	while (view->name && !(view->uses & use))
		view++;
	return view;
}
