#include "views/wall_clock.h"

#include "base/num.h"

bool wk_wall_clock_of(const struct wk_model *model, uint64_t *wall_ns)
{
	struct wk_str clock, wall;
	uint64_t clock_ns, pair_wall_ns;

	if (!wk_str_split(wk_model_fact(model, "clock pair"), ' ', &clock, &wall) ||
	    !wk_num_u64(clock, &clock_ns) || !wk_num_u64(wall, &pair_wall_ns))
		return false;
	*wall_ns = pair_wall_ns + (model->first_ns ? model->first_ns - clock_ns : 0);
	return *wall_ns <= INT64_MAX;
}
