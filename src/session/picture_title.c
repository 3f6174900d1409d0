#include "session/picture_title.h"

#include <string.h>

#include "base/mem.h"

struct wk_str wk_command_program(struct wk_str command)
{
	bool is_quoted = command.len && command.at[0] == '\'';
	struct wk_str word, rest;

	wk_str_split(is_quoted ? wk_str_skip(command, 1) : command, is_quoted ? '\'' : ' ', &word,
		     &rest);
	return wk_str_basename(word);
}

/* The process whose end the recorder waited for, which is the only one with an exit code. */
static struct wk_str recorded_program(const struct wk_model *model)
{
	for (wk_process_id id = 1; id < model->process_count; id++)
		if (model->processes[id].has_exit_code && !model->traits->is_system_wide)
			return wk_command_program(
				wk_model_str(model, model->processes[id].command_line));
	return wk_str_c("");
}

/* What a recorder of wick was asked for (record/facts.h). */
static struct wk_str recorded_target(const struct wk_model *model)
{
	static const char *const targets[] = { "process ", "processes ", "the whole system", NULL };
	static const char during[] = " during ";
	struct wk_str what = wk_model_fact(model, "recorded");

	if (!wk_str_starts_one_of(what, targets))
		return wk_command_program(what);
	for (size_t i = 0; i + strlen(during) <= what.len; i++)
		if (memcmp(what.at + i, during, strlen(during)) == 0)
			return wk_str_of(what.at, i);
	return what;
}

static struct wk_str heaviest_process(const struct wk_model *model, const struct wk_filter *filter)
{
	uint64_t *weight = wk_alloc_zeroed(model->process_count, sizeof(*weight));
	wk_process_id heaviest = 0;

	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_filter_has(filter, i))
			weight[model->threads[wk_sample_thread(&model->samples, i)].process] +=
				wk_filter_weight(filter, model, i);
	for (wk_process_id id = 1; id < model->process_count; id++)
		if (model->processes[id].name && weight[id] > weight[heaviest])
			heaviest = id;
	wk_free(weight);
	return wk_model_str(model, model->processes[heaviest].name);
}

struct wk_str wk_recording_name(const struct wk_model *model, const struct wk_filter *filter,
				const char *path)
{
	struct wk_str name = recorded_target(model);

	if (!name.len)
		name = recorded_program(model);
	if (!name.len)
		name = heaviest_process(model, filter);
	if (!name.len && path && strcmp(path, "-") != 0)
		name = wk_str_basename(wk_str_c(path));
	return name;
}

void wk_picture_title(const struct wk_model *model, const struct wk_filter *filter,
		      const char *path, const char *kind, struct wk_buf *title)
{
	struct wk_str name = wk_recording_name(model, filter, path);

	wk_buf_add_str(title, name);
	if (name.len) {
		wk_buf_add_fmt(title, ": %s", kind);
		return;
	}
	wk_buf_add_char(title, (char)(kind[0] - 'a' + 'A'));
	wk_buf_add_text(title, kind + 1);
}
