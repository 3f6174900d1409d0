/* The commands that record, in builds that cannot: they are known and report that. */
#include "cli/command.h"
#include "cli/options/record_options.h"
#include "cli/run/flame_run.h"

#define ABSENT "this build of wick, for Windows, only reads and draws recordings: "

static const char *const no_usage[] = { "", NULL };

#define ABSENT_COMMAND(word, says)                                                                \
	{                                                                                          \
		.name = word, .summary = "not in this build, which is for Windows",                \
		.usage = no_usage, .description = (const char *const[]){ ABSENT says, NULL },      \
		.absent = ABSENT says,                                                             \
	}

const struct wk_command wk_cmd_record = ABSENT_COMMAND(
	"record", "`wick record` works on Linux (on Windows, record with xperf or WPR)");
const struct wk_command wk_cmd_cargo =
	ABSENT_COMMAND("cargo", "`wick cargo` works on Linux, where wick can record");

const struct wk_command wk_cmd_snapshot =
	ABSENT_COMMAND("snapshot", "`wick snapshot` works on Linux, where wick can record heaps");

const struct wk_opt_group wk_record_group = { "Recording", (const struct wk_opt[]){ { 0 } } };

bool wk_record_plan_init(struct wk_record_plan *plan, const struct wk_record_args *args,
			 char *const *command, struct wk_err *err)
{
	(void)args;
	(void)command;
	*plan = (struct wk_record_plan){ 0 };
	return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE, "%s",
		       ABSENT "a command can be recorded on Linux only");
}

void wk_record_plan_fini(struct wk_record_plan *plan)
{
	(void)plan;
}

const char wk_flame_summary[] = "draw a flame graph of a recording";

const char *const wk_flame_usage[] = { "[OPTION...] [FILE...]", NULL };

const char *const wk_flame_description[] = {
	"Draws the FILEs [default: wick.data] as one SVG file that works in any browser: hover, "
	"click to zoom, search.",
	WK_FLAME_BOXES, NULL };

const struct wk_example wk_flame_examples[] = {
	{ "wick flame trace.etl", "draw flame.svg of a trace" },
	{ "wick flame --thread worker wick.data", "draw one thread of a recording" },
	{ 0 } };

const char wk_flame_exit_note[] = "There are no others.";

int wk_flame_record(const struct wk_record_plan *plan, const char *recording,
		    struct wk_symbols *symbols, const struct wk_flame_args *args,
		    const struct wk_call *call, struct wk_err *err)
{
	(void)plan;
	(void)recording;
	(void)symbols;
	(void)args;
	(void)call;
	return wk_exit_code(err);
}
