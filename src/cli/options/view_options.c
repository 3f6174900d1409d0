#include "cli/options/view_options.h"

#define AT(field)     offsetof(struct wk_view_args, field)
#define FILTER(field) offsetof(struct wk_filter_spec, field)

static const struct wk_opt options[] = {
	WK_TEXT(0, "group", "COLUMN[,COLUMN...]", "levels of the tree, outermost first: process, "
	  "pid, thread, cpu, module, function, stack; for waits wait-reason, readied-by; for heap "
	  "blocks heap, allocator, size; for presets with rules annotation [default: "
	  "process,stack]", AT(group)),
	{ 0, "preset", "NAME|FILE[:NAME]", "event, grouping and filter by name: rustc, cpu, memory, "
	  "heap, waits ... (`wick preset` lists them), of a FILE.json, or one of a .wpaProfile "
	  "(`wick show FILE.wpaProfile` lists them)", WK_OPT_TEXT, AT(preset),
	  wk_preset_names },
	{ 0 },
};

const struct wk_opt_group wk_view_group = { "Grouping", options };

static const struct wk_opt shape_options[] = {
	WK_FLAG(0, "mine", "count the time of libraries, the allocator and the kernel at the nearest "
	  "caller in your own program", AT(mine)),
	WK_FLAG(0, "all-inline", "show small inlined functions of the standard library and, for heap "
	  "blocks, allocators and containers [default: part of their caller]", AT(all_inlined)),
	{ 0 },
};

const struct wk_opt_group wk_shape_group = { "Shown functions", shape_options };

static const struct wk_opt filter_options[] = {
	WK_TEXT(0, "process", "PID|PATTERN", "only processes with this number or a matching name; "
	  "PATTERN is an extended regular expression, which may match anywhere; case is ignored "
	  "for processes and files of Windows", FILTER(process)),
	WK_TEXT(0, "thread", "TID|PATTERN", "only threads with this number or a matching name",
	  FILTER(thread)),
	WK_TEXT(0, "image", "PATTERN", "only stacks with code from a file with a matching path",
	  FILTER(image)),
	WK_TEXT(0, "function", "PATTERN", "only stacks with a function with a matching name",
	  FILTER(function)),
	WK_TEXT(0, "time", "FROM-TO", "only this interval, in seconds since the start (0.5-2, 2-) "
	  "or as percent (10%-20%)", FILTER(time)),
	WK_TEXT(0, "filter", "EXPRESSION", "only samples that match, such as 'process == cc1 and "
	  "not stack =~ \"^malloc\" and time < 1.5'; fields: process, pid, command, thread, tid, "
	  "function, module, image, file, kind, stack, stack-image, stack-file, event, cpu, time, "
	  "weight", FILTER(expression)),
	WK_TEXT(0, "by", "EVENT", "weigh by this event; `wick show FILE system` lists the recorded "
	  "ones", FILTER(source)),
	WK_FLAG(0, "outstanding", "only memory allocated in the interval and not freed in it",
	  FILTER(outstanding)),
	WK_TEXT(0, "snapshot", "N|LABEL", "only heap blocks that were allocated at this snapshot; "
	  "`wick show FILE snapshots` lists them", FILTER(span.snapshot)),
	WK_VALUE(0, "between", "A B", "only heap blocks that are in snapshot B and not in A",
	  WK_OPT_PAIR, FILTER(span.between)),
	WK_VALUE(0, "grew", "N", "only heap blocks of functions that had more bytes in each of the "
	  "last N snapshots than in the one before", WK_OPT_COUNT, FILTER(span.grew)),
	WK_FLAG('i', "ignore-case", "ignore case in patterns", FILTER(ignore_case)),
	{ 0 },
};

const struct wk_opt_group wk_filter_group = { "Filters", filter_options };
