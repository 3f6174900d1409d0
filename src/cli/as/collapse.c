/* Tools that turn stacks of some format into folded lines: one engine for all. */
#include <inttypes.h>

#include "base/mem.h"
#include "cli/as/tool.h"
#include "cli/messages.h"
#include "os/os.h"

/* What the options of all these tools set. */
struct args {
	struct wk_as_inferno_args inferno;
	struct wk_collapse collapse;
	bool marks_all;    /* --all */
	bool with_inlined; /* --inline */
	bool by_time, by_ticks, by_bytes;
	uint64_t threads; /* 0: as many as there are processors */
	uint64_t sample_index;
	struct wk_text_list skip_after;
	struct wk_text_list variables; /* of awk */
};

#define AT(field)       offsetof(struct args, field)
#define COLLAPSE(field) offsetof(struct args, collapse.field)

/* A row of several tables. */
#define INFERNO_THREADS                                                                         \
	{ 'n', "nthreads", "UINT", "number of threads [default: number of CPUs]",        \
	  WK_OPT_NUMBER, AT(threads), NULL }

static const struct wk_opt frame_options[] = {
	WK_FLAG(0, "pid", "append the process id to its name", COLLAPSE(with_pid)),
	WK_FLAG(0, "tid", "append the process and thread ids to the name", COLLAPSE(with_tid)),
	WK_FLAG(0, "kernel", "mark kernel functions with _[k]", COLLAPSE(marks_kernel)),
	WK_FLAG(0, "jit", "mark JIT functions with _[j]", COLLAPSE(marks_jit)),
	WK_FLAG(0, "all", "same as --kernel and --jit", AT(marks_all)),
	WK_FLAG(0, "addrs", "print addresses of unnamed frames", COLLAPSE(with_addresses)),
	WK_TEXT(0, "event-filter", "EVENT", "fold only samples of this event [default: that of the "
	  "first sample]", COLLAPSE(event)),
	{ 0 },
};

/* Of both tools for perf script. */
static const struct wk_opt_group frames = { "Frames", frame_options };

static const struct wk_opt perf_options[] = {
	WK_FLAG(0, "inline", "add inlined calls from the debug information on this machine",
	  AT(with_inlined)),
	WK_FLAG(0, "context", "with --inline: append file and line to names",
	  COLLAPSE(with_context)),
	WK_FLAG(0, "srcline", "append file and line if perf script prints them",
	  COLLAPSE(with_source_line)),
	{ 0 },
};

static const struct wk_opt java_exceptions_options[] = {
	WK_VALUE(0, "shorten-pkgs", NULL, "shorten packages to one letter", WK_OPT_SWITCH,
	  COLLAPSE(short_packages)),
	WK_FLAG(0, "no-pkgs", "leave out packages", COLLAPSE(no_modules)),
	{ 0 },
};

static const struct wk_opt jstack_options[] = {
	WK_VALUE(0, "include-tname", NULL, "add the thread's name as a frame [default]",
	  WK_OPT_SWITCH, COLLAPSE(with_thread_name)),
	WK_VALUE(0, "include-tid", NULL, "keep the number at the end of a thread's name",
	  WK_OPT_SWITCH, COLLAPSE(with_thread_id)),
	WK_VALUE(0, "shorten-pkgs", NULL, "shorten packages to one letter", WK_OPT_SWITCH,
	  COLLAPSE(short_packages)),
	{ 0 },
};

static const struct wk_opt elfutils_options[] = {
	WK_FLAG(0, "pid", "add PID=... as a frame", COLLAPSE(with_pid)),
	WK_FLAG(0, "tid", "add TID=... as a frame", COLLAPSE(with_tid)),
	{ 0 },
};

static const struct wk_opt vtune_mc_options[] = {
	WK_FLAG(0, "size", "count bytes instead of allocations", AT(by_bytes)),
	{ 0 },
};

static const struct wk_opt sched_options[] = {
	WK_VALUE('v', "v", "NAME=VALUE", "set record_tid=1 (command and thread in all stacks), "
	  "record_wake_stack=1 (the stack that ended the wait) or recurse=1 (and what that thread had "
	  "waited for)", WK_OPT_LIST, AT(variables)),
	{ 0 },
};

static const struct wk_opt wcp_options[] = {
	WK_FLAG(0, "lines", "append file and line to names", COLLAPSE(with_source_line)),
	{ 0 },
};

static const struct wk_opt xdebug_options[] = {
	WK_FLAG('t', "t", "weigh by time [default]", AT(by_time)),
	WK_FLAG('c', "c", "weigh by number of calls", AT(by_ticks)),
	{ 0 },
};

static const struct wk_opt go_options[] = {
	WK_VALUE(0, "sample_index", "N", "fold the Nth kind of sample, counted from 0",
	  WK_OPT_NUMBER, AT(sample_index)),
	{ 0 },
};

static const struct wk_opt inferno_threads_options[] = {
	INFERNO_THREADS,
	{ 0 },
};

static const struct wk_opt inferno_modules_options[] = {
	WK_FLAG(0, "no-modules", "leave out module names", COLLAPSE(no_modules)),
	{ 0 },
};

static const struct wk_opt inferno_dtrace_options[] = {
	WK_FLAG(0, "includeoffset", "keep offsets in functions", COLLAPSE(with_offsets)),
	INFERNO_THREADS,
	{ 0 },
};

static const struct wk_opt inferno_ghcprof_options[] = {
	WK_FLAG(0, "time", "weigh by the %time column [default]", AT(by_time)),
	WK_FLAG(0, "bytes", "weigh by the bytes column", AT(by_bytes)),
	WK_FLAG(0, "ticks", "weigh by the ticks column", AT(by_ticks)),
	{ 0 },
};

static const struct wk_opt inferno_perf_options[] = {
	WK_VALUE(0, "skip-after", "STRING", "leave out the callers of this function; may be "
	  "repeated", WK_OPT_LIST, AT(skip_after)),
	INFERNO_THREADS,
	{ 0 },
};

static void prepare(void *args, const struct wk_as_tool *tool)
{
	struct args *collapse_args = args;

	collapse_args->collapse = tool->collapse;
	collapse_args->collapse.dialect =
		tool->kind->family == WK_AS_INFERNO ? WK_COLLAPSE_INFERNO : WK_COLLAPSE_PERL;
}

/* "NAME=VALUE" as awk reads it: 0 and the empty text are false. Other variables have no effect. */
static void set_variable(struct args *args, const char *text)
{
	const struct {
		const char *name;
		bool *value;
	} known[] = {
		{ "record_tid", &args->collapse.with_tid },
		{ "record_wake_stack", &args->collapse.with_waker },
		{ "recurse", &args->collapse.follows_wakers },
	};
	struct wk_str value = wk_str_c(text), name = wk_str_of(text, strcspn(text, "="));

	value = wk_str_skip(value, name.len < value.len ? name.len + 1 : name.len);
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (wk_str_is(name, known[i].name))
			*known[i].value = value.len && !wk_str_is(value, "0");
}

/* The options in the form that readers need. */
static bool settle(struct args *args, struct wk_err *err)
{
	struct wk_collapse *collapse = &args->collapse;
	int measures = args->by_time + args->by_ticks + args->by_bytes;

	if (measures > 1)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "error: the argument '--%s' cannot be used with '--%s'",
			       args->by_ticks ? "ticks" : "bytes",
			       args->by_time ? "time" : "bytes");
	if (measures)
		collapse->measure = args->by_ticks   ? WK_COLLAPSE_TICKS
				    : args->by_bytes ? WK_COLLAPSE_BYTES
						     : WK_COLLAPSE_TIME;
	if (args->sample_index > UINT32_MAX)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "Invalid sample index %" PRIu64,
			       args->sample_index);
	collapse->sample_index = (uint32_t)args->sample_index;
	if (args->marks_all)
		collapse->marks_kernel = collapse->marks_jit = true;
	collapse->skip_after = args->skip_after.at;
	for (size_t i = 0; i < args->variables.count; i++)
		set_variable(args, args->variables.at[i]);
	return true;
}

static void note(void *context, const char *file, struct wk_str text)
{
	const struct wk_as_call *call = context;
	const struct args *args = call->args;
	struct wk_buf words = { 0 };

	if (args->inferno.quiet)
		return;
	if (call->tool->kind->family != WK_AS_INFERNO) /* inferno's lines have their form */
		wk_buf_add_fmt(&words, file ? "%s: %s: " : "%s: ", call->tool->name, file);
	wk_buf_add_str(&words, text);
	wk_as_warn(call->tool, wk_buf_str(&words));
	wk_buf_fini(&words);
}

static int run(const struct wk_as_call *call, struct wk_err *err)
{
	struct args *args = call->args;
	const char **paths = wk_words_paths(call->words);
	struct wk_collapse_job job = {
		.paths = paths,
		.format = call->tool->reader,
		.with_inlined = args->with_inlined,
		.collapses_recursion = call->tool->collapses_recursion,
		.per_count = call->tool->per_count,
		.threads = args->threads ? (unsigned)args->threads : wk_os_cpu_count(),
		.note = note,
		.context = (void *)(uintptr_t)call,
	};
	bool ok = settle(args, err);

	job.collapse = args->collapse;
	ok = ok && wk_collapse_files(&job, call->out, &wk_cli_messages, err);
	wk_free(paths);
	return ok ? WK_EXIT_DONE : WK_EXIT_FAILED;
}

static const struct wk_as_kind scripts = {
	.family = WK_AS_PERL,
	.usage = "[OPTION...] [FILE...]",
	.args_size = sizeof(struct args),
	.prepare = prepare,
	.run = run,
};

static const struct wk_as_kind inferno = {
	.family = WK_AS_INFERNO,
	.usage = "[OPTION...] [FILE]",
	.args_size = sizeof(struct args),
	.prepare = prepare,
	.run = run,
};

const struct wk_as_tool wk_as_collapse_tools[] = {
	{ &scripts, "stackcollapse.pl", "folds DTrace stacks", .reader = "dtrace" },
	{ &scripts, "stackcollapse-aix.pl", "folds stacks of AIX's procstack", .reader = "aix" },
	{ &scripts, "stackcollapse-bpftrace.pl", "folds bpftrace's stacks", .reader = "bpftrace" },
	{ &scripts, "stackcollapse-chrome-tracing.py", "folds Chrome's trace events",
	  .reader = "chrome-trace" },
	{ &scripts, "stackcollapse-elfutils.pl", "folds stacks of elfutils' eu-stack",
	  .options = elfutils_options, .reader = "elfutils" },
	{ &scripts, "stackcollapse-faulthandler.pl", "folds stacks of Python's faulthandler",
	  .reader = "faulthandler" },
	{ &scripts, "stackcollapse-gdb.pl", "folds gdb's backtraces", .reader = "gdb" },
	{ &scripts, "stackcollapse-go.pl", "folds the text of go tool pprof -raw",
	  .options = go_options, .reader = "go" },
	{ &scripts, "stackcollapse-ibmjava.pl", "folds javacore dumps of IBM Java and OpenJ9",
	  .options = jstack_options, .reader = "javacore", .collapse.with_thread_name = true },
	{ &scripts, "stackcollapse-instruments.pl", "folds Xcode Instruments' call trees as CSV",
	  .reader = "instruments" },
	{ &scripts, "stackcollapse-java-exceptions.pl", "folds Java's stack traces of exceptions",
	  .options = java_exceptions_options, .reader = "java-exceptions" },
	{ &scripts, "stackcollapse-jstack.pl", "folds thread dumps of jstack",
	  .options = jstack_options, .reader = "jstack", .collapse.with_thread_name = true },
	{ &scripts, "stackcollapse-ljp.awk", "folds reports of the Lightweight Java Profiler",
	  .reader = "ljp" },
	{ &scripts, "stackcollapse-perf.pl", "folds the text of perf script",
	  .options = perf_options, .common = &frames, .reader = "perf-script" },
	{ &scripts, "stackcollapse-perf-sched.awk",
	  "folds time off CPU in perf script text of sched events", .options = sched_options,
	  .reader = "perf-sched", .per_count = 1000 },
	{ &scripts, "stackcollapse-pmc.pl", "folds call graphs of pmcstat -G",
	  .reader = "pmcstat" },
	{ &scripts, "stackcollapse-recursive.pl", "removes direct recursion from folded stacks",
	  .reader = "folded", .collapses_recursion = true },
	{ &scripts, "stackcollapse-sample.awk", "folds reports of macOS's sample",
	  .reader = "sample" },
	{ &scripts, "stackcollapse-stap.pl", "folds SystemTap's stacks", .reader = "stap" },
	{ &scripts, "stackcollapse-vsprof.pl", "folds call trees of Visual Studio's profiler",
	  .reader = "vsprof" },
	{ &scripts, "stackcollapse-vtune.pl", "folds Intel VTune's call trees", .reader = "vtune" },
	{ &scripts, "stackcollapse-vtune-mc.pl", "folds Intel VTune's memory consumption",
	  .options = vtune_mc_options, .reader = "vtune" },
	{ &scripts, "stackcollapse-wcp.pl", "folds reports of wallClockProfiler",
	  .options = wcp_options, .reader = "wcp" },
	{ &scripts, "stackcollapse-xdebug.php", "folds Xdebug's traces",
	  .options = xdebug_options, .reader = "xdebug" },
	{ &inferno, "inferno-collapse-dtrace", "folds DTrace stacks",
	  .options = inferno_dtrace_options, .reader = "dtrace" },
	{ &inferno, "inferno-collapse-ghcprof", "folds profiles of GHC (.prof)",
	  .options = inferno_ghcprof_options, .reader = "ghcprof" },
	{ &inferno, "inferno-collapse-guess", "detects the format and folds it",
	  .options = inferno_threads_options },
	{ &inferno, "inferno-collapse-perf", "folds the text of perf script",
	  .options = inferno_perf_options, .common = &frames, .reader = "perf-script" },
	{ &inferno, "inferno-collapse-recursive", "removes direct recursion from folded stacks",
	  .options = inferno_threads_options, .reader = "folded", .collapses_recursion = true },
	{ &inferno, "inferno-collapse-sample", "folds reports of macOS's sample",
	  .options = inferno_modules_options, .reader = "sample" },
	{ &inferno, "inferno-collapse-vsprof", "folds call trees of Visual Studio's profiler",
	  .reader = "vsprof" },
	{ &inferno, "inferno-collapse-vtune", "folds Intel VTune's call trees",
	  .options = inferno_modules_options, .reader = "vtune" },
	{ &inferno, "inferno-collapse-xctrace",
	  "folds exports of xctrace (Instruments' Time Profiler)",
	  .reader = "xctrace" },
	{ 0 },
};
