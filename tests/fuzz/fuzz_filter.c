/* Any text as a filter expression. If it is one, it is evaluated on a model of one sample, and
 * together with its negation it keeps that sample at least once. */
#include <stdlib.h>

#include "base/buf.h"
#include "model/model.h"
#include "views/filter/expression.h"
#include "views/filter/filter.h"
#include "views/filter/filter_near.h"

static struct wk_model *one_sample(void)
{
	struct wk_model *model = wk_model_new();
	struct wk_process process = { .pid = 12, .name = wk_model_text(model, wk_str_c("app")) };
	struct wk_thread thread = { .tid = 13, .name = wk_model_text(model, wk_str_c("main")),
				    .process = wk_model_add_process(model, &process) };
	struct wk_source source = { .name = wk_model_text(model, wk_str_c("cycles")) };
	struct wk_sample sample = { .weight = 1,
				    .thread = wk_model_add_thread(model, &thread),
				    .source = wk_model_add_source(model, &source) };

	wk_model_add_sample(model, &sample);
	return model;
}

/* False if the model shows that the expression is wrong. */
static bool keeps(const struct wk_model *model, const char *expression, bool *is_kept)
{
	struct wk_filter_spec spec = { .expression = expression };
	struct wk_filter filter;
	struct wk_buf sentence = { 0 };
	struct wk_err err = { 0 };

	if (!wk_filter_init(&filter, model, &spec, &err)) {
		if (!err.text[0])
			abort();
		return false;
	}
	*is_kept = wk_filter_has(&filter, 0);
	wk_filter_explain(&filter, &sentence);
	wk_filter_near(&filter, model, &spec, &sentence);
	wk_buf_fini(&sentence);
	wk_filter_fini(&filter);
	return true;
}

static void evaluate(const char *text)
{
	struct wk_model *model = one_sample();
	struct wk_buf negated = { 0 };
	bool is_kept, is_negation_kept;

	wk_buf_add_fmt(&negated, "not (%s)", text);
	if (keeps(model, text, &is_kept) &&
	    keeps(model, wk_buf_text(&negated), &is_negation_kept) && !is_kept && !is_negation_kept)
		abort();
	wk_buf_fini(&negated);
	wk_model_free(model);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct wk_str text = wk_str_of((const char *)data, size);
	struct wk_err err = { 0 };
	struct wk_buf typed = { 0 };
	struct wk_expr expr;

	if (!wk_expr_read(&expr, text, &err)) {
		if (err.code != WK_EUSAGE || !err.text[0])
			abort();
		return 0;
	}
	if (expr.term_count == 0 || expr.step_count < expr.term_count)
		abort();
	wk_expr_fini(&expr);
	wk_buf_add_str(&typed, text);
	evaluate(wk_buf_text(&typed));
	wk_buf_fini(&typed);
	return 0;
}
