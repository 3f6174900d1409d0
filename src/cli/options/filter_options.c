#include "cli/options/filter_options.h"

#define AT(field) offsetof(struct wk_filter_spec, field)

static const struct wk_opt options[] = {
	{ 0, "process", "PID|PATTERN", "only processes with this number or a name that matches; a "
	  "PATTERN here and below is an extended regular expression that may match anywhere in the "
	  "name; of Windows, names of processes and files match in any case", WK_OPT_TEXT,
	  AT(process), NULL },
	{ 0, "thread", "TID|PATTERN", "only threads with this number or a name that matches",
	  WK_OPT_TEXT, AT(thread), NULL },
	{ 0, "image", "PATTERN", "only stacks with code of a file whose path matches", WK_OPT_TEXT,
	  AT(image), NULL },
	{ 0, "function", "PATTERN", "only stacks with a function whose name matches", WK_OPT_TEXT,
	  AT(function), NULL },
	{ 0, "time", "FROM-TO", "only this time since the first sample (of a Windows trace, since "
	  "its begin), in seconds, or that part of all the time (10%-20%); either may be left out",
	  WK_OPT_TEXT, AT(time), NULL },
	{ 0, "filter", "EXPRESSION", "only samples for which this is true, such as 'process == cc1 "
	  "and not stack =~ \"^malloc\" and time < 1.5'; fields: process, pid, command, thread, "
	  "tid, function, module, image, file, kind, stack, stack-image, stack-file, event, cpu, "
	  "time, weight", WK_OPT_TEXT, AT(expression), NULL },
	{ 0, "by", "EVENT", "weigh by this event where several were recorded (`wick show FILE "
	  "system` lists them)", WK_OPT_TEXT,
	  AT(source), NULL },
	{ 0, "outstanding", NULL, "of memory only what was allocated in that time and is still "
	  "there at its end", WK_OPT_FLAG, AT(outstanding), NULL },
	{ 'i', "ignore-case", NULL, "patterns match upper and lower case alike", WK_OPT_FLAG,
	  AT(ignore_case), NULL },
	{ 0 },
};

const struct wk_opt_group wk_filter_group = { "Filters", options };
