#include "views/filter/filter_near.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/num.h"
#include "base/text/pattern.h"
#include "base/text/suggest.h"
#include "views/filter/verdicts.h"

#define MOST_LISTED 5

/* The word for a field of text, and whether there are few enough values to list some. */
static const struct kind {
	const char *word;
	bool is_listed;
} kinds[WK_FIELD_NONE] = {
	[WK_FIELD_PROCESS] = { "process", true },
	[WK_FIELD_PROCESS_LABEL] = { "process", true },
	[WK_FIELD_COMMAND] = { "command line", true },
	[WK_FIELD_THREAD] = { "thread", true },
	[WK_FIELD_FUNCTION] = { "function", false },
	[WK_FIELD_MODULE] = { "module", true },
	[WK_FIELD_IMAGE] = { "file", true },
	[WK_FIELD_STACK_IMAGE] = { "file", true },
	[WK_FIELD_FILE] = { "source file", false },
	[WK_FIELD_STACK_FILE] = { "source file", false },
	[WK_FIELD_KIND] = { "kind of code", true },
	[WK_FIELD_EVENT] = { "event", true },
	[WK_FIELD_STACK] = { "function", false },
	[WK_FIELD_STACK_FRAME] = { "function", false },
};

/* The processes, threads, images, functions or events of a model, as the field of a term needs. */
struct rows {
	const struct wk_model *model;
	const struct wk_term *term;
	enum wk_field_of of;
	bool is_of_images;
	bool has_numbers; /* of --process and --thread, which accept them: they are listed as well
			   */
	uint32_t count;
	uint64_t *samples; /* how many the filter's source has of each */
};

static struct rows rows_of(const struct wk_model *model, const struct wk_term *term)
{
	return (struct rows){
		.model = model,
		.term = term,
		.of = wk_fields[term->field].of,
		.is_of_images = wk_field_is_of_images(term->field),
		.has_numbers = (wk_fields[term->field].of == WK_OF_PROCESS ||
				wk_fields[term->field].of == WK_OF_THREAD) &&
			       isdigit((unsigned char)term->text.at[0]),
		.count = wk_field_rows(model, term->field),
	};
}

static uint32_t row_of_sample(const struct rows *rows, uint32_t sample)
{
	const struct wk_model *model = rows->model;
	wk_thread_id thread = wk_sample_thread(&model->samples, sample);
	uint32_t named = wk_model_named_of(model, model->samples.stack[sample]);
	wk_function_id leaf =
		named ? model->named_frames.function[model->named.entries[named].label] : 0;

	switch (rows->of) {
	case WK_OF_PROCESS:
		return model->threads[thread].process;
	case WK_OF_THREAD:
		return thread;
	case WK_OF_EVENT:
		return wk_sample_source(&model->samples, sample);
	default:
		return rows->is_of_images ? model->functions[leaf].image : leaf;
	}
}

/* Patterns match paths of images, and a name is enough for them. */
static const char *name_of_row(const struct rows *rows, uint32_t row)
{
	enum wk_field field = rows->term->field;

	if (rows->is_of_images && rows->term->test != WK_TEST_TEXT)
		return wk_strtab_get(rows->model->text, rows->model->images[row].name);
	if (field == WK_FIELD_PROCESS_LABEL)
		field = WK_FIELD_PROCESS;
	else if (field == WK_FIELD_STACK_FRAME)
		field = WK_FIELD_STACK;
	return wk_field_text(rows->model, field, row, NULL).at;
}

static void count_samples(struct rows *rows, const struct wk_filter *filter)
{
	const struct wk_samples *samples = &rows->model->samples;
	bool is_of_any = rows->of == WK_OF_EVENT;

	rows->samples = wk_alloc_zeroed((size_t)rows->count + 1, sizeof(*rows->samples));
	for (uint32_t i = 0; i < samples->count; i++)
		if (is_of_any || wk_sample_source(samples, i) == filter->source)
			rows->samples[row_of_sample(rows, i)] +=
				wk_model_sample_times(rows->model, i);
}

static const char *nearest(const struct rows *rows)
{
	struct wk_suggestion near = wk_suggestion_for(rows->term->text);

	for (uint32_t i = 1; i < rows->count; i++)
		if (rows->samples[i])
			wk_suggestion_try(&near, name_of_row(rows, i));
	return near.best;
}

/* The most sampled of those that were not listed; 0 after the last. */
static uint32_t take_most(struct rows *rows)
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

static uint32_t number_of_row(const struct rows *rows, uint32_t row)
{
	return rows->of == WK_OF_PROCESS ? rows->model->processes[row].pid
					 : rows->model->threads[row].tid;
}

static void list_most(struct rows *rows, struct wk_buf *sentence)
{
	const char *listed[MOST_LISTED];
	size_t count = 0;
	uint32_t row;

	while (count < MOST_LISTED && (row = take_most(rows))) {
		const char *name = name_of_row(rows, row);
		size_t i = 0;

		while (i < count && (listed[i] != name || rows->has_numbers))
			i++;
		if (i < count)
			continue;
		wk_buf_add_fmt(sentence, "%s%s", count ? ", " : "; sampled were: ", name);
		if (rows->has_numbers)
			wk_buf_add_fmt(sentence, " (%" PRIu32 ")", number_of_row(rows, row));
		listed[count++] = name;
	}
	if (count == MOST_LISTED && take_most(rows))
		wk_buf_add_text(sentence, " ...");
}

static bool matches(const struct rows *rows, bool any_case)
{
	struct wk_str text = rows->term->text;
	bool is_text = rows->term->test == WK_TEST_TEXT, is_met = false;
	const char *why;
	struct wk_pattern *pattern = is_text ? NULL : wk_pattern_new(text.at, any_case, &why);

	for (uint32_t i = 1; (is_text || pattern) && i < rows->count && !is_met; i++) {
		struct wk_str name = wk_str_c(name_of_row(rows, i));

		is_met = !is_text   ? wk_pattern_matches(pattern, name)
			 : any_case ? wk_str_eq_any_case(name, text)
				    : wk_str_eq(name, text);
	}
	wk_pattern_free(pattern);
	return is_met;
}

/* `is_alone`: nothing else made the filter keep nothing. */
static void add_term(const struct wk_filter *filter, const struct wk_model *model,
		     const struct wk_term *term, bool is_alone, bool any_case,
		     struct wk_buf *sentence)
{
	struct rows rows = rows_of(model, term);
	const struct kind *kind = &kinds[term->field];
	const char *near;

	any_case |=
		term->any_case || (model->traits->ignores_case && wk_fields[term->field].is_path);
	if (!is_alone && matches(&rows, any_case))
		return;
	if (!any_case && matches(&rows, true) && !matches(&rows, false)) {
		wk_buf_add_text(sentence, "; -i matches upper and lower case alike");
		return;
	}
	count_samples(&rows, filter);
	near = nearest(&rows);
	if (near || kind->is_listed)
		wk_buf_add_fmt(sentence, "; no sampled %s matches \"%.*s\"", kind->word,
			       WK_STR_ARG(term->text));
	if (near)
		wk_buf_add_fmt(sentence, ": did you mean \"%s\"?", near);
	else if (kind->is_listed)
		list_most(&rows, sentence);
	wk_free(rows.samples);
}

/* Of --process, --thread, --image and --function. */
static void add_options(const struct wk_filter *filter, const struct wk_model *model,
			const struct wk_filter_spec *spec, struct wk_buf *sentence)
{
	const struct {
		enum wk_filter_part part;
		enum wk_field field;
		const char *text;
	} options[] = {
		{ WK_FILTER_PROCESS, WK_FIELD_PROCESS, spec->process },
		{ WK_FILTER_THREAD, WK_FIELD_THREAD, spec->thread },
		{ WK_FILTER_IMAGE, WK_FIELD_STACK_IMAGE, spec->image },
		{ WK_FILTER_FUNCTION, WK_FIELD_STACK, spec->function },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		const struct wk_term term = { .field = options[i].field, .test = WK_TEST_PATTERN,
					      .text = wk_str_c(options[i].text) };

		if (options[i].text && !filter->kept[options[i].part])
			add_term(filter, model, &term, true, spec->ignore_case, sentence);
	}
}

static void add_expression(const struct wk_filter *filter, const struct wk_model *model,
			   const struct wk_filter_spec *spec, struct wk_buf *sentence)
{
	struct wk_expr expr;

	if (!spec->expression || filter->kept[WK_FILTER_EXPRESSION] ||
	    !wk_expr_read(&expr, wk_str_c(spec->expression), NULL))
		return;
	for (size_t i = 0; i < expr.term_count; i++)
		if (wk_fields[expr.terms[i].field].value == WK_VALUE_TEXT)
			add_term(filter, model, &expr.terms[i], expr.step_count == 1,
				 spec->ignore_case, sentence);
	wk_expr_fini(&expr);
}

/* Nothing is in view before and after the recording. */
static void add_range(const struct wk_filter *filter, const struct wk_model *model,
		      const struct wk_filter_spec *spec, struct wk_buf *sentence)
{
	uint64_t begin_ns = wk_model_begin_ns(model);
	bool is_late = spec->expression && filter->from_ns > model->last_ns;

	if ((!is_late && (!spec->time || filter->kept[WK_FILTER_TIME])) ||
	    model->samples.is_before || model->last_ns <= begin_ns)
		return;
	wk_buf_add_text(sentence, "; the samples are from ");
	if (model->first_ns > begin_ns)
		wk_num_add_duration(sentence, model->first_ns - begin_ns);
	else
		wk_buf_add_char(sentence, '0');
	wk_buf_add_text(sentence, " to ");
	wk_num_add_duration(sentence, model->last_ns - begin_ns);
}

void wk_filter_near(const struct wk_filter *filter, const struct wk_model *model,
		    const struct wk_filter_spec *spec, struct wk_buf *sentence)
{
	if (!filter->total)
		return;
	add_options(filter, model, spec, sentence);
	add_expression(filter, model, spec, sentence);
	add_range(filter, model, spec, sentence);
}
