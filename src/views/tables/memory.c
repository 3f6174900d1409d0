/* The tables of allocations and what is still allocated: memory and heap. */
#include "views/tables/internal.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "views/lifetimes.h"

/* One kind of allocations, added up. */
struct allocated {
	struct wk_lifetimes *rows, whole;
};

static struct allocated add_up(const struct wk_model *model, const struct wk_filter *filter,
			       const char *source, enum wk_lifetimes_by by, uint32_t count)
{
	struct allocated allocated = {
		.rows = wk_alloc_zeroed(count, sizeof(*allocated.rows)),
	};

	wk_lifetimes_add_up(model, filter, wk_lifetimes_source(model, source), by, allocated.rows,
			    &allocated.whole);
	return allocated;
}

/* Those with any allocations, of the second kind alone if need be: most left first, then what there
 * was most of. */
static struct wk_ranked *rank(const struct allocated *first, const struct allocated *second,
			      uint32_t ids, uint32_t *count)
{
	struct wk_ranked *rows = wk_alloc(((size_t)ids + 1) * sizeof(*rows));

	*count = 0;
	for (uint32_t i = 0; i < ids; i++)
		if (first->rows[i].count || (second && second->rows[i].count))
			rows[(*count)++] = (struct wk_ranked){
				.weight = first->rows[i].left_bytes,
				.id = i,
				.then = first->rows[i].bytes,
			};
	qsort(rows, *count, sizeof(*rows), wk_tables_heavier_first);
	return rows;
}

static void life_cells(struct wk_table *table, const struct wk_model *model,
		       const struct wk_lifetimes *life, const struct wk_lifetimes *whole)
{
	wk_table_share(table, life->left_bytes, whole->left_bytes);
	wk_table_number(table, life->left_bytes);
	wk_table_number(table, life->left_count);
	wk_table_number(table, life->peak_bytes);
	if (life->count)
		wk_tables_time_cell(table, model, life->peak_ns);
	else
		wk_table_none(table);
	wk_table_number(table, life->bytes);
	wk_table_number(table, life->count);
}

static void process_cells(struct wk_table *table, const struct wk_model *model, wk_process_id id)
{
	const struct wk_process *process = &model->processes[id];

	if (id)
		wk_tables_pid_cell(table, process);
	else
		wk_table_none(table);
	wk_table_text(table, wk_tables_or_else(wk_model_str(model, process->name), "(unknown)"));
}

/* "in all 12.3 MB in 40 commits, of which 1.2 MB are outstanding; at most 4 MB were there at once"
 */
static void note_whole(struct wk_table *table, const struct wk_lifetimes *whole, const char *event,
		       const char *one, const char *many)
{
	struct wk_buf words = { 0 };

	if (whole->count == 0)
		return;
	wk_buf_add_text(&words, "in all ");
	wk_num_add_bytes(&words, whole->bytes);
	wk_buf_add_text(&words, " in ");
	wk_num_add_counted(&words, whole->count, one, many);
	wk_buf_add_text(&words, ", ");
	wk_num_add_bytes(&words, whole->left_bytes);
	wk_buf_add_text(&words, " of it outstanding; at most ");
	wk_num_add_bytes(&words, whole->peak_bytes);
	wk_buf_add_text(&words, " were there at once");
	wk_table_note(table, "%s", wk_buf_text(&words));
	wk_table_note(table,
		      "`wick show FILE %.*s --group pid,stack` shows the calls that allocated it, "
		      "`wick flame FILE --by %s --outstanding` draws what is outstanding",
		      WK_STR_ARG(table->name), event);
	wk_buf_fini(&words);
}

static void memory_columns(struct wk_table *table)
{
	wk_table_column(table, WK_CELL_SHARE, "percent", "%");
	wk_table_column(table, WK_CELL_BYTES, "outstanding_bytes", "outstanding");
	wk_table_detail_column(table, WK_CELL_COUNT, "outstanding_commits", "commits left");
	wk_table_column(table, WK_CELL_BYTES, "peak_bytes", "peak");
	wk_table_column(table, WK_CELL_MOMENT, "peak_ns", "peak at");
	wk_table_spare(table, 6);
	wk_table_column(table, WK_CELL_BYTES, "committed_bytes", "committed");
	wk_table_column(table, WK_CELL_COUNT, "commits", "commits");
	wk_table_spare(table, 5);
	wk_table_column(table, WK_CELL_BYTES, "reserved_outstanding_bytes", "reserved");
	wk_table_detail_column(table, WK_CELL_BYTES, "reserved_bytes", "reserved in all");
	wk_table_detail_column(table, WK_CELL_COUNT, "reserves", "reserves");
	wk_table_column(table, WK_CELL_NUMBER, "pid", "pid");
	wk_table_column(table, WK_CELL_TEXT, "process", "process");
}

void wk_tables_fill_memory(struct wk_table *table, const struct wk_model *model,
			   const struct wk_filter *filter, const struct wk_table_options *options)
{
	struct allocated commit =
		add_up(model, filter, "commit", WK_LIFETIMES_PROCESSES, model->process_count);
	struct allocated reserve =
		add_up(model, filter, "reserve", WK_LIFETIMES_PROCESSES, model->process_count);
	uint32_t count, shown;
	struct wk_ranked *rows = rank(&commit, &reserve, model->process_count, &count);

	memory_columns(table);
	shown = wk_tables_limit_rows(table, options, rows, count, commit.whole.left_bytes,
				     "process is", "processes are");
	for (uint32_t i = 0; i < shown; i++) {
		const struct wk_lifetimes *reserved = &reserve.rows[rows[i].id];

		wk_table_row(table);
		life_cells(table, model, &commit.rows[rows[i].id], &commit.whole);
		wk_table_number(table, reserved->left_bytes);
		wk_table_number(table, reserved->bytes);
		wk_table_number(table, reserved->count);
		process_cells(table, model, rows[i].id);
	}
	note_whole(table, &commit.whole, "commit", " commit", " commits");
	WK_FREE_ALL(rows, commit.rows, reserve.rows);
}

static void heap_columns(struct wk_table *table)
{
	wk_table_column(table, WK_CELL_SHARE, "percent", "%");
	wk_table_column(table, WK_CELL_BYTES, "outstanding_bytes", "outstanding");
	wk_table_column(table, WK_CELL_COUNT, "outstanding_blocks", "blocks");
	wk_table_spare(table, 1);
	wk_table_column(table, WK_CELL_BYTES, "peak_bytes", "peak");
	wk_table_column(table, WK_CELL_MOMENT, "peak_ns", "peak at");
	wk_table_spare(table, 4);
	wk_table_column(table, WK_CELL_BYTES, "allocated_bytes", "allocated");
	wk_table_column(table, WK_CELL_COUNT, "allocations", "allocations");
	wk_table_spare(table, 2);
	wk_table_column(table, WK_CELL_BYTES, "freed_bytes", "freed");
	wk_table_spare(table, 3);
	wk_table_detail_column(table, WK_CELL_COUNT, "frees", "frees");
	wk_table_column(table, WK_CELL_DURATION, "median_life_ns", "median life");
	wk_table_spare(table, 5);
	wk_table_column(table, WK_CELL_DURATION, "longest_life_ns", "longest life");
	wk_table_spare(table, 6);
	wk_table_column(table, WK_CELL_TEXT, "heap", "heap");
	wk_table_column(table, WK_CELL_NUMBER, "pid", "pid");
	wk_table_column(table, WK_CELL_TEXT, "process", "process");
}

static void block_cells(struct wk_table *table, const struct wk_block_lifetimes *lives)
{
	if (lives->count) {
		wk_table_number(table, lives->median_ns);
		wk_table_number(table, lives->longest_ns);
	} else {
		wk_table_none(table);
		wk_table_none(table);
	}
}

void wk_tables_fill_heap(struct wk_table *table, const struct wk_model *model,
			 const struct wk_filter *filter, const struct wk_table_options *options)
{
	struct allocated blocks =
		add_up(model, filter, "heap", WK_LIFETIMES_HEAPS, model->heap_count);
	struct wk_block_lifetimes *lives =
		wk_lifetimes_of_blocks(model, filter, wk_lifetimes_source(model, "heap"));
	uint32_t count, shown;
	struct wk_ranked *rows = rank(&blocks, NULL, model->heap_count, &count);

	heap_columns(table);
	shown = wk_tables_limit_rows(table, options, rows, count, blocks.whole.left_bytes,
				     "heap is", "heaps are");
	for (uint32_t i = 0; i < shown; i++) {
		const struct wk_lifetimes *life = &blocks.rows[rows[i].id];

		wk_table_row(table);
		life_cells(table, model, life, &blocks.whole);
		wk_table_number(table, life->bytes - life->left_bytes);
		wk_table_number(table, life->count - life->left_count);
		block_cells(table, &lives[rows[i].id]);
		wk_table_text(table, wk_model_str(model, model->heaps[rows[i].id].name));
		process_cells(table, model, model->heaps[rows[i].id].process);
	}
	note_whole(table, &blocks.whole, "heap", " allocation", " allocations");
	WK_FREE_ALL(rows, lives, blocks.rows);
}
