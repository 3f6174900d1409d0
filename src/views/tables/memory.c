/* The tables of allocations and what is still allocated: memory and heap. */
#include "views/tables/internal.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "views/image_words.h"
#include "views/lifetimes.h"
#include "views/tree/flat.h"

/* One kind of allocations, added up. */
struct allocated {
	struct wk_lifetimes *rows, whole;
};

static struct allocated add_up(const struct wk_model *model, const struct wk_filter *filter,
			       const char *source, enum wk_lifetimes_by by,
			       const wk_function_id *functions, uint32_t count)
{
	struct allocated allocated = {
		.rows = wk_alloc_zeroed(count, sizeof(*allocated.rows)),
	};

	wk_lifetimes_add_up(model, filter, wk_lifetimes_source(model, source), by, functions,
			    allocated.rows, &allocated.whole);
	return allocated;
}

/* Those with any allocations, of the second kind alone if need be: most left first, then what there
 * was most of, or the other way round. */
static struct wk_ranked *rank(const struct allocated *first, const struct allocated *second,
			      bool by_total, uint32_t ids, uint32_t *count)
{
	struct wk_ranked *rows = wk_alloc(((size_t)ids + 1) * sizeof(*rows));

	*count = 0;
	for (uint32_t i = 0; i < ids; i++)
		if (first->rows[i].count || (second && second->rows[i].count))
			rows[(*count)++] = (struct wk_ranked){
				.weight = by_total ? first->rows[i].bytes
						   : first->rows[i].left_bytes,
				.id = i,
				.then = by_total ? first->rows[i].left_bytes
						 : first->rows[i].bytes,
			};
	qsort(rows, *count, sizeof(*rows), wk_tables_heavier_first);
	return rows;
}

/* The whole that rows are ranked by. */
static uint64_t ranked_whole(const struct allocated *allocated, bool by_total)
{
	return by_total ? allocated->whole.bytes : allocated->whole.left_bytes;
}

static void process(struct wk_table *table, const struct wk_model *model, wk_process_id id)
{
	wk_tables_pid(table, "pid", "pid", 0, id ? &model->processes[id] : NULL);
	wk_tables_name(table, "process", "process", model, model->processes[id].name);
}

/* Of a program that has ended nothing is left: of interest is what it had at its peak. */
static void add_picture(const struct wk_model *model, const struct wk_lifetimes *whole,
			const char *event, struct wk_buf *words)
{
	uint64_t begin_ns = wk_model_begin_ns(model);

	wk_buf_add_fmt(words, "`wick flame %s --by %s --outstanding", wk_model_input(model), event);
	if (whole->left_bytes || whole->peak_ns <= begin_ns || strcmp(event, "heap") == 0)
		wk_buf_add_text(words, "` draws what is outstanding");
	else
		wk_buf_add_fmt(words, " --time 0-%.9f` draws what was there at the peak",
			       (double)(whole->peak_ns - begin_ns) / 1e9);
}

void wk_tables_note_memory(struct wk_table *table, const struct wk_model *model,
			   const struct wk_lifetimes *whole, const char *event, const char *one,
			   const char *many)
{
	struct wk_buf words = { 0 };

	if (whole->count == 0 && whole->bytes == 0)
		return;
	wk_buf_add_text(&words, "in all ");
	wk_num_add_bytes(&words, whole->bytes);
	wk_buf_add_text(&words, whole->count ? " in " : "");
	if (whole->count)
		wk_num_add_counted(&words, whole->count, one, many);
	wk_buf_add_text(&words, ", ");
	wk_num_add_bytes(&words, whole->left_bytes);
	wk_buf_add_text(&words, " of it outstanding");
	if (whole->peak_bytes || !whole->bytes) {
		wk_buf_add_text(&words, "; at most ");
		wk_num_add_bytes(&words, whole->peak_bytes);
		wk_buf_add_text(&words, " were there at once");
	}
	wk_table_note(table, "%s", wk_buf_text(&words));
	wk_buf_reset(&words);
	add_picture(model, whole, event, &words);
	wk_table_note(table,
		      "`wick show %s %.*s%s --group pid,stack` shows the calls that allocated it, "
		      "%s",
		      wk_model_input(model), WK_STR_ARG(table->name),
		      strcmp(event, "reserve") == 0 ? " --by reserve" : "", wk_buf_text(&words));
	wk_buf_fini(&words);
}

void wk_tables_note_by_total(struct wk_table *table, const struct wk_model *model,
			     const struct wk_table_options *options)
{
	if (table->row_count && !options->by_total)
		wk_table_note(table,
			      "`wick show %s allocations --by-total` lists the functions that "
			      "allocated most first",
			      wk_model_input(model));
}

static void note_releases(struct wk_table *table, uint64_t count, const char *one, const char *many)
{
	struct wk_buf words = { 0 };

	if (count) {
		wk_num_add_counted(&words, count, one, many);
		wk_table_note(table, "%s", wk_buf_text(&words));
	}
	wk_buf_fini(&words);
}

bool wk_tables_count_blocks(const struct wk_model *model)
{
	for (wk_heap_id i = 1; i < model->heap_count; i++)
		if (model->heaps[i].counts_blocks)
			return true;
	return false;
}

void wk_tables_note_earlier_blocks(struct wk_table *table, const struct wk_model *model)
{
	struct wk_buf words = { 0 };
	uint32_t count = 0;

	for (wk_heap_id i = 1; i < model->heap_count; i++)
		count += model->heaps[i].was_there;
	if (!count)
		return;
	wk_num_add_counted(&words, count, " process", " processes");
	wk_table_note(table,
		      "%s ran before the recording: blocks allocated before then are missing",
		      wk_buf_text(&words));
	wk_buf_fini(&words);
}

void wk_tables_note_heaps(struct wk_table *table, const struct wk_model *model)
{
	struct wk_buf words = { 0 };

	wk_tables_note_earlier_blocks(table, model);
	if (model->samples_blocks && !model->sample_bytes)
		wk_table_note(table,
			      "sizes and numbers of blocks are estimates: only some blocks were "
			      "recorded (--heap-sample)");
	note_releases(table, model->heaps[0].unknown_frees,
		      " release of an unknown block, from before the recording or a fork, or "
		      "whose allocation was lost",
		      " releases of unknown blocks, from before the recording or a fork, or "
		      "whose allocations were lost");
	note_releases(table, model->heaps[0].missed_frees,
		      " release was missed: another block was allocated at the same address",
		      " releases were missed: other blocks were allocated at the same addresses");
	if (model->snapshot_count) {
		wk_num_add_counted(&words, model->snapshot_count, " snapshot", " snapshots");
		wk_table_note(table,
			      "%s: `wick show %s snapshots` lists %s, --snapshot N shows one",
			      wk_buf_text(&words), wk_model_input(model),
			      model->snapshot_count == 1 ? "it" : "them");
	}
	wk_buf_fini(&words);
}

/* Both kinds, by process or by function. */
struct mapped {
	const struct wk_model *model;
	struct allocated commit, reserve;
	bool is_reserve;  /* which is listed first */
	bool by_function; /* of one process */
	uint32_t ids;
};

static void mapped_by(struct wk_table *table, const struct mapped *mapped, uint32_t id)
{
	const struct wk_model *model = mapped->model;

	if (!mapped->by_function) {
		process(table, model, id);
		return;
	}
	wk_column_text(table, "image", "image", 7,
		       wk_image_name_of(model, model->functions[id].image));
	wk_tables_name(table, "function", "function", model, model->functions[id].name);
}

/* With --by reserve the columns of the two kinds change places. */
static void reserved_row(struct wk_table *table, const struct mapped *mapped, uint32_t id)
{
	const struct wk_model *model = mapped->model;
	const struct wk_lifetimes *life = &mapped->reserve.rows[id],
				  *committed = &mapped->commit.rows[id];

	wk_column_share(table, "percent", "%", life->left_bytes, mapped->reserve.whole.left_bytes);
	wk_column_number(table, WK_CELL_BYTES, "reserved_outstanding_bytes", "outstanding", 0,
			 life->left_bytes);
	wk_column_number(table, WK_CELL_COUNT, "outstanding_reserves", "reserves left", WK_DETAIL,
			 life->left_count);
	wk_column_number(table, WK_CELL_BYTES, "reserved_peak_bytes", "peak", 0, life->peak_bytes);
	wk_tables_moment(table, "reserved_peak_ns", "peak at", 6, model, life->peak_ns);
	wk_column_number(table, WK_CELL_BYTES, "reserved_bytes", "reserved", 0, life->bytes);
	wk_column_number(table, WK_CELL_COUNT, "reserves", "reserves", 5, life->count);
	wk_column_number(table, WK_CELL_BYTES, "outstanding_bytes", "committed", 0,
			 committed->left_bytes);
	wk_column_number(table, WK_CELL_BYTES, "peak_bytes", "committed peak", 4,
			 committed->peak_bytes);
	wk_column_number(table, WK_CELL_BYTES, "committed_bytes", "committed in all", WK_DETAIL,
			 committed->bytes);
	wk_column_number(table, WK_CELL_COUNT, "commits", "commits", WK_DETAIL, committed->count);
	mapped_by(table, mapped, id);
}

static void memory_row(struct wk_table *table, const struct mapped *mapped, uint32_t id)
{
	const struct wk_model *model = mapped->model;
	const struct wk_lifetimes *life = &mapped->commit.rows[id],
				  *reserved = &mapped->reserve.rows[id];

	wk_column_share(table, "percent", "%", life->left_bytes, mapped->commit.whole.left_bytes);
	wk_column_number(table, WK_CELL_BYTES, "outstanding_bytes", "outstanding", 0,
			 life->left_bytes);
	wk_column_number(table, WK_CELL_COUNT, "outstanding_commits", "commits left", WK_DETAIL,
			 life->left_count);
	wk_column_number(table, WK_CELL_BYTES, "peak_bytes", "peak", 0, life->peak_bytes);
	wk_tables_moment(table, "peak_ns", "peak at", 6, model, life->peak_ns);
	wk_column_number(table, WK_CELL_BYTES, "committed_bytes", "committed", 0, life->bytes);
	wk_column_number(table, WK_CELL_COUNT, "commits", "commits", 5, life->count);
	wk_column_number(table, WK_CELL_BYTES, "reserved_outstanding_bytes", "reserved", 0,
			 reserved->left_bytes);
	wk_column_number(table, WK_CELL_BYTES, "reserved_peak_bytes", "reserved peak", 4,
			 reserved->peak_bytes);
	wk_tables_moment(table, "reserved_peak_ns", "reserved peak at", WK_DETAIL, model,
			 reserved->peak_ns);
	wk_column_number(table, WK_CELL_BYTES, "reserved_bytes", "reserved in all", WK_DETAIL,
			 reserved->bytes);
	wk_column_number(table, WK_CELL_COUNT, "reserves", "reserves", WK_DETAIL, reserved->count);
	mapped_by(table, mapped, id);
}

/* Of the moment at which a process had the most in memory, as far as that was counted. */
static const struct wk_use_row *largest_use(const struct wk_model *model,
					    const struct wk_filter *filter)
{
	const struct wk_use_row *largest = NULL;

	for (uint32_t i = 0; i < model->use_count; i++) {
		const struct wk_use_row *row = &model->uses[i];

		if (wk_tables_has_use(model, filter, row) && row->use.anonymous_bytes &&
		    (!largest || row->use.working_set_bytes > largest->use.working_set_bytes))
			largest = row;
	}
	return largest;
}

static void add_part(struct wk_buf *words, const char *before, uint64_t bytes, const char *after)
{
	wk_buf_add_text(words, before);
	wk_num_add_bytes(words, bytes);
	wk_buf_add_text(words, after);
}

/* Committed is not resident, and what is resident was not always committed: files. */
static void note_resident(struct wk_table *table, const struct wk_model *model,
			  const struct wk_filter *filter)
{
	const struct wk_use_row *row = largest_use(model, filter);
	struct wk_buf words = { 0 };
	uint64_t peak = 0;

	if (!row)
		return;
	for (uint32_t i = 0; i < model->use_count; i++)
		if (model->uses[i].process == row->process &&
		    model->uses[i].use.peak_working_set_bytes > peak)
			peak = model->uses[i].use.peak_working_set_bytes;
	if (peak < row->use.working_set_bytes)
		peak = row->use.working_set_bytes;
	add_part(&words, "resident: at most ", peak, " of ");
	wk_buf_add_str(&words, wk_model_str(model, model->processes[row->process].name));
	add_part(&words, "; of ", row->use.working_set_bytes, ", when they were counted, ");
	add_part(&words, "", row->use.anonymous_bytes, " anonymous");
	add_part(&words, ", ", row->use.file_bytes, " of files, ");
	add_part(&words, "", row->use.shared_bytes, " shared");
	wk_table_note(table, "%s; `wick show %s counters` shows them over time",
		      wk_buf_text(&words), wk_model_input(model));
	wk_buf_fini(&words);
}

static bool is_of(const struct wk_model *model, const struct wk_filter *filter, const char *event)
{
	return wk_str_is(wk_model_str(model, model->sources[filter->source].name), event);
}

static void add_both(struct mapped *mapped, const struct wk_filter *filter, enum wk_lifetimes_by by,
		     const wk_function_id *functions)
{
	const struct wk_model *model = mapped->model;

	mapped->ids = functions ? model->function_count : model->process_count;
	mapped->commit = add_up(model, filter, "commit", by, functions, mapped->ids);
	mapped->reserve = add_up(model, filter, "reserve", by, functions, mapped->ids);
}

static void free_both(struct mapped *mapped)
{
	WK_FREE_ALL(mapped->commit.rows, mapped->reserve.rows);
}

/* The only process with memory in view; 0: there are others. */
static wk_process_id process_with_all(const struct mapped *mapped)
{
	wk_process_id only = 0;

	for (wk_process_id id = 1; id < mapped->ids; id++) {
		if (!mapped->commit.rows[id].count && !mapped->reserve.rows[id].count)
			continue;
		if (only)
			return 0;
		only = id;
	}
	return only;
}

/* One row would only repeat the sums below the table. */
static void split_process(struct wk_table *table, struct mapped *mapped,
			  const struct wk_filter *filter, const struct wk_table_options *options)
{
	const struct wk_model *model = mapped->model;
	wk_process_id only = process_with_all(mapped);
	wk_function_id *functions;

	if (!options->splits_process || !only)
		return;
	functions = wk_flat_functions(model, filter, &options->tree);
	free_both(mapped);
	add_both(mapped, filter, WK_LIFETIMES_FUNCTIONS, functions);
	wk_free(functions);
	mapped->by_function = table->names_functions = true;
	wk_table_note(table, "one process, %.*s (%u): its functions are listed",
		      WK_STR_ARG(wk_model_str(model, model->processes[only].name)),
		      model->processes[only].pid);
}

static void add_mapped(struct wk_table *table, const struct mapped *mapped,
		       const struct wk_table_options *options)
{
	const struct allocated *first = mapped->is_reserve ? &mapped->reserve : &mapped->commit;
	const struct allocated *second = mapped->is_reserve ? &mapped->commit : &mapped->reserve;
	void (*row)(struct wk_table *, const struct mapped *, uint32_t) =
		mapped->is_reserve ? reserved_row : memory_row;
	uint32_t count, shown;
	struct wk_ranked *rows = rank(first, second, options->by_total, mapped->ids, &count);

	row(table, mapped, 0);
	shown = wk_tables_limit_rows(table, options, rows, count,
				     ranked_whole(first, options->by_total),
				     mapped->by_function ? "function is" : "process is",
				     mapped->by_function ? "functions are" : "processes are");
	for (uint32_t i = 0; i < shown; i++) {
		wk_table_row(table);
		row(table, mapped, rows[i].id);
	}
	wk_free(rows);
}

void wk_tables_fill_memory(struct wk_table *table, const struct wk_model *model,
			   const struct wk_filter *filter, const struct wk_table_options *options)
{
	struct mapped mapped = { .model = model, .is_reserve = is_of(model, filter, "reserve") };

	add_both(&mapped, filter, WK_LIFETIMES_PROCESSES, NULL);
	split_process(table, &mapped, filter, options);
	add_mapped(table, &mapped, options);
	if (mapped.is_reserve)
		wk_tables_note_memory(table, model, &mapped.reserve.whole, "reserve", " reserve",
				      " reserves");
	else
		wk_tables_note_memory(table, model, &mapped.commit.whole, "commit", " commit",
				      " commits");
	note_resident(table, model, filter);
	free_both(&mapped);
}

static void heap_row(struct wk_table *table, const struct wk_model *model,
		     const struct allocated *blocks, const struct wk_block_lifetimes *ended,
		     uint32_t id)
{
	const struct wk_lifetimes *life = &blocks->rows[id];

	wk_column_share(table, "percent", "%", life->left_bytes, blocks->whole.left_bytes);
	wk_column_number(table, WK_CELL_BYTES, "outstanding_bytes", "outstanding", 0,
			 life->left_bytes);
	wk_column_number(table, WK_CELL_COUNT, "outstanding_blocks", "blocks", 1, life->left_count);
	wk_column_number(table, WK_CELL_BYTES, "peak_bytes", "peak", 0, life->peak_bytes);
	wk_tables_moment(table, "peak_ns", "peak at", 4, model, life->peak_ns);
	wk_column_number(table, WK_CELL_BYTES, "allocated_bytes", "allocated", 0, life->bytes);
	wk_column_number(table, WK_CELL_COUNT, "allocations", "allocations", 2, life->count);
	wk_column_number(table, WK_CELL_BYTES, "freed_bytes", "freed", 3,
			 life->bytes - life->left_bytes);
	wk_column_number(table, WK_CELL_COUNT, "frees", "frees", WK_DETAIL,
			 life->count - life->left_count);
	wk_column_number_if(table, WK_CELL_DURATION, "median_life_ns", "median life", 5,
			    ended->count, ended->median_ns);
	wk_column_number_if(table, WK_CELL_DURATION, "longest_life_ns", "longest life", 6,
			    ended->count, ended->longest_ns);
	wk_column_text(table, "heap", "heap", 0, wk_model_str(model, model->heaps[id].name));
	process(table, model, model->heaps[id].process);
}

static bool has_handles(const struct wk_model *model)
{
	for (wk_heap_id i = 1; i < model->heap_count; i++)
		if (model->heaps[i].handle)
			return true;
	return false;
}

void wk_tables_fill_heap(struct wk_table *table, const struct wk_model *model,
			 const struct wk_filter *filter, const struct wk_table_options *options)
{
	struct allocated blocks;
	struct wk_block_lifetimes *ended;
	struct wk_ranked *rows;
	uint32_t count, shown;

	if (!has_handles(model) || filter->span.is_given) {
		wk_tables_fill_allocations(table, model, filter, options);
		return;
	}
	blocks = add_up(model, filter, "heap", WK_LIFETIMES_HEAPS, NULL, model->heap_count);
	ended = wk_lifetimes_of_blocks(model, filter, wk_lifetimes_source(model, "heap"));
	rows = rank(&blocks, NULL, options->by_total, model->heap_count, &count);
	heap_row(table, model, &blocks, &ended[0], 0);
	shown = wk_tables_limit_rows(table, options, rows, count,
				     ranked_whole(&blocks, options->by_total), "heap is",
				     "heaps are");
	for (uint32_t i = 0; i < shown; i++) {
		wk_table_row(table);
		heap_row(table, model, &blocks, &ended[rows[i].id], rows[i].id);
	}
	wk_tables_note_memory(table, model, &blocks.whole, "heap", " allocation", " allocations");
	wk_tables_note_by_total(table, model, options);
	wk_tables_note_heaps(table, model);
	WK_FREE_ALL(rows, ended, blocks.rows);
}
