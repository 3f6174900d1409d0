#include <string.h>

#include "base/mem.h"
#include "cli/command.h"
#include "cli/messages.h"
#include "cli/options/drawing_options.h"
#include "cli/options/open_options.h"
#include "cli/options/table_form.h"
#include "cli/options/view_options.h"
#include "cli/output.h"
#include "os/os.h"
#include "session/comparison.h"

#define USUAL_ROWS        30
#define USUAL_MIN_PERCENT 0.5

struct args {
	const char *output, *to, *width, *min_percent;
	uint64_t top;
	bool normalize, gone, by_total, all, by_samples, by_thread, no_process, details, quiet, csv,
		json;
	struct wk_drawing_args drawing;
	struct wk_filter_spec filter;
	struct wk_view_args view;
	struct wk_open_options load;
};

#define AT(field) offsetof(struct args, field)

static const char *const forms[] = { "table", "svg", "folded", "csv", "json", NULL };
static const enum wk_comparison_form kinds[] = {
	WK_COMPARISON_TABLE, WK_COMPARISON_PICTURE, WK_COMPARISON_FOLDED, WK_COMPARISON_TABLE,
	WK_COMPARISON_TABLE };
static const enum wk_table_form tables[] = { [3] = WK_TABLE_CSV, [4] = WK_TABLE_JSON };
static const char *const widths[] = { "after", "before", "larger", NULL };

static const struct wk_opt diff_options[] = {
	WK_TEXT('o', "output", "FILE", "write to FILE; the suffix selects the form (.svg, .folded, "
	  ".csv, .json)", AT(output)),
	{ 0, "to", "FORM", "output form: table (functions that changed most), svg (a flame graph), "
	  "folded (two columns), csv, json [default: table]", WK_OPT_CHOICE, AT(to), forms },
	WK_FLAG(0, "csv", "the same as --to csv", AT(csv)),
	WK_FLAG(0, "json", "the same as --to json", AT(json)),
	WK_FLAG(0, "normalize", "scale BEFORE to the total of AFTER, to compare shares instead of "
	  "amounts", AT(normalize)),
	{ 0, "frame-width", "SIDE", "flame graph: width of frames: after, before, or the larger of "
	  "both [default: after]", WK_OPT_CHOICE, AT(width), widths },
	WK_FLAG(0, "gone", "flame graph: show frames that exist only in BEFORE as well", AT(gone)),
	WK_FLAG(0, "by-total", "table: rank by total, which includes callees", AT(by_total)),
	WK_VALUE('n', "top", "N", "table: print at most N rows [default: 30]", WK_OPT_COUNT,
	  AT(top)),
	WK_TEXT(0, "min", "PERCENT", "table: leave out changes below this share of the whole "
	  "[default: 0.5, and what chance explains]", AT(min_percent)),
	WK_FLAG(0, "all", "table: print every function that changed", AT(all)),
	WK_FLAG(0, "details", "table: print all columns", AT(details)),
	WK_FLAG(0, "samples", "compare numbers of samples instead of weights", AT(by_samples)),
	WK_FLAG(0, "by-thread", "add a level for the threads of each name, above their process",
	  AT(by_thread)),
	WK_FLAG(0, "no-process", "start with the outermost function, without a level for processes",
	  AT(no_process)),
	WK_FLAG('q', "quiet", "print errors only", AT(quiet)),
	{ 0 },
};

/* The number of a form in `forms`: that of --to, or of the suffix of the output. */
static size_t form_of(const struct args *args)
{
	const char *dot = args->output ? strrchr(args->output, '.') : NULL;
	const char *word = args->csv    ? "csv"
			   : args->json ? "json"
			   : args->to   ? args->to
			   : dot        ? dot + 1
					: forms[0];
	size_t form = 0;

	while (forms[form] && strcmp(forms[form], word) != 0)
		form++;
	return forms[form] ? form : 0;
}

static enum wk_tree_side side_of(const struct args *args)
{
	if (args->width && strcmp(args->width, "before") == 0)
		return WK_TREE_BEFORE;
	if (args->width && strcmp(args->width, "larger") == 0)
		return WK_TREE_LARGER;
	return args->gone ? WK_TREE_AFTER_AND_GONE : WK_TREE_AFTER;
}

static bool draw(const struct wk_comparison *comparison, const struct args *args,
		 struct wk_out *out, struct wk_err *err)
{
	struct wk_picture picture;
	bool ok;

	if (!wk_drawing_read(&args->drawing, &picture, err))
		return false;
	picture.folding.side = picture.drawing.side = side_of(args);
	ok = wk_comparison_draw(comparison, &picture, out, args->quiet ? NULL : &wk_cli_messages,
				err);
	return wk_picture_end(&picture, ok, err) && ok;
}

static bool tabulate(const struct wk_comparison *comparison, const struct wk_call *call,
		     struct wk_out *out, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_table_look look = wk_table_look(tables[form_of(args)], out, call, 0);
	bool is_usual = look.form == WK_TABLE_TEXT && !args->all;
	struct wk_comparison_rows rows = {
		.by_total = args->by_total,
		.limit = is_usual ? USUAL_ROWS : 0,
		.min_percent = is_usual ? USUAL_MIN_PERCENT : 0,
		.hides_chance = is_usual && !args->min_percent,
	};

	if (args->top)
		rows.limit = args->top < UINT32_MAX ? (uint32_t)args->top : UINT32_MAX;
	if (args->min_percent && !wk_table_min_read(args->min_percent, &rows.min_percent, err))
		return false;
	look.has_details = args->details;
	return wk_comparison_tabulate(comparison, &rows, &look, out, err);
}

static bool write_form(const struct wk_comparison *comparison, const struct wk_call *call,
		       struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_output output;
	struct wk_out *out = wk_output_open(&output, args->output, call, err);
	bool ok;

	if (!out)
		return false;
	switch (comparison->options->form) {
	case WK_COMPARISON_PICTURE:
		ok = draw(comparison, args, out, err);
		break;
	case WK_COMPARISON_FOLDED:
		ok = wk_comparison_fold(comparison, out, err);
		break;
	default:
		ok = tabulate(comparison, call, out, err);
		break;
	}
	return wk_output_close(&output, ok, err);
}

/* The last line of a table on a terminal, and where the file is. */
static void say_where(const struct wk_comparison *comparison, const char *path)
{
	bool is_picture = comparison->options->form == WK_COMPARISON_PICTURE;
	struct wk_buf words = { 0 };

	if (!path || strcmp(path, "-") == 0)
		return;
	wk_comparison_line(comparison, &words);
	wk_warn_buf(&wk_cli_messages, &words);
	wk_warn_fmt(&wk_cli_messages,
		    is_picture ? "open %s in a browser" : "comparison written to %s", path);
}

static bool compare(const struct wk_model *model, const struct wk_comparison_options *options,
		    const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_comparison comparison;
	bool ok;

	if (!wk_comparison_open(&comparison, options, model, args->quiet ? NULL : &wk_cli_messages,
				err))
		return false;
	ok = write_form(&comparison, call, err);
	if (ok && !args->quiet) {
		wk_view_report(options->choice, &wk_cli_messages);
		wk_comparison_report(&comparison, &wk_cli_messages);
		say_where(&comparison, args->output);
	}
	wk_comparison_fini(&comparison);
	return ok;
}

static bool check_options(const struct args *args, struct wk_err *err)
{
	double percent;

	if (args->min_percent && !wk_table_min_read(args->min_percent, &percent, err))
		return false;
	if (args->to && (args->csv || args->json))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--to and --%s exclude each other",
			       args->csv ? "csv" : "json");
	return wk_table_form_check(args->csv, args->json, err);
}

static bool expect_levels(const struct args *args, enum wk_comparison_form form, struct wk_err *err)
{
	return !args->view.group || form != WK_COMPARISON_TABLE ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "the table has no levels, so --group does not apply; use -o diff.svg or "
		       "--to folded");
}

/* "FILE#3" is the third snapshot of FILE, unless there is a file of that name. `*snapshot` is what
 * follows the "#"; `*path` becomes the file's name, for the caller to free. */
static char *split_snapshot(const char **path, const char **snapshot)
{
	const char *mark = strrchr(*path, '#');
	char *file;

	if (!mark || mark == *path || !mark[1] || wk_os_is_there(*path))
		return NULL;
	file = wk_strndup(*path, (size_t)(mark - *path));
	*path = file;
	*snapshot = mark + 1;
	return file;
}

/* The two files, or those of the last two runs. */
static bool choose_files(const struct wk_words *words, const char *paths[2], struct wk_err *err)
{
	size_t count = words->count + words->rest_count;

	paths[0] = WK_DEFAULT_RECORDING ".old";
	paths[1] = WK_DEFAULT_RECORDING;
	for (size_t i = 0; i < 2 && count == 2; i++)
		paths[i] = i < words->count ? words->at[i] : words->rest[i - words->count];
	if (count == 2 || (count == 0 && wk_os_is_there(paths[0]) && wk_os_is_there(paths[1])))
		return true;
	if (count)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "diff needs two files, BEFORE and AFTER, or none for "
			       "wick.data.old and wick.data; found %zu",
			       count);
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "no %s in this folder to compare; `wick record` renames an earlier "
		       "wick.data to wick.data.old, or give two files",
		       wk_os_is_there(paths[1]) ? paths[0] : paths[1]);
}

/* The snapshots that are compared: one for both sides, or those behind the names of the files. */
static bool choose_snapshots(struct wk_filter_spec *filter, const char *paths[2], char *files[2],
			     struct wk_err *err)
{
	bool is_asked = wk_span_is_asked(&filter->span);

	filter->before_span = filter->span;
	files[0] = split_snapshot(&paths[0], &filter->before_span.snapshot);
	files[1] = split_snapshot(&paths[1], &filter->span.snapshot);
	return !is_asked || (!files[0] && !files[1]) ||
	       wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "FILE#SNAPSHOT excludes --snapshot, --between and --grew");
}

/* Opens both files and compares them. */
static bool run_files(const char *paths[3], const struct wk_filter_spec *filter,
		      const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_view_choice choice = { 0 };
	struct wk_comparison_options options = {
		.before = paths[0],
		.after = paths[1],
		.form = kinds[form_of(args)],
		.choice = &choice,
		.by_samples = args->by_samples,
		.normalizes = args->normalize,
		.no_process = args->no_process,
		.by_thread = args->by_thread,
	};
	struct wk_open_options load = args->load;
	struct wk_model *model = NULL;
	bool ok = false;

	load.in_view = &choice.filter;
	load.is_of_any_event = true; /* each side has its own */
	load.is_comparison = true;
	if (wk_output_allow(args->output, paths, forms + 1, call, err) &&
	    wk_view_choose(&choice, &args->view, filter,
			   args->by_thread    ? "by-thread"
			   : args->no_process ? "no-process"
					      : NULL,
			   err) &&
	    wk_view_expect_tree(&choice, options.after, err) &&
	    expect_levels(args, options.form, err)) {
		load.sums_samples = !choice.needs_samples;
		load.sums_blocks = !choice.needs_blocks;
		load.lists_stacks = options.form == WK_COMPARISON_TABLE && !choice.mine &&
				    !wk_filter_spec_is_of_frames(&choice.filter);
		model = wk_open_paths(paths, &load, NULL, &wk_cli_messages, err);
	}
	if (model)
		ok = compare(model, &options, call, err);
	wk_view_choice_fini(&choice);
	wk_model_free(model);
	return ok;
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_filter_spec filter = args->filter;
	const char *paths[3] = { NULL };
	char *files[2] = { NULL };
	bool ok;

	if (!choose_files(call->words, paths, err) || !check_options(args, err))
		return WK_EXIT_USAGE;
	ok = choose_snapshots(&filter, paths, files, err) && run_files(paths, &filter, call, err);
	WK_FREE_ALL(files[0], files[1]);
	return ok ? WK_EXIT_DONE : wk_exit_code(err);
}

const struct wk_command wk_cmd_diff = {
	.name = "diff",
	.summary = "compare two recordings: what grew, what shrank, what is new",
	.usage = (const char *const[]){ "[OPTION...] [BEFORE AFTER]", NULL },
	.description = (const char *const[]){
		"Compares two recordings, or stacks in any format that wick reads, and prints the "
		"functions that changed most. Without files it compares the last two runs of `wick "
		"record` in this folder, wick.data.old and wick.data. `-o FILE.svg` draws a flame graph in which the "
		"colour of a frame shows its own change: orange grew, blue shrank, purple is new, "
		"green is gone. `--to folded` prints each stack with both numbers of samples, for "
		"older tools that draw differential flame graphs.",
		"Functions are paired by name: first in the same image, then in an image of the "
		"same name, then in any image. Two builds in two folders are therefore compared as "
		"one program. C++ names that differ only in parameters that one side does not have "
		"are paired if no other function has that name.",
		"--time selects that part of each recording, counted from its own start.",
		"FILE#N is the Nth snapshot of the heap in FILE, or the one with that label: `wick "
		"diff wick.data#2 wick.data#5` compares what was allocated at both.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Output", diff_options }, 0 },
		{ &wk_drawing_group, offsetof(struct args, drawing) },
		{ &wk_view_group, offsetof(struct args, view) },
		{ &wk_shape_group, offsetof(struct args, view) },
		{ &wk_filter_group, offsetof(struct args, filter) },
		{ &wk_unnamed_group, offsetof(struct args, load) },
		{ &wk_open_group, offsetof(struct args, load) },
		{ 0 } },
	.common = (const char *const[]){
		"output", "all", "top", "normalize", "gone", "by-total", "quiet", "title",
		"icicle", "reverse", "group", "process", "thread", "function", "time", "filter",
		"by", "debuginfod", "symbol-path", NULL },
	.examples = (const struct wk_example[]){
		{ "wick diff", "print the functions that changed most since the run before" },
		{ "wick diff --normalize monday.data today.data -o diff.svg",
		  "draw two runs of different lengths" },
		{ 0 } },
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
