#include "cli/run/flame_run.h"

#include <stdio.h>
#include <string.h>

#include "cli/messages.h"
#include "cli/output.h"
#include "cli/run/record_run.h"
#include "os/os.h"

const char wk_flame_summary[] = "draw a flame graph, of a command it runs or of a recording";

const char *const wk_flame_usage[] = {
	"[OPTION...] -- COMMAND [ARGUMENT...]", "[OPTION...] -p PID[,PID...]", "[OPTION...] -a",
	"[OPTION...] [FILE...]", NULL };

const char *const wk_flame_description[] = {
	"Draws a flame graph as one SVG file that works in any browser: hover, click to zoom, "
	"search. With a COMMAND, -p or -a, wick first records, as `wick record` does, and keeps "
	"the recording. Otherwise it draws the FILEs [default: wick.data].",
	WK_FLAME_BOXES, NULL };

const struct wk_example wk_flame_examples[] = {
	{ "wick flame -- ./app input.txt", "record ./app and draw flame.svg" },
	{ "wick flame -p 1234 --duration 10 -o live.svg", "record a running process for ten seconds" },
	{ "wick flame --thread worker wick.data", "draw one thread of a recording" },
	{ "wick flame --group pid,stack trace.etl",
	  "draw one box for each process, even if several have the same name" },
	{ 0 } };

const char wk_flame_exit_note[] =
	"After recording, the command's exit code, or 128 + N if signal N ended it; 126 if it "
	"could not be run, 127 if it was not found. With -p or -a, 1 if there were no samples.";

/* Also with --quiet: there is no new picture, but perhaps an older one. */
static void say_no_picture(const struct wk_flame_args *args)
{
	struct wk_buf words = { 0 };

	wk_buf_add_text(&words, "no samples: no flame graph drawn");
	if (strcmp(wk_flame_picture(args), "-") != 0 && wk_os_is_there(wk_flame_picture(args)))
		wk_buf_add_fmt(&words, "; %s is from an earlier run", wk_flame_picture(args));
	wk_warn_buf(&wk_cli_messages, &words);
}

/* A recording that broke off is kept, but not drawn: its end is unknown. */
static void report_no_picture(struct wk_err *err)
{
	size_t len = strlen(err->text);

	snprintf(err->text + len, sizeof(err->text) - len, "; no picture was drawn");
}

/* The open file, because another recorder may have replaced the one of that name by now. */
static bool draw_recorded(const struct wk_record_outcome *outcome, const char *recording,
			  struct wk_flame_maker *maker, struct wk_err *err)
{
	char open_file[64];

	snprintf(open_file, sizeof(open_file), "/proc/self/fd/%d", outcome->fd);
	return wk_flame_draw_files((const char *const[]){ outcome->fd >= 0 ? open_file : recording,
							  NULL },
				   wk_buf_text(&outcome->place), maker, err);
}

/* Some events are recorded only on request. */
static bool check_event(const struct wk_flame_args *args, const struct wk_recorder_options *options,
			struct wk_err *err)
{
	static const char *const heap[] = { "heap", "free", "heap-temporary", "heap-peak", NULL };
	static const char *const memory[] = { "commit", "reserve", "decommit", NULL };
	struct wk_str event = wk_str_c(args->filter.source ? args->filter.source : "");

	if (!options->records_heap && wk_str_is_one_of(event, heap))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--by %s draws what --heap records: add --heap",
			       args->filter.source);
	if (!options->records_memory && wk_str_is_one_of(event, memory))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--by %s draws what --memory records: add --memory",
			       args->filter.source);
	return true;
}

int wk_flame_record(const struct wk_record_plan *record, const char *recording,
		    struct wk_symbols *symbols, const struct wk_flame_args *args,
		    const struct wk_call *call, struct wk_err *err)
{
	struct wk_record_request request = {
		.recorder = record->options,
		.embeds_symbols = record->embeds_symbols,
		.heap_symbols = record->heap_symbols,
		.output = recording,
		.stays_open = true,
	};
	struct wk_record_end end;
	struct wk_flame_maker maker = { .args = args, .call = call, .symbols = symbols };
	bool ok = true;

	/* Wrong options are errors before anything runs. */
	if (!check_event(args, &record->options, err) ||
	    !wk_output_check_picture(wk_flame_picture(args), err) || !wk_flame_plan(&maker, err))
		return wk_exit_code(err);
	if (wk_record_run(&request, args->quiet, symbols, &end, err)) {
		if (end.outcome.result.samples || end.outcome.result.heap_processes)
			ok = draw_recorded(&end.outcome, recording, &maker, err);
		else
			say_no_picture(args);
	} else if (end.outcome.result.samples) {
		report_no_picture(err);
	}
	if (!wk_flame_end(&maker, ok, err))
		end.exit_code = wk_exit_code(err);
	wk_record_wait(&end, args->quiet, err);
	wk_record_outcome_fini(&end.outcome);
	return end.exit_code;
}
