/* Of how many sampled addresses the source lines are known, image for image. What the model got
 * counts, whatever it is from: that sections are there says nothing about the code that ran. */
#include "base/mem.h"
#include "cli/image_facts.h"

/* What the C library's start files and the linker bring has no lines in any program. */
static bool is_of_every_program(struct wk_str name)
{
	static const char *const names[] = {
		"_start", "_init", "_fini", "_dl_relocate_static_pie", "deregister_tm_clones",
		"register_tm_clones", "__do_global_dtors_aux", "frame_dummy", NULL,
	};

	for (size_t i = 0; names[i]; i++)
		if (wk_str_is(name, names[i]))
			return true;
	return wk_str_ends(name, "@plt");
}

/* Marks the recorded frames of the samples in view. Parents come before their children. */
static uint8_t *frames_in_view(const struct wk_model *model, const struct wk_filter *filter)
{
	uint8_t *stacks = wk_alloc_zeroed((size_t)model->stacks.count + 1, 1);
	uint8_t *frames = wk_alloc_zeroed((size_t)model->frames.count + 1, 1);

	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_has(filter, i))
			stacks[model->samples.stack[i]] = 1;
	for (wk_stack_id id = model->stacks.count; id-- > 1;) {
		if (!stacks[id])
			continue;
		stacks[model->stacks.parent[id]] = 1;
		frames[model->stacks.label[id]] = 1;
	}
	free(stacks);
	return frames;
}

/* Several calls are an inlined one, which only debug information knows. */
static bool has_line(struct wk_frame_calls calls)
{
	for (uint32_t i = 0; i < calls.count; i++)
		if (calls.line[i])
			return true;
	return calls.count > 1;
}

struct wk_image_lines *wk_image_lines_count(const struct wk_model *model,
					    const struct wk_filter *filter)
{
	struct wk_image_lines *lines = wk_alloc_zeroed((size_t)model->image_count + 1,
						       sizeof(*lines));
	uint8_t *in_view;

	if (model->came_named)
		return lines;
	in_view = frames_in_view(model, filter);
	for (wk_frame_id frame = 1; frame < model->frames.count; frame++) {
		struct wk_frame_calls calls = wk_model_calls_of(model, frame);
		const struct wk_function *outermost;

		if (!in_view[frame] || calls.count == 0)
			continue;
		outermost = &model->functions[calls.function[0]];
		if (is_of_every_program(wk_model_str(model, outermost->linked ? outermost->linked
									      : outermost->name)))
			continue;
		lines[model->frames.image[frame]].asked++;
		lines[model->frames.image[frame]].known += has_line(calls);
	}
	free(in_view);
	return lines;
}
