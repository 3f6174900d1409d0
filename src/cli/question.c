#include "cli/question.h"

#include "cli/terminal.h"

#define MOST_FAULTS 3 /* that are told */

bool wk_question_ask(struct wk_question *question, const struct wk_model *model,
		  const struct wk_filter_spec *spec, struct wk_err *err)
{
	*question = (struct wk_question){ 0 };
	if (!wk_filter_init(&question->filter, model, spec, err))
		return false;
	question->quality = wk_quality_of(model, &question->filter);
	return true;
}

void wk_question_fini(struct wk_question *question)
{
	wk_filter_fini(&question->filter);
}

/* What of the input could not be used. */
static void say_faults(const struct wk_model *model)
{
	uint32_t told = 0, faults = 0;

	for (uint32_t i = 0; i < model->note_count; i++) {
		faults += model->notes[i].is_fault;
		if (!model->notes[i].is_fault || told == MOST_FAULTS)
			continue;
		wk_say(wk_strtab_get(model->text, model->notes[i].text));
		told++;
	}
	if (faults > told)
		wk_say("and more like that: `wick show FILE system` has them all");
}

void wk_question_warn(const struct wk_question *question)
{
	struct wk_buf sentence = { 0 };

	say_faults(question->quality.model);
	wk_quality_closed_line(&question->quality, &sentence);
	if (sentence.len)
		wk_say(wk_buf_text(&sentence));
	wk_buf_fini(&sentence);
}

void wk_question_say(const struct wk_question *question)
{
	struct wk_buf sentence = { 0 };

	if (question->filter.in_view == 0)
		wk_filter_explain(&question->filter, &sentence);
	else
		wk_quality_line(&question->quality, &sentence);
	wk_say(wk_buf_text(&sentence));
	wk_buf_fini(&sentence);
	if (question->filter.in_view)
		wk_question_warn(question);
}
