#include "views/filter/images_in_view.h"

#include <stdlib.h>

#include "base/mem.h"

/* The tree of recorded stacks: the `first` child of each, and the `next` child of its parent. */
struct walk {
	const struct wk_model *model;
	uint64_t *samples; /* of a stack and of all below it */
	wk_stack_id *first, *next;
	uint32_t *open; /* of each image: its frames on the path to the current stack */
	uint64_t *sums; /* of each image */
};

static void count_samples(struct walk *walk, const struct wk_filter *filter, bool of_any_event)
{
	const struct wk_model *model = walk->model;

	for (uint32_t i = 0; i < model->samples.count; i++)
		if (of_any_event ? wk_filter_passes(filter, i) : wk_filter_has(filter, i))
			walk->samples[model->samples.stack[i]] += wk_model_sample_times(model, i);
	/* Parents come before what they call. */
	for (wk_stack_id id = model->stacks.count; id-- > 1;) {
		wk_stack_id parent = model->stacks.entries[id].parent;

		walk->samples[parent] += walk->samples[id];
		walk->next[id] = walk->first[parent];
		walk->first[parent] = id;
	}
}

/* 0: the frame has its name. */
static wk_image_id image_of(const struct wk_model *model, wk_stack_id id)
{
	wk_frame_id frame = model->stacks.entries[id].label;

	return model->frames.function[frame] ? 0 : model->frames.image[frame];
}

/* A sample counts once for an image, however often it is on the stack. */
static void enter(struct walk *walk, wk_stack_id id)
{
	wk_image_id image = image_of(walk->model, id);

	if (walk->open[image]++ == 0)
		walk->sums[image] += walk->samples[id];
}

static void add_up(struct walk *walk)
{
	const struct wk_model *model = walk->model;
	wk_stack_id id = walk->first[0];

	while (id) {
		enter(walk, id);
		if (walk->first[id]) {
			id = walk->first[id];
			continue;
		}
		walk->open[image_of(model, id)]--;
		while (!walk->next[id] && model->stacks.entries[id].parent) {
			id = model->stacks.entries[id].parent;
			walk->open[image_of(model, id)]--;
		}
		id = walk->next[id];
	}
}

static int most_samples_first(const void *left, const void *right)
{
	const struct wk_image_in_view *a = left, *b = right;

	if (a->samples != b->samples)
		return a->samples < b->samples ? 1 : -1;
	return (a->id > b->id) - (a->id < b->id);
}

static struct wk_images_in_view list(const struct walk *walk)
{
	struct wk_images_in_view images = { 0 };

	images.at = wk_alloc_zeroed(walk->model->image_count + 1, sizeof(*images.at));
	for (wk_image_id id = 1; id < walk->model->image_count; id++)
		if (walk->sums[id])
			images.at[images.count++] = (struct wk_image_in_view){ id, walk->sums[id] };
	qsort(images.at, images.count, sizeof(*images.at), most_samples_first);
	return images;
}

struct wk_images_in_view wk_images_in_view(const struct wk_model *model,
					   const struct wk_filter_spec *spec, bool of_any_event)
{
	struct walk walk = { .model = model };
	struct wk_images_in_view images = { 0 };
	struct wk_filter filter;

	if (!wk_filter_init(&filter, model, spec, NULL))
		return images;
	walk.samples = wk_alloc_zeroed((size_t)model->stacks.count + 1, sizeof(*walk.samples));
	walk.first = wk_alloc_zeroed((size_t)model->stacks.count + 1, sizeof(*walk.first));
	walk.next = wk_alloc_zeroed((size_t)model->stacks.count + 1, sizeof(*walk.next));
	walk.open = wk_alloc_zeroed(model->image_count + 1, sizeof(*walk.open));
	walk.sums = wk_alloc_zeroed(model->image_count + 1, sizeof(*walk.sums));
	count_samples(&walk, &filter, of_any_event);
	add_up(&walk);
	images = list(&walk);
	WK_FREE_ALL(walk.samples, walk.first, walk.next, walk.open, walk.sums);
	wk_filter_fini(&filter);
	return images;
}

void wk_images_in_view_fini(struct wk_images_in_view *images)
{
	wk_free(images->at);
	*images = (struct wk_images_in_view){ 0 };
}
