#include "views/filter/verdicts.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text/pattern.h"
#include "views/kind.h"
#include "views/tree/merge.h"
#include "views/tree/tree.h"

struct wk_bound_term {
	const struct wk_term *term;
	enum wk_field_of of;
	struct wk_pattern *pattern;
	bool any_case;
	uint64_t from[2], to[2]; /* of numbers; of times by side: [is_before] */
	uint8_t *table;          /* by thread, recorded stack or event; NULL: none, or unknown */
	struct wk_buf text;      /* of the value that is compared */
};

/* ---- values */

static bool passes_text(const struct wk_bound_term *bound, struct wk_str text)
{
	if (bound->pattern)
		return wk_pattern_matches(bound->pattern, text);
	if (bound->term->test != WK_TEST_TEXT)
		return false;
	return bound->any_case ? wk_str_eq_any_case(text, bound->term->text)
			       : wk_str_eq(text, bound->term->text);
}

/* A query of another program may compare a number as text. */
static bool passes_number(struct wk_bound_term *bound, uint64_t number, bool is_before)
{
	if (bound->term->test == WK_TEST_RANGE)
		return number >= bound->from[is_before] && number <= bound->to[is_before];
	wk_buf_reset(&bound->text);
	wk_buf_add_fmt(&bound->text, "%" PRIu64, number);
	return passes_text(bound, wk_buf_str(&bound->text));
}

static struct wk_str label(const struct wk_model *model, wk_process_id id, struct wk_buf *text)
{
	const struct wk_process *process = &model->processes[id];

	wk_buf_reset(text);
	wk_buf_add_fmt(text, "%s (%" PRIu32 ")", wk_strtab_get(model->text, process->name),
		       process->pid);
	return wk_buf_str(text);
}

static struct wk_str frame(const struct wk_model *model, wk_function_id id, struct wk_buf *text)
{
	wk_buf_reset(text);
	wk_buf_add_fmt(text, "%s!%.*s", wk_strtab_get(model->text, wk_function_module(model, id)),
		       WK_STR_ARG(wk_function_shown_name(model, id)));
	return wk_buf_str(text);
}

bool wk_field_is_of_images(enum wk_field field)
{
	return field == WK_FIELD_IMAGE || field == WK_FIELD_STACK_IMAGE;
}

uint32_t wk_field_rows(const struct wk_model *model, enum wk_field field)
{
	const uint32_t counts[] = {
		[WK_OF_PROCESS] = model->process_count, [WK_OF_THREAD] = model->thread_count,
		[WK_OF_LEAF] = model->function_count,   [WK_OF_STACK] = model->function_count,
		[WK_OF_EVENT] = model->source_count,    [WK_OF_NOTHING] = 0,
	};

	return wk_field_is_of_images(field) ? model->image_count : counts[wk_fields[field].of];
}

struct wk_str wk_field_text(const struct wk_model *model, enum wk_field field, uint32_t row,
			    struct wk_buf *text)
{
	switch (field) {
	case WK_FIELD_PROCESS:
		return wk_model_str(model, model->processes[row].name);
	case WK_FIELD_PROCESS_LABEL:
		return label(model, row, text);
	case WK_FIELD_COMMAND:
		return wk_model_str(model, model->processes[row].command_line);
	case WK_FIELD_THREAD:
		return wk_model_str(model, model->threads[row].name);
	case WK_FIELD_MODULE:
		return wk_model_str(model, wk_function_module(model, row));
	case WK_FIELD_FILE:
	case WK_FIELD_STACK_FILE:
		return wk_model_str(model, model->functions[row].file);
	case WK_FIELD_KIND:
		return wk_str_c(wk_code_kind_name(model, wk_code_kind_of(model, row)));
	case WK_FIELD_STACK_FRAME:
		return frame(model, row, text);
	case WK_FIELD_IMAGE:
	case WK_FIELD_STACK_IMAGE:
		return wk_model_str(model, model->images[row].path);
	case WK_FIELD_EVENT:
		return wk_model_str(model, model->sources[row].name);
	default:
		return wk_model_str(model, model->functions[row].name);
	}
}

static uint8_t verdict_of(struct wk_bound_term *bound, const struct wk_model *model, uint32_t row)
{
	enum wk_field field = bound->term->field;
	bool passes;

	if (field == WK_FIELD_PID)
		passes = passes_number(bound, model->processes[row].pid, false);
	else if (field == WK_FIELD_TID)
		passes = passes_number(bound, model->threads[row].tid, false);
	else
		passes = passes_text(bound, wk_field_text(model, field, row, &bound->text));
	return passes ? WK_YES : WK_NO;
}

/* ---- tables */

/* Row 0 is none. */
static uint8_t *rows_table(struct wk_bound_term *bound, const struct wk_model *model)
{
	uint32_t count = wk_field_rows(model, bound->term->field);
	uint8_t *table = wk_alloc_zeroed((size_t)count + 1, 1);

	for (uint32_t i = 1; i < count; i++)
		table[i] = verdict_of(bound, model, i);
	return table;
}

static uint8_t *processes_table(struct wk_bound_term *bound, const struct wk_model *model)
{
	uint8_t *processes = rows_table(bound, model);
	uint8_t *table = wk_alloc_zeroed((size_t)model->thread_count + 1, 1);

	for (wk_thread_id i = 0; i < model->thread_count; i++)
		table[i] = processes[model->threads[i].process];
	wk_free(processes);
	return table;
}

static uint8_t *functions_table(struct wk_bound_term *bound, const struct wk_model *model)
{
	uint8_t *images, *table;

	if (!wk_field_is_of_images(bound->term->field)) {
		table = rows_table(bound, model);
		if (bound->of == WK_OF_LEAF) /* of a sample without a stack */
			table[0] = passes_text(bound, (struct wk_str){ 0 }) ? WK_YES : WK_NO;
		return table;
	}
	images = rows_table(bound, model);
	table = wk_alloc_zeroed((size_t)model->function_count + 1, 1);
	for (wk_function_id i = 1; i < model->function_count; i++)
		table[i] = images[model->functions[i].image];
	wk_free(images);
	return table;
}

/* A stack has what its own frame has and, if any frame counts, what its parent has, which comes
 * before it. `of_label`: the row of `rows` for each label. Frees `rows`. */
static uint8_t *spread(const struct wk_trie *stacks, uint8_t *rows, const uint32_t *of_label,
		       bool is_any)
{
	uint8_t *table = wk_alloc_zeroed((size_t)stacks->count + 1, 1);

	table[0] = rows[0];
	for (uint32_t i = 1; i < stacks->count; i++) {
		table[i] = rows[of_label[stacks->entries[i].label]];
		if (is_any)
			table[i] |= table[stacks->entries[i].parent];
	}
	wk_free(rows);
	return table;
}

/* Before frames have names their images are known. */
static uint8_t *stacks_table(struct wk_bound_term *bound, const struct wk_model *model)
{
	bool is_any = bound->of == WK_OF_STACK;
	uint8_t *named, *table;

	if (!model->named_of && !model->came_named)
		return wk_field_is_of_images(bound->term->field)
			       ? spread(&model->stacks, rows_table(bound, model),
					model->frames.image, is_any)
			       : NULL;
	named = spread(&model->named, functions_table(bound, model), model->named_frames.function,
		       is_any);
	if (!model->named_of)
		return named;
	table = wk_alloc_zeroed((size_t)model->stacks.count + 1, 1);
	table[0] = named[0];
	for (wk_stack_id i = 1; i < model->stacks.count; i++)
		table[i] = named[model->named_of[i]];
	wk_free(named);
	return table;
}

/* ---- terms and the model */

static uint64_t moment(const struct wk_edge *edge, uint64_t begin_ns, uint64_t all_ns)
{
	uint64_t ns = edge->value;

	if (edge->has_share)
		ns = (uint64_t)((double)all_ns * edge->share / 100) + (uint64_t)edge->step;
	if (edge->has_share && edge->step < 0 && ns == UINT64_MAX)
		ns = 0;
	return ns > UINT64_MAX - begin_ns ? UINT64_MAX : begin_ns + ns;
}

static bool bind_range(struct wk_bound_term *bound, const struct wk_model *model,
		       struct wk_err *err)
{
	const struct wk_term *term = bound->term;

	for (int side = 0; side < 2; side++) {
		bool is_time = term->field == WK_FIELD_TIME;
		uint64_t begin_ns = is_time ? wk_model_side_begin_ns(model, side) : 0;
		uint64_t all_ns = wk_model_side_last_ns(model, side) - begin_ns;

		bound->from[side] = moment(&term->from, begin_ns, all_ns);
		bound->to[side] = moment(&term->to, begin_ns, all_ns);
		if (term->from.has_share != term->to.has_share &&
		    bound->to[side] < bound->from[side])
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "time range \"%.*s\": it ends before it begins",
				       WK_STR_ARG(term->written));
	}
	return true;
}

static bool bind_pattern(struct wk_bound_term *bound, const char *what, struct wk_err *err)
{
	const char *why, *text = bound->term->text.at;

	bound->pattern = wk_pattern_new(text, bound->any_case, &why);
	return bound->pattern ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE, "%s pattern \"%s\": %s", what, text, why);
}

static void fill_table(struct wk_bound_term *bound, const struct wk_model *model)
{
	switch (bound->of) {
	case WK_OF_PROCESS:
		bound->table = processes_table(bound, model);
		break;
	case WK_OF_LEAF:
	case WK_OF_STACK:
		bound->table = stacks_table(bound, model);
		break;
	case WK_OF_THREAD:
	case WK_OF_EVENT:
		bound->table = rows_table(bound, model);
		break;
	default:
		break;
	}
}

/* The most operands that are on the stack at once. */
static size_t depth_of(const struct wk_expr *expr)
{
	size_t depth = 0, deepest = 1;

	for (size_t i = 0; i < expr->step_count; i++) {
		if (expr->steps[i] == WK_STEP_TERM)
			depth++;
		else if (expr->steps[i] != WK_STEP_NOT)
			depth--;
		deepest = depth > deepest ? depth : deepest;
	}
	return deepest;
}

bool wk_verdicts_init(struct wk_verdicts *verdicts, const struct wk_model *model,
		      const struct wk_expr *expr, bool ignore_case, const char *what,
		      struct wk_err *err)
{
	bool ok = true;

	*verdicts = (struct wk_verdicts){ .model = model, .expr = expr };
	verdicts->terms = wk_alloc_zeroed(expr->term_count + 1, sizeof(*verdicts->terms));
	verdicts->stack = wk_alloc(depth_of(expr) * WK_VERDICTS);
	for (size_t i = 0; ok && i < expr->term_count; i++) {
		const struct wk_term *term = &expr->terms[i];
		struct wk_bound_term *bound = &verdicts->terms[i];

		*bound = (struct wk_bound_term){
			.term = term,
			.of = term->test == WK_TEST_UNKNOWN ? WK_OF_NOTHING
							    : wk_fields[term->field].of,
			.any_case = ignore_case || term->any_case ||
				    (model->traits->ignores_case && wk_fields[term->field].is_path),
		};
		ok = (term->test != WK_TEST_RANGE || bind_range(bound, model, err)) &&
		     (term->test != WK_TEST_PATTERN || bind_pattern(bound, what, err));
		if (ok)
			fill_table(bound, model);
	}
	if (!ok)
		wk_verdicts_fini(verdicts);
	return ok;
}

void wk_verdicts_fini(struct wk_verdicts *verdicts)
{
	for (size_t i = 0; verdicts->terms && i < verdicts->expr->term_count; i++) {
		wk_pattern_free(verdicts->terms[i].pattern);
		wk_buf_fini(&verdicts->terms[i].text);
		wk_free(verdicts->terms[i].table);
	}
	WK_FREE_ALL(verdicts->terms, verdicts->stack);
	*verdicts = (struct wk_verdicts){ 0 };
}

void wk_verdicts_time(const struct wk_verdicts *verdicts, size_t term, bool is_before,
		      uint64_t *from_ns, uint64_t *to_ns)
{
	*from_ns = verdicts->terms[term].from[is_before];
	*to_ns = verdicts->terms[term].to[is_before];
}

/* ---- blocks */

static void look_up(const uint8_t *table, const uint32_t *rows, uint32_t count, uint8_t *out)
{
	for (uint32_t i = 0; i < count; i++)
		out[i] = table[rows[i]];
}

static void compare_samples(struct wk_bound_term *bound, const struct wk_samples *samples,
			    uint32_t first, uint32_t count, uint8_t *out)
{
	enum wk_field field = bound->term->field;

	for (uint32_t i = first; i < first + count; i++) {
		uint64_t number = field == WK_FIELD_TIME  ? wk_sample_time(samples, i)
				  : field == WK_FIELD_CPU ? wk_sample_cpu(samples, i)
							  : samples->weight[i];
		bool is_before = samples->is_before && samples->is_before[i];

		out[i - first] = passes_number(bound, number, is_before) ? WK_YES : WK_NO;
	}
}

/* `out`: of each sample the answer for its thread, event or stack. */
static void look_up_samples(const struct wk_bound_term *bound, const struct wk_samples *samples,
			    uint32_t first, uint32_t count, uint8_t *out)
{
	bool has_threads = bound->of == WK_OF_PROCESS || bound->of == WK_OF_THREAD;
	const uint32_t *column = has_threads                ? samples->thread
				 : bound->of == WK_OF_EVENT ? samples->source
							    : samples->stack;

	if (column)
		look_up(bound->table, column + first, count, out);
	else if (count)
		memset(out, bound->table[has_threads ? 0 : wk_sample_source(samples, first)],
		       count);
}

static void judge(struct wk_bound_term *bound, const struct wk_model *model, bool is_of_threads,
		  uint32_t first, uint32_t count, uint8_t *out)
{
	const struct wk_samples *samples = &model->samples;
	bool has_threads = bound->of == WK_OF_PROCESS || bound->of == WK_OF_THREAD;

	if (is_of_threads && has_threads)
		memcpy(out, bound->table + first, count);
	else if (!is_of_threads && bound->of == WK_OF_SAMPLE)
		compare_samples(bound, samples, first, count, out);
	else if (is_of_threads || !bound->table)
		memset(out, WK_UNKNOWN, count);
	else
		look_up_samples(bound, samples, first, count, out);
}

static void apply(enum wk_step step, uint8_t *left, const uint8_t *right, uint32_t count)
{
	if (step == WK_STEP_NOT)
		for (uint32_t i = 0; i < count; i++)
			left[i] = (uint8_t)(WK_YES - left[i]);
	else if (step == WK_STEP_AND)
		for (uint32_t i = 0; i < count; i++)
			left[i] = right[i] < left[i] ? right[i] : left[i];
	else
		for (uint32_t i = 0; i < count; i++)
			left[i] = right[i] > left[i] ? right[i] : left[i];
}

const uint8_t *wk_verdicts_of(const struct wk_verdicts *verdicts, bool is_of_threads,
			      uint32_t first, uint32_t count)
{
	const struct wk_expr *expr = verdicts->expr;
	struct wk_bound_term *bound = verdicts->terms;
	uint8_t *top = verdicts->stack; /* above the operands */

	for (size_t i = 0; i < expr->step_count; i++) {
		if (expr->steps[i] == WK_STEP_TERM) {
			judge(bound++, verdicts->model, is_of_threads, first, count, top);
			top += WK_VERDICTS;
		} else if (expr->steps[i] == WK_STEP_NOT) {
			apply(WK_STEP_NOT, top - WK_VERDICTS, NULL, count);
		} else {
			top -= WK_VERDICTS;
			apply(expr->steps[i], top - WK_VERDICTS, top, count);
		}
	}
	return verdicts->stack;
}
