#include "cli/as/collapse_args.h"

#define AT(field)       offsetof(struct wk_as_collapse_args, field)
#define COLLAPSE(field) offsetof(struct wk_as_collapse_args, collapse.field)

/* A row of several tables. */
#define INFERNO_THREADS                                                                         \
	{ 'n', "nthreads", "UINT", "number of threads [default: number of CPUs]",        \
	  WK_OPT_NUMBER, AT(threads), NULL }
static const struct wk_opt no_options[] = { { 0 } };

static const struct wk_opt perf_options[] = {
	{ 0, "pid", NULL, "append the process id to its name", WK_OPT_FLAG, COLLAPSE(with_pid),
	  NULL },
	{ 0, "tid", NULL, "append the process and thread ids to the name", WK_OPT_FLAG,
	  COLLAPSE(with_tid), NULL },
	{ 0, "kernel", NULL, "mark kernel functions with _[k]", WK_OPT_FLAG, COLLAPSE(marks_kernel),
	  NULL },
	{ 0, "jit", NULL, "mark JIT functions with _[j]", WK_OPT_FLAG,
	  COLLAPSE(marks_jit), NULL },
	{ 0, "all", NULL, "same as --kernel and --jit", WK_OPT_FLAG, AT(marks_all), NULL },
	{ 0, "addrs", NULL, "print addresses of unnamed frames", WK_OPT_FLAG,
	  COLLAPSE(with_addresses), NULL },
	{ 0, "event-filter", "EVENT", "fold only samples of this event [default: that of the first "
	  "sample]",
	  WK_OPT_TEXT, COLLAPSE(event), NULL },
	{ 0, "inline", NULL, "add inlined calls from the debug information on this machine",
	  WK_OPT_FLAG, AT(with_inlined), NULL },
	{ 0, "context", NULL, "with --inline: append file and line to names", WK_OPT_FLAG,
	  COLLAPSE(with_context), NULL },
	{ 0, "srcline", NULL, "append file and line if perf script prints them", WK_OPT_FLAG,
	  COLLAPSE(with_source_line), NULL },
	{ 0 },
};

static const struct wk_opt java_exceptions_options[] = {
	{ 0, "shorten-pkgs", NULL, "shorten packages to one letter", WK_OPT_SWITCH,
	  COLLAPSE(short_packages), NULL },
	{ 0, "no-pkgs", NULL, "leave out packages", WK_OPT_FLAG, COLLAPSE(no_modules), NULL },
	{ 0 },
};

static const struct wk_opt jstack_options[] = {
	{ 0, "include-tname", NULL, "add the thread's name as a frame [default]", WK_OPT_SWITCH,
	  COLLAPSE(with_thread_name), NULL },
	{ 0, "include-tid", NULL, "keep the number at the end of a thread's name", WK_OPT_SWITCH,
	  COLLAPSE(with_thread_id), NULL },
	{ 0, "shorten-pkgs", NULL, "shorten packages to one letter", WK_OPT_SWITCH,
	  COLLAPSE(short_packages), NULL },
	{ 0 },
};

static const struct wk_opt elfutils_options[] = {
	{ 0, "pid", NULL, "add PID=... as a frame", WK_OPT_FLAG, COLLAPSE(with_pid), NULL },
	{ 0, "tid", NULL, "add TID=... as a frame", WK_OPT_FLAG, COLLAPSE(with_tid), NULL },
	{ 0 },
};

static const struct wk_opt vtune_mc_options[] = {
	{ 0, "size", NULL, "count bytes instead of allocations", WK_OPT_FLAG, AT(by_bytes), NULL },
	{ 0 },
};

static const struct wk_opt wcp_options[] = {
	{ 0, "lines", NULL, "append file and line to names", WK_OPT_FLAG,
	  COLLAPSE(with_source_line), NULL },
	{ 0 },
};

static const struct wk_opt xdebug_options[] = {
	{ 't', "t", NULL, "weigh by time [default]", WK_OPT_FLAG, AT(by_time), NULL },
	{ 'c', "c", NULL, "weigh by number of calls", WK_OPT_FLAG, AT(by_ticks), NULL },
	{ 0 },
};

static const struct wk_opt go_options[] = {
	{ 0, "sample_index", "N", "fold the Nth kind of sample, counted from 0", WK_OPT_NUMBER,
	  AT(sample_index), NULL },
	{ 0 },
};

static const struct wk_opt inferno_threads_options[] = {
	INFERNO_THREADS,
	{ 0 },
};

static const struct wk_opt inferno_modules_options[] = {
	{ 0, "no-modules", NULL, "leave out module names", WK_OPT_FLAG,
	  COLLAPSE(no_modules), NULL },
	{ 0 },
};

static const struct wk_opt inferno_dtrace_options[] = {
	{ 0, "includeoffset", NULL, "keep offsets in functions", WK_OPT_FLAG,
	  COLLAPSE(with_offsets), NULL },
	INFERNO_THREADS,
	{ 0 },
};

static const struct wk_opt inferno_ghcprof_options[] = {
	{ 0, "time", NULL, "weigh by the %time column [default]", WK_OPT_FLAG, AT(by_time), NULL },
	{ 0, "bytes", NULL, "weigh by the bytes column", WK_OPT_FLAG, AT(by_bytes), NULL },
	{ 0, "ticks", NULL, "weigh by the ticks column", WK_OPT_FLAG, AT(by_ticks), NULL },
	{ 0 },
};

static const struct wk_opt inferno_perf_options[] = {
	{ 0, "all", NULL, "same as --kernel and --jit", WK_OPT_FLAG, AT(marks_all), NULL },
	{ 0, "jit", NULL, "mark JIT functions with _[j]", WK_OPT_FLAG,
	  COLLAPSE(marks_jit), NULL },
	{ 0, "kernel", NULL, "mark kernel functions with _[k]", WK_OPT_FLAG, COLLAPSE(marks_kernel),
	  NULL },
	{ 0, "event-filter", "EVENT", "fold only samples of this event [default: that of the first "
	  "sample]",
	  WK_OPT_TEXT, COLLAPSE(event), NULL },
	{ 0, "addrs", NULL, "print addresses of unnamed frames", WK_OPT_FLAG,
	  COLLAPSE(with_addresses), NULL },
	{ 0, "pid", NULL, "append the process id to its name", WK_OPT_FLAG, COLLAPSE(with_pid),
	  NULL },
	{ 0, "tid", NULL, "append the process and thread ids to the name", WK_OPT_FLAG,
	  COLLAPSE(with_tid), NULL },
	{ 0, "skip-after", "STRING", "leave out the callers of this function; may be repeated",
	  WK_OPT_LIST, AT(skip_after), NULL },
	INFERNO_THREADS,
	{ 0 },
};

static const struct wk_as_kind scripts = {
	.family = WK_AS_PERL,
	.usage = "[OPTION...] [FILE...]",
	.args_size = sizeof(struct wk_as_collapse_args),
	.prepare = wk_as_collapse_prepare,
	.run = wk_as_collapse,
};

static const struct wk_as_kind inferno = {
	.family = WK_AS_INFERNO,
	.usage = "[OPTION...] [FILE]",
	.args_size = sizeof(struct wk_as_collapse_args),
	.prepare = wk_as_collapse_prepare,
	.run = wk_as_collapse,
};

const struct wk_as_tool wk_as_collapse_tools[] = {
	{ &scripts, "stackcollapse.pl", "folds DTrace stacks",
	  .options = no_options, .reader = "dtrace" },
	{ &scripts, "stackcollapse-aix.pl", "folds stacks of AIX's procstack",
	  .options = no_options, .reader = "aix" },
	{ &scripts, "stackcollapse-bpftrace.pl", "folds bpftrace's stacks",
	  .options = no_options, .reader = "bpftrace" },
	{ &scripts, "stackcollapse-chrome-tracing.py", "folds Chrome's trace events",
	  .options = no_options, .reader = "chrome-trace" },
	{ &scripts, "stackcollapse-elfutils.pl", "folds stacks of elfutils' eu-stack",
	  .options = elfutils_options, .reader = "elfutils" },
	{ &scripts, "stackcollapse-faulthandler.pl", "folds stacks of Python's faulthandler",
	  .options = no_options, .reader = "faulthandler" },
	{ &scripts, "stackcollapse-gdb.pl", "folds gdb's backtraces",
	  .options = no_options, .reader = "gdb" },
	{ &scripts, "stackcollapse-go.pl", "folds the text of go tool pprof -raw",
	  .options = go_options, .reader = "go" },
	{ &scripts, "stackcollapse-instruments.pl", "folds Xcode Instruments' call trees as CSV",
	  .options = no_options, .reader = "instruments" },
	{ &scripts, "stackcollapse-java-exceptions.pl", "folds Java's stack traces of exceptions",
	  .options = java_exceptions_options, .reader = "java-exceptions" },
	{ &scripts, "stackcollapse-jstack.pl", "folds thread dumps of jstack",
	  .options = jstack_options, .reader = "jstack", .collapse.with_thread_name = true },
	{ &scripts, "stackcollapse-ljp.awk", "folds reports of the Lightweight Java Profiler",
	  .options = no_options, .reader = "ljp" },
	{ &scripts, "stackcollapse-perf.pl", "folds the text of perf script",
	  .options = perf_options, .reader = "perf-script" },
	{ &scripts, "stackcollapse-pmc.pl", "folds call graphs of pmcstat -G",
	  .options = no_options, .reader = "pmcstat" },
	{ &scripts, "stackcollapse-recursive.pl", "removes direct recursion from folded stacks",
	  .options = no_options, .reader = "folded", .collapses_recursion = true },
	{ &scripts, "stackcollapse-sample.awk", "folds reports of macOS's sample",
	  .options = no_options, .reader = "sample" },
	{ &scripts, "stackcollapse-stap.pl", "folds SystemTap's stacks",
	  .options = no_options, .reader = "stap" },
	{ &scripts, "stackcollapse-vsprof.pl", "folds call trees of Visual Studio's profiler",
	  .options = no_options, .reader = "vsprof" },
	{ &scripts, "stackcollapse-vtune.pl", "folds Intel VTune's call trees",
	  .options = no_options, .reader = "vtune" },
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
	  .options = inferno_perf_options, .reader = "perf-script" },
	{ &inferno, "inferno-collapse-recursive", "removes direct recursion from folded stacks",
	  .options = inferno_threads_options, .reader = "folded", .collapses_recursion = true },
	{ &inferno, "inferno-collapse-sample", "folds reports of macOS's sample",
	  .options = inferno_modules_options, .reader = "sample" },
	{ &inferno, "inferno-collapse-vsprof", "folds call trees of Visual Studio's profiler",
	  .options = no_options, .reader = "vsprof" },
	{ &inferno, "inferno-collapse-vtune", "folds Intel VTune's call trees",
	  .options = inferno_modules_options, .reader = "vtune" },
	{ &inferno, "inferno-collapse-xctrace",
	  "folds exports of xctrace (Instruments' Time Profiler)",
	  .options = no_options, .reader = "xctrace" },
	{ 0 },
};
