#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/filter_options.h"
#include "cli/load.h"
#include "cli/output.h"
#include "cli/question.h"
#include "cli/record_options.h"
#include "cli/record_run.h"
#include "cli/terminal.h"
#include "render/renderers.h"

struct args {
	const char *output, *data, *title;
	uint64_t width;
	bool inverted, icicle, by_thread, no_process, quiet;
	struct wk_record_args record;
	struct wk_filter_spec filter;
	struct wk_load_args load;
};

#define AT(field) offsetof(struct args, field)

#define MOST_RECORDED_BYTES 100 /* of a command line above the picture */

static const struct wk_opt drawing[] = {
	{ 'o', "output", "FILE", "write the picture to FILE (flame.svg)", WK_OPT_TEXT, AT(output),
	  NULL },
	{ 0, "title", "TEXT", "what stands above the picture", WK_OPT_TEXT, AT(title), NULL },
	{ 0, "width", "PIXELS", "a fixed width, instead of the window's", WK_OPT_NUMBER, AT(width),
	  NULL },
	{ 0, "icicle", NULL, "the outermost function on top", WK_OPT_FLAG, AT(icicle), NULL },
	{ 0, "inverted", NULL, "from the innermost function: callers above callees", WK_OPT_FLAG,
	  AT(inverted), NULL },
	{ 0, "by-thread", NULL, "a level for each thread, above its process", WK_OPT_FLAG,
	  AT(by_thread), NULL },
	{ 0, "no-process", NULL, "begin with the outermost function, not with the process's name",
	  WK_OPT_FLAG, AT(no_process), NULL },
	{ 'd', "data", "FILE", "where the recording goes (wick.data)", WK_OPT_TEXT, AT(data),
	  NULL },
	{ 'q', "quiet", NULL, "say nothing but errors", WK_OPT_FLAG, AT(quiet), NULL },
	{ 0 },
};

/* The command that was recorded: the process whose end the recorder waited for, and so the
 * one with an exit code. */
static struct wk_str recorded_command(const struct wk_model *model)
{
	for (wk_process_id id = 1; id < model->process_count; id++)
		if (model->processes[id].has_exit_code)
			return wk_model_str(model, model->processes[id].command_line);
	return wk_str_c("");
}

/* What was watched, in the words of who recorded it. Others leave no such fact. */
static struct wk_str recorded_what(const struct wk_model *model)
{
	for (uint32_t i = 0; i < model->fact_count; i++)
		if (wk_str_is(wk_model_str(model, model->facts[i].key), "recorded"))
			return wk_model_str(model, model->facts[i].value);
	return recorded_command(model);
}

static void add_source(const struct wk_model *model, const struct wk_source *source,
		       struct wk_buf *text)
{
	wk_buf_add_text(text, source->is_cpu_time ? "CPU time (" : "");
	wk_buf_add_str(text, wk_model_str(model, source->name));
	wk_buf_add_text(text, source->is_cpu_time ? ")" : "");
}

/* A saved picture says what it leaves out. */
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
	};
	const char *between = "; only ";

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!parts[i].value)
			continue;
		wk_buf_add_fmt(text, "%s%s %s", between, parts[i].words, parts[i].value);
		between = ", ";
	}
}

/* As much as there is room for, of whole characters. */
static void add_cut(struct wk_buf *text, struct wk_str what)
{
	size_t len = what.len < MOST_RECORDED_BYTES ? what.len : MOST_RECORDED_BYTES;

	while (len > 0 && len < what.len && (what.at[len] & 0xc0) == 0x80)
		len--;
	wk_buf_add_str(text, wk_str_of(what.at, len));
	wk_buf_add_text(text, len < what.len ? "\u2026" : "");
}

static void subtitle(const struct wk_model *model, const struct wk_filter *filter,
		     const struct args *args, struct wk_buf *text)
{
	struct wk_str what = recorded_what(model);

	add_source(model, &model->sources[filter->source], text);
	if (what.len)
		wk_buf_add_text(text, " of ");
	add_cut(text, what);
	if (args->inverted)
		wk_buf_add_text(text, "; inverted: from the innermost function to its callers");
	add_filters(&args->filter, text);
}

static bool draw(const struct wk_model *model, const struct wk_question *question,
		 const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_tree_options tree_options = {
		.by_process = !args->no_process,
		.by_thread = args->by_thread,
		.inverted = args->inverted,
		.merge_images = true,
	};
	struct wk_view view = {
		.model = model,
		.quality = &question->quality,
		.drawing = { .title = args->title, .width = (unsigned)args->width,
			     .has_fixed_width = args->width != 0, .is_icicle = args->icicle,
			     .is_inverted = args->inverted },
	};
	struct wk_buf words = { 0 };
	struct wk_output output;
	struct wk_tree tree;
	struct wk_out *out;
	bool ok;

	out = wk_output_open(&output, args->output ? args->output : "flame.svg", call, err);
	if (!out)
		return false;
	subtitle(model, &question->filter, args, &words);
	view.drawing.subtitle = wk_buf_text(&words);
	wk_tree_init(&tree, model, &question->filter, &tree_options);
	view.tree = &tree;
	ok = wk_renderer_svg.render(&view, out, err);
	wk_tree_fini(&tree);
	wk_buf_fini(&words);
	return wk_output_close(&output, ok, err);
}

static void say_where(const struct args *args, const char *recorded_to)
{
	const char *picture = args->output ? args->output : "flame.svg";
	struct wk_buf words = { 0 };

	if (strcmp(picture, "-") != 0) {
		wk_buf_add_fmt(&words, "open %s in a browser", picture);
		if (recorded_to)
			wk_buf_add_fmt(&words, "; wick show %s lists the hottest functions",
				       recorded_to);
		wk_say(wk_buf_text(&words));
	}
	wk_buf_fini(&words);
}

/* The picture of a recording; `recorded_to` is NULL where it was not made just now. */
static bool picture_of(const char *path, const char *recorded_to, struct wk_symbols *symbols,
		       const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_model *model = wk_load_with(path, &args->load, symbols, err);
	struct wk_question question = { 0 };
	bool ok = false;

	if (!model)
		return false;
	if (wk_question_ask(&question, model, &args->filter, err))
		ok = draw(model, &question, call, err);
	/* The recorder's own closing words have said the like already. */
	if (ok && ((!args->quiet && !recorded_to) || question.filter.in_view == 0))
		wk_question_say(&question);
	if (ok && !args->quiet)
		say_where(args, recorded_to);
	wk_question_fini(&question);
	wk_model_free(model);
	return ok;
}

static int record_and_draw(const struct wk_call *call, struct wk_symbols *symbols,
			   struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_record_request request = {
		.output = args->data ? args->data : WK_USUAL_RECORDING,
		.quiet = args->quiet,
	};
	struct wk_record_outcome outcome = { .exit_code = WK_EXIT_FAILED };
	struct wk_record_plan plan;

	if (strcmp(request.output, "-") == 0) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--data must be a file: flame reads it again");
		return WK_EXIT_USAGE;
	}
	if (!wk_record_plan_init(&plan, &args->record, call->words->rest, err)) {
		wk_record_plan_fini(&plan);
		return wk_exit_code(err);
	}
	request.recorder = plan.options;
	if (wk_record_run(&request, symbols, &outcome, err) && outcome.result.samples &&
	    !picture_of(request.output, request.output, symbols, call, err))
		outcome.exit_code = wk_exit_code(err);
	wk_record_plan_fini(&plan);
	wk_record_wait(&outcome, args->quiet);
	return outcome.exit_code;
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	bool records = call->words->rest || args->record.pids.count || args->record.all_cpus;
	const char **dirs;
	struct wk_symbols *symbols;
	const char *path = NULL;
	int exit_code;

	if (records && call->words->count) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"either a FILE to draw or something to record, not both; a command stands "
			"behind \"--\"");
		return WK_EXIT_USAGE;
	}
	if (!records && call->words->count > 1) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"one FILE at a time, found %zu; a command to record stands behind \"--\"",
			call->words->count);
		return WK_EXIT_USAGE;
	}
	if (!records)
		path = wk_load_path(call->words, err);
	if (!records && !path)
		return WK_EXIT_USAGE;
	dirs = wk_load_debug_dirs(&args->load);
	symbols = wk_symbols_new(&(struct wk_symbols_options){ .debug_dirs = dirs });
	if (records)
		exit_code = record_and_draw(call, symbols, err);
	else
		exit_code = picture_of(path, NULL, symbols, call, err) ? WK_EXIT_DONE
								       : wk_exit_code(err);
	wk_symbols_free(symbols);
	free(dirs);
	return exit_code;
}

const struct wk_command wk_cmd_flame = {
	.name = "flame",
	.summary = "draw a flame graph, of a command it runs or of a recording",
	.usage = (const char *const[]){ "[OPTION...] -- COMMAND [ARGUMENT...]",
					"[OPTION...] -p PID[,PID...]", "[OPTION...] -a",
					"[OPTION...] [FILE]", NULL },
	.description = (const char *const[]){
		"With a command, a process or -a it records first, as `wick record` does, and "
		"keeps the recording; else it takes FILE, or wick.data where none is given. Then "
		"it draws one SVG picture that works in any browser, "
		"from disk, on its own: point at a frame, click to zoom, search.",
		"Each box is a function; below it is its caller, and its width is its share of "
		"the time. A filter's PATTERN is an extended regular expression that may match "
		"anywhere in the name.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Drawing", drawing }, 0 },
		{ &wk_record_group, AT(record) },
		{ &wk_filter_group, AT(filter) },
		{ &wk_load_group, AT(load) },
		{ 0 } },
	.examples = (const struct wk_example[]){
		{ "wick flame -- ./app input.txt", "record ./app and draw flame.svg" },
		{ "wick flame -p 1234 --duration 10 -o live.svg", "a process that already runs" },
		{ "wick flame --thread worker wick.data", "one thread of a recording" },
		{ 0 } },
	.exit_note = "After a recording, the command's own exit code is passed on; 128 + N where "
		     "signal N ended it, 126 where it could not be run, 127 where it was not "
		     "found.",
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
