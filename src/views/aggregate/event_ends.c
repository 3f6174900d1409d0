/* What was freed of an event's rows, in the two orders in which it is counted. */
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "views/aggregate/internal.h"
#include "views/snapshots.h"

#define NO_ROW UINT32_MAX

/* By sample: the event's row. */
static uint32_t *rows_of_samples(const struct wk_event_rows *rows)
{
	size_t count = rows->model->samples.count;
	uint32_t *row_of = wk_alloc_table((count + 1) * sizeof(*row_of));

	memset(row_of, 0xff, (count + 1) * sizeof(*row_of)); /* NO_ROW */
	for (uint32_t i = 0; i < rows->count; i++)
		row_of[wk_event_row_sample(rows, i)] = i;
	return row_of;
}

/* The ends of the event's rows, by number or by time. */
static struct wk_sort_key *find_ends(const struct wk_model *model, const uint32_t *row_of,
				     bool by_time, uint32_t *count)
{
	struct wk_sort_key *keys = wk_alloc_table(((size_t)model->end_count + 1) * sizeof(*keys));
	bool is_sorted = true;
	uint64_t last = 0;

	*count = 0;
	for (uint32_t i = 0; i < model->end_count; i++) {
		uint64_t key = by_time ? model->ends[i].time_ns : i;

		if (row_of[model->ends[i].sample] == NO_ROW || (by_time && model->ends[i].is_left))
			continue;
		is_sorted &= key >= last;
		last = key;
		keys[(*count)++] = (struct wk_sort_key){ key, i };
	}
	if (!is_sorted)
		wk_sort_keys(keys, *count);
	return keys;
}

/* A walk through ends with what is left of each row. */
struct walk {
	uint64_t *bytes, *blocks;
	bool counts_blocks; /* else a row is one */
};

static void start_walk(struct walk *walk, const struct wk_event_rows *rows)
{
	size_t count = (size_t)rows->count + 1;

	walk->counts_blocks = wk_left_counts_blocks(rows->model);
	walk->bytes = wk_alloc_table(count * sizeof(*walk->bytes));
	walk->blocks = wk_alloc_table(count * sizeof(*walk->blocks));
	for (uint32_t i = 0; i < rows->count; i++) {
		walk->bytes[i] = wk_number_at(&rows->weight, i);
		walk->blocks[i] = walk->bytes[i] ? wk_number_at(&rows->times, i) : 0;
	}
}

static uint64_t take(uint64_t *left, uint64_t count)
{
	uint64_t taken = count < *left ? count : *left;

	*left -= taken;
	return taken;
}

/* What an end takes of its row. */
static void end_row(struct walk *walk, uint32_t row, const struct wk_end *end, uint64_t *weight,
		    uint64_t *times)
{
	*weight = take(&walk->bytes[row], end->weight);
	*times = take(&walk->blocks[row], walk->bytes[row] == 0 ? UINT64_MAX
					  : walk->counts_blocks ? end->times
								: 0);
}

static void fill_ends(struct wk_event_ends *ends, const struct wk_event_rows *rows,
		      const uint32_t *row_of, bool by_time)
{
	const struct wk_model *model = rows->model;
	struct wk_sort_key *keys = find_ends(model, row_of, by_time, &ends->count);
	size_t count = (size_t)ends->count + 1;
	uint64_t *weight = wk_alloc_table(count * sizeof(*weight));
	uint64_t *times = wk_alloc_table(count * sizeof(*times));
	struct walk walk;

	ends->row = wk_alloc_table(count * sizeof(*ends->row));
	ends->time_ns = wk_alloc_table(count * sizeof(*ends->time_ns));
	ends->number = wk_alloc_table(count * sizeof(*ends->number));
	start_walk(&walk, rows);
	for (uint32_t i = 0; i < ends->count; i++) {
		const struct wk_end *end = &model->ends[keys[i].row];

		ends->row[i] = row_of[end->sample];
		ends->time_ns[i] = i && end->time_ns < ends->time_ns[i - 1] ? ends->time_ns[i - 1]
									    : end->time_ns;
		ends->number[i] = keys[i].row;
		end_row(&walk, ends->row[i], end, &weight[i], &times[i]);
	}
	ends->weight = wk_number_column_of(weight, ends->count);
	ends->times = wk_number_column_of(times, ends->count);
	WK_FREE_ALL(keys, weight, times, walk.bytes, walk.blocks);
}

static bool has_left(const struct wk_model *model)
{
	for (uint32_t i = 0; i < model->end_count; i++)
		if (model->ends[i].is_left)
			return true;
	return false;
}

/* Few recordings need the second order: for snapshots, and for levels over time. */
void wk_event_ends_init(struct wk_event_rows *rows)
{
	uint32_t *row_of = rows_of_samples(rows);

	fill_ends(&rows->by_time, rows, row_of, true);
	if (rows->model->snapshot_count || has_left(rows->model))
		fill_ends(&rows->by_number, rows, row_of, false);
	wk_free(row_of);
}

static void free_ends(struct wk_event_ends *ends)
{
	wk_number_column_fini(&ends->weight);
	wk_number_column_fini(&ends->times);
	WK_FREE_ALL(ends->row, ends->time_ns, ends->number);
}

void wk_event_ends_fini(struct wk_event_rows *rows)
{
	free_ends(&rows->by_time);
	free_ends(&rows->by_number);
}
