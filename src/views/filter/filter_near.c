#include "views/filter/filter_near.h"

#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text/pattern.h"
#include "base/text/suggest.h"

#define MOST_TOLD 5

/* Rows of one kind: how much the filter's source sampled of each. */
struct rows {
	const struct wk_model *model;
	enum wk_filter_part part;
	uint64_t *samples;
	uint32_t count;
};

static wk_function_id leaf_function(const struct wk_model *model, uint32_t sample)
{
	wk_stack_id named = wk_model_named_of(model, model->samples.stack[sample]);

	return named ? model->named_frames.function[model->named.label[named]] : 0;
}

static uint32_t row_of_sample(const struct rows *rows, uint32_t sample)
{
	const struct wk_model *model = rows->model;
	wk_thread_id thread = model->samples.thread[sample];

	switch (rows->part) {
	case WK_FILTER_PROCESS:
		return model->threads[thread].process;
	case WK_FILTER_THREAD:
		return thread;
	case WK_FILTER_IMAGE:
		return model->functions[leaf_function(model, sample)].image;
	default:
		return leaf_function(model, sample);
	}
}

static const char *name_of_row(const struct rows *rows, uint32_t row)
{
	const struct wk_model *model = rows->model;

	switch (rows->part) {
	case WK_FILTER_PROCESS:
		return wk_strtab_get(model->text, model->processes[row].name);
	case WK_FILTER_THREAD:
		return wk_strtab_get(model->text, model->threads[row].name);
	case WK_FILTER_IMAGE:
		return wk_strtab_get(model->text, model->images[row].name);
	default:
		return wk_strtab_get(model->text, model->functions[row].name);
	}
}

static uint32_t count_of_rows(const struct wk_model *model, enum wk_filter_part part)
{
	return part == WK_FILTER_PROCESS  ? model->process_count
	       : part == WK_FILTER_THREAD ? model->thread_count
	       : part == WK_FILTER_IMAGE  ? model->image_count
					  : model->function_count;
}

static void count_samples(struct rows *rows, const struct wk_filter *filter)
{
	const struct wk_samples *samples = &rows->model->samples;

	rows->count = count_of_rows(rows->model, rows->part);
	rows->samples = wk_alloc_zeroed(rows->count, sizeof(*rows->samples));
	for (uint32_t i = 0; i < samples->count; i++)
		if (samples->source[i] == filter->source)
			rows->samples[row_of_sample(rows, i)] +=
				wk_model_sample_times(rows->model, i);
}

/* The most sampled of those that were not told; 0 where there is none. */
static uint32_t read_most(struct rows *rows)
{
	uint32_t best = 0;

	for (uint32_t i = 1; i < rows->count; i++)
		if (rows->samples[i] && name_of_row(rows, i)[0] &&
		    (!best || rows->samples[i] > rows->samples[best]))
			best = i;
	if (best)
		rows->samples[best] = 0;
	return best;
}

static bool is_reported(const char *const *told, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (told[i] == name)
			return true;
	return false;
}

static const char *nearest(const struct rows *rows, const char *typed)
{
	struct wk_suggestion near = wk_suggestion_for(wk_str_c(typed));

	for (uint32_t i = 1; i < rows->count; i++)
		if (rows->samples[i])
			wk_suggestion_try(&near, name_of_row(rows, i));
	return near.best;
}

static void add_most(struct rows *rows, struct wk_buf *sentence)
{
	const char *told[MOST_TOLD];
	size_t count = 0;
	uint32_t row;

	while (count < MOST_TOLD && (row = read_most(rows)) != 0) {
		const char *name = name_of_row(rows, row);

		if (is_reported(told, count, name))
			continue;
		wk_buf_add_fmt(sentence, "%s%s", count ? ", " : ": there is ", name);
		told[count++] = name;
	}
	if (count == MOST_TOLD && read_most(rows))
		wk_buf_add_text(sentence, " ...");
}

static bool matches(const struct rows *rows, const char *typed, bool ignore_case)
{
	const char *why;
	struct wk_pattern *pattern = wk_pattern_new(typed, ignore_case, &why);
	bool is_met = false;

	for (uint32_t i = 1; pattern && i < rows->count && !is_met; i++)
		is_met = wk_pattern_matches(pattern, wk_str_c(name_of_row(rows, i)));
	wk_pattern_free(pattern);
	return is_met;
}

static void add_part(const struct wk_filter *filter, const struct wk_model *model,
		     enum wk_filter_part part, const struct wk_filter_spec *spec, const char *typed,
		     struct wk_buf *sentence)
{
	static const char *const what[] = {
		[WK_FILTER_PROCESS] = "process", [WK_FILTER_THREAD] = "thread",
		[WK_FILTER_IMAGE] = "file", [WK_FILTER_FUNCTION] = "function",
	};
	bool takes_any_case = spec->ignore_case || /* as the filter has it */
			      (model->traits->ignores_case &&
			       (part == WK_FILTER_PROCESS || part == WK_FILTER_IMAGE));
	struct rows rows = { .model = model, .part = part };
	const char *near;

	if (!typed || filter->kept[part])
		return;
	rows.count = count_of_rows(model, part);
	if (!takes_any_case && matches(&rows, typed, true) && !matches(&rows, typed, false)) {
		wk_buf_add_text(sentence, "; -i matches upper and lower case alike");
		return;
	}
	count_samples(&rows, filter);
	near = nearest(&rows, typed);
	if (near || part != WK_FILTER_FUNCTION) /* of which there are too many */
		wk_buf_add_fmt(sentence, "; no %s that was sampled is like \"%s\"", what[part],
			       typed);
	if (near)
		wk_buf_add_fmt(sentence, ": did you mean \"%s\"?", near);
	else if (part != WK_FILTER_FUNCTION)
		add_most(&rows, sentence);
	wk_free(rows.samples);
}

/* A time that nothing lies in: where what was sampled ends. */
static void add_end(const struct wk_filter *filter, const struct wk_model *model,
		    const struct wk_filter_spec *spec, struct wk_buf *sentence)
{
	uint64_t begin_ns = wk_model_begin_ns(model);

	if (!spec->time || filter->kept[WK_FILTER_TIME] || model->samples.is_before ||
	    model->last_ns <= begin_ns)
		return;
	wk_buf_add_text(sentence, "; the last sample is at ");
	wk_num_add_duration(sentence, model->last_ns - begin_ns);
}

void wk_filter_near(const struct wk_filter *filter, const struct wk_model *model,
		    const struct wk_filter_spec *spec, struct wk_buf *sentence)
{
	if (!filter->total)
		return;
	add_part(filter, model, WK_FILTER_PROCESS, spec, spec->process, sentence);
	add_part(filter, model, WK_FILTER_THREAD, spec, spec->thread, sentence);
	add_part(filter, model, WK_FILTER_IMAGE, spec, spec->image, sentence);
	add_part(filter, model, WK_FILTER_FUNCTION, spec, spec->function, sentence);
	add_end(filter, model, spec, sentence);
}
