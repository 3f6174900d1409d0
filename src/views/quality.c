#include "views/quality.h"

#include "base/mem.h"
#include "base/num.h"

/* How deep each named stack is, and how many of its frames have no name. */
struct depths {
	uint32_t *frames, *unnamed;
};

static struct depths measure_stacks(const struct wk_model *model)
{
	const struct wk_stacks *named = &model->named;
	struct depths depths = {
		.frames = wk_alloc_zeroed((size_t)named->count + 1, sizeof(*depths.frames)),
		.unnamed = wk_alloc_zeroed((size_t)named->count + 1, sizeof(*depths.unnamed)),
	};

	for (uint32_t i = 1; i < named->count; i++) {
		wk_function_id function = model->named_frames.function[named->frame[i]];
		wk_stack_id parent = named->parent[i];

		depths.frames[i] = depths.frames[parent] + 1;
		depths.unnamed[i] = depths.unnamed[parent] + model->functions[function].is_unnamed;
	}
	return depths;
}

struct wk_quality wk_quality_of(const struct wk_model *model, const struct wk_filter *filter)
{
	struct wk_quality quality = {
		.in_view = filter->in_view,
		.total = filter->total,
		.elsewhere = filter->elsewhere,
		.lost_samples = model->lost_samples,
		.lost_records = model->lost_records,
	};
	struct depths depths;

	if (!model->named_of)
		return quality;
	depths = measure_stacks(model);
	for (uint32_t i = 0; i < model->samples.count; i++) {
		wk_stack_id stack = model->samples.stack[i];

		if (!wk_filter_has(filter, i))
			continue;
		if (model->has_user_part && model->has_user_part[stack]) {
			quality.with_user_part++;
			quality.whole += model->reaches_root[stack] != 0;
		}
		quality.frames += depths.frames[model->named_of[stack]];
		quality.unnamed += depths.unnamed[model->named_of[stack]];
	}
	free(depths.frames);
	free(depths.unnamed);
	return quality;
}

static void add_lost(const struct wk_quality *quality, struct wk_buf *line)
{
	if (quality->lost_samples == 0 && quality->lost_records == 0) {
		wk_buf_add_text(line, ", none lost");
		return;
	}
	wk_buf_add_text(line, ", ");
	wk_num_add_grouped(line, quality->lost_samples);
	wk_buf_add_text(line, " lost");
	if (quality->lost_records) {
		wk_buf_add_text(line, " and ");
		wk_num_add_grouped(line, quality->lost_records);
		wk_buf_add_text(line, quality->lost_records == 1 ? " other record lost"
								 : " other records lost");
	}
}

void wk_quality_line(const struct wk_quality *quality, struct wk_buf *line)
{
	wk_num_add_grouped(line, quality->in_view);
	if (quality->in_view != quality->total) {
		wk_buf_add_text(line, " of ");
		wk_num_add_grouped(line, quality->total);
	}
	wk_buf_add_text(line, quality->total == 1 ? " sample" : " samples");
	if (quality->in_view != quality->total)
		wk_buf_add_text(line, " in view");
	add_lost(quality, line);
	if (quality->with_user_part) {
		wk_buf_add_text(line, "; ");
		wk_num_add_share(line, quality->whole, quality->with_user_part);
		wk_buf_add_text(line, " of user stacks reach a root");
	}
	if (quality->frames) {
		wk_buf_add_text(line, "; ");
		wk_num_add_share(line, quality->unnamed, quality->frames);
		wk_buf_add_text(line, " of frames unnamed");
	}
	if (quality->elsewhere) {
		wk_buf_add_text(line, "; ");
		wk_num_add_grouped(line, quality->elsewhere);
		wk_buf_add_text(line, " samples of other events not shown");
	}
}
