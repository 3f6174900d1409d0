#include "views/unnamed.h"

#include "base/mem.h"

/* Files that are gone have a message of their own. */
static bool has_a_fix(const struct wk_model *model, wk_image_id id)
{
	const struct wk_image *image = &model->images[id];
	struct wk_str path = wk_model_str(model, image->path);

	if (image->kind == WK_IMAGE_ANONYMOUS)
		return true;
	return wk_str_starts(path, "/") &&
	       (image->state == WK_IMAGE_NAMED || image->state == WK_IMAGE_STRIPPED);
}

/* The samples with each named stack, or one below it. */
static uint64_t *samples_through(const struct wk_model *model, const struct wk_filter *filter)
{
	uint64_t *through = wk_alloc_zeroed((size_t)model->named.count + 1, sizeof(*through));

	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_has(filter, i))
			through[wk_model_named_of(model, model->samples.stack[i])] +=
				wk_filter_times(filter, model, i);
	for (uint32_t i = model->named.count; i-- > 1;)
		through[model->named.entries[i].parent] += through[i];
	return through;
}

struct wk_nameless wk_nameless_of(const struct wk_model *model, const struct wk_filter *filter)
{
	struct wk_nameless result = { 0 };
	uint64_t *through, *unnamed;

	if (!model->named_of)
		return result;
	through = samples_through(model, filter);
	unnamed = wk_alloc_zeroed((size_t)model->image_count + 1, sizeof(*unnamed));
	for (uint32_t i = 1; i < model->named.count; i++) {
		const struct wk_function *function =
			&model->functions[model->named_frames
						  .function[model->named.entries[i].label]];

		result.frames += through[i];
		if (function->is_unnamed)
			unnamed[function->image] += through[i];
	}
	for (wk_image_id id = 1; id < model->image_count; id++) {
		if (unnamed[id] <= result.unnamed || !has_a_fix(model, id))
			continue;
		result.unnamed = unnamed[id];
		result.image = id;
	}
	WK_FREE_ALL(through, unnamed);
	return result;
}

/* For each named stack, whether its outermost frame is JIT code. */
static bool *find_cut(const struct wk_model *model)
{
	bool *is_cut = wk_alloc_zeroed((size_t)model->named.count + 1, sizeof(*is_cut));

	for (uint32_t i = 1; i < model->named.count; i++) {
		wk_stack_id parent = model->named.entries[i].parent;
		wk_function_id function =
			model->named_frames.function[model->named.entries[i].label];
		wk_image_id image = model->functions[function].image;

		is_cut[i] = parent ? is_cut[parent]
				   : image && model->images[image].kind == WK_IMAGE_ANONYMOUS;
	}
	return is_cut;
}

/* Programs that run from memory alone have a root there. */
static bool is_whole(const struct wk_model *model, wk_stack_id stack)
{
	return model->reaches_root && model->reaches_root[stack] == WK_REACH_ROOT;
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
		uint64_t times = wk_filter_times(filter, model, i);
		bool ends_there = is_cut[stack] && !is_whole(model, model->samples.stack[i]);

		if (!wk_filter_has(filter, i) || stack == 0)
			continue;
		roots.samples += times;
		roots.cut += ends_there ? times : 0;
		if (ends_there && !roots.process)
			roots.process =
				model->threads[wk_sample_thread(&model->samples, i)].process;
	}
	wk_free(is_cut);
	return roots;
}
