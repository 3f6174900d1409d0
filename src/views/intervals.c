#include "views/intervals.h"

#include "base/mem.h"

static uint64_t times_of(const struct wk_model *model, uint32_t interval)
{
	return model->intervals.times ? model->intervals.times[interval] : 1;
}

bool wk_interval_is_in_view(const struct wk_model *model, const struct wk_filter *filter,
			    uint32_t interval)
{
	uint64_t begin_ns = model->intervals.begin_ns[interval],
		 took_ns = model->intervals.took_ns[interval];

	if (times_of(model, interval) > 1)
		return true;
	if (begin_ns >= filter->from_ns)
		return begin_ns <= filter->to_ns;
	return took_ns > filter->from_ns - begin_ns;
}

uint64_t wk_interval_ns_in_view(const struct wk_model *model, const struct wk_filter *filter,
				uint32_t interval)
{
	uint64_t begin_ns = model->intervals.begin_ns[interval],
		 took_ns = model->intervals.took_ns[interval];
	uint64_t room;

	if (times_of(model, interval) > 1)
		return took_ns;
	if (!wk_interval_is_in_view(model, filter, interval))
		return 0;
	if (begin_ns < filter->from_ns) {
		took_ns -= filter->from_ns - begin_ns;
		begin_ns = filter->from_ns;
	}
	room = filter->to_ns - begin_ns;
	return took_ns < room ? took_ns : room;
}

/* Of those that may be many, none began before the time in view: there is no such time. */
static uint64_t begun_in_view(const struct wk_model *model, const struct wk_filter *filter,
			      uint32_t interval)
{
	uint64_t times = times_of(model, interval), begin_ns = model->intervals.begin_ns[interval];

	return times > 1 || (begin_ns >= filter->from_ns && begin_ns <= filter->to_ns) ? times : 0;
}

struct wk_interval_sums *wk_intervals_of_threads(const struct wk_model *model,
						 const struct wk_filter *filter)
{
	struct wk_interval_sums *sums = NULL;

	if (model->intervals.count)
		sums = wk_alloc_zeroed(model->thread_count, sizeof(*sums));
	for (uint32_t i = 0; i < model->intervals.count; i++) {
		struct wk_interval_sums *sum = &sums[model->intervals.thread[i]];
		uint64_t ns = wk_interval_ns_in_view(model, filter, i);

		if (model->intervals.doing[i] == WK_WAITING) {
			sum->waiting_ns += ns;
		} else if (model->intervals.doing[i] == WK_READY) {
			sum->ready_ns += ns;
		} else {
			sum->running_ns += ns;
			sum->switches += begun_in_view(model, filter, i);
		}
	}
	return sums;
}
