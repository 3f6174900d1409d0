#include "views/intervals.h"

#include "base/mem.h"

bool wk_interval_is_in_view(const struct wk_interval *interval, const struct wk_filter *filter)
{
	if (interval->times > 1)
		return true;
	if (interval->begin_ns >= filter->from_ns)
		return interval->begin_ns <= filter->to_ns;
	return interval->took_ns > filter->from_ns - interval->begin_ns;
}

uint64_t wk_interval_ns_in_view(const struct wk_interval *interval, const struct wk_filter *filter)
{
	uint64_t begin_ns = interval->begin_ns, took_ns = interval->took_ns, room;

	if (interval->times > 1)
		return took_ns;
	if (!wk_interval_is_in_view(interval, filter))
		return 0;
	if (begin_ns < filter->from_ns) {
		took_ns -= filter->from_ns - begin_ns;
		begin_ns = filter->from_ns;
	}
	room = filter->to_ns - begin_ns;
	return took_ns < room ? took_ns : room;
}

/* Of those that may be many, none began before the time in view: there is no such time. */
static uint64_t begun_in_view(const struct wk_interval *interval, const struct wk_filter *filter)
{
	return interval->times > 1 ? interval->times
				   : interval->begin_ns >= filter->from_ns &&
					     interval->begin_ns <= filter->to_ns;
}

struct wk_interval_sums *wk_intervals_of_threads(const struct wk_model *model,
						 const struct wk_filter *filter)
{
	struct wk_interval_sums *sums = NULL;

	if (model->interval_count)
		sums = wk_alloc_zeroed(model->thread_count, sizeof(*sums));
	for (uint32_t i = 0; i < model->interval_count; i++) {
		const struct wk_interval *interval = &model->intervals[i];
		struct wk_interval_sums *sum = &sums[interval->thread];
		uint64_t ns = wk_interval_ns_in_view(interval, filter);

		if (interval->doing == WK_WAITING) {
			sum->waiting_ns += ns;
		} else if (interval->doing == WK_READY) {
			sum->ready_ns += ns;
		} else {
			sum->running_ns += ns;
			sum->switches += begun_in_view(interval, filter);
		}
	}
	return sums;
}
