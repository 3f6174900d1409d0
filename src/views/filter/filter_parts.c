#include "views/filter/filter_parts.h"

#include "base/num.h"

/* Reads the next number of a list; false if it is not one. */
static bool next_number(struct wk_str *list, struct wk_str *number)
{
	uint64_t value;

	wk_str_split(*list, ',', number, list);
	return wk_num_u64(*number, &value);
}

static bool is_number_list(const char *text)
{
	struct wk_str list = wk_str_c(text), number;

	do {
		if (!next_number(&list, &number))
			return false;
	} while (list.len);
	return true;
}

static void add_pattern(struct wk_expr *expr, enum wk_field field, const char *text)
{
	struct wk_term term = { .field = field, .test = WK_TEST_PATTERN, .text = wk_str_c(text) };

	wk_expr_term(expr, &term);
}

/* "12,40" are numbers, anything else is a pattern for names. */
static void add_numbers_or_pattern(struct wk_expr *expr, enum wk_field number, enum wk_field name,
				   const char *text)
{
	struct wk_str list = wk_str_c(text), each;

	if (!is_number_list(text)) {
		add_pattern(expr, name, text);
		return;
	}
	while (list.len) {
		struct wk_term term = { .field = number };

		next_number(&list, &each);
		if (expr->has_operand)
			wk_expr_join(expr, WK_STEP_OR);
		wk_term_read_range(&term, each);
		wk_expr_term(expr, &term);
	}
}

/* In words. */
static const char *begin_of(const struct wk_model *model)
{
	if (model->traits->times_from_start)
		return "the trace's begin";
	return wk_model_begin_ns(model) < model->first_ns ? "the start of the recording"
							  : "the first sample";
}

static bool add_time(struct wk_expr *expr, const struct wk_model *model, const char *text,
		     struct wk_err *err)
{
	struct wk_term term = { .field = WK_FIELD_TIME, .written = wk_str_c(text) };

	if (!strchr(text, '-') || !wk_term_read_range(&term, term.written))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "time range \"%s\": expected FROM-TO since %s, such as 1.5-3, "
			       "200ms-1s or 10-, or parts such as 10%%-20%%",
			       text, begin_of(model));
	wk_expr_term(expr, &term);
	return !wk_term_is_backward(&term) ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE, "time range \"%s\": it ends before it begins",
		       text);
}

static bool read_expression(struct wk_expr *expr, const char *text, struct wk_err *err)
{
	return wk_expr_read(expr, wk_str_c(text), err) || wk_err_in(err, "--filter");
}

/* ---- what a part is about */

enum wk_filter_use wk_term_use(const struct wk_term *term)
{
	enum wk_field_of of = wk_fields[term->field].of;

	if (of == WK_OF_PROCESS || of == WK_OF_THREAD)
		return WK_FILTER_USES_THREADS;
	return term->field == WK_FIELD_TIME && term->is_joined ? WK_FILTER_USES_TIME
							       : WK_FILTER_USES_SAMPLES;
}

static unsigned uses_of(const struct wk_expr *expr)
{
	unsigned uses = 0;

	for (size_t i = 0; i < expr->term_count; i++)
		uses |= wk_term_use(&expr->terms[i]);
	return uses;
}

/* Sums of samples keep their threads, stacks and events. */
static bool needs_samples(const struct wk_expr *expr)
{
	for (size_t i = 0; i < expr->term_count; i++)
		if (wk_fields[expr->terms[i].field].of == WK_OF_SAMPLE)
			return true;
	return false;
}

bool wk_filter_spec_narrows(const struct wk_filter_spec *spec)
{
	return spec->process || spec->thread || spec->image || spec->function || spec->time ||
	       spec->query || spec->expression;
}

struct wk_filter_time wk_filter_time_of(const struct wk_filter_spec *spec)
{
	struct wk_term term = { .field = WK_FIELD_TIME };

	if (!spec->time || !wk_term_read_range(&term, wk_str_c(spec->time)) ||
	    term.from.has_share || term.to.has_share)
		return (struct wk_filter_time){ 0 };
	return (struct wk_filter_time){ true, term.from.value, term.to.value };
}

bool wk_filter_check(const struct wk_filter_spec *spec, struct wk_filter_needs *needs,
		     struct wk_err *err)
{
	bool query_needs_samples = spec->query && needs_samples(&spec->query->expr);
	struct wk_expr expr;

	*needs = (struct wk_filter_needs){
		.samples = spec->time || query_needs_samples,
		.blocks = query_needs_samples ||
			  (spec->time && !wk_filter_time_of(spec).is_known),
	};
	if (!wk_span_check(&spec->span, spec->outstanding, err))
		return false;
	if (!spec->expression)
		return true;
	if (!read_expression(&expr, spec->expression, err))
		return false;
	needs->uses = uses_of(&expr);
	needs->samples |= needs_samples(&expr);
	needs->blocks |= needs_samples(&expr);
	wk_expr_fini(&expr);
	return true;
}

/* ---- the parts */

bool wk_filter_parts_init(struct wk_filter_parts *parts, const struct wk_model *model,
			  const struct wk_filter_spec *spec, struct wk_err *err)
{
	struct wk_expr *own = parts->own;

	*parts = (struct wk_filter_parts){ 0 };
	if (spec->process)
		add_numbers_or_pattern(&own[WK_FILTER_PROCESS], WK_FIELD_PID, WK_FIELD_PROCESS,
				       spec->process);
	if (spec->thread)
		add_numbers_or_pattern(&own[WK_FILTER_THREAD], WK_FIELD_TID, WK_FIELD_THREAD,
				       spec->thread);
	if (spec->image)
		add_pattern(&own[WK_FILTER_IMAGE], WK_FIELD_STACK_IMAGE, spec->image);
	if (spec->function)
		add_pattern(&own[WK_FILTER_FUNCTION], WK_FIELD_STACK, spec->function);
	if ((spec->time && !add_time(&own[WK_FILTER_TIME], model, spec->time, err)) ||
	    (spec->expression &&
	     !read_expression(&own[WK_FILTER_EXPRESSION], spec->expression, err)))
		return false;
	for (int part = 0; part < WK_FILTER_PARTS; part++) {
		const struct wk_expr *expr = &own[part];

		if (part == WK_FILTER_QUERY && spec->query)
			expr = &spec->query->expr;
		wk_expr_finish(&own[part]);
		parts->exprs[part] = expr->term_count ? expr : NULL;
		parts->uses_threads[part] = uses_of(expr) & WK_FILTER_USES_THREADS;
	}
	return true;
}

void wk_filter_parts_fini(struct wk_filter_parts *parts)
{
	for (int part = 0; part < WK_FILTER_PARTS; part++)
		wk_expr_fini(&parts->own[part]);
}
