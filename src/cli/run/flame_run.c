#include "cli/run/flame_run.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "cli/messages.h"
#include "cli/output.h"
#include "cli/terminal.h"
#include "os/os.h"
#include "os/program.h"
#include "session/export.h"
#include "session/picture_title.h"

static void add_source(const struct wk_model *model, const struct wk_filter *filter,
		       struct wk_buf *text)
{
	const struct wk_source *source = &model->sources[filter->source];
	const char *what = source->is_cpu_time                       ? "CPU time"
			   : filter->is_given[WK_FILTER_OUTSTANDING] ? "outstanding bytes"
			   : source->has_lifetimes                   ? "bytes"
								     : NULL;

	if (what)
		wk_buf_add_fmt(text, "%s (", what);
	wk_buf_add_str(text, wk_model_str(model, source->name));
	wk_buf_add_text(text, what ? ")" : "");
}

/* A saved picture lists its filters. */
static void add_filters(const struct wk_filter_spec *spec, struct wk_buf *text)
{
	const struct {
		const char *words, *value;
	} parts[] = {
		{ "process", spec->process },
		{ "thread", spec->thread },
		{ "stacks with code of", spec->image },
		{ "stacks with function", spec->function },
		{ "seconds", spec->time },
		{ "samples with", spec->expression },
	};
	const char *between = "; only ";

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!parts[i].value)
			continue;
		wk_buf_add_fmt(text, "%s%s %s", between, parts[i].words, parts[i].value);
		between = ", ";
	}
}

static void subtitle(const struct wk_model *model, const struct wk_filter *filter,
		     const struct wk_flame_maker *maker, struct wk_buf *text)
{
	const struct wk_flame_args *args = maker->args;

	add_source(model, filter, text);
	if (maker->picture.drawing.is_inverted)
		wk_buf_add_text(text, "; reversed: from the innermost function to its callers");
	add_filters(&args->filter, text);
	if (args->view.preset)
		wk_buf_add_fmt(text, "; preset %s", args->view.preset);
}

const char *wk_flame_picture(const struct wk_flame_args *args)
{
	return args->output ? args->output : "flame.svg";
}

/* Threads that take turns would cut each other to pieces in a chart. */
static void set_levels(const struct wk_flame_maker *maker, struct wk_tree_options *options)
{
	options->by_process = !maker->args->no_process;
	options->by_thread = maker->args->by_thread || maker->picture.folding.is_chart;
	wk_view_shape(&maker->choice, options);
}

static bool draw(const struct wk_selection *question, struct wk_flame_maker *maker,
		 struct wk_err *err)
{
	const struct wk_flame_args *args = maker->args;
	struct wk_output output;
	struct wk_out *out = wk_output_open(&output, wk_flame_picture(args), maker->call, err);
	bool ok;

	if (!out)
		return false;
	wk_busy(&wk_cli_messages, "drawing", wk_flame_picture(args));
	set_levels(maker, &maker->picture.folding);
	wk_picture_fold(&maker->picture, question);
	if (!args->quiet)
		wk_picture_warn(&maker->picture, &wk_cli_messages);
	ok = wk_output_close(&output, wk_picture_draw(&maker->picture, out, err), err);
	wk_busy_end(&wk_cli_messages);
	return ok;
}

/* ---- --post-process: folded stacks are piped through a shell command before they are drawn */

static bool write_folded(const struct wk_selection *question, const struct wk_tree_options *levels,
			 int fd, struct wk_err *err)
{
	struct wk_out out = wk_out_to_fd(fd);
	bool ok = wk_export_folded(question, levels, false, &out, NULL, err);

	if (!wk_out_end(&out) && ok)
		ok = wk_fail_os(err, out.error_number, "cannot write folded stacks");
	return ok && wk_os_rewind(fd);
}

/* Temporary files and not pipes, so that neither side waits for the other. */
static bool run_shell(const char *command, int input, int output, struct wk_err *err)
{
	const char *const argv[] = { wk_os_shell[0], wk_os_shell[1], command, NULL };
	struct wk_os_program_io io = { .input = input, .output = output };
	int exit_code = wk_os_program_run(argv, io, err);

	if (exit_code > 0)
		wk_fail(err, WK_EIO, WK_NOWHERE, "--post-process: \"%s\" ended with exit code %d",
			command, exit_code);
	return exit_code == 0;
}

static struct wk_model *read_back(const char *path, struct wk_err *err)
{
	const struct wk_open_options args = { .format = "folded" };
	struct wk_model *model = wk_open_paths((const char *const[]){ path, NULL }, &args, NULL,
					       &wk_cli_messages, err);

	if (!model)
		wk_err_in(err, "what --post-process printed");
	return model;
}

/* Folds the selected samples under `levels`, pipes them through `command` (run by sh) and reads its
 * output as folded stacks. The caller frees the model; NULL on failure. */
static struct wk_model *post_process(const struct wk_selection *question, const char *command,
				     const struct wk_tree_options *levels, struct wk_err *err)
{
	char *input_path, *output_path = NULL;
	int input = wk_os_temporary(&input_path);
	int output = input < 0 ? -1 : wk_os_temporary(&output_path);
	struct wk_model *processed = NULL;

	if (output < 0)
		wk_fail_os(err, errno, "cannot make a temporary file");
	else if (write_folded(question, levels, input, err) &&
		 run_shell(command, input, output, err))
		processed = read_back(output_path, err);
	if (input >= 0)
		close(input);
	if (output >= 0)
		close(output);
	WK_FREE_ALL(input_path, output_path);
	return processed;
}

/* Draws what --post-process made of the stacks; the outermost frames are the processes. */
static bool draw_processed(const struct wk_selection *question, struct wk_flame_maker *maker,
			   struct wk_err *err)
{
	struct wk_tree_options levels = { 0 };
	struct wk_selection all = { 0 };
	struct wk_model *processed;
	bool ok;

	set_levels(maker, &levels);
	processed = post_process(question, maker->args->post_process, &levels, err);
	ok = processed && wk_selection_open(&all, processed, &(struct wk_filter_spec){ 0 }, err);
	maker->choice.is_grouped = false; /* the text has the levels */
	ok = ok && draw(&all, maker, err);
	wk_selection_fini(&all);
	wk_model_free(processed);
	return ok;
}

static bool draw_question(const struct wk_model *model, const struct wk_selection *question,
			  struct wk_flame_maker *maker, struct wk_err *err)
{
	struct wk_drawing *drawing = &maker->picture.drawing;
	struct wk_buf words = { 0 }, title = { 0 };
	bool ok;

	subtitle(model, &question->filter, maker, &words);
	wk_picture_title(model, &question->filter, wk_words_first(maker->call->words),
			 drawing->is_chart ? "flame chart" : "flame graph", &title);
	if (!drawing->subtitle)
		drawing->subtitle = wk_buf_text(&words);
	if (!drawing->title)
		drawing->title = wk_buf_text(&title);
	if (maker->args->post_process && question->filter.in_view)
		ok = draw_processed(question, maker, err);
	else
		ok = draw(question, maker, err);
	WK_BUF_FINI_ALL(&words, &title);
	return ok;
}

/* Without a browser, there still is the picture. */
static void open_picture(const struct wk_flame_args *args)
{
	const char *const argv[] = { wk_os_opener, wk_flame_picture(args), NULL };
	struct wk_err err = { 0 };

	if (args->opens && strcmp(argv[1], "-") != 0 &&
	    wk_os_program_run(argv, WK_OS_PROGRAM_PLAIN, &err) < 0)
		wk_say(err.text);
}

static void say_where(const struct wk_flame_args *args, const char *recorded_to,
		      const struct wk_source *source)
{
	struct wk_buf words = { 0 };
	const char *table = source->is_of_blocks ? " heap" : source->is_of_pages ? " memory" : "";

	if (strcmp(wk_flame_picture(args), "-") == 0)
		return;
	wk_buf_add_fmt(&words, args->opens ? "the flame graph is %s" : "open %s in a browser",
		       wk_flame_picture(args));
	if (recorded_to)
		wk_buf_add_fmt(&words, "; `wick show %s%s` lists %s", recorded_to, table,
			       source->is_of_blocks  ? "who allocated what"
			       : source->is_of_pages ? "what processes committed"
						     : "the hottest functions");
	wk_warn_buf(&wk_cli_messages, &words);
}

bool wk_flame_draw_files(const char *const *paths, const char *recorded_to,
			 struct wk_flame_maker *maker, struct wk_err *err)
{
	const struct wk_flame_args *args = maker->args;
	struct wk_open_options load = wk_open_summed(&args->load, &maker->choice);
	struct wk_selection question = { 0 };
	struct wk_model *model;
	bool ok = false;

	load.name = recorded_to;
	model = wk_open_paths(paths, &load, maker->symbols, &wk_cli_messages, err);
	if (!model)
		return false;
	if (wk_selection_open(&question, model, &maker->choice.filter, err) &&
	    wk_selection_expect(&question, err))
		ok = draw_question(model, &question, maker, err);
	/* The recorder has reported the same already. */
	if (ok && !args->quiet && !recorded_to)
		wk_selection_report(&question, &wk_cli_messages);
	else if (ok && !args->quiet)
		wk_selection_hint(&question, &wk_cli_messages);
	if (ok && !args->quiet) {
		wk_view_report(&maker->choice, &wk_cli_messages);
		say_where(args, recorded_to, &model->sources[question.filter.source]);
	}
	if (ok)
		open_picture(args);
	wk_selection_fini(&question);
	wk_model_free(model);
	return ok;
}

bool wk_flame_plan(struct wk_flame_maker *maker, struct wk_err *err)
{
	const struct wk_flame_args *args = maker->args;
	struct wk_drawing_args drawing = args->drawing;

	if (args->post_process && drawing.drawing.is_chart)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--flamechart and --post-process exclude each other: folded stacks "
			       "contain no times");
	if (!wk_view_choose(&maker->choice, &args->view, &args->filter,
			    args->by_thread    ? "by-thread"
			    : args->no_process ? "no-process"
					       : NULL,
			    err))
		return false;
	drawing.drawing.is_inverted |= maker->choice.inverted;
	if (!drawing.min_width && maker->choice.min_percent > 0) {
		drawing.drawing.min_width = maker->choice.min_percent;
		drawing.drawing.min_width_is_share = true;
	}
	maker->choice.needs_samples |= drawing.drawing.is_chart;
	maker->choice.needs_blocks |= drawing.drawing.is_chart;
	if (wk_view_expect_tree(&maker->choice, wk_words_first(maker->call->words), err) &&
	    wk_drawing_read(&drawing, &maker->picture, err))
		return true;
	wk_view_choice_fini(&maker->choice);
	return false;
}

bool wk_flame_end(struct wk_flame_maker *maker, bool ok, struct wk_err *err)
{
	wk_view_choice_fini(&maker->choice);
	return wk_picture_end(&maker->picture, ok, err) && ok;
}

bool wk_flame_draw(const char *const *paths, const char *recorded_to, struct wk_symbols *symbols,
		   const struct wk_flame_args *args, const struct wk_call *call, struct wk_err *err)
{
	struct wk_flame_maker maker = { .args = args, .call = call, .symbols = symbols };

	return wk_flame_plan(&maker, err) &&
	       wk_flame_end(&maker, wk_flame_draw_files(paths, recorded_to, &maker, err), err);
}
