#include "model/closures.h"

#include <stdlib.h>

#include "base/mem.h"
#include "model/closure_arguments.h"
#include "model/closure_numbers.h"
#include "names/closure.h"

/* The sampled lines of a function. */
struct extent {
	wk_function_id function;
	uint32_t first, last; /* 0: none is known */
	uint64_t group;       /* equal for those that may be one closure */
};

/* Closures of the standard library are not what a user looks for. */
static bool is_of_library(struct wk_str file)
{
	return wk_str_starts(file, "/rustc/") || wk_str_starts(file, "/usr/include/");
}

static bool is_meant(const struct wk_model *model, wk_function_id id)
{
	const struct wk_function *function = &model->functions[id];

	return !function->is_unnamed && function->file &&
	       !is_of_library(wk_model_str(model, function->file)) &&
	       wk_name_is_closure(wk_model_str(model, function->name));
}

static void find_extents(const struct wk_model *model, struct extent *extents)
{
	const struct wk_named_frames *frames = &model->named_frames;

	for (uint32_t i = 1; i < frames->count; i++) {
		struct extent *extent = &extents[frames->function[i]];
		uint32_t line = frames->line[i];

		if (!line)
			continue;
		if (!extent->first || line < extent->first)
			extent->first = line;
		if (line > extent->last)
			extent->last = line;
	}
}

/* Names that debug information gave contain their line already. */
static void note_lines(struct wk_model *model)
{
	struct wk_buf plain = { 0 };

	for (wk_function_id id = 1; id < model->function_count; id++) {
		struct wk_function *function = &model->functions[id];
		uint32_t line;

		wk_buf_reset(&plain);
		line = wk_closure_name_line(wk_model_str(model, function->name), &plain);
		if (!line)
			continue;
		function->closure_line = line;
		function->plain = wk_model_text(model, wk_buf_str(&plain));
	}
	wk_buf_fini(&plain);
}

void wk_model_note_closures(struct wk_model *model)
{
	struct wk_buf plain = { 0 };

	for (wk_function_id id = 1; id < model->function_count; id++) {
		struct wk_function *function = &model->functions[id];
		struct wk_str name = wk_model_str(model, function->name);

		if (function->plain || !wk_closure_has_lines(name))
			continue;
		wk_buf_reset(&plain);
		function->closure_line = wk_closure_name_line(name, &plain);
		function->plain = function->closure_line ? wk_model_text(model, wk_buf_str(&plain))
							 : function->name;
	}
	wk_buf_fini(&plain);
}

static int by_group_and_line(const void *left, const void *right)
{
	const struct extent *a = left, *b = right;

	if (a->group != b->group)
		return a->group < b->group ? -1 : 1;
	if (a->first != b->first)
		return a->first < b->first ? -1 : 1;
	return (a->function > b->function) - (a->function < b->function);
}

/* The closures with lines, those of one name, image and file together. */
static uint32_t list_closures(const struct wk_model *model, struct extent *extents)
{
	uint32_t count = 0;

	for (wk_function_id id = 1; id < model->function_count; id++) {
		const struct wk_function *function = &model->functions[id];

		if (!extents[id].first || function->closure_line || !is_meant(model, id))
			continue;
		extents[count] = extents[id];
		extents[count].function = id;
		extents[count++].group = (uint64_t)function->name << 32 | function->image;
	}
	qsort(extents, count, sizeof(*extents), by_group_and_line);
	return count;
}

static void add_lines(struct wk_model *model, wk_function_id id, uint32_t first, uint32_t last,
		      struct wk_buf *text)
{
	struct wk_function *function = &model->functions[id];

	wk_buf_reset(text);
	wk_closure_name_add(wk_model_str(model, function->name), first, last, text);
	function->plain = function->name;
	function->closure_line = first;
	function->name = wk_model_text(model, wk_buf_str(text));
}

void wk_model_name_closures(struct wk_model *model)
{
	struct extent *extents = wk_alloc_zeroed(model->function_count, sizeof(*extents));
	struct wk_buf text = { 0 };
	uint32_t count, first = 0, last = 0;

	note_lines(model);
	find_extents(model, extents);
	count = list_closures(model, extents);
	for (uint32_t i = 0; i < count; i++) {
		bool is_same =
			i && extents[i].group == extents[i - 1].group && extents[i].first <= last;

		if (!is_same)
			first = extents[i].first;
		if (!is_same || extents[i].last > last)
			last = extents[i].last;
		add_lines(model, extents[i].function, first, last, &text);
	}
	wk_model_name_closure_arguments(model);
	wk_model_drop_closure_numbers(model);
	wk_buf_fini(&text);
	wk_free(extents);
}
