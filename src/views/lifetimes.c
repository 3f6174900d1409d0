#include "views/lifetimes.h"

#include <string.h>

#include "base/mem.h"

uint64_t *wk_lifetimes_left(const struct wk_model *model, uint64_t to_ns)
{
	size_t count = model->samples.count;
	uint64_t *left = wk_alloc_zeroed(count + 1, sizeof(*left));

	if (count)
		memcpy(left, model->samples.weight, count * sizeof(*left));
	for (uint32_t i = 0; i < model->ends.count; i++) {
		uint64_t *of = &left[model->ends.sample[i]], ended = model->ends.weight[i];

		if (model->ends.time_ns[i] <= to_ns)
			*of -= ended < *of ? ended : *of;
	}
	return left;
}
