#include "views/intervals.h"

#include "base/mem.h"

static uint64_t times_of(const struct wk_model *model, uint32_t spell)
{
	return model->spells.times ? model->spells.times[spell] : 1;
}

bool wk_spell_is_in_view(const struct wk_model *model, const struct wk_filter *filter,
			 uint32_t spell)
{
	uint64_t begin_ns = model->spells.begin_ns[spell], took_ns = model->spells.took_ns[spell];

	if (times_of(model, spell) > 1)
		return true;
	if (begin_ns >= filter->from_ns)
		return begin_ns <= filter->to_ns;
	return took_ns > filter->from_ns - begin_ns;
}

uint64_t wk_spell_ns_in_view(const struct wk_model *model, const struct wk_filter *filter,
			     uint32_t spell)
{
	uint64_t begin_ns = model->spells.begin_ns[spell], took_ns = model->spells.took_ns[spell];
	uint64_t room;

	if (times_of(model, spell) > 1)
		return took_ns;
	if (!wk_spell_is_in_view(model, filter, spell))
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
			      uint32_t spell)
{
	uint64_t times = times_of(model, spell), begin_ns = model->spells.begin_ns[spell];

	return times > 1 || (begin_ns >= filter->from_ns && begin_ns <= filter->to_ns) ? times : 0;
}

struct wk_spell_sums *wk_spells_of_threads(const struct wk_model *model,
					   const struct wk_filter *filter)
{
	struct wk_spell_sums *sums = NULL;

	if (model->spells.count)
		sums = wk_alloc_zeroed(model->thread_count, sizeof(*sums));
	for (uint32_t i = 0; i < model->spells.count; i++) {
		struct wk_spell_sums *sum = &sums[model->spells.thread[i]];
		uint64_t ns = wk_spell_ns_in_view(model, filter, i);

		if (model->spells.doing[i] == WK_WAITING) {
			sum->waiting_ns += ns;
		} else if (model->spells.doing[i] == WK_READY) {
			sum->ready_ns += ns;
		} else {
			sum->running_ns += ns;
			sum->switches += begun_in_view(model, filter, i);
		}
	}
	return sums;
}
