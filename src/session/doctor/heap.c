#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "event/advice.h"
#include "os/os.h"
#include "record/heap/library.h"
#include "record/heap/probes.h"
#include "record/probe.h"
#include "session/doctor/doctor.h"

#define CAP_SYS_PTRACE_BIT 19

bool wk_doctor_setting(const char *path, int64_t *value)
{
	struct wk_buf text = { 0 };
	bool found =
		wk_os_read_small(path, &text) && sscanf(wk_buf_text(&text), "%" SCNd64, value) == 1;

	wk_buf_fini(&text);
	return found;
}

bool wk_doctor_may_trace_others(void)
{
	struct wk_buf text = { 0 };
	uint64_t rights = 0;
	const char *line;

	wk_os_read_small("/proc/self/status", &text);
	line = strstr(wk_buf_text(&text), "\nCapEff:");
	if (line)
		sscanf(line, "\nCapEff: %" SCNx64, &rights);
	wk_buf_fini(&text);
	return rights >> CAP_SYS_PTRACE_BIT & 1;
}

bool wk_doctor_heap_library(struct wk_buf *path, struct wk_err *err)
{
	return wk_heap_library_find(path, err);
}

static bool library(struct wk_findings *findings)
{
	struct wk_buf path = { 0 };
	struct wk_err why = { 0 };
	bool is_found = wk_heap_library_find(&path, &why);

	if (is_found)
		wk_findings_good(findings, "heaps can be recorded (--heap), by %s",
				 wk_buf_text(&path));
	else
		wk_findings_warn(findings, NULL, "heaps cannot be recorded (--heap): %s", why.text);
	wk_buf_fini(&path);
	return is_found;
}

/* Whether the library can be loaded into processes that run already. */
static void running(struct wk_findings *findings)
{
	const char *fix = wk_advice(WK_ADVICE_LINUX, WK_ADVICE_READ_PROCESSES);
	int64_t scope = 0;

	wk_doctor_setting("/proc/sys/kernel/yama/ptrace_scope", &scope);
	if (scope >= 3)
		wk_findings_warn(findings, NULL,
				 "heaps of running programs (--heap -p) cannot be recorded: "
				 "kernel.yama.ptrace_scope is %d, which cannot be changed until "
				 "the next boot",
				 (int)scope);
	else if (wk_doctor_may_trace_others())
		wk_findings_good(findings, "heaps of running programs can be recorded (--heap -p)");
	else if (scope == 0)
		wk_findings_good(findings, "heaps of this user's running programs can be recorded "
					   "(--heap -p)");
	else
		wk_findings_warn(findings, fix,
				 "heaps of running programs (--heap -p) can be recorded %s: "
				 "kernel.yama.ptrace_scope is %d",
				 scope == 1 ? "only if they were started with WICK_HEAP_ATTACH=1 "
					      "in their environment"
					    : "by root only",
				 (int)scope);
}

static void static_programs(struct wk_findings *findings)
{
	struct wk_err why = { 0 };

	if (wk_heap_probes_are_allowed(&why))
		wk_findings_good(findings, "heaps of static programs can be recorded (--heap)");
	else
		wk_findings_warn(findings, "sudo wick record --heap -- ...",
				 "heaps of static programs cannot be recorded: %s", why.text);
}

static void memory(struct wk_findings *findings, bool has_library)
{
	struct wk_err why = { 0 };

	if (wk_record_may_trace_memory(&why))
		wk_findings_good(findings,
				 "calls that map memory are recorded by tracepoints (--memory)");
	else if (has_library)
		wk_findings_warn(findings, "sudo wick record --memory -- ...",
				 "calls that map memory are recorded by the heap library "
				 "(--memory), so not those of static programs");
	else
		wk_findings_warn(findings, "sudo wick record --memory -- ...",
				 "calls that map memory cannot be recorded (--memory): %s",
				 why.text);
}

void wk_doctor_heap(struct wk_findings *findings)
{
	bool has_library = library(findings);

	if (has_library)
		running(findings);
	static_programs(findings);
	memory(findings, has_library);
}
