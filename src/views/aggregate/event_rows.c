#include "views/aggregate/event_rows.h"

#include <assert.h>
#include <string.h>

#include "base/mem.h"
#include "base/sort.h"
#include "views/aggregate/internal.h"

/* ---- columns of numbers */

struct wk_number_column wk_number_column_of(const uint64_t *values, uint32_t count)
{
	struct wk_number_column column = { .same = count ? values[0] : 0 };
	uint64_t most = 0, others = 0;
	uint32_t *narrow;

	for (uint32_t i = 0; i < count; i++) {
		most = values[i] > most ? values[i] : most;
		others |= values[i] ^ column.same;
	}
	if (!others)
		return column;
	if (most > UINT32_MAX) {
		column.own = wk_alloc_table(count * sizeof(*values));
		memcpy(column.own, values, count * sizeof(*values));
		column.wide = column.own;
		return column;
	}
	column.own = narrow = wk_alloc_table(count * sizeof(*narrow));
	for (uint32_t i = 0; i < count; i++)
		narrow[i] = (uint32_t)values[i];
	column.narrow = narrow;
	return column;
}

void wk_number_column_fini(struct wk_number_column *column)
{
	wk_free(column->own);
	*column = (struct wk_number_column){ 0 };
}

/* ---- which rows, and their order */

static bool is_sorted(const uint64_t *numbers, uint32_t count)
{
	for (uint32_t i = 1; i < count; i++)
		if (numbers[i] < numbers[i - 1])
			return false;
	return true;
}

/* The samples in view; NULL if all are. */
static uint32_t *samples_in_view(const struct wk_model *model, const struct wk_filter *filter,
				 uint32_t *count)
{
	uint32_t *samples = wk_alloc_table((size_t)model->samples.count * sizeof(*samples) + 1);

	*count = 0;
	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_has(filter, i))
			samples[(*count)++] = i;
	if (*count < model->samples.count)
		return samples;
	wk_free(samples);
	return NULL;
}

/* Sets `sample` to the rows in order of time; those of one time stay as they are. */
static void sort_rows(struct wk_event_rows *rows, const uint64_t *times)
{
	struct wk_sort_key *keys = wk_alloc_table((size_t)rows->count * sizeof(*keys));

	for (uint32_t i = 0; i < rows->count; i++)
		keys[i] = (struct wk_sort_key){ times[i], wk_event_row_sample(rows, i) };
	wk_sort_keys(keys, rows->count);
	if (!rows->sample)
		rows->sample = wk_alloc_table((size_t)rows->count * sizeof(*rows->sample));
	for (uint32_t i = 0; i < rows->count; i++)
		rows->sample[i] = keys[i].row;
	wk_free(keys);
}

static uint64_t *gathered(const struct wk_event_rows *rows, const uint64_t *of_samples)
{
	uint64_t *values = wk_alloc_table((size_t)rows->count * sizeof(*values) + 1);

	for (uint32_t i = 0; i < rows->count; i++)
		values[i] = of_samples[wk_event_row_sample(rows, i)];
	return values;
}

static void set_order(struct wk_event_rows *rows)
{
	const uint64_t *times = rows->model->samples.time_ns;

	rows->keeps_order = true;
	if (!times)
		return;
	if (rows->sample)
		times = rows->own_time_ns = gathered(rows, times);
	if (!is_sorted(times, rows->count)) {
		rows->keeps_order = false;
		sort_rows(rows, times);
		wk_free(rows->own_time_ns);
		times = rows->own_time_ns = gathered(rows, rows->model->samples.time_ns);
	}
	rows->time_ns = times;
}

static struct wk_number_column weights_of(const struct wk_event_rows *rows)
{
	const uint64_t *weights = rows->model->samples.weight;
	uint64_t *own = rows->sample ? gathered(rows, weights) : NULL;
	struct wk_number_column column = wk_number_column_of(own ? own : weights, rows->count);

	wk_free(own);
	return column;
}

/* Mostly a row is one sample. */
static struct wk_number_column times_of(const struct wk_event_rows *rows)
{
	const struct wk_model *model = rows->model;
	struct wk_number_column column;
	uint64_t *times;

	if (!model->samples.times && !model->sources[rows->source].counts_samples &&
	    !model->sources[rows->before_source].counts_samples)
		return (struct wk_number_column){ .same = 1 };
	times = wk_alloc_table((size_t)rows->count * sizeof(*times) + 1);
	for (uint32_t i = 0; i < rows->count; i++)
		times[i] = wk_model_sample_times(model, wk_event_row_sample(rows, i));
	column = wk_number_column_of(times, rows->count);
	wk_free(times);
	return column;
}

struct wk_event_rows *wk_event_rows_new(const struct wk_model *model,
					const struct wk_filter *filter)
{
	struct wk_event_rows *rows = wk_alloc_zeroed(1, sizeof(*rows));

	assert(!filter->weights);
	rows->model = model;
	rows->source = filter->source;
	rows->before_source = filter->before_source;
	rows->has_lifetimes = model->sources[filter->source].has_lifetimes ||
			      model->sources[filter->before_source].has_lifetimes;
	rows->sample = samples_in_view(model, filter, &rows->count);
	set_order(rows);
	rows->weight = weights_of(rows);
	rows->times = times_of(rows);
	if (rows->has_lifetimes)
		wk_event_ends_init(rows);
	return rows;
}

void wk_event_rows_free(struct wk_event_rows *rows)
{
	if (!rows)
		return;
	wk_event_ends_fini(rows);
	wk_number_column_fini(&rows->weight);
	wk_number_column_fini(&rows->times);
	WK_FREE_ALL(rows->sample, rows->own_time_ns, rows);
}

/* ---- filters */

static bool is_on_side(const struct wk_samples *samples, uint32_t sample, enum wk_span_side side)
{
	bool is_before = samples->is_before && samples->is_before[sample];

	return side == WK_SPAN_OF_ALL || is_before == (side == WK_SPAN_BEFORE);
}

uint64_t *wk_event_rows_in_view(const struct wk_event_rows *rows, const struct wk_filter *filter,
				enum wk_span_side side)
{
	uint64_t *bits = wk_alloc_zeroed((size_t)rows->count / 64 + 1, sizeof(*bits));

	for (uint32_t i = 0; i < rows->count; i++) {
		uint32_t sample = wk_event_row_sample(rows, i);
		bool is_in_view = wk_filter_has(filter, sample) &&
				  is_on_side(&rows->model->samples, sample, side);

		bits[i / 64] |= (uint64_t)is_in_view << (i % 64);
	}
	return bits;
}
