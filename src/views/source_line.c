#include "views/source_line.h"

#include <inttypes.h>

bool wk_has_source_lines(const struct wk_model *model)
{
	for (uint32_t i = 1; i < model->named_frames.count; i++)
		if (model->named_frames.line[i])
			return true;
	return false;
}

bool wk_source_is_late(const struct wk_model *model, wk_source_id source)
{
	return !model->came_named && model->sources[source].is_cpu_time;
}

struct wk_str wk_source_file(const struct wk_model *model, uint32_t named_frame)
{
	const struct wk_named_frames *frames = &model->named_frames;

	if (!frames->line[named_frame])
		return wk_str_c("");
	return wk_model_str(model, model->functions[frames->function[named_frame]].file);
}

static bool is_slash(char c)
{
	return c == '/' || c == '\\';
}

struct wk_str wk_source_brief_path(struct wk_str path)
{
	unsigned parts = 0;

	for (size_t i = path.len; i-- > 0;)
		if (is_slash(path.at[i]) && ++parts == 2)
			return wk_str_skip(path, i + 1);
	return path.len && is_slash(path.at[0]) ? wk_str_skip(path, 1) : path;
}

void wk_source_line_add(const struct wk_model *model, uint32_t named_frame, bool is_brief,
			struct wk_buf *text)
{
	struct wk_str file = wk_source_file(model, named_frame);

	if (!file.len)
		return;
	wk_buf_add_str(text, is_brief ? wk_source_brief_path(file) : file);
	wk_buf_add_fmt(text, ":%" PRIu32, model->named_frames.line[named_frame]);
}
