/* The form of an expression. Operators wait until their operands are complete (the shunting-yard
 * algorithm). */
#include "views/filter/expression.h"

#include "base/mem.h"

const struct wk_field_info wk_fields[WK_FIELD_NONE + 1] = {
	[WK_FIELD_PROCESS] = { "process", WK_OF_PROCESS, WK_VALUE_TEXT, true },
	[WK_FIELD_PID] = { "pid", WK_OF_PROCESS, WK_VALUE_NUMBER, false },
	[WK_FIELD_PROCESS_LABEL] = { "process-label", WK_OF_PROCESS, WK_VALUE_TEXT, true },
	[WK_FIELD_COMMAND] = { "command", WK_OF_PROCESS, WK_VALUE_TEXT, false },
	[WK_FIELD_THREAD] = { "thread", WK_OF_THREAD, WK_VALUE_TEXT, false },
	[WK_FIELD_TID] = { "tid", WK_OF_THREAD, WK_VALUE_NUMBER, false },
	[WK_FIELD_FUNCTION] = { "function", WK_OF_LEAF, WK_VALUE_TEXT, false },
	[WK_FIELD_MODULE] = { "module", WK_OF_LEAF, WK_VALUE_TEXT, true },
	[WK_FIELD_IMAGE] = { "image", WK_OF_LEAF, WK_VALUE_TEXT, true },
	[WK_FIELD_FILE] = { "file", WK_OF_LEAF, WK_VALUE_TEXT, false },
	[WK_FIELD_KIND] = { "kind", WK_OF_LEAF, WK_VALUE_TEXT, false },
	[WK_FIELD_STACK] = { "stack", WK_OF_STACK, WK_VALUE_TEXT, false },
	[WK_FIELD_STACK_FRAME] = { "stack-frame", WK_OF_STACK, WK_VALUE_TEXT, false },
	[WK_FIELD_STACK_IMAGE] = { "stack-image", WK_OF_STACK, WK_VALUE_TEXT, true },
	[WK_FIELD_STACK_FILE] = { "stack-file", WK_OF_STACK, WK_VALUE_TEXT, false },
	[WK_FIELD_EVENT] = { "event", WK_OF_EVENT, WK_VALUE_TEXT, false },
	[WK_FIELD_CPU] = { "cpu", WK_OF_SAMPLE, WK_VALUE_NUMBER, false },
	[WK_FIELD_TIME] = { "time", WK_OF_SAMPLE, WK_VALUE_TIME, false },
	[WK_FIELD_WEIGHT] = { "weight", WK_OF_SAMPLE, WK_VALUE_AMOUNT, false },
	[WK_FIELD_NONE] = { NULL, WK_OF_NOTHING, WK_VALUE_TEXT, false },
};

#define OPEN 0xff /* a parenthesis among the operators that wait */

static void emit(struct wk_expr *expr, uint8_t step)
{
	*WK_APPEND(expr->steps, expr->step_count, expr->step_cap) = step;
}

static void wait(struct wk_expr *expr, uint8_t step)
{
	*WK_APPEND(expr->waiting, expr->waiting_count, expr->waiting_cap) = step;
}

static int precedence(uint8_t step)
{
	return step == WK_STEP_NOT ? 3 : step == WK_STEP_AND ? 2 : step == WK_STEP_OR ? 1 : 0;
}

static void emit_waiting(struct wk_expr *expr, int least)
{
	while (expr->waiting_count && precedence(expr->waiting[expr->waiting_count - 1]) >= least)
		emit(expr, expr->waiting[--expr->waiting_count]);
}

void wk_expr_term(struct wk_expr *expr, const struct wk_term *term)
{
	WK_RESERVE(expr->terms, expr->term_cap, expr->term_count + 1);
	expr->terms[expr->term_count] = *term;
	expr->terms[expr->term_count++].text = wk_arena_copy(&expr->texts, term->text);
	expr->has_operand = true;
	emit(expr, WK_STEP_TERM);
}

void wk_expr_join(struct wk_expr *expr, enum wk_step and_or)
{
	emit_waiting(expr, precedence(and_or));
	wait(expr, and_or);
	expr->has_operand = false;
}

void wk_expr_not(struct wk_expr *expr)
{
	wait(expr, WK_STEP_NOT);
}

void wk_expr_open(struct wk_expr *expr)
{
	wait(expr, OPEN);
}

bool wk_expr_close(struct wk_expr *expr)
{
	emit_waiting(expr, 1);
	if (!expr->waiting_count)
		return false;
	expr->waiting_count--;
	return true;
}

/* From the last step back, each step takes its place from those after it. */
static void find_joined(struct wk_expr *expr)
{
	bool *places = wk_alloc_zeroed(expr->step_count + 2, sizeof(*places));
	size_t depth = 1, term = expr->term_count;

	places[0] = true;
	for (size_t i = expr->step_count; i-- > 0;) {
		bool place = places[--depth];

		if (expr->steps[i] == WK_STEP_TERM) {
			expr->terms[--term].is_joined = place;
			continue;
		}
		places[depth++] = place && expr->steps[i] == WK_STEP_AND;
		if (expr->steps[i] != WK_STEP_NOT)
			places[depth++] = place && expr->steps[i] == WK_STEP_AND;
	}
	wk_free(places);
}

bool wk_expr_finish(struct wk_expr *expr)
{
	emit_waiting(expr, 1);
	if (expr->waiting_count)
		return false;
	find_joined(expr);
	return true;
}

void wk_expr_negate(struct wk_expr *expr)
{
	emit(expr, WK_STEP_NOT);
	find_joined(expr);
}

void wk_expr_fini(struct wk_expr *expr)
{
	wk_arena_fini(&expr->texts);
	WK_FREE_ALL(expr->waiting, expr->steps, expr->terms);
	*expr = (struct wk_expr){ 0 };
}

bool wk_preset_query_read(struct wk_preset_query *query, struct wk_str text, struct wk_err *err)
{
	*query = (struct wk_preset_query){ .text = text, .keeps = true };
	return wk_expr_read(&query->expr, text, err);
}

void wk_preset_query_fini(struct wk_preset_query *query)
{
	wk_expr_fini(&query->expr);
	*query = (struct wk_preset_query){ 0 };
}
