#include "session/comparison.h"

#include <string.h>

#include "base/map.h"
#include "base/num.h"
#include "render/renderers.h"
#include "session/picture_title.h"
#include "views/compare/diff_lines.h"
#include "views/compare/diff_margins.h"
#include "views/tree/stack_rows.h"

#define LEAST_GONE_PERCENT 1
#define LEAST_LOSS_PERCENT 1 /* that one side lost more than the other */

/* Windows traces without CPU samples can have nothing in common but that they count. Other formats
 * only have different names for the same event. */
static void report_events(const struct wk_comparison *c, const struct wk_messages *messages)
{
	const struct wk_model *model = c->model;
	const struct wk_source *before = &model->sources[c->measure.before];
	const struct wk_source *after = &model->sources[c->measure.after];

	if (model->side_times[false].traits->logs_events &&
	    model->side_times[true].traits->logs_events && before->name != after->name)
		wk_warn_fmt(messages, "different events are compared: %s of %s, %s of %s",
			    wk_strtab_get(model->text, before->name), c->options->before,
			    wk_strtab_get(model->text, after->name), c->options->after);
}

/* Each row is a sample, and its weight is something else: time, cycles ... */
static bool weighs_samples(const struct wk_model *model, wk_source_id id)
{
	const struct wk_source *source = &model->sources[id];

	return !source->is_weighed && !wk_str_is(wk_model_str(model, source->unit), "samples");
}

/* Do both sides have samples of an event of one name? */
static bool has_common_source(const struct wk_model *model)
{
	const struct wk_samples *samples = &model->samples;
	struct wk_map sides = { 0 }; /* by name */
	bool has_common = false;

	for (uint32_t i = 0; samples->is_before && i < samples->count; i++) {
		wk_text_id name = model->sources[wk_sample_source(samples, i)].name;
		uint32_t *seen = wk_map_at(&sides, name);

		*seen |= samples->is_before[i] ? 1 : 2;
		has_common |= *seen == 3;
	}
	wk_map_fini(&sides);
	return has_common;
}

static bool is_memory(const struct wk_comparison *c, wk_source_id source)
{
	return wk_str_is(wk_model_str(c->model, c->model->sources[source].unit), "bytes");
}

/* Memory of the kind that was asked for, of one side alone. */
static bool is_other_memory(const struct wk_comparison *c)
{
	const struct wk_source *before = &c->model->sources[c->measure.before];
	const struct wk_source *after = &c->model->sources[c->measure.after];

	return is_memory(c, c->measure.before) && is_memory(c, c->measure.after) &&
	       before->name != after->name &&
	       (c->options->choice->filter.source || before->is_of_pages != after->is_of_pages);
}

/* What memory is and what else happened have nothing in common, not even shares, and neither have
 * blocks of heaps and pages. */
static bool expect_comparable(const struct wk_comparison *c, struct wk_err *err)
{
	const struct wk_model *model = c->model;
	const struct wk_source *before = &model->sources[c->measure.before];
	const struct wk_source *after = &model->sources[c->measure.after];

	if (is_memory(c, c->measure.before) == is_memory(c, c->measure.after) &&
	    !is_other_memory(c))
		return true;
	return wk_fail(
		err, WK_EUSAGE, WK_NOWHERE,
		has_common_source(model)
			? "cannot compare %s of %s with %s of %s: choose an event that both "
			  "have with --by; `wick show FILE system` lists them"
			: "cannot compare %s of %s with %s of %s: they have no event in common",
		wk_strtab_get(model->text, before->name), c->options->before,
		wk_strtab_get(model->text, after->name), c->options->after);
}

/* Which sources are compared; and if they are of different kinds, what they have in common. */
static bool choose_measure(struct wk_comparison *c, struct wk_filter_spec *spec,
			   const struct wk_messages *messages, struct wk_err *err)
{
	const struct wk_source *sources = c->model->sources;
	bool by_samples = c->options->by_samples;

	if (!wk_diff_measure_choose(&c->measure, c->model, spec->source, by_samples, err))
		return false;
	spec->before_source = c->measure.before;
	spec->after_source = c->measure.after;
	report_events(c, messages);
	/* Folded stacks do not contain a unit: their counts are numbers of samples. */
	c->measure.by_samples |= c->options->form == WK_COMPARISON_FOLDED &&
				 weighs_samples(c->model, c->measure.before) &&
				 weighs_samples(c->model, c->measure.after);
	if (by_samples)
		return true;
	if (!expect_comparable(c, err))
		return false;
	if (sources[c->measure.before].unit == sources[c->measure.after].unit)
		return true;
	wk_warn(messages, c->measure.only_shares
				  ? "the two files use different units and one contains sums: "
				    "comparing shares of the whole"
				  : "the two files use different units: comparing numbers of "
				    "samples");
	return true;
}

bool wk_comparison_open(struct wk_comparison *c, const struct wk_comparison_options *options,
			const struct wk_model *model, const struct wk_messages *messages,
			struct wk_err *err)
{
	struct wk_filter_spec spec = options->choice->filter;

	*c = (struct wk_comparison){ .options = options, .model = model, .before_factor = 1 };
	if (!choose_measure(c, &spec, messages, err) ||
	    !wk_selection_open(&c->selection, model, &spec, err))
		return false;
	c->selection.quality.has_two_sides = true;
	c->sides = wk_diff_sides(model, &c->selection.filter, c->measure.by_samples);
	if (c->sides.samples_before == 0 && c->sides.samples_after == 0) {
		wk_selection_fini(&c->selection);
		return wk_fail(err, WK_EEMPTY, WK_NOWHERE, "neither file has samples in view");
	}
	wk_busy(messages, "comparing functions", NULL);
	wk_pairs_init(&c->pairs, model, &c->selection.filter, options->form != WK_COMPARISON_TABLE,
		      options->form == WK_COMPARISON_FOLDED);
	wk_busy_end(messages);
	if ((options->normalizes || c->measure.only_shares) && c->sides.before && c->sides.after)
		c->before_factor = (double)c->sides.after / (double)c->sides.before;
	return true;
}

void wk_comparison_fini(struct wk_comparison *c)
{
	wk_pairs_fini(&c->pairs);
	wk_selection_fini(&c->selection);
}

/* Are both sides samples of the time of processors? Other numbers may be exact, as those of memory
 * are, and what the numbers in text are is unknown. */
static bool is_sampled(const struct wk_comparison *c)
{
	const struct wk_source *before = &c->model->sources[c->measure.before];
	const struct wk_source *after = &c->model->sources[c->measure.after];

	return before->is_cpu_time && after->is_cpu_time && !before->is_weighed &&
	       !after->is_weighed;
}

static double per_sample(double weight, uint64_t samples)
{
	return samples ? weight / (double)samples : 0;
}

/* All zero if they are not. */
static struct wk_sampling sampling_of(const struct wk_comparison *c)
{
	double before = (double)c->sides.before * c->before_factor;
	double after = (double)c->sides.after;

	if (!is_sampled(c))
		return (struct wk_sampling){ 0 };
	return (struct wk_sampling){ per_sample(before, c->sides.samples_before),
				     per_sample(after, c->sides.samples_after) };
}

static void set_levels(const struct wk_comparison *c, struct wk_tree_options *tree)
{
	tree->by_process = !c->options->no_process && c->pairs.has_processes;
	tree->by_thread = c->options->by_thread;
	wk_view_shape(c->options->choice, tree);
	tree->by_samples = c->measure.by_samples;
	tree->pairs = &c->pairs;
	tree->before_factor = c->before_factor;
}

void wk_comparison_line(const struct wk_comparison *c, struct wk_buf *line)
{
	wk_diff_sides_line(&c->sides, c->model, &c->measure, line);
	if (c->options->normalizes && !c->measure.only_shares)
		wk_buf_add_text(line, ", normalized");
}

/* "monday.data → tuesday.data; ", with their folders if the names are the same. */
static void add_paths(const struct wk_comparison *c, struct wk_buf *text)
{
	struct wk_str before = wk_str_c(c->options->before), after = wk_str_c(c->options->after);

	if (!wk_str_eq(wk_str_basename(before), wk_str_basename(after))) {
		before = wk_str_basename(before);
		after = wk_str_basename(after);
	}
	wk_buf_add_str(text, wk_str_is(before, "-") ? wk_str_c("standard input") : before);
	wk_buf_add_text(text, " \u2192 ");
	wk_buf_add_str(text, wk_str_is(after, "-") ? wk_str_c("standard input") : after);
	wk_buf_add_text(text, "; ");
}

/* What only the "before" side has is not drawn unless that is asked for: the picture of a program
 * that improved may seem to show nothing. */
static void report_gone(const struct wk_comparison *c, const struct wk_picture *picture,
			const struct wk_messages *messages)
{
	const struct wk_tree *tree = &picture->tree;
	uint64_t gone = 0;
	double percent;

	if (picture->folding.side != WK_TREE_AFTER || !tree->total_before)
		return;
	for (uint32_t node = 1; node < tree->count; node++)
		if (!tree->total_after[node] && tree->total_after[tree->parent[node]])
			gone += tree->total_before[node];
	percent = 100 * (double)gone / (double)(tree->total_before[0] ? tree->total_before[0] : 1);
	if (percent >= LEAST_GONE_PERCENT)
		wk_warn_fmt(messages,
			    "calls that only %s has (%.1f %% of it) are not drawn; --gone draws "
			    "them",
			    c->options->before, percent);
}

bool wk_comparison_draw(const struct wk_comparison *c, struct wk_picture *picture,
			struct wk_out *out, const struct wk_messages *messages, struct wk_err *err)
{
	struct wk_buf words = { 0 }, title = { 0 };
	bool ok;

	set_levels(c, &picture->folding);
	picture->folding.keeps_both_sides = true;
	picture->drawing.sampling = sampling_of(c);
	wk_picture_title(c->model, &c->selection.filter, NULL, "differential flame graph", &title);
	add_paths(c, &words);
	wk_comparison_line(c, &words);
	if (!picture->drawing.title)
		picture->drawing.title = wk_buf_text(&title);
	if (!picture->drawing.subtitle)
		picture->drawing.subtitle = wk_buf_text(&words);
	wk_picture_fold(picture, &c->selection);
	wk_picture_warn(picture, messages);
	report_gone(c, picture, messages);
	ok = wk_picture_draw(picture, out, err);
	WK_BUF_FINI_ALL(&words, &title);
	return ok;
}

bool wk_comparison_fold(const struct wk_comparison *c, struct wk_out *out, struct wk_err *err)
{
	struct wk_view view = { .model = c->model, .quality = &c->selection.quality };
	struct wk_tree_options options = { .order = WK_TREE_BY_NAME, .side = WK_TREE_LARGER };
	struct wk_tree tree = { 0 };
	bool ok;

	set_levels(c, &options);
	view.rows = wk_stack_rows_new(c->model, &c->selection.filter, &options);
	if (!view.rows) {
		wk_tree_init(&tree, c->model, &c->selection.filter, &options);
		view.tree = &tree;
	}
	ok = wk_renderer_folded.render(&view, out, err);
	wk_stack_rows_free(view.rows);
	wk_tree_fini(&tree);
	return ok;
}

/* No row, so there are only words. */
static void say_nothing(struct wk_out *out, const struct wk_comparison_rows *rows, bool has_small,
			bool is_sampled)
{
	const char *column = rows->by_total ? "total" : "self";

	if (has_small)
		wk_out_fmt(out,
			   "no function's %s changed by %g %% of the whole or more%s; --all shows "
			   "smaller changes\n",
			   column, rows->min_percent,
			   is_sampled ? " and by more than chance explains" : "");
	else
		wk_out_fmt(out, "nothing changed: every function has the same %s as before\n",
			   column);
}

static const char of_all_blocks[] =
	"what was allocated is compared; --outstanding compares what is left of it";

static bool is_of_all_blocks(const struct wk_comparison *c)
{
	const struct wk_source *after = &c->model->sources[c->measure.after];

	return after->is_of_blocks && wk_str_is(wk_model_str(c->model, after->name), "heap") &&
	       !c->selection.filter.is_given[WK_FILTER_OUTSTANDING];
}

bool wk_comparison_tabulate(const struct wk_comparison *c, const struct wk_comparison_rows *rows,
			    const struct wk_table_look *look, struct wk_out *out,
			    struct wk_err *err)
{
	bool is_estimated =
		wk_diff_is_estimated(c->model, &c->selection.filter, c->measure.by_samples);
	double before = (double)c->sides.before * c->before_factor;
	double after = (double)c->sides.after;
	struct wk_diff_options options = {
		.by_total = rows->by_total,
		.limit = rows->limit,
		.min_percent = rows->min_percent,
		.whole = before > after ? before : after,
		.hides_margins = rows->hides_chance && is_estimated,
	};
	bool hides_chance = rows->hides_chance && is_sampled(c);
	struct wk_buf words = { 0 };
	struct wk_table table;
	bool ok = true;

	if (hides_chance)
		options.sampling = sampling_of(c);
	set_levels(c, &options.tree);
	wk_table_init(&table, "diff");
	wk_diff_table(&table, c->model, &c->selection.filter, &options);
	wk_comparison_line(c, &words);
	if (table.row_count == 0 && look->form == WK_TABLE_TEXT) {
		say_nothing(out, rows, table.note_count > 0, hides_chance || options.hides_margins);
		wk_out_fmt(out, "%s\n", wk_buf_text(&words));
		if (is_of_all_blocks(c))
			wk_out_fmt(out, "%s\n", of_all_blocks);
	} else {
		wk_table_note(&table, "%s", wk_buf_text(&words));
		if (is_of_all_blocks(c))
			wk_table_note(&table, "%s", of_all_blocks);
		ok = wk_table_print(&table, &c->selection, look, out, err);
	}
	wk_table_fini(&table);
	wk_buf_fini(&words);
	return ok;
}

/* "app" of "./app input.txt" and "process 12 (app)"; empty if that is unknown, or several. */
static struct wk_str recorded_program(const struct wk_model *model, uint32_t input)
{
	static const char *const several[] = { "processes ", "the whole system", NULL };
	struct wk_str what = wk_model_fact_of(model, "recorded", input), pid;

	if (wk_str_starts_one_of(what, several))
		return wk_str_c("");
	if (!wk_str_starts(what, "process "))
		return wk_command_program(what);
	wk_str_split(what, '(', &pid, &what);
	return wk_str_of(what.at, what.len ? what.len - 1 : 0);
}

/* Cargo appends 16 hexadecimal digits to the names of tests and benchmarks; other features have
 * others. */
static struct wk_str without_cargo_hash(struct wk_str name)
{
	size_t len = name.len;

	if (len < 18 || name.at[len - 17] != '-')
		return name;
	for (size_t i = len - 16; i < len; i++)
		if (!strchr("0123456789abcdef", name.at[i]))
			return name;
	return wk_str_of(name.at, len - 17);
}

/* The kernel cuts the name of a process that was recorded by its number. */
static bool is_cut_name_of(struct wk_str cut, struct wk_str name)
{
	return cut.len == 15 && name.len > 15 && memcmp(cut.at, name.at, 15) == 0;
}

/* The last two runs in a folder can be those of two programs. */
static void report_programs(const struct wk_comparison *c, const struct wk_messages *messages)
{
	struct wk_str before = recorded_program(c->model, 1), after = recorded_program(c->model, 2);
	struct wk_buf words = { 0 };

	if (!before.len || !after.len || is_cut_name_of(before, after) ||
	    is_cut_name_of(after, before) ||
	    wk_str_eq(without_cargo_hash(before), without_cargo_hash(after)))
		return;
	wk_buf_add_text(&words, "different programs are compared: ");
	wk_buf_add_str(&words, before);
	wk_buf_add_fmt(&words, " in %s, ", c->options->before);
	wk_buf_add_str(&words, after);
	wk_buf_add_fmt(&words, " in %s", c->options->after);
	wk_warn_buf(messages, &words);
}

static bool is_side_empty(const struct wk_comparison *c, bool is_before)
{
	const struct wk_samples *samples = &c->model->samples;

	for (uint32_t i = 0; i < samples->count; i++)
		if (wk_filter_has(&c->selection.filter, i) &&
		    (samples->is_before && samples->is_before[i]) == is_before)
			return false;
	return true;
}

/* What was lost of a side. */
struct loss {
	const char *path;
	uint64_t lost, all; /* the latter are the samples as well, in view or not */
};

/* What is said to be lost may be any number. */
static uint64_t add_capped(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

static struct loss loss_of(const struct wk_comparison *c, bool is_before)
{
	const struct wk_quality *quality = &c->selection.quality;
	const struct wk_samples *samples = &c->model->samples;
	wk_source_id source = is_before ? c->measure.before : c->measure.after;
	uint64_t all = add_capped(quality->lost_samples, quality->lost_records);
	uint64_t lost = is_before ? quality->lost_before : all - quality->lost_before;
	struct loss loss = { is_before ? c->options->before : c->options->after, lost, lost };

	for (uint32_t i = 0; loss.lost && i < samples->count; i++)
		if (wk_sample_source(samples, i) == source &&
		    (samples->is_before && samples->is_before[i]) == is_before)
			loss.all = add_capped(loss.all, wk_model_sample_times(c->model, i));
	return loss;
}

static double percent_of(const struct loss *loss)
{
	return loss->all ? 100 * (double)loss->lost / (double)loss->all : 0;
}

static void add_loss(const struct loss *loss, const char *verb, struct wk_buf *line)
{
	wk_buf_add_text(line, loss->path);
	wk_buf_add_text(line, verb);
	wk_num_add_share(line, loss->lost, loss->all);
}

/* The numbers of memory and of sums do not depend on lost samples. */
static bool loses_samples(const struct wk_comparison *c, wk_source_id id)
{
	const struct wk_source *source = &c->model->sources[id];

	return !source->is_weighed && !source->has_lifetimes;
}

/* What was lost of one side alone looks as if its program had become faster. */
static void report_losses(const struct wk_comparison *c, const struct wk_messages *messages)
{
	struct loss more = loss_of(c, false), less = loss_of(c, true), before = less;
	struct wk_buf words = { 0 };

	if (percent_of(&more) < percent_of(&less)) {
		less = more;
		more = before;
	}
	if (percent_of(&more) - percent_of(&less) < LEAST_LOSS_PERCENT ||
	    !loses_samples(c, c->measure.before) || !loses_samples(c, c->measure.after))
		return;
	add_loss(&more, " lost ", &words);
	wk_buf_add_text(&words, c->selection.quality.lost_records ? " of its records, "
								  : " of its samples, ");
	add_loss(&less, " ", &words);
	if (!c->options->normalizes)
		wk_buf_add_text(&words, ", which looks like a change: --normalize compares shares");
	wk_warn_buf(messages, &words);
}

void wk_comparison_report(const struct wk_comparison *c, const struct wk_messages *messages)
{
	bool no_before = is_side_empty(c, true), no_after = is_side_empty(c, false);
	struct wk_buf words = { 0 };

	wk_selection_warn(&c->selection, messages);
	report_programs(c, messages);
	/* "after: 0" alone could be a program that improved. */
	if (no_before != no_after)
		wk_warn_fmt(messages, "%s has no samples in view, so everything is %s",
			    no_before ? c->options->before : c->options->after,
			    no_before ? "new" : "gone");
	report_losses(c, messages);
	wk_diff_lines_line(c->model, &c->pairs, &words);
	wk_warn_buf(messages, &words);
}
