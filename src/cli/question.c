#include "cli/question.h"

#include "cli/terminal.h"

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

void wk_question_warn(const struct wk_question *question)
{
	struct wk_buf sentence = { 0 };

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
