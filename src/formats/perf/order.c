#include "formats/perf/internal.h"

#include "base/mem.h"
#include "base/sort.h"

/* Files are runs of ascending times, one per ring and round: merging such runs is cheap, stable as
 * the format requires, and never worse than n log n. */

void wk_perf_order_add(struct wk_perf_order *order, uint64_t time_ns, const uint8_t *at)
{
	if (order->count && time_ns < order->rows[order->count - 1].time_ns)
		order->is_unsorted = true;
	if (time_ns > order->latest_ns)
		order->latest_ns = time_ns;
	*WK_APPEND(order->rows, order->count, order->cap) = (struct wk_perf_waiting){ time_ns, at };
}

/* The end of the ascending run that begins at `from`. */
static size_t run_end(const struct wk_perf_waiting *rows, size_t from, size_t count)
{
	size_t end = from + 1;

	while (end < count && rows[end].time_ns >= rows[end - 1].time_ns)
		end++;
	return end;
}

static void merge(const struct wk_perf_waiting *rows, size_t from, size_t middle, size_t end,
		  struct wk_perf_waiting *out)
{
	size_t left = from, right = middle;

	for (size_t i = from; i < end; i++) {
		bool take_left = left < middle &&
				 (right >= end || rows[left].time_ns <= rows[right].time_ns);

		out[i] = take_left ? rows[left++] : rows[right++];
	}
}

/* One pass that merges neighbouring runs; true if one run was left. */
static bool merge_runs(const struct wk_perf_waiting *rows, size_t count,
		       struct wk_perf_waiting *out)
{
	size_t from = 0, runs = 0;

	while (from < count) {
		size_t middle = run_end(rows, from, count);
		size_t end = middle < count ? run_end(rows, middle, count) : middle;

		merge(rows, from, middle, end, out);
		from = end;
		runs++;
	}
	return runs <= 1;
}

static void sort(struct wk_perf_order *order)
{
	bool is_sorted = !order->is_unsorted;

	if (is_sorted)
		return;
	WK_RESERVE(order->scratch, order->scratch_cap, order->count);
	while (!is_sorted) {
		struct wk_perf_waiting *rows = order->rows;
		size_t cap = order->cap;

		is_sorted = merge_runs(rows, order->count, order->scratch);
		order->rows = order->scratch;
		order->cap = order->scratch_cap;
		order->scratch = rows;
		order->scratch_cap = cap;
	}
	order->is_unsorted = false;
}

size_t wk_perf_order_all(struct wk_perf_order *order)
{
	sort(order);
	return order->count;
}

size_t wk_perf_order_until(struct wk_perf_order *order, uint64_t time_ns)
{
	sort(order);
	return wk_sorted_up_to(order->rows, order->count, sizeof(*order->rows),
			       offsetof(struct wk_perf_waiting, time_ns), time_ns);
}

/* Everything read before the end of the previous round is older than all that follows. */
size_t wk_perf_order_round(struct wk_perf_order *order)
{
	size_t count = wk_perf_order_until(order, order->settled_ns);

	order->settled_ns = order->latest_ns;
	return count;
}

void wk_perf_order_drop(struct wk_perf_order *order, size_t count)
{
	order->count -= count;
	if (order->count)
		memmove(order->rows, order->rows + count, order->count * sizeof(*order->rows));
	else
		order->is_unsorted = false;
}
