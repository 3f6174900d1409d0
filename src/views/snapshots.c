#include "views/snapshots.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text/suggest.h"

/* --- Names --- */

/* Rows of the table. */
struct range {
	uint32_t first, end;
};

/* Those of the first input come first. */
static struct range range_of(const struct wk_model *model, enum wk_span_side side)
{
	uint32_t second = 0;

	while (second < model->snapshot_count && model->snapshots[second].input <= 1)
		second++;
	return (struct range){ side == WK_SPAN_AFTER ? second : 0,
			       side == WK_SPAN_BEFORE ? second : model->snapshot_count };
}

static const char *side_name(enum wk_span_side side)
{
	return side == WK_SPAN_BEFORE  ? "BEFORE"
	       : side == WK_SPAN_AFTER ? "AFTER"
				       : "the recording";
}

static bool fail_without(enum wk_span_side side, struct wk_err *err)
{
	return wk_fail(err, WK_EEMPTY, WK_NOWHERE,
		       "%s has no snapshots; `wick record --heap --snapshot-every 1s -- COMMAND` "
		       "takes some",
		       side_name(side));
}

/* How snapshots that are found while reading come to be; "" for other names. */
static const char *how_to_take(const char *name)
{
	if (strcmp(name, wk_snapshot_cause_name(WK_SNAPSHOT_PEAK)) == 0)
		return ", which --snapshot-at-peak of `wick record` takes";
	if (strcmp(name, wk_snapshot_cause_name(WK_SNAPSHOT_EXIT)) == 0)
		return ", which --snapshot-at-exit of `wick record` takes";
	return "";
}

static bool fail_to_find(const struct wk_model *model, struct range range, const char *name,
			 struct wk_err *err)
{
	struct wk_suggestion near = wk_suggestion_for(wk_str_c(name));
	struct wk_buf list = { 0 };

	for (uint32_t i = range.first; i < range.end; i++)
		if (model->snapshots[i].label)
			wk_suggestion_try(&near,
					  wk_strtab_get(model->text, model->snapshots[i].label));
	wk_buf_add_fmt(&list, "`wick show %s snapshots` lists those that were taken (%" PRIu32 ")",
		       wk_model_one_input(model), range.end - range.first);
	wk_fail(err, WK_EUSAGE, WK_NOWHERE, "no snapshot \"%.60s\"%s", name, how_to_take(name));
	wk_suggestion_add(&near, wk_buf_text(&list), err);
	wk_buf_fini(&list);
	return false;
}

static bool has_name(const struct wk_model *model, uint32_t row, const char *name, bool by_cause)
{
	const struct wk_snapshot *snapshot = &model->snapshots[row];

	return by_cause ? strcmp(wk_snapshot_cause_name(snapshot->cause), name) == 0
			: wk_str_is(wk_model_str(model, snapshot->label), name);
}

/* Each process has moments of its own: it must be said of which one. Other names are those of one
 * moment, or of several in a row, the last of which is meant. */
static bool check_process(const struct wk_model *model, struct range range, uint32_t row,
			  const char *name, struct wk_err *err)
{
	bool is_own = model->snapshots[row].cause >= WK_SNAPSHOT_PEAK;

	for (uint32_t i = range.first; i < row && is_own; i++)
		if (has_name(model, i, name, true) &&
		    model->snapshots[i].process != model->snapshots[row].process)
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "several processes have snapshots \"%s\", such as %" PRIu32
				       " and %" PRIu32
				       "; choose one by its number, as `wick show %s snapshots` "
				       "lists them",
				       name, i - range.first + 1, row - range.first + 1,
				       wk_model_one_input(model));
	return true;
}

static bool find_snapshot(const struct wk_model *model, const char *name, enum wk_span_side side,
			  uint32_t *row, struct wk_err *err)
{
	struct range range = range_of(model, side);
	struct wk_str digits = wk_str_c(name);
	uint64_t number;

	if (range.first == range.end)
		return fail_without(side, err);
	for (int by_cause = 0; by_cause < 2; by_cause++)
		for (uint32_t i = range.end; i-- > range.first && name[0];)
			if (has_name(model, i, name, by_cause)) {
				*row = i;
				return !by_cause || check_process(model, range, i, name, err);
			}
	wk_str_accept(&digits, "#");
	if (!wk_num_u64(digits, &number) || number == 0 || number > range.end - range.first)
		return fail_to_find(model, range, name, err);
	*row = range.first + (uint32_t)number - 1;
	return true;
}

/* --- Spans --- */

bool wk_span_check(const struct wk_span_spec *spec, bool outstanding, struct wk_err *err)
{
	int count = (spec->snapshot != NULL) + (spec->between[0] != NULL) + (spec->grew != 0);

	if (count > 1)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--snapshot, --between and --grew exclude each other");
	if (outstanding && (spec->between[0] || spec->grew))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--%s already counts only blocks that are still allocated; leave "
			       "out --outstanding",
			       spec->grew ? "grew" : "between");
	return true;
}

static struct wk_moment moment_of(const struct wk_model *model, uint32_t row)
{
	return (struct wk_moment){ .at_row = model->snapshots[row].at_row,
				   .at_end = model->snapshots[row].at_end };
}

static bool find_between(struct wk_span *span, const struct wk_model *model,
			 const char *const *names, struct wk_err *err)
{
	uint32_t first, last, before = range_of(model, span->side).first;
	const struct wk_snapshot *a, *b;

	if (!find_snapshot(model, names[0], span->side, &first, err) ||
	    !find_snapshot(model, names[1], span->side, &last, err))
		return false;
	a = &model->snapshots[first];
	b = &model->snapshots[last];
	if (first >= last)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--between: snapshot %" PRIu32 " is not before snapshot %" PRIu32,
			       first - before + 1, last - before + 1);
	if (a->process && b->process && a->process != b->process)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--between: snapshots %" PRIu32 " and %" PRIu32
			       " are of different processes",
			       first - before + 1, last - before + 1);
	span->is_given = true;
	span->from = moment_of(model, first);
	span->to = moment_of(model, last);
	span->process = a->process ? a->process : b->process;
	return true;
}

/* The snapshot before one that has the same process, or is of all. */
static bool find_previous(const struct wk_model *model, const struct wk_span *span, uint32_t first,
			  uint32_t *row)
{
	for (uint32_t i = *row; i-- > first;)
		if (!span->process || !model->snapshots[i].process ||
		    model->snapshots[i].process == span->process) {
			*row = i;
			return true;
		}
	return false;
}

static bool find_growth(struct wk_span *span, const struct wk_model *model, uint64_t count,
			struct wk_err *err)
{
	struct range range = range_of(model, span->side);
	uint32_t row = range.end - 1;
	bool is_first = range.first == range.end;
	uint64_t found = 0;

	if (is_first)
		return fail_without(span->side, err);
	span->is_given = true;
	span->to = moment_of(model, row);
	span->process = model->snapshots[row].process;
	for (; !is_first && found < count; found++)
		is_first = !find_previous(model, span, range.first, &row);
	if (found < count)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--grew %" PRIu64 ": there are only %" PRIu64
			       " snapshots of that process",
			       count, found);
	if (!is_first)
		span->from = moment_of(model, row);
	span->grew = (uint32_t)count;
	return true;
}

bool wk_span_find(struct wk_span *span, const struct wk_model *model,
		  const struct wk_span_spec *spec, enum wk_span_side side, struct wk_err *err)
{
	uint32_t row;

	*span = (struct wk_span){ .side = side };
	if (spec->between[0])
		return find_between(span, model, spec->between, err);
	if (spec->grew)
		return find_growth(span, model, spec->grew, err);
	if (!spec->snapshot)
		return true;
	if (!find_snapshot(model, spec->snapshot, side, &row, err))
		return false;
	span->is_given = true;
	span->to = moment_of(model, row);
	span->process = model->snapshots[row].process;
	return true;
}

/* --- What is left --- */

void wk_left_fini(struct wk_left *left)
{
	WK_FREE_ALL(left->bytes, left->blocks);
	*left = (struct wk_left){ 0 };
}

static bool has_blocks(const struct wk_model *model)
{
	for (wk_source_id i = 1; i < model->source_count; i++)
		if (model->sources[i].is_of_blocks)
			return true;
	return false;
}

bool wk_left_counts_blocks(const struct wk_model *model)
{
	return model->samples.times || has_blocks(model);
}

struct wk_left wk_left_start(const struct wk_model *model)
{
	size_t count = model->samples.count;
	struct wk_left left = { .bytes = wk_alloc_zeroed(count + 1, sizeof(*left.bytes)) };

	if (count)
		memcpy(left.bytes, model->samples.weight, count * sizeof(*left.bytes));
	if (!wk_left_counts_blocks(model))
		return left;
	left.blocks = wk_alloc((count + 1) * sizeof(*left.blocks));
	for (uint32_t i = 0; i < count; i++)
		left.blocks[i] = wk_model_sample_times(model, i);
	return left;
}

void wk_left_end(struct wk_left *left, const struct wk_end *end)
{
	uint64_t *bytes = &left->bytes[end->sample];
	uint64_t *blocks = left->blocks ? &left->blocks[end->sample] : NULL;

	*bytes -= end->weight < *bytes ? end->weight : *bytes;
	if (blocks)
		*blocks -= end->times < *blocks ? end->times : *blocks;
}

static wk_process_id process_of(const struct wk_model *model, uint32_t sample)
{
	return model->threads[wk_sample_thread(&model->samples, sample)].process;
}

struct wk_left wk_left_of(const struct wk_model *model, struct wk_moment from, struct wk_moment to,
			  wk_process_id process)
{
	struct wk_left left = wk_left_start(model);

	for (uint32_t i = 0; i < to.at_end; i++)
		if (!to.is_of_end || !model->ends[i].is_left)
			wk_left_end(&left, &model->ends[i]);
	for (uint32_t i = 0; i < model->samples.count; i++)
		if (i < from.at_row || i >= to.at_row ||
		    (process && process_of(model, i) != process))
			left.bytes[i] = 0;
	return left;
}

/* A walk through the snapshots of one process: the bytes that each stack has. */
struct growth {
	const struct wk_model *model;
	wk_process_id process;
	struct wk_moment now;
	uint64_t *bytes, *before; /* by named stack: now, and at the previous snapshot */
	uint8_t *grew;            /* in each so far */
};

static wk_stack_id stack_of(const struct wk_model *model, uint32_t sample)
{
	return wk_model_named_of(model, model->samples.stack[sample]);
}

static bool is_counted(const struct growth *growth, uint32_t sample, wk_source_id source)
{
	return wk_sample_source(&growth->model->samples, sample) == source &&
	       (!growth->process || process_of(growth->model, sample) == growth->process);
}

static void walk_to(struct growth *growth, struct wk_moment to, wk_source_id source)
{
	const struct wk_model *model = growth->model;

	for (; growth->now.at_row < to.at_row; growth->now.at_row++)
		if (is_counted(growth, growth->now.at_row, source))
			growth->bytes[stack_of(model, growth->now.at_row)] +=
				model->samples.weight[growth->now.at_row];
	for (; growth->now.at_end < to.at_end; growth->now.at_end++) {
		const struct wk_end *end = &model->ends[growth->now.at_end];

		if (is_counted(growth, end->sample, source))
			growth->bytes[stack_of(model, end->sample)] -= end->weight;
	}
}

/* The snapshots of a span, the last first. */
static uint32_t *snapshots_in(const struct wk_span *span, const struct wk_model *model)
{
	uint32_t *rows = wk_alloc(((size_t)span->grew + 1) * sizeof(*rows));
	struct range range = range_of(model, span->side);
	uint32_t row = range.end - 1;

	for (uint32_t i = 0; i < span->grew; i++) {
		rows[i] = row;
		find_previous(model, span, range.first, &row);
	}
	return rows;
}

static uint8_t *stacks_that_grew(const struct wk_span *span, const struct wk_model *model,
				 wk_source_id source)
{
	size_t count = (size_t)model->named.count + 1;
	struct growth growth = { .model = model, .process = span->process,
				 .bytes = wk_alloc_zeroed(count, sizeof(uint64_t)),
				 .before = wk_alloc_zeroed(count, sizeof(uint64_t)),
				 .grew = wk_alloc(count) };
	uint32_t *rows = snapshots_in(span, model);

	memset(growth.grew, 1, count);
	walk_to(&growth, span->from, source);
	for (uint32_t i = span->grew; i-- > 0;) {
		memcpy(growth.before, growth.bytes, count * sizeof(uint64_t));
		walk_to(&growth, moment_of(model, rows[i]), source);
		for (size_t stack = 0; stack < count; stack++)
			growth.grew[stack] &= growth.bytes[stack] > growth.before[stack];
	}
	WK_FREE_ALL(growth.bytes, growth.before, rows);
	return growth.grew;
}

struct wk_left wk_span_left(const struct wk_span *span, const struct wk_model *model,
			    wk_source_id source)
{
	struct wk_moment end = { model->samples.count, model->end_count, true };
	struct wk_left left =
		wk_left_of(model, span->from, span->is_given ? span->to : end, span->process);
	/* Stacks are compared by their functions, which are not known before. */
	uint8_t *grew = span->grew && (model->named_of || model->came_named)
				? stacks_that_grew(span, model, source)
				: NULL;

	for (uint32_t i = 0; grew && i < model->samples.count; i++)
		if (!grew[stack_of(model, i)])
			left.bytes[i] = 0;
	wk_free(grew);
	return left;
}

struct wk_left wk_spans_left(const struct wk_span *after, const struct wk_span *before,
			     const struct wk_model *model, wk_source_id source)
{
	const uint8_t *is_before = model->samples.is_before;
	struct wk_left left = wk_span_left(after, model, source), other;

	if (!is_before)
		return left;
	other = wk_span_left(before, model, source);
	for (uint32_t i = 0; i < model->samples.count; i++) {
		if (!is_before[i])
			continue;
		left.bytes[i] = other.bytes[i];
		if (left.blocks)
			left.blocks[i] = other.blocks[i];
	}
	wk_left_fini(&other);
	return left;
}
