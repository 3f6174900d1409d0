#include "formats/perf/format.h"

#include <stddef.h>

const struct wk_perf_known_event wk_perf_known_events[] = {
	{ "cycles", WK_PERF_TYPE_HARDWARE, WK_PERF_HW_CPU_CYCLES },
	{ "cpu-cycles", WK_PERF_TYPE_HARDWARE, WK_PERF_HW_CPU_CYCLES },
	{ "instructions", WK_PERF_TYPE_HARDWARE, 1 },
	{ "cache-references", WK_PERF_TYPE_HARDWARE, 2 },
	{ "cache-misses", WK_PERF_TYPE_HARDWARE, 3 },
	{ "branches", WK_PERF_TYPE_HARDWARE, 4 },
	{ "branch-instructions", WK_PERF_TYPE_HARDWARE, 4 },
	{ "branch-misses", WK_PERF_TYPE_HARDWARE, 5 },
	{ "bus-cycles", WK_PERF_TYPE_HARDWARE, 6 },
	{ "stalled-cycles-frontend", WK_PERF_TYPE_HARDWARE, 7 },
	{ "stalled-cycles-backend", WK_PERF_TYPE_HARDWARE, 8 },
	{ "ref-cycles", WK_PERF_TYPE_HARDWARE, WK_PERF_HW_REF_CYCLES },
	{ "cpu-clock", WK_PERF_TYPE_SOFTWARE, WK_PERF_SW_CPU_CLOCK },
	{ "task-clock", WK_PERF_TYPE_SOFTWARE, WK_PERF_SW_TASK_CLOCK },
	{ "page-faults", WK_PERF_TYPE_SOFTWARE, 2 },
	{ "faults", WK_PERF_TYPE_SOFTWARE, 2 },
	{ "context-switches", WK_PERF_TYPE_SOFTWARE, 3 },
	{ "cs", WK_PERF_TYPE_SOFTWARE, 3 },
	{ "cpu-migrations", WK_PERF_TYPE_SOFTWARE, 4 },
	{ "migrations", WK_PERF_TYPE_SOFTWARE, 4 },
	{ "minor-faults", WK_PERF_TYPE_SOFTWARE, 5 },
	{ "major-faults", WK_PERF_TYPE_SOFTWARE, 6 },
	{ "alignment-faults", WK_PERF_TYPE_SOFTWARE, 7 },
	{ "emulation-faults", WK_PERF_TYPE_SOFTWARE, 8 },
	{ "dummy", WK_PERF_TYPE_SOFTWARE, WK_PERF_SW_DUMMY },
	{ "bpf-output", WK_PERF_TYPE_SOFTWARE, 10 },
	{ "cgroup-switches", WK_PERF_TYPE_SOFTWARE, 11 },
	{ NULL, 0, 0 },
};

static const struct {
	const char *name;
	int id;
} clocks[] = {
	{ "CLOCK_REALTIME", 0 }, { "CLOCK_MONOTONIC", 1 }, { "CLOCK_MONOTONIC_RAW", 4 },
	{ "CLOCK_BOOTTIME", 7 }, { "CLOCK_TAI", 11 },
};

int wk_perf_clock_id(struct wk_str name)
{
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (wk_str_is(name, clocks[i].name))
			return clocks[i].id;
	return -1;
}

const char *wk_perf_clock_name(int id)
{
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (clocks[i].id == id)
			return clocks[i].name;
	return "";
}
