#include "views/aggregate/selection.h"

#include <string.h>

#include "base/bisect.h"
#include "base/mem.h"
#include "views/aggregate/internal.h"

/* How many of sorted times are before a moment. */
static uint32_t before(const uint64_t *time_ns, uint32_t count, uint64_t moment_ns)
{
	uint32_t low = 0, high = time_ns ? count : 0;

	if (!time_ns)
		return moment_ns ? count : 0;
	WK_BISECT(low, high, time_ns[middle] < moment_ns);
	return low;
}

static uint32_t up_to(const uint64_t *time_ns, uint32_t count, uint64_t moment_ns)
{
	return moment_ns == UINT64_MAX ? count : before(time_ns, count, moment_ns + 1);
}

static uint32_t smaller_numbers(const uint32_t *numbers, uint32_t count, uint32_t number)
{
	uint32_t low = 0, high = count;

	if (!numbers)
		return number < count ? number : count;
	WK_BISECT(low, high, numbers[middle] < number);
	return low;
}

/* ---- bits of the selection's own, if a range of rows is not enough */

static uint64_t *own_bits(struct wk_selected_rows *selected, const struct wk_event_rows *rows)
{
	size_t size = ((size_t)rows->count / 64 + 1) * sizeof(*selected->own_bits);

	if (selected->own_bits)
		return selected->own_bits;
	selected->own_bits = wk_alloc(size);
	if (selected->bits)
		memcpy(selected->own_bits, selected->bits, size);
	else
		memset(selected->own_bits, 0xff, size);
	selected->bits = selected->own_bits;
	return selected->own_bits;
}

static void clear_bit(uint64_t *bits, uint32_t row, bool is_out)
{
	bits[row / 64] &= ~((uint64_t)is_out << (row % 64));
}

static void keep_process(struct wk_selected_rows *selected, const struct wk_event_rows *rows,
			 wk_process_id process)
{
	const struct wk_model *model = rows->model;
	uint64_t *bits = own_bits(selected, rows);

	for (uint32_t i = 0; i < rows->count; i++) {
		wk_thread_id thread =
			wk_sample_thread(&model->samples, wk_event_row_sample(rows, i));

		clear_bit(bits, i, model->threads[thread].process != process);
	}
}

/* Rows of these samples. */
static void keep_samples(struct wk_selected_rows *selected, const struct wk_event_rows *rows,
			 uint32_t first, uint32_t end)
{
	uint64_t *bits = own_bits(selected, rows);

	for (uint32_t i = 0; i < rows->count; i++) {
		uint32_t sample = wk_event_row_sample(rows, i);

		clear_bit(bits, i, sample < first || sample >= end);
	}
}

/* ---- ranges */

static const struct wk_span *span_of(const struct wk_row_selection *selection)
{
	return selection->span && selection->span->is_given ? selection->span : NULL;
}

static void keep_span(struct wk_selected_rows *selected, const struct wk_event_rows *rows,
		      const struct wk_row_selection *selection)
{
	const struct wk_span *span = span_of(selection);
	bool is_gone = selection->measure == WK_MEASURE_GONE;
	uint32_t first = is_gone ? 0 : span->from.at_row;
	uint32_t end = is_gone ? span->from.at_row : span->to.at_row;

	if (span->process)
		keep_process(selected, rows, span->process);
	if (rows->keeps_order) {
		uint32_t low = smaller_numbers(rows->sample, rows->count, first);
		uint32_t high = smaller_numbers(rows->sample, rows->count, end);

		selected->low = low > selected->low ? low : selected->low;
		selected->high = high < selected->high ? high : selected->high;
	} else {
		keep_samples(selected, rows, first, end);
	}
}

static void keep_ends_of_span(struct wk_selected_rows *selected, const struct wk_span *span,
			      bool is_gone)
{
	const struct wk_event_ends *ends = selected->ends;
	uint32_t high = smaller_numbers(ends->number, ends->count, span->to.at_end);
	uint32_t low = smaller_numbers(ends->number, ends->count, span->from.at_end);

	selected->end_high = high < selected->end_high ? high : selected->end_high;
	if (is_gone && low > selected->end_low)
		selected->end_low = low;
}

static void choose_ends(struct wk_selected_rows *selected, const struct wk_event_rows *rows,
			const struct wk_row_selection *selection)
{
	const struct wk_span *span = span_of(selection);
	bool is_gone = selection->measure == WK_MEASURE_GONE;
	const struct wk_event_ends *ends = span ? &rows->by_number : &rows->by_time;

	selected->ends = ends;
	selected->sign = is_gone ? 1 : -1;
	if (selection->measure == WK_MEASURE_ALL || !rows->has_lifetimes)
		return;
	selected->end_high = ends->count;
	if (!span || selection->ends_have_time) {
		selected->end_high = up_to(ends->time_ns, ends->count, selection->to_ns);
		if (is_gone)
			selected->end_low = before(ends->time_ns, ends->count, selection->from_ns);
	}
	if (span)
		keep_ends_of_span(selected, span, is_gone);
}

void wk_selected_rows_init(struct wk_selected_rows *selected, const struct wk_event_rows *rows,
			   const struct wk_row_selection *selection)
{
	bool is_gone = selection->measure == WK_MEASURE_GONE;

	*selected = (struct wk_selected_rows){ .high = rows->count, .bits = selection->bits };
	/* What is freed in the time in view may have begun at any time. */
	if (!is_gone) {
		selected->low = before(rows->time_ns, rows->count, selection->from_ns);
		selected->high = up_to(rows->time_ns, rows->count, selection->to_ns);
	}
	if (span_of(selection))
		keep_span(selected, rows, selection);
	if (selected->high < selected->low)
		selected->high = selected->low;
	selected->of_ends_low = selected->low;
	selected->of_ends_high = selected->high;
	if (is_gone)
		selected->high = selected->low;
	choose_ends(selected, rows, selection);
	if (selected->end_high < selected->end_low)
		selected->end_high = selected->end_low;
}

void wk_selected_rows_fini(struct wk_selected_rows *selected)
{
	wk_free(selected->own_bits);
}
