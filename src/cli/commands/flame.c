#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "cli/command.h"
#include "cli/messages.h"
#include "cli/options/view_options.h"
#include "cli/options/open_options.h"
#include "cli/options/record_options.h"
#include "cli/output.h"
#include "cli/run/flame_run.h"
#include "os/os.h"
#include "os/program.h"
#include "session/formats.h"
#include "session/symbolizer.h"

struct args {
	struct wk_flame_args flame;
	const char *data;
	struct wk_record_args record;
};

#define AT(field) offsetof(struct args, field)

static const struct wk_opt picture[] = {
	WK_TEXT('o', "output", "FILE", "write the flame graph to FILE [default: flame.svg]",
	  AT(flame.output)),
	WK_FLAG(0, "by-thread", "add a level for each thread, above its process",
	  AT(flame.by_thread)),
	WK_FLAG(0, "no-process", "start with the outermost function, without a level for processes",
	  AT(flame.no_process)),
	WK_TEXT('d', "data", "FILE", "write the recording to FILE [default: wick.data]", AT(data)),
	WK_FLAG(0, "open", "open the flame graph with xdg-open", AT(flame.opens)),
	WK_TEXT(0, "post-process", "COMMAND", "pipe the folded stacks through this shell command "
	  "before drawing", AT(flame.post_process)),
	WK_FLAG('q', "quiet", "print errors only", AT(flame.quiet)),
	{ 0 },
};

static const char *const forms[] = { "svg", NULL };

static int record_and_draw(const struct wk_call *call, struct wk_symbols *symbols,
			   struct wk_err *err)
{
	const struct args *args = call->args;
	const char *data = args->data ? args->data : WK_DEFAULT_RECORDING;
	struct wk_record_plan plan;
	int exit_code;

	if (strcmp(data, "-") == 0) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"--data must be a file, because flame "
			"reads it again");
		return WK_EXIT_USAGE;
	}
	if (wk_record_plan_init(&plan, &args->record, call->words->rest, err))
		exit_code = wk_flame_record(&plan, data, symbols, &args->flame, call, err);
	else
		exit_code = wk_exit_code(err);
	wk_record_plan_fini(&plan);
	return exit_code;
}

/* A program where a recording is expected: the "--" in front of it was forgotten. */
static bool refuse_program(const struct wk_words *words, struct wk_err *err)
{
	const char *word = words->count ? words->at[0] : "-";
	char *program = NULL;
	struct wk_buf line = { 0 };

	if (wk_os_is_there(word) ? wk_is_elf(word)
				 : !wk_os_is_path(word) && (program = wk_os_program_find(word))) {
		/* A program here that is not in PATH is run by its path only. */
		wk_buf_add_text(&line, program || wk_os_is_path(word) ? " " : " ./");
		for (size_t i = 0; i < words->count; i++) {
			wk_buf_add_text(&line, i ? " " : "");
			wk_buf_add_shell(&line, wk_str_c(words->at[i]));
		}
		wk_fail(err, WK_ENOTFOUND, WK_NOWHERE,
			"%s is %s, not a recording; to record it: wick flame --%s", word,
			program ? "a program in PATH" : "a program or library (ELF)",
			wk_buf_text(&line));
	}
	wk_free(program);
	wk_buf_fini(&line);
	return err->code == WK_OK;
}

/* Options for recording do not apply to an existing recording. */
static bool refuse_recording_options(const struct args *args, struct wk_err *err)
{
	const char *name =
		args->data ? "data" : wk_options_first_set(&wk_record_group, &args->record);

	return !name || wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				"--%s applies to recording, but there is no command to "
				"record; put it after \"--\"",
				name);
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	bool records = call->words->rest || args->record.pids.count || args->record.all_cpus;
	struct wk_symbolizer symbolizer;
	const char **paths = NULL;
	int exit_code;

	if (records && call->words->count) {
		wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			"give either a FILE to draw or something to record; a command goes "
			"after \"--\"");
		return WK_EXIT_USAGE;
	}
	if (wk_record_args_want_list(&args->record, err) ||
	    (!records && !refuse_recording_options(args, err)))
		return WK_EXIT_USAGE;
	if (!records)
		paths = wk_input_paths(call->words, err);
	if ((!records && !paths) ||
	    (!records && !args->flame.load.format && !refuse_program(call->words, err)) ||
	    !wk_output_allow(args->flame.output, paths, forms, call, err)) {
		wk_free(paths);
		return wk_exit_code(err);
	}
	if (!wk_symbolizer_open(&symbolizer, &args->flame.load.naming, &wk_cli_messages, err))
		exit_code = wk_exit_code(err);
	else if (records)
		exit_code = record_and_draw(call, symbolizer.symbols, err);
	else
		exit_code = wk_flame_draw(paths, NULL, symbolizer.symbols, &args->flame, call, err)
				    ? WK_EXIT_DONE
				    : wk_exit_code(err);
	wk_symbolizer_close(&symbolizer);
	wk_free(paths);
	return exit_code;
}

const struct wk_command wk_cmd_flame = {
	.name = "flame",
	.summary = wk_flame_summary,
	.usage = wk_flame_usage,
	.description = wk_flame_description,
	.options = (const struct wk_opt_use[]){
		{ &(const struct wk_opt_group){ "Flame graph", picture }, 0 },
		{ &wk_drawing_group, AT(flame.drawing) },
		{ &wk_single_drawing_group, AT(flame.drawing) },
		{ &wk_record_group, AT(record) },
		{ &wk_view_group, AT(flame.view) },
		{ &wk_shape_group, AT(flame.view) },
		{ &wk_filter_group, AT(flame.filter) },
		{ &wk_unnamed_group, AT(flame.load) },
		{ &wk_open_group, AT(flame.load) },
		{ 0 } },
	.common = (const char *const[]){
		"output", "open", "reverse", "flamechart", "pid", "all-cpus",
		"freq", "event", "duration", "mine", "group", "process", "thread", "function", "time", "filter",
		"by", "debuginfod", "symbol-path", NULL },
	.examples = wk_flame_examples,
	.exit_note = wk_flame_exit_note,
	.words = WK_WORD_FILE,
	.args_size = sizeof(struct args),
	.run = run,
};
