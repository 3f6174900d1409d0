/* For how many sampled frames of each image the source lines are known. The lines in the model
 * count, since the presence of sections does not show that they cover the code that ran. Frames are
 * weighted by samples. */
#include "base/mem.h"
#include "session/images/image_facts.h"

/* Code of the C library's start files and the linker has no lines in any program. */
static bool is_of_every_program(const struct wk_model *model, const struct wk_function *function)
{
	static const char *const names[] = {
		"_start", "_init", "_fini", "_dl_relocate_static_pie", "deregister_tm_clones",
		"register_tm_clones", "__do_global_dtors_aux", "frame_dummy", NULL,
	};
	struct wk_str name = wk_model_str(model, function->name);
	struct wk_str linked = wk_model_str(model, function->linked);

	for (size_t i = 0; names[i]; i++)
		if (wk_str_is(linked.len ? linked : name, names[i]))
			return true;
	return wk_str_ends(name, "@plt");
}

/* Inlined calls come from debug information. */
static bool has_line(struct wk_frame_calls calls)
{
	for (uint32_t i = 0; i < calls.count; i++)
		if (calls.line[i])
			return true;
	return calls.count > 1;
}

/* rustc generates the `main` that the C library calls, which has no lines and is in every stack of
 * a Rust program. Only samples in itself count. */
static bool is_bare_main(const struct wk_model *model, struct wk_frame_calls calls)
{
	const struct wk_function *function = &model->functions[calls.function[0]];

	return !has_line(calls) && wk_str_is(wk_model_str(model, function->name), "main");
}

/* Samples in view of a recorded frame. */
struct frame_samples {
	uint64_t in_stack; /* once for each time it is in a stack */
	uint64_t own;
};

/* Parents come before their children. */
static struct frame_samples *frames_in_view(const struct wk_model *model,
					    const struct wk_filter *filter)
{
	uint64_t *stacks = wk_alloc_zeroed((size_t)model->stacks.count + 1, sizeof(*stacks));
	struct frame_samples *frames =
		wk_alloc_zeroed((size_t)model->frames.count + 1, sizeof(*frames));

	for (uint32_t i = 0; i < model->samples.count; i++) {
		wk_stack_id stack = model->samples.stack[i];
		uint64_t times = wk_filter_times(filter, model, i);

		if (!wk_filter_has(filter, i))
			continue;
		stacks[stack] += times;
		frames[model->stacks.entries[stack].label].own += times;
	}
	for (wk_stack_id id = model->stacks.count; id-- > 1;) {
		stacks[model->stacks.entries[id].parent] += stacks[id];
		frames[model->stacks.entries[id].label].in_stack += stacks[id];
	}
	wk_free(stacks);
	return frames;
}

struct wk_image_lines *wk_image_lines_count(const struct wk_model *model,
					    const struct wk_filter *filter)
{
	struct wk_image_lines *lines =
		wk_alloc_zeroed((size_t)model->image_count + 1, sizeof(*lines));
	struct frame_samples *in_view;

	if (model->came_named)
		return lines;
	in_view = frames_in_view(model, filter);
	for (wk_frame_id frame = 1; frame < model->frames.count; frame++) {
		struct wk_frame_calls calls = wk_model_calls_of(model, frame);
		struct wk_image_lines *image = &lines[model->frames.image[frame]];
		uint64_t samples;

		if (calls.count == 0 ||
		    is_of_every_program(model, &model->functions[calls.function[0]]))
			continue;
		samples = is_bare_main(model, calls) ? in_view[frame].own : in_view[frame].in_stack;
		image->asked += samples;
		image->known += has_line(calls) ? samples : 0;
	}
	wk_free(in_view);
	return lines;
}
