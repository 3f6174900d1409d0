/* The samples that a query keeps: each term becomes a table of answers by process, thread, function
 * or stack, and then the steps are gone through for every sample. */
#include "views/filter/wpa_query.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text/pattern.h"
#include "views/tree/merge.h"
#include "views/tree/tree.h"

enum { NO = 0, UNKNOWN = 1, YES = 2 }; /* and: the smaller one; or: the greater */

struct asking {
	const struct wk_wpa_query *query;
	const struct wk_model *model;
	uint8_t *tables[WK_WPA_MOST_TERMS]; /* YES or NO, by what the term's column is about */
};

static struct wk_str number_text(struct wk_buf *text, uint64_t number)
{
	wk_buf_reset(text);
	wk_buf_add_fmt(text, "%" PRIu64, number);
	return wk_buf_str(text);
}

static uint8_t answer(const struct wk_wpa_term *term, struct wk_str cell)
{
	bool is_so = term->pattern ? wk_pattern_matches(term->pattern, cell)
				   : wk_wpa_matches(term->operator, cell, term->value);

	return is_so ? YES : NO;
}

static struct wk_str process_cell(const struct wk_model *model, wk_process_id id,
				  enum wk_wpa_cell cell, struct wk_buf *text)
{
	const struct wk_process *process = &model->processes[id];
	struct wk_str name = wk_model_str(model, process->name);

	if (cell == WK_WPA_PROCESS_NAME)
		return name;
	if (cell == WK_WPA_COMMAND_LINE)
		return wk_model_str(model, process->command_line);
	if (cell == WK_WPA_PID)
		return number_text(text, process->pid);
	wk_buf_reset(text);
	wk_buf_add_fmt(text, "%.*s (%" PRIu32 ")", WK_STR_ARG(name), process->pid);
	return wk_buf_str(text);
}

static uint8_t *ask_processes(const struct wk_model *model, const struct wk_wpa_term *term)
{
	uint8_t *table = wk_alloc_zeroed(model->process_count, 1);
	struct wk_buf text = { 0 };

	for (wk_process_id i = 0; i < model->process_count; i++)
		table[i] = answer(term, process_cell(model, i, term->cell, &text));
	wk_buf_fini(&text);
	return table;
}

static uint8_t *ask_threads(const struct wk_model *model, const struct wk_wpa_term *term)
{
	uint8_t *table = wk_alloc_zeroed(model->thread_count, 1);
	struct wk_buf text = { 0 };

	for (wk_thread_id i = 0; i < model->thread_count; i++)
		table[i] = answer(term, term->cell == WK_WPA_TID
						? number_text(&text, model->threads[i].tid)
						: wk_model_str(model, model->threads[i].name));
	wk_buf_fini(&text);
	return table;
}

static struct wk_str function_cell(const struct wk_model *model, wk_function_id id,
				   enum wk_wpa_cell cell, struct wk_buf *text)
{
	struct wk_str module = wk_model_str(model, wk_function_module(model, id));
	struct wk_str name = wk_function_shown_name(model, id);

	if (cell == WK_WPA_MODULE)
		return module;
	if (cell == WK_WPA_FUNCTION)
		return name;
	wk_buf_reset(text);
	wk_buf_add_fmt(text, "%.*s!%.*s", WK_STR_ARG(module), WK_STR_ARG(name));
	return wk_buf_str(text);
}

/* By function, the 0th being that of a sample without a stack. */
static uint8_t *ask_functions(const struct wk_model *model, const struct wk_wpa_term *term)
{
	uint8_t *table = wk_alloc_zeroed(model->function_count, 1);
	struct wk_buf text = { 0 };

	table[0] = answer(term, (struct wk_str){ 0 });
	for (wk_function_id i = 1; i < model->function_count; i++)
		table[i] = answer(term, function_cell(model, i, term->cell, &text));
	wk_buf_fini(&text);
	return table;
}

/* By named stack: has it such a frame? For "is not" and the like: has it no other? */
static uint8_t *ask_stacks(const struct wk_model *model, const struct wk_wpa_term *term)
{
	uint8_t *functions = ask_functions(model, term);
	uint8_t *table = wk_alloc_zeroed((size_t)model->named.count + 1, 1);
	bool is_negative = term->operator== WK_WPA_IS_NOT;

	table[0] = is_negative ? YES : NO;
	for (wk_stack_id i = 1; i < model->named.count; i++) {
		uint8_t own = functions[model->named_frames.function[model->named.label[i]]];
		uint8_t parent = table[model->named.parent[i]];

		table[i] = is_negative ? own & parent : own | parent;
	}
	wk_free(functions);
	return table;
}

static uint8_t *ask_term(const struct wk_model *model, const struct wk_wpa_term *term)
{
	if (term->operator== WK_WPA_UNKNOWN || term->cell == WK_WPA_CPU)
		return NULL;
	switch (term->cell) {
	case WK_WPA_TID:
	case WK_WPA_THREAD_NAME:
		return ask_threads(model, term);
	case WK_WPA_MODULE:
	case WK_WPA_FUNCTION:
		return ask_functions(model, term);
	case WK_WPA_FRAME:
		return ask_stacks(model, term);
	default:
		return ask_processes(model, term);
	}
}

static wk_function_id innermost(const struct wk_model *model, wk_stack_id named)
{
	return named ? model->named_frames.function[model->named.label[named]] : 0;
}

static uint8_t answer_of(const struct asking *asking, uint32_t number, uint32_t sample)
{
	const struct wk_wpa_term *term = &asking->query->terms[number];
	const struct wk_model *model = asking->model;
	const uint8_t *table = asking->tables[number];
	wk_thread_id thread = model->samples.thread[sample];
	wk_stack_id named = wk_model_named_of(model, model->samples.stack[sample]);

	if (term->operator== WK_WPA_UNKNOWN)
		return UNKNOWN;
	switch (term->cell) {
	case WK_WPA_CPU: {
		char text[16];
		int len = snprintf(text, sizeof(text), "%" PRIu32, model->samples.cpu[sample]);

		return answer(term, wk_str_of(text, (size_t)len));
	}
	case WK_WPA_TID:
	case WK_WPA_THREAD_NAME:
		return table[thread];
	case WK_WPA_MODULE:
	case WK_WPA_FUNCTION:
		return table[innermost(model, named)];
	case WK_WPA_FRAME:
		return table[named];
	default:
		return table[model->threads[thread].process];
	}
}

static void join(uint8_t step, uint8_t *left, uint8_t right)
{
	if (step == WK_WPA_AND ? right < *left : right > *left)
		*left = right;
}

/* `stack` has room for the answers of all terms. */
static uint8_t go_through(const struct asking *asking, uint32_t sample, uint8_t *stack)
{
	const struct wk_wpa_query *query = asking->query;
	uint32_t depth = 0, term = 0;

	for (size_t i = 0; i < query->step_count; i++) {
		uint8_t step = query->steps[i];

		if (step == WK_WPA_TERM)
			stack[depth++] = answer_of(asking, term++, sample);
		else if (step == WK_WPA_NOT)
			stack[depth - 1] = (uint8_t)(YES - stack[depth - 1]);
		else
			depth--, join(step, &stack[depth - 1], stack[depth]);
	}
	return stack[0];
}

uint8_t *wk_wpa_query_ask(const struct wk_wpa_query *query, const struct wk_model *model)
{
	struct asking asking = { .query = query, .model = model };
	uint8_t *kept = wk_alloc_zeroed((size_t)model->samples.count + 1, 1);
	uint8_t stack[WK_WPA_MOST_TERMS + 1];

	for (uint32_t i = 0; i < query->term_count; i++)
		asking.tables[i] = ask_term(model, &query->terms[i]);
	for (uint32_t i = 0; i < model->samples.count; i++) {
		uint8_t all = go_through(&asking, i, stack);

		kept[i] = all != (query->keeps ? NO : YES);
	}
	for (uint32_t i = 0; i < query->term_count; i++)
		wk_free(asking.tables[i]);
	return kept;
}
