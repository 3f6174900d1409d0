/* A model out of a few words, for tests of views and renderers.
 *
 *	struct wk_model *model = small_model((const char *[]){ "demo;main;work 70", NULL });
 *
 * Each line is a process, then functions from the root to the leaf, then how many samples. A
 * function may be "image!name" (the image's path; "demo" is the usual), and ends in "_[k]" if
 * it is the kernel's, in "_[i]" if it was inlined; one with "+0x" in it has no name; "work@12" is
 * line 12 of "/src/demo.c". Samples come 1 ms apart and weigh 1,000,000 ns each. A stack reaches
 * its root unless its first function is "cut", and nobody knows where that is "gone". The model is
 * resolved as wk_model_resolve would have left it. */
#ifndef WK_TESTS_SMALL_MODEL_H
#define WK_TESTS_SMALL_MODEL_H

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/model.h"

#define SMALL_WEIGHT 1000000u

static inline wk_image_id small_image(struct wk_model *model, struct wk_str path)
{
	bool is_kernel = wk_str_is(path, "[kernel]");
	struct wk_event_image image = { .path = path, .is_kernel = is_kernel };

	return wk_model_add_image(model, is_kernel ? WK_IMAGE_KERNEL : WK_IMAGE_FILE, &image, 1, 0);
}

static inline struct wk_str small_cut(struct wk_str text, const char *suffix, bool *was_there)
{
	*was_there = wk_str_ends(text, suffix);
	if (*was_there)
		text.len -= strlen(suffix);
	return text;
}

static inline bool small_has(struct wk_str text, const char *part)
{
	size_t len = strlen(part);

	for (size_t i = 0; i + len <= text.len; i++)
		if (memcmp(text.at + i, part, len) == 0)
			return true;
	return false;
}

/* Takes the line from the end of "work@12"; 0 if there is none. */
static inline uint32_t small_source_line(struct wk_str *word)
{
	const char *at = memchr(word->at, '@', word->len);
	uint32_t line = at ? (uint32_t)strtoul(at + 1, NULL, 10) : 0;

	if (line)
		word->len = (size_t)(at - word->at);
	return line;
}

static inline uint32_t small_frame(struct wk_model *model, struct wk_str word)
{
	struct wk_str path = WK_STR("/home/me/demo");
	bool is_kernel, is_inlined;
	uint32_t line = 0;
	const char *bang = memchr(word.at, '!', word.len);

	word = small_cut(word, "_[k]", &is_kernel);
	word = small_cut(word, "_[i]", &is_inlined);
	if (is_kernel)
		path = (struct wk_str)WK_STR("[kernel]");
	if (bang) {
		path = wk_str_of(word.at, (size_t)(bang - word.at));
		word = wk_str_skip(word, path.len + 1);
	}
	line = small_source_line(&word);
	return wk_model_add_named_frame(model, wk_model_add_function(model, &(struct wk_function){
		.name = wk_model_text(model, word),
		.image = small_image(model, path),
		.file = line ? wk_model_text(model, wk_str_c("/src/demo.c")) : 0,
		.is_unnamed = small_has(word, "+0x"),
	}), line, 0, is_inlined);
}

static inline wk_thread_id small_thread(struct wk_model *model, struct wk_str name)
{
	wk_text_id text = wk_model_text(model, name);
	wk_process_id process;

	for (wk_thread_id i = 1; i < model->thread_count; i++)
		if (model->threads[i].name == text)
			return i;
	process = wk_model_add_process(model, &(struct wk_process){
		.pid = 100 + model->process_count, .name = text });
	return wk_model_add_thread(model, &(struct wk_thread){
		.tid = 100 + process, .process = process, .name = text });
}

/* In these models each recorded stack has a named one with the same id. */
static inline void small_recorded(struct wk_model *model)
{
	for (uint32_t i = model->stacks.count; i < model->named.count; i++)
		wk_model_add_stack(model, model->named.entries[i].parent,
				   wk_model_add_frame(model, 0, i));
}

static inline void small_resolved(struct wk_model *model)
{
	uint32_t count = model->named.count;

	small_recorded(model);
	model->named_of = wk_realloc(model->named_of, count * sizeof(*model->named_of));
	model->reaches_root = wk_realloc(model->reaches_root, count);
	model->has_user_part = wk_realloc(model->has_user_part, count);
	for (uint32_t i = 0; i < count; i++) {
		model->named_of[i] = i;
		model->has_user_part[i] = i != 0;
		model->reaches_root[i] = i != 0 ? WK_REACH_ROOT : WK_REACH_CUT;
	}
	for (uint32_t i = 1; i < count; i++) {
		uint32_t frame = model->named.entries[i].label;
		wk_function_id function = model->named_frames.function[frame];

		if (model->named.entries[i].parent)
			model->reaches_root[i] =
				model->reaches_root[model->named.entries[i].parent];
		else if (wk_str_is(wk_model_str(model, model->functions[function].name), "cut"))
			model->reaches_root[i] = WK_REACH_CUT;
		else if (wk_str_is(wk_model_str(model, model->functions[function].name), "gone"))
			model->reaches_root[i] = WK_REACH_UNKNOWN;
	}
}

static inline void small_samples(struct wk_model *model, wk_thread_id thread, wk_stack_id stack,
				 uint64_t count, wk_source_id source, uint64_t weight)
{
	small_recorded(model);
	for (uint64_t i = 0; i < count; i++)
		wk_model_add_sample(model, &(struct wk_sample){
			.time_ns = 5000000000 + (uint64_t)model->samples.count * 1000000,
			.thread = thread,
			.stack = stack,
			.weight = weight,
			.source = source,
		});
}

static inline void small_line(struct wk_model *model, struct wk_str line)
{
	size_t space = line.len;
	wk_thread_id thread = 0;
	wk_stack_id stack = 0;
	uint64_t count;

	while (space > 0 && line.at[space - 1] != ' ')
		space--;
	if (space == 0)
		return;
	count = strtoull(line.at + space, NULL, 10);
	for (size_t from = 0; from < space;) {
		size_t to = from;

		while (to < space - 1 && line.at[to] != ';')
			to++;
		if (thread == 0)
			thread = small_thread(model, wk_str_of(line.at + from, to - from));
		else
			stack = wk_model_add_named(
				model, stack,
				small_frame(model, wk_str_of(line.at + from, to - from)));
		from = to + 1;
	}
	small_samples(model, thread, stack, count, 1, SMALL_WEIGHT);
}

static inline struct wk_model *small_empty_model(void)
{
	struct wk_model *model = wk_model_new();

	wk_model_add_source(model, &(struct wk_source){
		.number = 1,
		.name = wk_model_text(model, wk_str_c("cpu-clock")),
		.unit = wk_model_text(model, wk_str_c("ns")),
		.is_cpu_time = true,
	});
	return model;
}

static inline struct wk_model *small_model(const char *const *lines)
{
	struct wk_model *model = small_empty_model();

	for (; *lines; lines++)
		small_line(model, wk_str_c(*lines));
	small_resolved(model);
	return model;
}

#endif
