#include <stdlib.h>
#include <string.h>

#include "cli/command.h"
#include "cli/options/open_options.h"
#include "cli/options/record_options.h"
#include "cli/run/record_run.h"
#include "event/advice.h"
#include "session/symbolizer.h"

struct args {
	const char *output;
	bool quiet;
	struct wk_record_args record;
};

static const struct wk_opt options[] = {
	WK_TEXT('o', "output", "FILE", "write the recording to FILE [default: wick.data]",
	  offsetof(struct args, output)),
	WK_FLAG('q', "quiet", "print errors only", offsetof(struct args, quiet)),
	{ 0 },
};

static void print_event(void *context, const struct wk_listed_event *event)
{
	static const struct {
		const char *what;
		enum wk_advice_key fix;
	} needs[] = {
		[WK_EVENT_FREE] = { "", WK_ADVICE_NONE },
		[WK_EVENT_USER_ONLY] = { "user code only; for the kernel: ",
					 WK_ADVICE_SAMPLE_KERNEL },
		[WK_EVENT_REFUSED] = { "needs root, or: ", WK_ADVICE_TRACEPOINTS },
	};
	const char *fix = wk_advice(WK_ADVICE_LINUX, needs[event->right].fix);
	struct wk_out *out = context;
	struct wk_buf line = { 0 };

	wk_buf_add_fmt(&line, "%-30s  %-10s  %s%s", event->name, event->kind,
		       needs[event->right].what, fix ? fix : "");
	while (line.len && line.at[line.len - 1] == ' ')
		line.len--;
	wk_out_term(out, wk_buf_str(&line));
	wk_out_char(out, '\n');
	wk_buf_fini(&line);
}

/* The events for -e on this machine, and what they need. */
static int list_events(struct wk_out *out)
{
	struct wk_err why = { 0 };
	size_t absent;

	if (!wk_perf_list(print_event, out, &absent, &why))
		wk_out_fmt(out, "tracepoints are not listed: %s\n", why.text);
	if (absent)
		wk_out_fmt(out, "%zu more events need counters that this machine lacks\n", absent);
	wk_out_text(out, "raw codes of this processor, such as r01c4, work as well; the "
			 "suffix :u counts user code only, :k kernel code only\n");
	return WK_EXIT_DONE;
}

static bool asks_for_list(const struct wk_text_list *events)
{
	return events->count == 1 && strcmp(events->at[0], "list") == 0;
}

static int run(const struct wk_call *call, struct wk_err *err)
{
	const struct args *args = call->args;
	struct wk_record_request request = {
		.output = args->output ? args->output : WK_DEFAULT_RECORDING,
	};
	struct wk_record_end end;
	struct wk_record_plan plan;
	struct wk_symbolizer symbolizer;

	if (asks_for_list(&args->record.events) && !call->words->rest)
		return list_events(call->out);
	if (!wk_record_plan_init(&plan, &args->record, call->words->rest, err)) {
		wk_record_plan_fini(&plan);
		return wk_exit_code(err);
	}
	request.recorder = plan.options;
	request.embeds_symbols = plan.embeds_symbols;
	request.heap_symbols = plan.heap_symbols;
	wk_symbolizer_open_here(&symbolizer);
	wk_record_run(&request, args->quiet, symbolizer.symbols, &end, err);
	wk_symbolizer_close(&symbolizer);
	wk_record_plan_fini(&plan);
	wk_record_wait(&end, args->quiet, err);
	wk_record_outcome_fini(&end.outcome);
	return end.exit_code;
}

const struct wk_command wk_cmd_record = {
	.name = "record",
	.summary = "record a command, running processes or the whole system",
	.usage = (const char *const[]){ "[OPTION...] [--] COMMAND [ARGUMENT...]",
					"[OPTION...] -p PID[,PID...]", "[OPTION...] -a",
					"-e list", NULL },
	.description = (const char *const[]){
		"Runs COMMAND and records all its threads and children to wick.data, an "
		"ordinary perf.data file that `perf report` opens as well. With -p or -a "
		"it records running processes until Ctrl-C or --duration.",
		"Stacks are unwound while recording, using the tables that compilers put "
		"into every program. Programs need no frame pointers and no debug "
		"information. The file can be opened at any time, even after the recorder "
		"was killed. If the disk is full, recording stops, and the file keeps what "
		"fitted.",
		"With a tracepoint, such as -e sched:sched_switch, each event is a sample "
		"with its fields, if the user has the right to them. `perf script` and "
		"`wick export --to perf-script` print them.",
		"An existing recording is renamed to FILE.old, replacing an older one; if the new "
		"recording has no samples, both stay as they were. The command keeps its input, "
		"output and signals. With -o -, the command's output goes to standard error.",
		NULL },
	.options = (const struct wk_opt_use[]){
		{ &wk_record_group, offsetof(struct args, record) },
		{ &(const struct wk_opt_group){ "Output", options }, 0 },
		{ 0 } },
	.common = (const char *const[]){
		"pid", "all-cpus", "freq", "event", "duration", "call-graph", "user-only", "heap",
		"heap-sample", "snapshot-every", "snapshot-at-exit", "memory", "output", "quiet", NULL },
	.examples = (const struct wk_example[]){
		{ "wick record -- ./app input.txt", "record ./app; `wick show` prints the result" },
		{ "wick record -p 1234 --duration 10",
		  "record a running process for ten seconds" },
		{ "wick record --heap -- ./app",
		  "record its allocations; `wick show heap` prints them" },
		{ "wick record --memory -- ./app",
		  "record what it maps and commits; `wick show memory` prints it" },
		{ "wick record -e list", "list the events of this machine" },
		{ "wick record -a -F 199 -o all.data -- make", "record the whole system "
			"while make runs" },
		{ 0 } },
	.exit_note = "The command's exit code, or 128 + N if signal N ended it; 126 if it "
		"could not be run, 127 if it was not found. Without a command, 1 if there were no "
		"samples.",
	.words = WK_WORD_PROGRAM,
	.word_ends_options = true,
	.args_size = sizeof(struct args),
	.run = run,
};
