#include "views/wall_clock.h"

#include "base/num.h"

static struct wk_str pair_of(const struct wk_model *model)
{
	for (uint32_t i = 0; i < model->fact_count; i++)
		if (wk_str_is(wk_model_str(model, model->facts[i].key), "clock pair"))
			return wk_model_str(model, model->facts[i].value);
	return wk_str_c("");
}

bool wk_wall_clock_of(const struct wk_model *model, uint64_t *wall_ns)
{
	struct wk_str clock, wall;
	uint64_t clock_ns, pair_wall_ns;

	if (!wk_str_split(pair_of(model), ' ', &clock, &wall) || !wk_num_u64(clock, &clock_ns) ||
	    !wk_num_u64(wall, &pair_wall_ns))
		return false;
	*wall_ns = pair_wall_ns + (model->first_ns ? model->first_ns - clock_ns : 0);
	return *wall_ns <= INT64_MAX;
}
