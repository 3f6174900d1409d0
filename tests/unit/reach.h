/* How many of a model's samples with a user part have a stack that reaches a root, and of how many
 * nobody can tell; counted without views/quality. */
#ifndef WK_TESTS_REACH_H
#define WK_TESTS_REACH_H

#include "model/model.h"

struct reach {
	uint64_t with_user_part, whole, unknown;
};

static inline struct reach reach_of(const struct wk_model *model)
{
	struct reach reach = { 0 };

	if (!model->has_user_part)
		return reach;
	for (uint32_t i = 0; i < model->samples.count; i++) {
		wk_stack_id stack = model->samples.stack[i];
		uint64_t times = wk_model_sample_times(model, i);

		reach.with_user_part += times * model->has_user_part[stack];
		reach.whole += times * (model->reaches_root[stack] == WK_REACH_ROOT);
		reach.unknown += times * (model->reaches_root[stack] == WK_REACH_UNKNOWN);
	}
	return reach;
}

#endif
