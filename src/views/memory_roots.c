#include "views/memory_roots.h"

#include <stdlib.h>

#include "base/mem.h"

/* For each named stack, whether its outermost frame is of such code. */
static bool *find_cut(const struct wk_model *model)
{
	bool *is_cut = wk_alloc_zeroed((size_t)model->named.count + 1, sizeof(*is_cut));

	for (uint32_t i = 1; i < model->named.count; i++) {
		wk_stack_id parent = model->named.parent[i];
		wk_function_id function = model->named_frames.function[model->named.label[i]];
		wk_image_id image = model->functions[function].image;

		is_cut[i] = parent ? is_cut[parent]
				   : image && model->images[image].kind == WK_IMAGE_ANONYMOUS;
	}
	return is_cut;
}

struct wk_memory_roots wk_memory_roots_of(const struct wk_model *model,
					  const struct wk_filter *filter)
{
	struct wk_memory_roots roots = { 0 };
	bool *is_cut;

	if (!model->named_of)
		return roots;
	is_cut = find_cut(model);
	for (uint32_t i = 0; i < model->samples.count; i++) {
		wk_stack_id stack = wk_model_named_of(model, model->samples.stack[i]);
		uint64_t times = wk_model_sample_times(model, i);

		if (!wk_filter_has(filter, i) || stack == 0)
			continue;
		roots.samples += times;
		roots.cut += is_cut[stack] ? times : 0;
		if (is_cut[stack] && !roots.process)
			roots.process = model->threads[model->samples.thread[i]].process;
	}
	wk_free(is_cut);
	return roots;
}
