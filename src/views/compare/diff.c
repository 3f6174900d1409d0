#include "views/compare/diff.h"

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "views/compare/diff_margins.h"
#include "views/estimates.h"
#include "views/tree/flat.h"

static bool is_before(const struct wk_samples *samples, uint32_t i)
{
	return samples->is_before && samples->is_before[i];
}

struct wk_diff_sides wk_diff_sides(const struct wk_model *model, const struct wk_filter *filter,
				   bool by_samples)
{
	const struct wk_samples *samples = &model->samples;
	struct wk_diff_sides sides = { 0 };

	for (uint32_t i = 0; i < samples->count; i++) {
		uint64_t times = wk_filter_times(filter, model, i);
		uint64_t weight = by_samples ? times : wk_filter_weight(filter, model, i);

		if (!wk_filter_has(filter, i))
			continue;
		*(is_before(samples, i) ? &sides.before : &sides.after) += weight;
		*(is_before(samples, i) ? &sides.samples_before : &sides.samples_after) += times;
	}
	return sides;
}

/* ---- the measure */

static bool is_counted(const struct wk_source *source)
{
	return source->counts_samples || !source->is_weighed;
}

static bool is_called(const struct wk_model *model, wk_source_id id, const char *event)
{
	return wk_str_is(wk_model_str(model, model->sources[id].name), event);
}

/* How well two sources can be compared. */
enum {
	CLOSE_NOT,
	CLOSE_SHARES,
	CLOSE_UNIT,
	CLOSE_COUNTED,
	CLOSE_SAME,
	CLOSE_TIME,
	CLOSE_SAME_TIME,
};
#define CLASS 4 /* between them: if that many are the time of a CPU */

static int closeness(const struct wk_model *model, wk_source_id before, wk_source_id after,
		     bool by_samples)
{
	const struct wk_source *a = &model->sources[before], *b = &model->sources[after];
	bool is_cpu = a->is_cpu_time && b->is_cpu_time;
	bool are_counted = is_counted(a) && is_counted(b);
	int class = CLOSE_SHARES;

	if (by_samples)
		class = are_counted ? CLOSE_COUNTED : CLOSE_NOT;
	else if (before == after)
		class = is_cpu ? CLOSE_SAME_TIME : CLOSE_SAME;
	else if (is_cpu && a->unit == b->unit)
		class = CLOSE_TIME;
	else if (are_counted)
		class = CLOSE_COUNTED;
	else if (a->unit == b->unit && a->is_of_pages == b->is_of_pages)
		class = CLOSE_UNIT;
	return class ? class * CLASS + a->is_cpu_time + b->is_cpu_time : 0;
}

/* Which sources have samples on a side. */
static void find_sources(const struct wk_model *model, uint8_t *before, uint8_t *after)
{
	for (uint32_t i = 0; i < model->samples.count; i++)
		(is_before(&model->samples, i) ? before
					       : after)[wk_sample_source(&model->samples, i)] = 1;
}

/* Those of a side with event `event`, if there are any. */
static void keep_event(const struct wk_model *model, const char *event, uint8_t *has)
{
	bool has_event = false;

	for (wk_source_id id = 1; event && id < model->source_count; id++)
		has_event |= has[id] && is_called(model, id, event);
	for (wk_source_id id = 1; has_event && id < model->source_count; id++)
		has[id] &= is_called(model, id, event);
}

/* Of several that are as close, what a view of one recording is about. */
static int choose_closest(struct wk_diff_measure *measure, const struct wk_model *model,
			  const uint8_t *before, const uint8_t *after, bool by_samples)
{
	wk_source_id usual = wk_filter_default_source(model);
	int best = 0;

	for (wk_source_id a = 1; a < model->source_count; a++)
		for (wk_source_id b = 1; before[a] && b < model->source_count; b++) {
			int close = after[b] ? closeness(model, a, b, by_samples) : 0;

			if (close < best || (close == best && (a != usual || b != usual)))
				continue;
			best = close;
			measure->before = a;
			measure->after = b;
		}
	return best;
}

static bool has_source(const struct wk_model *model, const char *name)
{
	for (wk_source_id id = 1; id < model->source_count; id++)
		if (is_called(model, id, name))
			return true;
	return false;
}

/* A side without samples is compared by what the other has. */
static bool one_is_empty(const struct wk_model *model, const uint8_t *before, const uint8_t *after)
{
	uint8_t sides = 0;

	for (wk_source_id id = 1; id < model->source_count; id++)
		sides |= before[id] | after[id] << 1;
	return sides != 3;
}

bool wk_diff_measure_choose(struct wk_diff_measure *measure, const struct wk_model *model,
			    const char *event, bool by_samples, struct wk_err *err)
{
	uint8_t *before, *after;
	bool ok = true;
	int close;

	*measure = (struct wk_diff_measure){ .by_samples = by_samples };
	if (event && !has_source(model, event))
		return true;
	before = wk_alloc_zeroed(model->source_count, 1);
	after = wk_alloc_zeroed(model->source_count, 1);
	find_sources(model, before, after);
	keep_event(model, event, before);
	keep_event(model, event, after);
	close = choose_closest(measure, model, before, after, by_samples);
	measure->by_samples |= close / CLASS == CLOSE_COUNTED;
	measure->only_shares = close / CLASS == CLOSE_SHARES && !by_samples;
	if (one_is_empty(model, before, after))
		measure->before = measure->after = wk_filter_default_source(model);
	else if (close == 0)
		ok = wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			     "--samples: one of the two recordings contains sums, without the "
			     "number of samples");
	WK_FREE_ALL(before, after);
	return ok;
}

/* ---- what the sides are */

static void add_weight(struct wk_buf *line, struct wk_str unit, uint64_t weight)
{
	if (wk_str_is(unit, "ns")) {
		wk_num_add_duration(line, weight);
	} else if (wk_str_is(unit, "bytes")) {
		wk_num_add_bytes(line, weight);
	} else if (wk_str_is(unit, WK_UNIT_THOUSANDTHS)) {
		wk_num_add_thousandths(line, weight);
		wk_buf_add_text(line, " samples");
	} else {
		wk_num_add_grouped(line, weight);
		wk_buf_add_fmt(line, unit.len ? " %.*s" : "%.*s", WK_STR_ARG(unit));
	}
}

/* A number of samples if it is known, otherwise their weight. */
static void add_side(struct wk_buf *line, const struct wk_model *model, wk_source_id id,
		     uint64_t weight, uint64_t samples, bool are_samples)
{
	if (are_samples)
		add_weight(line, wk_str_c("samples"), samples);
	else
		add_weight(line, wk_model_str(model, model->sources[id].unit), weight);
}

static void add_distance(struct wk_buf *line, const char *words, uint64_t distance)
{
	if (!distance)
		return;
	wk_buf_add_fmt(line, "; %s estimated from one block per ", words);
	wk_num_add_bytes(line, distance);
}

/* Which sides are of sampled blocks. */
static void add_estimated(struct wk_buf *line, const struct wk_model *model)
{
	uint64_t before = wk_sample_distance(model, true);
	uint64_t after = wk_sample_distance(model, false);

	if (before == after) {
		add_distance(line, "both are", after);
	} else {
		add_distance(line, "before is", before);
		add_distance(line, "after is", after);
	}
}

void wk_diff_sides_line(const struct wk_diff_sides *sides, const struct wk_model *model,
			const struct wk_diff_measure *measure, struct wk_buf *line)
{
	bool before_counts = is_counted(&model->sources[measure->before]);
	bool after_counts = is_counted(&model->sources[measure->after]);
	bool both = before_counts && after_counts;

	wk_buf_add_text(line, "before: ");
	if (both)
		wk_num_add_grouped(line, sides->samples_before);
	else
		add_side(line, model, measure->before, sides->before, sides->samples_before,
			 measure->only_shares && before_counts);
	wk_buf_add_text(line, ", after: ");
	add_side(line, model, measure->after, sides->after, sides->samples_after,
		 both || (measure->only_shares && after_counts));
	if (measure->only_shares)
		wk_buf_add_text(line, "; shares of the whole are compared");
	else if (sides->before)
		wk_buf_add_fmt(line, "; %+.1f %% in all",
			       100 * ((double)sides->after - (double)sides->before) /
				       (double)sides->before);
	if (model->sources[measure->after].is_of_blocks)
		add_estimated(line, model);
}

/* ---- the table */

struct change {
	const struct wk_flat_row *row;
	struct wk_str name;
	uint64_t size;   /* of the change that ranks it, */
	uint64_t margin; /* and how far that may be off if blocks are sampled */
};

static uint64_t distance(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

static int larger_first(const void *left, const void *right)
{
	const struct change *a = left, *b = right;
	int order;

	if (a->size != b->size)
		return a->size < b->size ? 1 : -1;
	order = wk_str_compare(a->name, b->name);
	return order ? order : (a->row->id > b->row->id) - (a->row->id < b->row->id);
}

static struct change *rank(const struct wk_flat *flat, const struct wk_model *model, bool by_total,
			   const uint64_t *margins, uint32_t *count)
{
	struct change *changes = wk_alloc(((size_t)flat->count + 1) * sizeof(*changes));

	*count = 0;
	for (uint32_t i = 0; i < flat->count; i++) {
		const struct wk_flat_row *row = &flat->rows[i];
		uint64_t size = by_total ? distance(row->total, row->total_before)
					 : distance(row->self, row->self_before);

		if (size && row->id)
			changes[(*count)++] = (struct change){
				row, wk_model_str(model, model->functions[row->id].name), size,
				margins ? margins[row->id] : 0 };
	}
	qsort(changes, *count, sizeof(*changes), larger_first);
	return changes;
}

#define MANY_TIMES 20 /* as much: percent would be hard to read */

/* "12.5 % more", "75,000 times as much", or the words if there is no number. */
static void change_cell(struct wk_table *table, uint64_t before, uint64_t after)
{
	struct wk_buf text = { 0 };

	if (before == after) {
		wk_buf_add_text(&text, "same");
	} else if (before == 0) {
		wk_buf_add_text(&text, "new");
	} else if (after == 0) {
		wk_buf_add_text(&text, "gone");
	} else if (after / before >= MANY_TIMES) {
		wk_num_add_grouped(&text, after / before);
		wk_buf_add_text(&text, " times as much");
	} else {
		wk_buf_add_fmt(&text, "%.1f %% %s",
			       100 * (double)distance(before, after) / (double)before,
			       before < after ? "more" : "less");
	}
	wk_table_text(table, wk_table_keep(table, wk_buf_str(&text)));
	wk_buf_fini(&text);
}

static void side_columns(struct wk_table *table, const char *what, struct wk_str unit,
			 bool is_detail)
{
	static const char *const sides[] = { "before", "after", "change" };

	for (size_t i = 0; i < 3; i++) {
		struct wk_buf key = { 0 };

		wk_buf_add_fmt(&key, "%s_%s", what, sides[i]);
		wk_table_weight_column(table, wk_buf_text(&key), unit);
		/* The words with a blank are for people. */
		table->columns[table->column_count - 1].title =
			wk_table_keep(table, wk_str_c(sides[i]));
		if (is_detail)
			wk_table_detail(table);
		wk_buf_fini(&key);
	}
}

static void add_columns(struct wk_table *table, struct wk_str unit, bool by_total, bool has_margins,
			bool needs_images)
{
	side_columns(table, "self", unit, by_total);
	side_columns(table, "total", unit, !by_total);
	if (has_margins)
		wk_table_column(table, WK_CELL_BYTES, "margin_bytes", "±");
	wk_table_column(table, WK_CELL_TEXT, "relative", "relative");
	wk_table_column(table, WK_CELL_TEXT, "image", "image");
	if (!needs_images)
		wk_table_detail(table);
	wk_table_column(table, WK_CELL_TEXT, "function", "function");
	table->names_functions = true;
}

static void add_row(struct wk_table *table, const struct wk_model *model,
		    const struct change *change, bool by_total, bool has_margins)
{
	const struct wk_flat_row *row = change->row;
	const struct wk_function *function = &model->functions[row->id];
	struct wk_str image = wk_model_str(model, model->images[function->image].name);

	if (!function->image)
		image = wk_str_basename(wk_model_str(model, function->file));
	wk_table_row(table);
	wk_table_number(table, row->self_before);
	wk_table_number(table, row->self);
	wk_table_change(table, row->self_before, row->self);
	wk_table_number(table, row->total_before);
	wk_table_number(table, row->total);
	wk_table_change(table, row->total_before, row->total);
	if (has_margins)
		wk_table_number(table, change->margin);
	if (by_total)
		change_cell(table, row->total_before, row->total);
	else
		change_cell(table, row->self_before, row->self);
	wk_table_text(table, image.len ? image : wk_str_c("(none)"));
	wk_table_text(table, change->name);
}

static int by_name(const void *left, const void *right)
{
	const struct change *a = left, *b = right;

	return wk_str_compare(a->name, b->name);
}

/* Do two rows differ in their images alone? */
static bool is_name_twice(const struct change *changes, uint32_t count)
{
	struct change *sorted = wk_alloc(((size_t)count + 1) * sizeof(*sorted));
	bool is_twice = false;

	memcpy(sorted, changes, count * sizeof(*sorted));
	qsort(sorted, count, sizeof(*sorted), by_name);
	for (uint32_t i = 1; i < count && !is_twice; i++)
		is_twice = wk_str_eq(sorted[i - 1].name, sorted[i].name);
	wk_free(sorted);
	return is_twice;
}

static bool is_small(const struct change *change, const struct wk_diff_options *options)
{
	return 100.0 * (double)change->size < options->min_percent * options->whole;
}

static bool may_be_chance(const struct change *change, const struct wk_diff_options *options)
{
	const struct wk_flat_row *row = change->row;

	if (change->margin && options->hides_margins)
		return change->size <= change->margin;
	return options->by_total
		       ? wk_may_be_chance(&options->sampling, row->total_before, row->total)
		       : wk_may_be_chance(&options->sampling, row->self_before, row->self);
}

/* Leaves out what is small or may be chance. */
static uint32_t keep_notable(struct change *changes, uint32_t count,
			     const struct wk_diff_options *options, uint32_t *small)
{
	uint32_t kept = 0;

	*small = 0;
	for (uint32_t i = 0; i < count; i++)
		if (is_small(&changes[i], options))
			(*small)++;
		else if (!may_be_chance(&changes[i], options))
			changes[kept++] = changes[i];
	return kept;
}

static void note_left_out(struct wk_table *table, double min_percent, uint32_t small,
			  uint32_t by_chance)
{
	struct wk_buf words = { 0 };

	if (small)
		wk_buf_add_fmt(&words, "%u %s by less than %g %% of the whole", small,
			       small == 1 ? "function changed" : "functions changed", min_percent);
	if (small && by_chance)
		wk_buf_add_fmt(&words, ", %u by no more than chance explains", by_chance);
	else if (by_chance)
		wk_buf_add_fmt(&words, "%u %s by no more than chance explains", by_chance,
			       by_chance == 1 ? "function changed" : "functions changed");
	if (words.len)
		wk_table_note(table, "%s; --all shows %s", wk_buf_text(&words),
			      small + by_chance == 1 ? "it" : "them");
	wk_buf_fini(&words);
}

void wk_diff_table(struct wk_table *table, const struct wk_model *model,
		   const struct wk_filter *filter, const struct wk_diff_options *options)
{
	struct wk_flat flat;
	struct change *changes;
	uint64_t *margins;
	uint32_t all, count, shown, small;

	wk_flat_compare(&flat, model, filter, &options->tree);
	margins = wk_diff_margins(&flat, model, filter, options);
	changes = rank(&flat, model, options->by_total, margins, &all);
	count = keep_notable(changes, all, options, &small);
	shown = options->limit && options->limit < count ? options->limit : count;
	table->has_one_scale = true;
	add_columns(table, flat.unit, options->by_total, margins, is_name_twice(changes, shown));
	for (uint32_t i = 0; i < shown; i++)
		add_row(table, model, &changes[i], options->by_total, margins);
	if (shown < count)
		wk_table_note(table, "%u more %s not shown; --all shows %s", count - shown,
			      count - shown == 1 ? "function changed and is"
						 : "functions changed and are",
			      count - shown == 1 ? "it" : "them");
	note_left_out(table, options->min_percent, small, all - count - small);
	if (margins && count)
		wk_table_note(table, "±: in 19 of 20 pairs of recordings the true change is within "
				     "that much of the change shown");
	WK_FREE_ALL(changes, margins);
	wk_flat_fini(&flat);
}
