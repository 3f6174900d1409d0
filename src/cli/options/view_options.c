#include "cli/options/view_options.h"

#define AT(field) offsetof(struct wk_view_args, field)

static const struct wk_opt options[] = {
	{ 0, "group", "COLUMN[,COLUMN...]", "levels of the tree, outermost first: process, "
		"pid, thread, cpu, module, function, stack; for waits wait-reason, "
		"readied-by; for heap blocks heap, allocator, size [default: process,stack]", WK_OPT_TEXT, AT(group), NULL },
	{ 0, "preset", "NAME|FILE[:NAME]", "event, grouping and filter by name: "
		"cpu-by-process, cpu-by-thread, cpu-by-module, cpu-by-function, "
		"wait-by-process, ready-by-process, commit-by-process, commits-by-process, "
		"heap-by-process, hard-faults, or one of a .wpaProfile (`wick show "
		"FILE.wpaProfile` lists them)", WK_OPT_TEXT,
	  AT(preset), wk_preset_names },
	{ 0 },
};

const struct wk_opt_group wk_view_group = { "Grouping", options };
