#include "cli/run/flame_run.h"

#include <stdio.h>
#include <string.h>

#include "cli/output.h"
#include "cli/run/record_run.h"
#include "cli/terminal.h"
#include "os/os.h"

const char wk_flame_summary[] = "draw a flame graph, of a command it runs or of a recording";

const char *const wk_flame_usage[] = {
	"[OPTION...] -- COMMAND [ARGUMENT...]", "[OPTION...] -p PID[,PID...]", "[OPTION...] -a",
	"[OPTION...] [FILE...]", NULL };

const char *const wk_flame_description[] = {
	"With a command, a process or -a it records first, as `wick record` does, and "
	"keeps the recording; else it takes the FILEs, or wick.data where none is given. "
	"Then it draws one SVG picture that works in any browser, "
	"from disk, on its own: point at a frame, click to zoom, search.",
	WK_FLAME_BOXES, NULL };

const struct wk_example wk_flame_examples[] = {
	{ "wick flame -- ./app input.txt", "record ./app and draw flame.svg" },
	{ "wick flame -p 1234 --duration 10 -o live.svg", "a process that already runs" },
	{ "wick flame --thread worker wick.data", "one thread of a recording" },
	{ "wick flame --group pid,stack trace.etl", "processes of one name (svchost.exe) apart, "
						    "which usually are one box" },
	{ 0 } };

const char wk_flame_exit_note[] =
	"After a recording, the command's own exit code is passed on; 128 + N where signal N ended "
	"it, 126 where it could not be run, 127 where it was not found.";

/* In quiet runs as well: what was asked for is not there, and perhaps something older is. */
static void say_no_picture(const struct wk_flame_args *args)
{
	struct wk_buf words = { 0 };

	wk_buf_add_text(&words, "no samples: no picture drawn");
	if (strcmp(wk_flame_picture(args), "-") != 0 && wk_os_is_there(wk_flame_picture(args)))
		wk_buf_add_fmt(&words, "; %s is of an earlier run", wk_flame_picture(args));
	wk_say(wk_buf_text(&words));
	wk_buf_fini(&words);
}

/* What was recorded, and not what lies under its name by now: another recorder may have begun in
 * the same folder. */
static bool draw_recorded(const struct wk_record_outcome *outcome, const char *recording,
			  struct wk_flame_maker *maker, struct wk_err *err)
{
	char open_file[64];

	snprintf(open_file, sizeof(open_file), "/proc/self/fd/%d", outcome->fd);
	return wk_flame_draw_files((const char *const[]){ outcome->fd >= 0 ? open_file : recording,
							  NULL },
				   wk_buf_text(&outcome->place), maker, err);
}

int wk_flame_record(const struct wk_record_plan *record, const char *recording,
		    struct wk_symbols *symbols, const struct wk_flame_args *args,
		    const struct wk_call *call, struct wk_err *err)
{
	struct wk_record_request request = {
		.recorder = record->options,
		.embeds_symbols = record->embeds_symbols,
		.output = recording,
		.stays_open = true,
	};
	struct wk_record_end end;
	struct wk_flame_maker maker = { .args = args, .call = call, .symbols = symbols };
	bool ok = true;

	/* What makes no sense is told before anything runs. */
	if (!wk_output_check_picture(wk_flame_picture(args), err) || !wk_flame_plan(&maker, err))
		return wk_exit_code(err);
	if (wk_record_run(&request, args->quiet, symbols, &end, err)) {
		if (end.outcome.result.samples)
			ok = draw_recorded(&end.outcome, recording, &maker, err);
		else
			say_no_picture(args);
	}
	if (!wk_flame_end(&maker, ok, err))
		end.exit_code = wk_exit_code(err);
	wk_record_wait(&end, args->quiet, err);
	wk_record_outcome_fini(&end.outcome);
	return end.exit_code;
}
