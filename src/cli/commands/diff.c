#include <string.h>

#include "cli/command.h"
#include "cli/messages.h"
#include "cli/options/drawing_options.h"
#include "cli/options/filter_options.h"
#include "cli/options/open_options.h"
#include "cli/options/table_form.h"
#include "cli/options/view_options.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "render/renderers.h"
#include "session/selection.h"
#include "views/compare/diff.h"
#include "views/compare/diff_lines.h"
#include "views/tree/stack_rows.h"

#define USUAL_ROWS 30

struct args {
	const char *output, *to, *width;
	uint64_t top;
	bool normalize, gone, by_total, all, by_samples, by_thread, no_process, details, quiet;
	struct wk_drawing_args drawing;
	struct wk_filter_spec filter;
	struct wk_view_args view;
	struct wk_open_options load;
};

#define AT(field) offsetof(struct args, field)

static const char *const forms[] = { "table", "svg", "folded", "csv", "json", NULL };
static const char *const widths[] = { "after", "before", "larger", NULL };

static const struct wk_opt diff_options[] = {
	{ 'o', "output", "FILE", "write to FILE; the suffix selects the form (.svg, .folded, .csv, "
	  ".json)", WK_OPT_TEXT, AT(output), NULL },
	{ 0, "to", "FORM", "output form: table (functions that changed most), svg (a picture), "
	  "folded (two columns), csv, json [default: table]", WK_OPT_CHOICE, AT(to), forms },
	{ 0, "normalize", NULL, "scale BEFORE to the total of AFTER, to compare shares instead of "
	  "amounts", WK_OPT_FLAG, AT(normalize), NULL },
	{ 0, "frame-width", "SIDE", "picture: width of frames: after, before, or the larger of "
	  "both [default: after]", WK_OPT_CHOICE, AT(width), widths },
	{ 0, "gone", NULL, "picture: show frames that exist only in BEFORE as well", WK_OPT_FLAG,
	  AT(gone), NULL },
	{ 0, "by-total", NULL, "table: rank by total, which includes callees", WK_OPT_FLAG,
	  AT(by_total), NULL },
	{ 'n', "top", "N", "table: print at most N rows [default: 30]", WK_OPT_COUNT, AT(top),
	  NULL },
	{ 0, "all", NULL, "table: print every function that changed", WK_OPT_FLAG, AT(all), NULL },
	{ 0, "details", NULL, "table: print all columns", WK_OPT_FLAG, AT(details), NULL },
	{ 0, "samples", NULL, "compare numbers of samples instead of weights", WK_OPT_FLAG,
	  AT(by_samples), NULL },
	{ 0, "by-thread", NULL, "add a level for the threads of each name, above their process",
	  WK_OPT_FLAG, AT(by_thread), NULL },
	{ 0, "no-process", NULL, "start with the outermost function, without a level for processes",
	  WK_OPT_FLAG, AT(no_process), NULL },
	{ 'q', "quiet", NULL, "print errors only", WK_OPT_FLAG, AT(quiet), NULL },
	{ 0 },
};

/* What is compared, once both sides are loaded. */
struct comparison {
	const struct args *args;
	const struct wk_call *call;
	const struct wk_model *model;
	struct wk_selection question;
	struct wk_diff_measure measure;
	struct wk_diff_sides sides;
	struct wk_pairs pairs;
	const char *form;
	double before_factor;
	struct wk_view_choice choice;
};

static const char *form_of(const struct args *args)
{
	static const char *const suffixes[] = { "svg", "folded", "csv", "json", NULL };
	const char *dot = args->output ? strrchr(args->output, '.') : NULL;

	if (args->to)
		return args->to;
	for (size_t i = 0; dot && suffixes[i]; i++)
		if (strcmp(dot + 1, suffixes[i]) == 0)
			return suffixes[i];
	return "table";
}

static enum wk_tree_side side_of(const struct args *args)
{
	if (args->width && strcmp(args->width, "before") == 0)
		return WK_TREE_BEFORE;
	if (args->width && strcmp(args->width, "larger") == 0)
		return WK_TREE_LARGER;
	return args->gone ? WK_TREE_AFTER_AND_GONE : WK_TREE_AFTER;
}

static void add_sides(const struct comparison *c, struct wk_buf *text)
{
	wk_diff_sides_line(&c->sides, c->model, &c->measure, text);
	if (c->args->normalize && !c->measure.only_shares)
		wk_buf_add_text(text, ", normalized");
}

/* "monday.data → tuesday.data", with their folders where both are called alike. */
static void add_paths(const struct comparison *c, struct wk_buf *text)
{
	struct wk_str before = wk_str_c(c->call->words->at[0]);
	struct wk_str after = wk_str_c(c->call->words->at[1]);

	if (!wk_str_eq(wk_str_basename(before), wk_str_basename(after))) {
		before = wk_str_basename(before);
		after = wk_str_basename(after);
	}
	wk_buf_add_str(text, wk_str_is(before, "-") ? wk_str_c("standard input") : before);
	wk_buf_add_text(text, " \u2192 ");
	wk_buf_add_str(text, wk_str_is(after, "-") ? wk_str_c("standard input") : after);
	wk_buf_add_text(text, "; ");
}

static void fold_options(const struct comparison *c, struct wk_tree_options *tree)
{
	tree->by_process = !c->args->no_process && c->pairs.has_processes;
	tree->by_thread = c->args->by_thread;
	tree->grouping = wk_view_grouping(&c->choice);
	tree->by_samples = c->measure.by_samples;
	tree->pairs = &c->pairs;
	tree->before_factor = c->before_factor;
}

static bool draw(const struct comparison *c, struct wk_out *out, struct wk_err *err)
{
	struct wk_view view = { .model = c->model, .quality = &c->question.quality };
	struct wk_buf words = { 0 };
	struct wk_drawing_plan plan;
	struct wk_tree tree;
	bool ok;

	if (!wk_drawing_plan_init(&plan, &c->args->drawing, err)) {
		wk_drawing_plan_fini(&plan);
		return false;
	}
	if (!wk_drawing_plan_accepts_comparison(&plan, err)) {
		wk_drawing_plan_fini(&plan);
		return false;
	}
	fold_options(c, &plan.tree);
	plan.tree.side = side_of(c->args);
	add_paths(c, &words);
	add_sides(c, &words);
	if (!plan.drawing.title)
		plan.drawing.title = "Differential flame graph";
	if (!plan.drawing.subtitle)
		plan.drawing.subtitle = wk_buf_text(&words);
	wk_tree_init(&tree, c->model, &c->question.filter, &plan.tree);
	if (!c->args->quiet)
		wk_drawing_plan_warn(&plan, c->model, &tree);
	view.tree = &tree;
	view.drawing = plan.drawing;
	ok = wk_renderer_svg.render(&view, out, err);
	wk_tree_fini(&tree);
	wk_buf_fini(&words);
	return wk_drawing_plan_end(&plan, ok, err) && ok;
}

static bool fold(const struct comparison *c, struct wk_out *out, struct wk_err *err)
{
	struct wk_view view = { .model = c->model, .quality = &c->question.quality };
	struct wk_tree_options options = { .order = WK_TREE_BY_NAME, .side = WK_TREE_LARGER };
	struct wk_tree tree;
	bool ok;

	fold_options(c, &options);
	view.rows = wk_stack_rows_new(c->model, &c->question.filter, &options);
	if (view.rows) {
		ok = wk_renderer_folded.render(&view, out, err);
		wk_stack_rows_free(view.rows);
		return ok;
	}
	wk_tree_init(&tree, c->model, &c->question.filter, &options);
	view.tree = &tree;
	ok = wk_renderer_folded.render(&view, out, err);
	wk_tree_fini(&tree);
	return ok;
}

static bool tabulate(const struct comparison *c, struct wk_out *out, struct wk_err *err)
{
	const struct wk_renderer *renderer =
		wk_table_form(strcmp(c->form, "csv") == 0, strcmp(c->form, "json") == 0);
	bool for_people = renderer == &wk_renderer_text && !c->args->all;
	struct wk_diff_options options = {
		.pairs = &c->pairs,
		.by_samples = c->measure.by_samples,
		.before_factor = c->before_factor,
		.by_total = c->args->by_total,
		.limit = for_people ? USUAL_ROWS : 0,
	};
	struct wk_view view = { .model = c->model, .quality = &c->question.quality,
				.has_details = c->args->details };
	struct wk_buf words = { 0 };
	struct wk_table table;
	bool ok;

	if (c->args->top)
		options.limit = c->args->top < UINT32_MAX ? (uint32_t)c->args->top : UINT32_MAX;
	wk_table_fit(&view, out, c->call, 0);
	wk_table_init(&table, "diff");
	wk_diff_table(&table, c->model, &c->question.filter, &options);
	add_sides(c, &words);
	wk_table_note(&table, "%s", wk_buf_text(&words));
	view.table = &table;
	if (table.row_count == 0 && renderer == &wk_renderer_text) {
		wk_out_fmt(out, "nothing changed: every function has the same %s as before\n",
			   c->args->by_total ? "total" : "self");
		wk_out_fmt(out, "%s\n", wk_buf_text(&words));
		ok = true;
	} else {
		ok = renderer->render(&view, out, err);
	}
	wk_table_fini(&table);
	wk_buf_fini(&words);
	return ok;
}

static bool write_form(const struct comparison *c, struct wk_err *err)
{
	struct wk_output output;
	struct wk_out *out = wk_output_open(&output, c->args->output, c->call, err);
	bool ok;

	if (!out)
		return false;
	if (strcmp(c->form, "svg") == 0)
		ok = draw(c, out, err);
	else if (strcmp(c->form, "folded") == 0)
		ok = fold(c, out, err);
	else
		ok = tabulate(c, out, err);
	return wk_output_close(&output, ok, err);
}

/* Traces of Windows without CPU samples may have nothing in common but that they count; other
 * forms only have names of their own for the same. */
static void say_events(const struct comparison *c)
{
	const struct wk_source *before = &c->model->sources[c->measure.before];
	const struct wk_source *after = &c->model->sources[c->measure.after];
	struct wk_buf words = { 0 };

	if (!c->model->side_times[false].traits->logs_events ||
	    !c->model->side_times[true].traits->logs_events || before->name == after->name)
		return;
	wk_buf_add_fmt(&words, "different events are compared: %s of %s, %s of %s",
		       wk_strtab_get(c->model->text, before->name), c->call->words->at[0],
		       wk_strtab_get(c->model->text, after->name), c->call->words->at[1]);
	wk_say(wk_buf_text(&words));
	wk_buf_fini(&words);
}

/* Which sources are compared; and where they are not of a kind, what they have in common. */
static bool choose_measure(struct comparison *c, struct wk_filter_spec *spec, struct wk_err *err)
{
	const struct wk_source *sources = c->model->sources;

	if (!wk_diff_measure_choose(&c->measure, c->model, spec->source, c->args->by_samples, err))
		return false;
	spec->before_source = c->measure.before;
	spec->after_source = c->measure.after;
	if (!c->args->quiet)
		say_events(c);
	if (c->args->quiet || c->args->by_samples ||
	    sources[c->measure.before].unit == sources[c->measure.after].unit)
		return true;
	wk_say(c->measure.only_shares ? "the two files use different units and one contains sums: "
					"comparing shares of the whole"
				      : "the two files use different units: comparing numbers of "
					"samples");
	return true;
}

static void pair_up(struct comparison *c)
{
	bool is_text = strcmp(c->form, "folded") == 0;

	wk_pairs_init(&c->pairs, c->model, &c->question.filter,
		      is_text || strcmp(c->form, "svg") == 0, is_text);
}

/* What lies in a file now, as the table's last line has it on a terminal. */
static void say_where(const struct comparison *c)
{
	const char *path = c->args->output;
	struct wk_buf words = { 0 };

	if (!path || strcmp(path, "-") == 0)
		return;
	add_sides(c, &words);
	wk_say(wk_buf_text(&words));
	wk_buf_reset(&words);
	wk_buf_add_fmt(&words,
		       strcmp(c->form, "svg") == 0 ? "open %s in a browser"
						   : "comparison written to %s",
		       path);
	wk_say(wk_buf_text(&words));
	wk_buf_fini(&words);
}

static void say_lines(const struct comparison *c)
{
	struct wk_buf words = { 0 };

	wk_diff_lines_line(c->model, &c->question.filter, &c->pairs, &words);
	if (words.len)
		wk_say(wk_buf_text(&words));
	wk_buf_fini(&words);
}

static bool is_side_empty(const struct comparison *c, bool is_before)
{
	const struct wk_samples *samples = &c->model->samples;

	for (uint32_t i = 0; i < samples->count; i++)
		if (wk_filter_has(&c->question.filter, i) &&
		    (samples->is_before && samples->is_before[i]) == is_before)
			return false;
	return true;
}

/* "after: 0" alone could be a program that got better. */
static void say_empty_side(const struct comparison *c)
{
	bool no_before = is_side_empty(c, true), no_after = is_side_empty(c, false);
	struct wk_buf words = { 0 };

	if (no_before == no_after)
		return;
	wk_buf_add_fmt(&words, "%s has no samples in view, so everything is %s",
		       c->call->words->at[no_before ? 0 : 1], no_before ? "new" : "gone");
	wk_say(wk_buf_text(&words));
	wk_buf_fini(&words);
}

static bool compare(struct comparison *c, struct wk_err *err)
{
	struct wk_filter_spec spec = c->choice.filter;
	bool ok = false;

	if (!choose_measure(c, &spec, err) ||
	    !wk_selection_open(&c->question, c->model, &spec, err))
		return false;
	c->sides = wk_diff_sides(c->model, &c->question.filter, c->measure.by_samples);
	c->question.quality.has_two_sides = true;
	pair_up(c);
	c->before_factor = 1;
	if ((c->args->normalize || c->measure.only_shares) && c->sides.before && c->sides.after)
		c->before_factor = (double)c->sides.after / (double)c->sides.before;
	if (c->sides.samples_before == 0 && c->sides.samples_after == 0)
		wk_fail(err, WK_EEMPTY, WK_NOWHERE, "neither file has samples in view");
	else
		ok = write_form(c, err);
	if (ok && !c->args->quiet) {
		wk_view_report(&c->choice, &wk_cli_messages);
		wk_selection_warn(&c->question, &wk_cli_messages);
		say_empty_side(c);
		say_lines(c);
		say_where(c);
	}
	wk_pairs_fini(&c->pairs);
	wk_selection_fini(&c->question);
	return ok;
}

static bool expect_levels(const struct comparison *c, struct wk_err *err)
{
	if (!c->args->view.group || strcmp(c->form, "svg") == 0 || strcmp(c->form, "folded") == 0)
		return true;
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "the table has no levels, so --group does not apply; use -o FILE.svg or "
		       "--to folded");
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct comparison c = { .args = args, .call = call, .form = form_of(args) };
	struct wk_open_input inputs[2] = { { .is_before = true } };
	struct wk_open_options load = args->load;
	struct wk_model *model;
	bool ok = false;

	if (call->words->count != 2 || call->words->rest_count) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"diff needs two files, BEFORE and AFTER; found %zu",
			call->words->count + call->words->rest_count);
		return WK_EXIT_USAGE;
	}
	inputs[0].path = call->words->at[0];
	inputs[1].path = call->words->at[1];
	if (!wk_output_allow(args->output,
			     (const char *const[]){ inputs[0].path, inputs[1].path, NULL },
			     forms + 1, call, err) ||
	    !wk_view_choose(&c.choice, &args->view, &args->filter,
			    args->by_thread || args->no_process, err))
		return wk_exit_code(err);
	if (!wk_view_expect_tree(&c.choice, err) || !expect_levels(&c, err)) {
		wk_view_choice_fini(&c.choice);
		return WK_EXIT_USAGE;
	}
	load.in_view = &c.choice.filter;
	load.is_of_any_event = true; /* each side has its own */
	model = wk_open_inputs(inputs, 2, &load, NULL, &wk_cli_messages, err);
	c.model = model;
	if (model)
		ok = compare(&c, err);
	wk_view_choice_fini(&c.choice);
	wk_model_free(model);
	return ok ? WK_EXIT_DONE : wk_exit_code(err);
}

const struct wk_command wk_cmd_diff = {
	.name = "diff",
	.summary = "compare two recordings: what grew, what shrank, what is new",
	.usage = (const char *const[]){ "[OPTION...] BEFORE AFTER", NULL },
	.description = (const char *const[]){
		"Compares two recordings, or stacks in any format that wick reads, and prints the "
		"functions that changed most. `-o FILE.svg` draws a flame graph in which the "
		"colour of a frame shows its own change: orange grew, blue shrank, purple is new, "
		"green is gone. `--to folded` prints each stack with both counts, for older tools "
		"that draw differential flame graphs.",
		"Functions are paired by name: first in the same image, then in an image of the "
		"same name, then in any image. Two builds in two folders are therefore compared as "
		"one program. C++ names that differ only in parameters that one side does not have "
		"are paired if no other function has that name.",
		"--time selects that part of each recording, counted from its own start.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Output", diff_options }, 0 },
		{ &wk_drawing_group, offsetof(struct args, drawing) },
		{ &wk_view_group, offsetof(struct args, view) },
		{ &wk_filter_group, offsetof(struct args, filter) },
		{ &wk_open_group, offsetof(struct args, load) },
		{ 0 } },
	.common = (const char *const[]){
		"output", "all", "top", "normalize", "gone", "by-total", "quiet", "title",
		"icicle", "reverse", "group", "process", "thread", "function", "time", "filter",
		"by", "debuginfod", "symbol-path", NULL },
	.examples = (const struct wk_example[]){
		{ "wick diff old.data new.data", "print the functions that changed most" },
		{ "wick diff --normalize old.data new.data -o diff.svg",
		  "draw two runs of different lengths" },
		{ 0 } },
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
