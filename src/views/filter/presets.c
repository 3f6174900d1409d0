#include "views/filter/presets.h"

#include <stddef.h>

const char *const wk_preset_names[] = {
	"cpu-by-process", "cpu-by-thread", "cpu-by-module", "cpu-by-function", "wait-by-process",
	"ready-by-process", "commit-by-process", "commits-by-process", "heap-by-process",
	"hard-faults", NULL,
};

const struct wk_preset wk_presets[] = {
	{ "cpu-by-process", "CPU time by process and stack", NULL, "pid,stack", false },
	{ "cpu-by-thread", "CPU time by process, thread and stack", NULL, "pid,thread,stack",
	  false },
	{ "cpu-by-module", "CPU time by process and the stack of files", NULL, "pid,module",
	  false },
	{ "cpu-by-function", "CPU time by the file and function it was spent in", NULL,
	  "module,function", false },
	{ "wait-by-process", "time that threads waited, by where", "wait", "pid,thread,stack",
	  false },
	{ "ready-by-process", "time that threads could have run and did not", "ready",
	  "pid,thread,stack", false },
	{ "commit-by-process", "committed memory that is still there at the end", "commit",
	  "pid,stack", true },
	{ "commits-by-process", "all memory that was committed", "commit", "pid,stack", false },
	{ "heap-by-process", "blocks of heaps that are still there at the end", "heap",
	  "pid,stack", true },
	{ "hard-faults", "pages that had to be read from disk", "hard fault", "pid,stack", false },
	{ 0 },
};
