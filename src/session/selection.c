#include "session/selection.h"

#include "base/num.h"
#include "event/advice.h"
#include "session/images/jit_makers.h"
#include "views/filter/filter_near.h"
#include "views/filter/expression.h"
#include "views/unnamed.h"

#define MANY_UNNAMED 20 /* one in this number */
#define MANY_CUT     10

#define MOST_FAULTS 3 /* that are printed */

bool wk_selection_open(struct wk_selection *question, const struct wk_model *model,
		       const struct wk_filter_spec *spec, struct wk_err *err)
{
	*question = (struct wk_selection){ .asked = *spec };
	if (!wk_filter_init(&question->filter, model, spec, err))
		return false;
	question->quality = wk_quality_of(model, &question->filter);
	return true;
}

void wk_selection_fini(struct wk_selection *question)
{
	wk_filter_fini(&question->filter);
}

void wk_selection_report_faults(const struct wk_selection *question,
				const struct wk_messages *messages)
{
	const struct wk_model *model = question->quality.model;
	uint32_t faults = 0;

	for (uint32_t i = 0; i < model->note_count; i++) {
		if (model->notes[i].severity == WK_NOTE_REMARK)
			continue;
		if (faults++ < MOST_FAULTS)
			wk_warn(messages, wk_strtab_get(model->text, model->notes[i].text));
	}
	if (faults > MOST_FAULTS)
		wk_warn_fmt(messages, "%u more such faults; `wick show %s system` lists them all",
			    (unsigned)(faults - MOST_FAULTS), wk_model_input(model));
}

static const char *advice_for(const struct wk_selection *question, enum wk_advice_key key)
{
	return wk_advice(question->quality.model->traits->advice, key);
}

void wk_selection_warn(const struct wk_selection *question, const struct wk_messages *messages)
{
	struct wk_buf sentence = { 0 };

	wk_selection_report_faults(question, messages);
	wk_quality_closed_line(&question->quality, &sentence);
	wk_warn_buf(messages, &sentence);
	wk_quality_stacks_line(&question->quality, &sentence);
	wk_warn_buf(messages, &sentence);
}

/* Text formats may contain no threads. */
static bool has_threads(const struct wk_model *model)
{
	for (uint32_t i = 0; i < model->samples.count; i++)
		if (wk_sample_thread(&model->samples, i))
			return true;
	return false;
}

#define MOST_QUERY_BYTES 300

/* It was not typed, but is in a preset's file. */
static void add_query(const struct wk_selection *question, struct wk_buf *sentence)
{
	const struct wk_preset_query *query = question->asked.query;
	struct wk_str text = query ? query->text : wk_str_c("");
	bool is_cut = text.len > MOST_QUERY_BYTES;

	if (!query || question->filter.kept[WK_FILTER_QUERY])
		return;
	while (text.len > MOST_QUERY_BYTES || (is_cut && (text.at[text.len] & 0xc0) == 0x80))
		text.len--;
	wk_buf_add_fmt(sentence, "; that filter %s samples that match %.*s%s",
		       query->keeps ? "keeps" : "leaves out", WK_STR_ARG(text), is_cut ? "…" : "");
}

static void explain(const struct wk_selection *question, struct wk_buf *sentence)
{
	const bool *is_given = question->filter.is_given;
	const struct wk_model *model = question->quality.model;

	wk_filter_explain(&question->filter, sentence);
	if (question->filter.total == 0 && question->filter.has_counts)
		wk_buf_add_fmt(sentence,
			       "; `wick show %s events` counts the recorded events, `wick dump %s` "
			       "prints them",
			       wk_model_input(model), wk_model_input(model));
	if (question->filter.total == 0 && !question->filter.has_named_source &&
	    advice_for(question, WK_ADVICE_CPU_SAMPLES))
		wk_buf_add_fmt(sentence, "; %s records some",
			       advice_for(question, WK_ADVICE_CPU_SAMPLES));
	if (question->filter.total && !has_threads(model) &&
	    (is_given[WK_FILTER_PROCESS] || is_given[WK_FILTER_THREAD]))
		wk_buf_add_text(sentence, "; this input contains no processes or threads");
	else
		wk_filter_near(&question->filter, model, &question->asked, sentence);
	add_query(question, sentence);
}

bool wk_selection_expect(const struct wk_selection *question, struct wk_err *err)
{
	struct wk_buf sentence = { 0 };

	if (question->filter.in_view)
		return true;
	explain(question, &sentence);
	wk_fail(err, WK_EEMPTY, WK_NOWHERE, "%s", wk_buf_text(&sentence));
	wk_buf_fini(&sentence);
	return false;
}

void wk_selection_report_cpu(const struct wk_selection *question,
			     const struct wk_messages *messages)
{
	struct wk_buf sentence = { 0 };

	wk_quality_cpu_line(&question->quality, &sentence);
	wk_warn_buf(messages, &sentence);
}

void wk_selection_report(const struct wk_selection *question, const struct wk_messages *messages)
{
	struct wk_buf sentence = { 0 };

	wk_selection_report_cpu(question, messages);
	if (question->filter.in_view == 0)
		explain(question, &sentence);
	else
		wk_quality_line(&question->quality, &sentence);
	wk_warn_buf(messages, &sentence);
	if (question->filter.in_view) {
		wk_selection_warn(question, messages);
		wk_selection_hint(question, messages);
	}
}

/* Does one row stand for all functions of the image that have no names? */
static bool has_one_row(const struct wk_model *model, const struct wk_image *image)
{
	for (wk_function_id id = 1; id < model->function_count; id++)
		if (model->functions[id].is_rest_of_image &&
		    &model->images[model->functions[id].image] == image)
			return true;
	return false;
}

/* "grep lacks symbols (22.1 % of frames unnamed); ..." */
static void add_symbols(struct wk_buf *sentence, const struct wk_model *model,
			const struct wk_image *image, const char *share)
{
	wk_buf_add_fmt(sentence,
		       "%.*s lacks symbols (%s of frames unnamed); `wick symbols %s` shows how to "
		       "get them",
		       WK_STR_ARG(wk_str_basename(wk_model_str(model, image->path))), share,
		       wk_model_one_input(model));
	if (has_one_row(model, image))
		wk_buf_add_fmt(sentence, ", `wick show --addresses %s` lists them by address",
			       wk_model_one_input(model));
}

/* Names of JIT code come from the program, or from the recorder if it walks stacks itself. */
static void add_maker(struct wk_buf *sentence, const struct wk_model *model, const char *share,
		      const struct wk_jit_maker *maker)
{
	wk_buf_add_fmt(sentence, "%s of frames are JIT code that the %s does not name; ", share,
		       model->traits->walks_stacks ? "trace" : "program");
	if (maker)
		wk_buf_add_fmt(sentence, "`%s`%s%s%s names it", maker->words,
			       maker->remark ? " (" : "", maker->remark ? maker->remark : "",
			       maker->remark ? ")" : "");
	else
		wk_buf_add_text(sentence, wk_advice(model->traits->advice, WK_ADVICE_JIT_NAMES));
}

static void hint_names(const struct wk_selection *question, const struct wk_messages *messages)
{
	const struct wk_model *model = question->quality.model;
	struct wk_nameless nameless = wk_nameless_of(model, &question->filter);
	struct wk_buf sentence = { 0 }, share = { 0 };

	if (nameless.unnamed * MANY_UNNAMED < nameless.frames || nameless.unnamed == 0)
		return;
	wk_num_add_share(&share, nameless.unnamed, nameless.frames);
	if (model->images[nameless.image].kind == WK_IMAGE_ANONYMOUS)
		add_maker(&sentence, model, wk_buf_text(&share),
			  model->traits->walks_stacks ? NULL
						      : wk_jit_maker_of(model, nameless.image));
	else
		add_symbols(&sentence, model, &model->images[nameless.image], wk_buf_text(&share));
	wk_warn_buf(messages, &sentence);
	wk_buf_fini(&share);
}

/* Nothing can be done for this recording, but for the next one. */
static void hint_stacks(const struct wk_selection *question, const struct wk_messages *messages)
{
	const struct wk_model *model = question->quality.model;
	struct wk_memory_roots roots = wk_memory_roots_of(model, &question->filter);
	const struct wk_jit_maker *maker;
	struct wk_buf sentence = { 0 };

	if (roots.cut * MANY_CUT < roots.samples || roots.cut == 0)
		return;
	maker = wk_jit_maker_in(model, &model->processes[roots.process]);
	wk_num_add_share(&sentence, roots.cut, roots.samples);
	wk_buf_add_text(&sentence, " of stacks end in JIT code");
	wk_buf_add_text(&sentence, advice_for(question, WK_ADVICE_JIT_STACKS));
	if (!model->traits->walks_stacks && maker && maker->stacks)
		wk_buf_add_fmt(&sentence, "; %s", maker->stacks);
	wk_warn_buf(messages, &sentence);
}

void wk_selection_hint(const struct wk_selection *question, const struct wk_messages *messages)
{
	hint_names(question, messages);
	hint_stacks(question, messages);
}
