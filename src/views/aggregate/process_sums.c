#include "views/aggregate/process_sums.h"

#include <string.h>

#include "base/mem.h"
#include "views/aggregate/internal.h"

static wk_process_id process_of(const struct wk_event_rows *rows, uint32_t row)
{
	const struct wk_model *model = rows->model;

	return model->threads[wk_sample_thread(&model->samples, wk_event_row_sample(rows, row))]
		.process;
}

/* A row that is added, or an end of one. */
struct part {
	uint32_t row;
	uint64_t time_ns;
	int64_t weight, times;
};

typedef void add_part(void *context, const struct part *part);

static void each_part(const struct wk_event_rows *rows, const struct wk_row_selection *selection,
		      add_part *add, void *context)
{
	struct wk_selected_rows s;

	wk_selected_rows_init(&s, rows, selection);
	for (uint32_t row = wk_row_next(s.bits, s.low, s.high); row < s.high;
	     row = wk_row_next(s.bits, row + 1, s.high))
		add(context, &(struct part){ row, wk_event_row_time(rows, row),
					     (int64_t)wk_number_at(&rows->weight, row),
					     (int64_t)wk_number_at(&rows->times, row) });
	for (uint32_t i = s.end_low; i < s.end_high; i++)
		if (wk_selected_end(&s, i))
			add(context, &(struct part){
				s.ends->row[i], s.ends->time_ns[i],
				s.sign * (int64_t)wk_number_at(&s.ends->weight, i),
				s.sign * (int64_t)wk_number_at(&s.ends->times, i) });
	wk_selected_rows_fini(&s);
}

/* ---- sums */

struct summing {
	const struct wk_event_rows *rows;
	bool skips_empty; /* blocks without bytes are not outstanding */
	struct wk_process_sum *sums;
};

static void add_to_sum(void *context, const struct part *part)
{
	struct summing *s = context;
	struct wk_process_sum *sum = &s->sums[process_of(s->rows, part->row)];

	sum->weight += part->weight;
	sum->times += part->weight || !s->skips_empty ? part->times : 0;
}

void wk_process_sums(const struct wk_event_rows *rows, const struct wk_row_selection *selection,
		     struct wk_process_sum *sums)
{
	struct summing s = { rows,
			     rows->has_lifetimes && selection->measure == WK_MEASURE_OUTSTANDING,
			     sums };

	memset(sums, 0, rows->model->process_count * sizeof(*sums));
	each_part(rows, selection, add_to_sum, &s);
}

/* ---- over time */

struct spreading {
	const struct wk_event_rows *rows;
	const struct wk_time_bins *bins;
	double bin_ns;
	double *sums;
	/* If times are spread: by process, [count + 1], how many more samples fill a bin than fill
	 * the one before it. What a sample fills is not walked through. NULL: they are not. */
	int64_t *fills;
};

/* Moments before and after all bins are in the first and the last. */
static uint32_t bin_at(const struct spreading *s, double since_ns)
{
	double bin = since_ns / s->bin_ns;

	return bin < 0 ? 0 : bin >= s->bins->count ? s->bins->count - 1 : (uint32_t)bin;
}

static void add_to_bins(void *context, const struct part *part)
{
	const struct spreading *s = context;
	double since_ns = part->time_ns >= s->bins->from_ns
				  ? (double)(part->time_ns - s->bins->from_ns)
				  : -(double)(s->bins->from_ns - part->time_ns);
	double weight = (double)part->weight, begin_ns = since_ns - weight;
	size_t process = process_of(s->rows, part->row);
	uint32_t last = bin_at(s, since_ns), first = 0;
	int64_t *fills;

	if (!s->fills || weight <= s->bin_ns) {
		s->sums[process * s->bins->count + last] += weight;
		return;
	}
	/* The bin in which it began is not its own, unless it is the only one. */
	if (begin_ns >= 0)
		first = bin_at(s, begin_ns) < last ? bin_at(s, begin_ns) + 1 : last;
	fills = s->fills + process * ((size_t)s->bins->count + 1);
	fills[first]++;
	fills[last + 1]--;
}

static void add_filled(const struct spreading *s, size_t process)
{
	const int64_t *fills = s->fills + process * ((size_t)s->bins->count + 1);
	int64_t samples = 0;

	for (uint32_t bin = 0; bin < s->bins->count; bin++) {
		samples += fills[bin];
		s->sums[process * s->bins->count + bin] += (double)samples * s->bin_ns;
	}
}

void wk_histogram_of_processes(const struct wk_event_rows *rows,
			       const struct wk_row_selection *selection,
			       const struct wk_time_bins *bins, bool spreads, double *sums)
{
	double span_ns = (double)(bins->to_ns - bins->from_ns);
	struct spreading s = { rows, bins, (span_ns < 1 ? 1 : span_ns) / bins->count, sums, NULL };
	size_t processes = rows->model->process_count, count = processes * bins->count;

	memset(sums, 0, count * sizeof(*sums));
	if (spreads)
		s.fills = wk_alloc_zeroed(count + processes, sizeof(*s.fills));
	each_part(rows, selection, add_to_bins, &s);
	for (size_t process = 0; spreads && process < processes; process++)
		add_filled(&s, process);
	wk_free(s.fills);
}
