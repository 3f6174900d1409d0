#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/num.h"
#include "event/advice.h"
#include "os/os.h"
#include "record/facts.h"
#include "record/perf_open.h"
#include "record/probe.h"
#include "session/doctor/doctor.h"
#include "session/record.h"

/* A recording of one busy thread has about 200 KiB a second. */
#define LITTLE_DISK ((uint64_t)1 << 30)
#define NO_DISK     ((uint64_t)64 << 20)

/* wick records on Linux only. */
static const char *here(enum wk_advice_key key)
{
	return wk_advice(WK_ADVICE_LINUX, key);
}

/* How to start a container whose programs may record, if this is one. */
static const char *container_command(void)
{
	if (access("/.dockerenv", F_OK) == 0)
		return here(WK_ADVICE_DOCKER);
	if (access("/run/.containerenv", F_OK) == 0)
		return here(WK_ADVICE_PODMAN);
	return NULL;
}

static void right_to_record(struct wk_findings *findings, const struct wk_record_probe *probe)
{
	int paranoid = wk_perf_paranoid();

	if (probe->can_record && geteuid() == 0)
		wk_findings_good(findings, "root can record any program");
	else if (probe->can_record)
		wk_findings_good(findings,
				 "this user can record programs (kernel.perf_event_paranoid is %d)",
				 paranoid);
	else if (paranoid > 2 && geteuid() != 0)
		wk_findings_bad(findings, here(WK_ADVICE_SAMPLE_KERNEL),
				"this user cannot record anything: kernel.perf_event_paranoid is "
				"%d",
				paranoid);
	else
		wk_findings_bad(findings, container_command(), "%s", probe->refusal.text);
}

static void kernel_code(struct wk_findings *findings, const struct wk_record_probe *probe)
{
	int64_t restricted = 0;

	if (!probe->can_record_kernel) {
		wk_findings_warn(findings, here(WK_ADVICE_SAMPLE_KERNEL),
				 "only user code can be recorded, not kernel code: "
				 "kernel.perf_event_paranoid is %d",
				 wk_perf_paranoid());
		return;
	}
	wk_findings_good(findings, "kernel code can be recorded");
	if (!wk_facts_kernel_is_hidden()) {
		wk_findings_good(findings, "kernel functions have names");
		return;
	}
	wk_doctor_setting("/proc/sys/kernel/kptr_restrict", &restricted);
	wk_findings_warn(
		findings, restricted ? here(WK_ADVICE_SHOW_KERNEL) : here(WK_ADVICE_SAMPLE_KERNEL),
		"kernel functions have no names: kernel.kptr_restrict is %d%s", (int)restricted,
		restricted ? "" : " and kernel.perf_event_paranoid is above 1");
}

static void whole_system(struct wk_findings *findings, const struct wk_record_probe *probe)
{
	if (probe->can_record_all)
		wk_findings_good(findings, "the whole system can be recorded (-a)");
	else
		wk_findings_warn(findings, here(WK_ADVICE_SAMPLE_ALL),
				 "the whole system (-a) cannot be recorded, only programs of "
				 "this user");
}

/* Ordinary users never can: `wick record` reports what it missed instead. */
static void short_processes(struct wk_findings *findings, const struct wk_record_probe *probe)
{
	if (probe->can_sample_cpus)
		wk_findings_good(findings, "processes are sampled from their first moment on, "
					   "however short they are");
	else if (probe->can_record_all)
		wk_findings_warn(
			findings, NULL,
			"processes that run for less than the interval between samples are "
			"missed: this kernel does not let wick load a program that filters "
			"samples (bpf)");
}

static void counters(struct wk_findings *findings, const struct wk_record_probe *probe)
{
	if (probe->has_counters)
		wk_findings_good(findings, "hardware counters are available");
	else
		wk_findings_warn(findings, NULL,
				 "no hardware counters, as in many virtual machines; wick "
				 "samples by a clock (cpu-clock), but cannot record cache misses "
				 "and the like");
}

static void rate(struct wk_findings *findings)
{
	int64_t most;

	if (!wk_doctor_setting("/proc/sys/kernel/perf_event_max_sample_rate", &most))
		return;
	if (most < WK_DEFAULT_FREQUENCY_HZ)
		wk_findings_bad(findings, here(WK_ADVICE_SAMPLE_RATE),
				"the kernel allows %" PRId64 " samples per second and the "
				"default is %d; use -F with a lower rate",
				most, WK_DEFAULT_FREQUENCY_HZ);
	else
		wk_findings_good(findings, "the kernel allows %" PRId64 " samples per second",
				 most);
}

void wk_doctor_buffers(struct wk_findings *findings, const struct wk_record_probe *probe)
{
	struct wk_buf size = { 0 }, fix = { 0 };
	struct rlimit limit = { 0 };

	wk_num_add_bytes(&size, probe->ring_bytes);
	if (probe->ring_bytes * 4 > probe->wanted_ring_bytes) {
		wk_findings_good(findings, "kernel buffers are large enough: %s for each CPU",
				 wk_buf_text(&size));
	} else {
		getrlimit(RLIMIT_MEMLOCK, &limit);
		wk_buf_add_fmt(&fix, "%s%" PRIu64, here(WK_ADVICE_LOCKED_MEMORY),
			       (probe->wanted_ring_bytes >> 10) + 64);
		wk_findings_warn(findings, wk_buf_text(&fix),
				 "samples may be lost: kernel buffers are limited to %s for each "
				 "CPU by kernel.perf_event_mlock_kb and ulimit -l (%" PRIu64
				 " KiB)",
				 wk_buf_text(&size), (uint64_t)limit.rlim_cur >> 10);
	}
	WK_BUF_FINI_ALL(&size, &fix);
}

/* Deeper parts of a stack than the kernel copies are read from the process. */
static void tracing(struct wk_findings *findings)
{
	int64_t scope;

	if (!wk_doctor_setting("/proc/sys/kernel/yama/ptrace_scope", &scope) || scope == 0)
		return;
	if (scope < 3 && wk_doctor_may_trace_others())
		return;
	wk_findings_warn(findings, scope < 3 ? here(WK_ADVICE_READ_PROCESSES) : NULL,
			 "%s deeper than 64 KiB may be cut: "
			 "kernel.yama.ptrace_scope is %d%s",
			 scope == 1 ? "with -p, stacks" : "stacks", (int)scope,
			 scope < 3 ? "" : ", which cannot be changed until the next boot");
}

static void disk(struct wk_findings *findings)
{
	struct wk_buf free_text = { 0 };
	struct statvfs info;
	uint64_t free_bytes;

	if (access(".", W_OK) != 0) {
		wk_findings_bad(findings, "wick flame -d /tmp/wick.data -o /tmp/flame.svg -- ...",
				"this folder is not writable: %s", strerror(errno));
		return;
	}
	if (statvfs(".", &info) != 0)
		return;
	free_bytes = (uint64_t)info.f_bavail * info.f_frsize;
	wk_num_add_bytes(&free_text, free_bytes);
	if (free_bytes < NO_DISK)
		wk_findings_bad(findings, "wick flame -d /another/disk/wick.data -- ...",
				"the disk is full: %s free", wk_buf_text(&free_text));
	else if (free_bytes < LITTLE_DISK)
		wk_findings_warn(findings, "wick flame -d /another/disk/wick.data -- ...",
				 "a long recording may fill the disk: %s free",
				 wk_buf_text(&free_text));
	else
		wk_findings_good(findings, "%s free for recordings in this folder",
				 wk_buf_text(&free_text));
	wk_buf_fini(&free_text);
}

void wk_doctor_machine(struct wk_findings *findings)
{
	struct wk_record_probe probe =
		wk_record_probe(WK_DEFAULT_FREQUENCY_HZ, WK_MOST_STACK_BYTES);

	wk_findings_on(findings, "Recording");
	right_to_record(findings, &probe);
	rate(findings);
	if (probe.can_record) {
		kernel_code(findings, &probe);
		whole_system(findings, &probe);
		short_processes(findings, &probe);
		counters(findings, &probe);
		wk_doctor_buffers(findings, &probe);
	}
	tracing(findings);
	wk_doctor_heap(findings);
	disk(findings);
}
