#include "record/perf_open.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "event/advice.h"
#include "os/os.h"
#include "record/cpus.h"
#include "record/pmu.h"
#include "record/tracefs.h"
#include "record/tracing_data.h"

/* In linux/perf_event.h only since 6.0. */
#define FORMAT_LOST (1u << 4)

#define SMALLEST_RING        (64u << 10) /* the largest record is just under that */
#define LARGEST_RING         (16u << 20)
#define LARGEST_COUNTED_RING (64u << 20)
#define MOST_PENDING         (896u << 10)
#define MOST_RINGS           (UINT64_C(256) << 20)
#define MOST_CLOCK_HZ        25000

static int perf_event_open(struct perf_event_attr *attr, pid_t pid, int cpu)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

int wk_perf_paranoid(void)
{
	struct wk_buf text = { 0 };
	int level = -2;

	if (wk_os_read_small("/proc/sys/kernel/perf_event_paranoid", &text) && text.len)
		level = atoi(text.at);
	wk_buf_fini(&text);
	return level;
}

static uint64_t most_frequent(void)
{
	struct wk_buf text = { 0 };
	uint64_t most = UINT64_MAX;

	if (wk_os_read_small("/proc/sys/kernel/perf_event_max_sample_rate", &text) && text.len)
		most = strtoull(text.at, NULL, 10);
	wk_buf_fini(&text);
	return most ? most : UINT64_MAX;
}

static void limit_frequency(struct wk_perf *perf, uint64_t most, const char *why)
{
	if (perf->config.frequency_hz <= most)
		return;
	wk_buf_add_fmt(&perf->notices, "sampling %llu times a second instead of %llu: %s\n",
		       (unsigned long long)most, (unsigned long long)perf->config.frequency_hz,
		       why);
	perf->config.frequency_hz = most;
}

/* Clocks are not throttled by the kernel, as hardware counters are: a sample takes some
 * microseconds, and at 100,000 a second a program in a virtual machine came to no end. */
static void limit_clock(struct wk_perf *perf, const struct wk_perf_event *event)
{
	if (event->is_cpu_time && event->type == PERF_TYPE_SOFTWARE)
		limit_frequency(perf, MOST_CLOCK_HZ,
				"with a clock as the event, more would be mostly interruptions");
}

static bool find_configs(struct wk_perf *perf, struct wk_err *err)
{
	for (size_t i = 0; i < perf->event_count; i++) {
		struct wk_perf_event *event = &perf->events[i];

		if (event->is_tracepoint &&
		    !wk_tracepoint_id(event->system, event->point, &event->config, err))
			return false;
		if (event->is_pmu && !wk_pmu_find(WK_PMU_ROOT, event, err))
			return false;
	}
	return true;
}

static bool has_tracepoints(const struct wk_perf *perf, bool of_memory)
{
	for (size_t i = 0; i < perf->event_count; i++)
		if (perf->events[i].is_tracepoint && perf->events[i].is_memory == of_memory)
			return true;
	return false;
}

/* Samples of tracepoints contain their fields if these can be described. */
static void describe_tracepoints(struct wk_perf *perf)
{
	struct wk_err why = { 0 };

	if (!has_tracepoints(perf, false) && !has_tracepoints(perf, true))
		return;
	if (!wk_tracing_data_add(perf->events, perf->event_count, &perf->tracing_data, &why)) {
		wk_buf_add_fmt(&perf->notices, "the fields of tracepoints are not recorded: %s\n",
			       why.text);
		return;
	}
	for (size_t i = 0; i < perf->event_count; i++)
		perf->events[i].has_fields = perf->events[i].is_tracepoint;
}

bool wk_perf_init(struct wk_perf *perf, const struct wk_perf_config *config, struct wk_err *err)
{
	size_t bytes = config->event_count * sizeof(*config->events);

	*perf = (struct wk_perf){ .config = *config, .event_count = config->event_count };
	perf->events = wk_alloc(bytes);
	memcpy(perf->events, config->events, bytes);
	perf->knows_lost = true;
	perf->layout = wk_layout_of(wk_machine_here(), config->has_chain, config->stack_bytes);
	/* The kernel samples each software event whatever the period, if samples contain it. */
	if (config->period > 1) {
		perf->layout.period = config->period;
		perf->layout.sample_type &= ~(uint64_t)PERF_SAMPLE_PERIOD;
	}
	perf->samples_cpus = config->may_sample_cpus && !config->period;
	for (size_t i = 0; i < perf->event_count; i++)
		perf->samples_cpus &= perf->events[i].is_cpu_time;
	perf->has_family = perf->samples_cpus && wk_family_open(&perf->family);
	perf->samples_cpus = perf->has_family;
	limit_frequency(perf, most_frequent(),
			"the limit is set by sysctl kernel.perf_event_max_sample_rate");
	for (size_t i = 0; i < perf->event_count; i++)
		limit_clock(perf, &perf->events[i]);
	if (!find_configs(perf, err))
		return false;
	describe_tracepoints(perf);
	return true;
}

/* The reader wakes up before a quarter of a ring is full, and soon enough that most processes still
 * live when their stacks are completed from their memory. */
static uint32_t wakeup_bytes(const struct wk_perf *perf)
{
	uint64_t bytes = perf->config.ring_bytes / 4;

	return bytes < MOST_PENDING ? (uint32_t)bytes : MOST_PENDING;
}

/* What all our events have in common; all of one ring must share the clock. */
static struct perf_event_attr base_attr(const struct wk_perf *perf)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.sample_type = perf->layout.sample_type &
			       ~(uint64_t)(PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_REGS_USER |
					   PERF_SAMPLE_STACK_USER),
		.disabled = 1,
		.sample_id_all = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.watermark = 1,
		.wakeup_watermark = wakeup_bytes(perf),
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	attr.type = PERF_TYPE_SOFTWARE;
	attr.config = PERF_COUNT_SW_DUMMY;
	return attr;
}

static struct perf_event_attr side_band_attr(const struct wk_perf *perf, bool inherit)
{
	struct perf_event_attr attr = base_attr(perf);

	attr.disabled = 0;
	attr.inherit = inherit;
	attr.mmap = 1;
	attr.mmap2 = 1;
	attr.comm = 1;
	attr.comm_exec = 1;
	attr.task = 1;
	attr.read_format = perf->knows_lost ? FORMAT_LOST : 0;
	return attr;
}

/* Tracepoints are counted one by one unless a period was requested. */
static void set_rate(const struct wk_perf *perf, const struct wk_perf_event *event,
		     struct perf_event_attr *attr)
{
	if (event->is_memory) {
		attr->sample_period = 1;
	} else if (perf->config.period) {
		attr->sample_period = perf->config.period;
	} else if (event->is_tracepoint) {
		attr->sample_period = 1;
	} else {
		attr->freq = 1;
		attr->sample_freq = perf->config.frequency_hz;
	}
}

static struct perf_event_attr event_attr(const struct wk_perf *perf,
					 const struct wk_perf_event *event, bool inherit,
					 bool on_exec)
{
	struct perf_event_attr attr = base_attr(perf);

	attr.type = event->type;
	attr.config = event->config;
	attr.config1 = event->config1;
	attr.config2 = event->config2;
	attr.inherit = inherit;
	attr.enable_on_exec = on_exec;
	attr.sample_type = perf->layout.sample_type | (event->has_fields ? PERF_SAMPLE_RAW : 0) |
			   (event->has_address ? PERF_SAMPLE_ADDR : 0);
	attr.sample_regs_user = perf->layout.registers;
	attr.sample_stack_user = perf->layout.stack_bytes;
	attr.exclude_user = !event->user;
	attr.exclude_kernel = (!event->kernel || perf->config.user_only) && !event->is_memory;
	attr.exclude_hv = !event->hypervisor || perf->config.user_only;
	attr.precise_ip = event->precise & 3;
	attr.read_format = perf->knows_lost ? FORMAT_LOST : 0;
	attr.exclude_callchain_kernel = event->is_memory;
	if (event->is_bare) {
		attr.exclude_callchain_user = 1;
		attr.sample_type &= ~(uint64_t)(PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER);
	}
	set_rate(perf, event, &attr);
	return attr;
}

/* More descriptors, as far as the system lets us; false if nothing more is to be had. */
static bool raise_descriptor_limit(void)
{
	struct rlimit limit;
	rlim_t before;

	if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
		return false;
	before = limit.rlim_cur;
	if (geteuid() == 0 && limit.rlim_max < 1u << 20)
		limit.rlim_max = 1u << 20;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) != 0) {
		getrlimit(RLIMIT_NOFILE, &limit);
		limit.rlim_cur = limit.rlim_max;
		if (setrlimit(RLIMIT_NOFILE, &limit) != 0)
			return false;
	}
	return limit.rlim_cur > before;
}

/* perf_event_open with the answers that do not depend on which event it is: an older kernel
 * that knows fewer fields, and too few descriptors. -1 leaves the cause in errno. */
static int open_patiently(struct perf_event_attr *attr, pid_t tid, int cpu)
{
	int fd = perf_event_open(attr, tid, cpu);

	if (fd < 0 && errno == E2BIG && attr->size < sizeof(*attr) &&
	    attr->size >= PERF_ATTR_SIZE_VER3)
		fd = perf_event_open(attr, tid, cpu);
	if (fd < 0 && errno == EMFILE) {
		if (raise_descriptor_limit())
			return perf_event_open(attr, tid, cpu);
		errno = EMFILE;
	}
	return fd;
}

/* `fix` changes the setting to a value that is enough. */
static bool fail_paranoid(struct wk_err *err, const char *what, enum wk_advice_key fix)
{
	char *self = wk_os_own_path();
	struct wk_buf program = { 0 };

	wk_buf_add_shell(&program, wk_str_c(self));
	wk_fail(err, WK_EPERM, WK_NOWHERE,
		"%s is not allowed: kernel.perf_event_paranoid is %d; run: %s, or give this "
		"program the right: %s %s",
		what, wk_perf_paranoid(), wk_advice(WK_ADVICE_LINUX, fix),
		wk_advice(WK_ADVICE_LINUX, WK_ADVICE_CAPABILITIES), wk_buf_text(&program));
	wk_buf_fini(&program);
	wk_free(self);
	return false;
}

static bool fail_no_right(const struct wk_perf_event *event, pid_t tid, int error_number,
			  struct wk_err *err)
{
	int paranoid = wk_perf_paranoid();

	if (tid == -1)
		return fail_paranoid(err, "recording the whole system", WK_ADVICE_SAMPLE_ALL);
	if (event && event->is_tracepoint)
		return fail_paranoid(err, "recording tracepoints", WK_ADVICE_TRACEPOINTS);
	if (event && !event->user && paranoid > 1)
		return fail_paranoid(err, "sampling kernel code", WK_ADVICE_SAMPLE_KERNEL);
	/* Levels above 2 are of Debian and Ubuntu; elsewhere they are as 2. */
	if (paranoid > 2)
		return fail_paranoid(err, "recording", WK_ADVICE_SAMPLE_USER);
	if (error_number == EPERM)
		return wk_fail(err, WK_EPERM, WK_NOWHERE,
			       "the system refuses perf_event_open: in a container, a seccomp "
			       "filter does so; allow that system call or give the container the "
			       "capability CAP_PERFMON");
	return wk_fail(err, WK_EPERM, WK_NOWHERE,
		       "process or thread %d may not be recorded by this user: it belongs to "
		       "another user or has more rights; run as root, or give the program the "
		       "capabilities cap_perfmon and cap_sys_ptrace",
		       (int)tid);
}

/* Why the kernel did not let us, in words for a person; `event` is NULL for the side-band. */
static bool fail_open(const struct wk_perf *perf, const struct wk_perf_event *event, pid_t tid,
		      int error_number, struct wk_err *err)
{
	const char *name = event ? event->name : "side-band";

	switch (error_number) {
	case EPERM:
	case EACCES:
		return fail_no_right(event, tid, error_number, err);
	case ENOENT:
	case EOPNOTSUPP:
	case ENODEV:
	case EINVAL:
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "this machine cannot sample \"%s\" (virtual machines often have no "
			       "hardware counters); cpu-clock and page-faults work everywhere",
			       name);
	case EMFILE:
	case ENFILE:
		return wk_fail(err, WK_EIO, WK_NOWHERE,
			       "too many open files: each thread needs %zu on each of %zu CPUs; "
			       "raise the limit with: ulimit -n",
			       perf->event_count + 1, perf->cpu_count);
	case ENOSYS:
		return wk_fail(err, WK_EUNSUPPORTED, WK_NOWHERE,
			       "this kernel has no perf_event_open");
	default:
		return wk_fail_os(err, error_number, "cannot sample \"%s\"", name);
	}
}

static uint64_t power_of_two(uint64_t wanted)
{
	uint64_t size = SMALLEST_RING;

	while (size < wanted && size < (uint64_t)1 << 30)
		size *= 2;
	return size;
}

/* All rings together lock no more memory than this. */
static uint64_t most_ring_bytes(size_t cpu_count)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	uint64_t most = MOST_RINGS;

	if (pages > 0 && page_bytes > 0 && (uint64_t)pages * (uint64_t)page_bytes / 32 < most)
		most = (uint64_t)pages * (uint64_t)page_bytes / 32;
	return most / (cpu_count ? cpu_count : 1);
}

bool wk_perf_counts_events(const struct wk_perf *perf)
{
	return perf->config.period > 0 || has_tracepoints(perf, false);
}

static bool has_samples(const struct wk_perf *perf)
{
	for (size_t i = 0; i < perf->event_count; i++)
		if (perf->events[i].type != PERF_TYPE_SOFTWARE ||
		    perf->events[i].config != PERF_COUNT_SW_DUMMY)
			return true;
	return false;
}

/* Space for a quarter of a second on a fully busy CPU. Mapping it takes time, so there is none for
 * samples that never come. */
static uint64_t choose_ring_bytes(const struct wk_perf *perf, size_t cpu_count)
{
	uint64_t rate = perf->config.frequency_hz ? perf->config.frequency_hz : 1000;
	uint64_t record = 512 + (uint64_t)perf->layout.stack_bytes;
	uint64_t most = most_ring_bytes(cpu_count), wanted;

	if (perf->config.ring_bytes)
		return power_of_two(perf->config.ring_bytes);
	if (rate > 100000)
		rate = 100000;
	wanted = has_samples(perf) ? rate * record * perf->event_count / 4 : 0;
	if (wanted < 512u << 10)
		wanted = 512u << 10;
	if (wanted > LARGEST_RING)
		wanted = LARGEST_RING;
	if (wk_perf_counts_events(perf) || has_tracepoints(perf, true))
		wanted = LARGEST_COUNTED_RING;
	/* Rounded to the nearer power of two. */
	wanted = power_of_two(wanted * 3 / 4);
	while (wanted > most && wanted > SMALLEST_RING)
		wanted /= 2;
	return wanted;
}

static void close_rings(struct wk_perf *perf)
{
	for (size_t i = 0; i < perf->cpu_count; i++) {
		wk_ring_unmap(&perf->cpus[i].ring);
		close(perf->cpus[i].owner);
	}
	perf->cpu_count = 0;
}

/* The kernel's registers have the size of a word each, as all before the call chain. */
static void describe_samples(struct wk_ring *ring, const struct wk_perf *perf)
{
	const struct wk_layout *layout = &perf->layout;
	bool has_period = layout->sample_type & PERF_SAMPLE_PERIOD;

	if (layout->stack_bytes)
		ring->fixed_bytes =
			(uint32_t)sizeof(struct perf_event_header) + 8 * (has_period ? 6 : 5);
	ring->register_bytes = 8 * (uint32_t)__builtin_popcountll(layout->registers);
	ring->sp_place = layout->sp_place;
	ring->has_chain = layout->has_chain;
	ring->with_fields = &perf->with_fields;
}

/* An owner and its ring on each of the CPUs; errno is 0 if it was not the mapping that failed. */
static bool open_rings(struct wk_perf *perf, const uint32_t *cpus, size_t count, struct wk_err *err)
{
	for (size_t i = 0; i < count; i++) {
		struct perf_event_attr attr = base_attr(perf);
		struct wk_perf_cpu *cpu = &perf->cpus[i];

		*cpu = (struct wk_perf_cpu){ .cpu = cpus[i] };
		cpu->owner = open_patiently(&attr, 0, (int)cpu->cpu);
		if (cpu->owner < 0) {
			fail_open(perf, NULL, 0, errno, err);
			errno = 0;
			return false;
		}
		perf->cpu_count = i + 1;
		if (!wk_ring_map(&cpu->ring, cpu->owner, perf->config.ring_bytes))
			return false;
		describe_samples(&cpu->ring, perf);
	}
	return true;
}

/* Ordinary users may lock little memory: use smaller rings rather than none. The owners are opened
 * again, because they define when a ring is full enough to wake the reader. */
static bool open_what_may_be(struct wk_perf *perf, const uint32_t *cpus, size_t count,
			     struct wk_err *err)
{
	while (!open_rings(perf, cpus, count, err)) {
		int cause = errno;

		close_rings(perf);
		if (cause == 0)
			return false;
		if ((cause != EPERM && cause != ENOMEM) || perf->config.ring_bytes <= SMALLEST_RING)
			return wk_fail_os(err, cause,
					  "cannot map a ring of %llu KiB for each of %zu CPUs; "
					  "raise sysctl kernel.perf_event_mlock_kb or ulimit -l",
					  (unsigned long long)perf->config.ring_bytes >> 10, count);
		perf->config.ring_bytes /= 2;
	}
	return true;
}

bool wk_perf_open_rings(struct wk_perf *perf, struct wk_err *err)
{
	uint32_t *online;
	size_t count = wk_cpus_online(&online);
	uint64_t wanted = choose_ring_bytes(perf, count);
	bool ok;

	perf->config.ring_bytes = perf->wanted_ring_bytes = wanted;
	perf->cpus = wk_alloc_zeroed(count, sizeof(*perf->cpus));
	ok = open_what_may_be(perf, online, count, err);
	wk_free(online);
	if (ok && perf->config.ring_bytes < wanted / 4)
		wk_buf_add_fmt(&perf->notices,
			       "the buffer of a CPU is %llu KiB instead of %llu KiB, so samples "
			       "may be lost: raise sysctl kernel.perf_event_mlock_kb or "
			       "ulimit -l\n",
			       (unsigned long long)perf->config.ring_bytes >> 10,
			       (unsigned long long)wanted >> 10);
	return ok;
}

static bool is_cycles(const struct wk_perf_event *event)
{
	return event->type == PERF_TYPE_HARDWARE && event->config == PERF_COUNT_HW_CPU_CYCLES;
}

static void use_cpu_clock(struct wk_perf *perf, struct wk_perf_event *event)
{
	bool was_asked = !perf->config.may_use_cpu_clock;
	const char *colon = strchr(event->name, ':');
	char modifiers[WK_PERF_NAME_MAX] = "";

	if (colon)
		memcpy(modifiers, colon, strlen(colon) + 1);
	event->type = PERF_TYPE_SOFTWARE;
	event->config = PERF_COUNT_SW_CPU_CLOCK;
	event->unit = "ns";
	event->precise = 0;
	wk_buf_add_fmt(&perf->notices,
		       "this machine has no hardware counters: sampling cpu-clock%s\n",
		       was_asked ? " instead of cycles" : "");
	snprintf(event->name, sizeof(event->name), "cpu-clock%.*s", 16, modifiers);
	limit_clock(perf, event);
}

/* Has the recording samples of CPU time and the like? The addresses of page faults are those of
 * --memory. */
static bool samples_code(const struct wk_perf *perf)
{
	for (size_t i = 0; i < perf->event_count; i++) {
		const struct wk_perf_event *event = &perf->events[i];

		bool is_dummy =
			event->type == PERF_TYPE_SOFTWARE && event->config == PERF_COUNT_SW_DUMMY;

		if (!event->is_tracepoint && !event->has_address && !is_dummy)
			return true;
	}
	return false;
}

static void give_up_kernel(struct wk_perf *perf)
{
	perf->config.user_only = true;
	perf->kernel_refused = true;
	if (!samples_code(perf))
		return;
	wk_buf_add_fmt(&perf->notices,
		       "kernel code is not sampled: kernel.perf_event_paranoid is %d; to see it "
		       "run: %s, or give wick the capability cap_perfmon\n",
		       wk_perf_paranoid(), wk_advice(WK_ADVICE_LINUX, WK_ADVICE_SAMPLE_KERNEL));
}

/* Fields may contain what is not the user's to see. */
static void give_up_fields(struct wk_perf *perf, struct wk_perf_event *event)
{
	event->has_fields = false;
	wk_buf_add_fmt(&perf->notices,
		       "the fields of %s are not recorded: kernel.perf_event_paranoid is %d; to "
		       "record them run: %s, or give wick the capability cap_perfmon\n",
		       event->name, wk_perf_paranoid(),
		       wk_advice(WK_ADVICE_LINUX, WK_ADVICE_TRACEPOINTS));
}

/* Requests less after the kernel rejected `event`; false if nothing is left to drop. Only the first
 * event of a kind gets here: later ones are opened as the first could be. */
static bool ask_for_less(struct wk_perf *perf, struct wk_perf_event *event, int error_number)
{
	bool no_right = error_number == EACCES || error_number == EPERM;
	bool not_there = error_number == ENOENT || error_number == ENODEV ||
			 error_number == EOPNOTSUPP || error_number == EINVAL;

	if (no_right && event->has_fields) {
		give_up_fields(perf, event);
		return true;
	}
	if (no_right && !perf->config.user_only && event->user && !event->is_tracepoint) {
		give_up_kernel(perf);
		return true;
	}
	if (not_there && error_number != ENOENT && event->precise) {
		event->precise--;
		return true;
	}
	if (not_there && is_cycles(event)) {
		use_cpu_clock(perf, event);
		return true;
	}
	return false;
}

static bool keep(struct wk_perf *perf, const struct wk_perf_cpu *cpu, int fd, size_t source,
		 struct wk_err *err)
{
	uint64_t id;

	assert(perf->fd_count < perf->fd_cap);
	perf->fds[perf->fd_count++] = (struct wk_perf_fd){ fd, (uint32_t)source };
	if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, cpu->owner) != 0)
		return wk_fail_os(err, errno, "cannot send the events of CPU %u to its ring",
				  cpu->cpu);
	if (!source)
		return true;
	if (ioctl(fd, PERF_EVENT_IOC_ID, &id) != 0)
		return wk_fail_os(
			err, errno,
			"cannot get the id that distinguishes the samples of several events "
			"(Linux 3.12 has it); record one event at a time with -e");
	wk_map_set(&perf->sources, id, (uint32_t)source);
	if (perf->events[source - 1].has_address)
		wk_map_set(&perf->with_fields, id, WK_FIELDS_ADDRESS);
	else if (perf->events[source - 1].has_fields)
		wk_map_set(&perf->with_fields, id,
			   perf->events[source - 1].is_bare ? WK_FIELDS_ALONE
							    : WK_FIELDS_AND_STACK);
	return true;
}

static enum wk_perf_opened open_failed(const struct wk_perf *perf,
				       const struct wk_perf_event *event, pid_t tid,
				       int error_number, struct wk_err *err)
{
	if (error_number == ESRCH)
		return WK_OPEN_GONE;
	fail_open(perf, event, tid, error_number, err);
	return WK_OPEN_FAILED;
}

static enum wk_perf_opened open_side_band(struct wk_perf *perf, const struct wk_perf_cpu *cpu,
					  pid_t tid, struct wk_err *err)
{
	struct perf_event_attr attr = side_band_attr(perf, tid != -1);
	int fd = open_patiently(&attr, tid, (int)cpu->cpu);

	/* It is the first to be opened. */
	if (fd < 0 && errno == EINVAL && perf->knows_lost) {
		perf->knows_lost = false;
		attr.read_format = 0;
		fd = open_patiently(&attr, tid, (int)cpu->cpu);
	}
	if (fd < 0)
		return open_failed(perf, NULL, tid, errno, err);
	return keep(perf, cpu, fd, 0, err) ? WK_OPENED : WK_OPEN_FAILED;
}

/* Probes are of everything that runs: the kernel loses those of single threads whose parents end,
 * when it exchanges the events of threads that have the same. */
static int try_event(struct wk_perf *perf, const struct wk_perf_event *event, pid_t tid, int cpu,
		     bool on_exec)
{
	pid_t whose = perf->samples_cpus || event->is_heap ? -1 : tid;
	struct perf_event_attr attr = event_attr(perf, event, whose != -1, on_exec && whose != -1);
	int fd;

	attr.exclude_idle = perf->samples_cpus;
	attr.disabled = !event->is_heap;
	fd = open_patiently(&attr, whose, cpu);
	if (fd >= 0 && perf->samples_cpus && !wk_family_filter(&perf->family, fd)) {
		close(fd);
		fd = -1;
		errno = EPERM;
	}
	if (fd >= 0 || !perf->samples_cpus || perf->is_settled ||
	    (errno != EACCES && errno != EPERM))
		return fd;
	perf->samples_cpus = false;
	return try_event(perf, event, tid, cpu, on_exec);
}

static enum wk_perf_opened open_event(struct wk_perf *perf, const struct wk_perf_cpu *cpu,
				      size_t number, pid_t tid, bool on_exec, struct wk_err *err)
{
	struct wk_perf_event *event = &perf->events[number];

	for (;;) {
		int fd = try_event(perf, event, tid, (int)cpu->cpu, on_exec);
		int cause = errno;

		if (fd >= 0)
			return keep(perf, cpu, fd, number + 1, err) ? WK_OPENED : WK_OPEN_FAILED;
		if (cause == ESRCH || perf->is_settled || !ask_for_less(perf, event, cause))
			return open_failed(perf, event, tid, cause, err);
	}
}

static enum wk_perf_opened open_on_cpu(struct wk_perf *perf, const struct wk_perf_cpu *cpu,
				       pid_t tid, bool on_exec, struct wk_err *err)
{
	size_t most = perf->fd_count + 1 + perf->event_count;
	enum wk_perf_opened opened;

	WK_RESERVE(perf->fds, perf->fd_cap, most);
	opened = open_side_band(perf, cpu, tid, err);
	for (size_t i = 0; i < perf->event_count && opened == WK_OPENED; i++)
		if (!perf->events[i].is_heap || !perf->has_probes)
			opened = open_event(perf, cpu, i, tid, on_exec, err);
	if (opened == WK_OPENED)
		perf->is_settled = true;
	return opened;
}

enum wk_perf_opened wk_perf_open_target(struct wk_perf *perf, pid_t tid, bool on_exec,
					struct wk_err *err)
{
	if (perf->has_family && !wk_family_add(&perf->family, tid))
		perf->samples_cpus = false;
	for (size_t i = 0; i < perf->cpu_count; i++) {
		enum wk_perf_opened opened = open_on_cpu(perf, &perf->cpus[i], tid, on_exec, err);

		if (opened != WK_OPENED)
			return opened;
	}
	perf->has_probes = true;
	return WK_OPENED;
}

static void emit_all(const struct wk_perf *perf, unsigned long request)
{
	for (size_t i = 0; i < perf->fd_count; i++)
		ioctl(perf->fds[i].fd, request, 0);
}

void wk_perf_enable(struct wk_perf *perf)
{
	emit_all(perf, PERF_EVENT_IOC_ENABLE);
}

void wk_perf_disable(struct wk_perf *perf)
{
	emit_all(perf, PERF_EVENT_IOC_DISABLE);
}

void wk_perf_leave_family(struct wk_perf *perf)
{
	if (perf->has_family)
		wk_family_close(&perf->family);
	perf->has_family = false;
}

void wk_perf_lost(const struct wk_perf *perf, uint64_t *lost)
{
	memset(lost, 0, (perf->event_count + 1) * sizeof(*lost));
	for (size_t i = 0; i < perf->fd_count && perf->knows_lost; i++) {
		uint64_t value[2]; /* count, lost */

		if (read(perf->fds[i].fd, value, sizeof(value)) == (ssize_t)sizeof(value))
			lost[perf->fds[i].source] += value[1];
	}
}

void wk_perf_close_after(struct wk_perf *perf, size_t count)
{
	while (perf->fd_count > count)
		close(perf->fds[--perf->fd_count].fd);
}

void wk_perf_close(struct wk_perf *perf)
{
	wk_perf_close_after(perf, 0);
	close_rings(perf);
	wk_perf_leave_family(perf);
}

void wk_perf_fini(struct wk_perf *perf)
{
	wk_perf_close(perf);
	WK_FREE_ALL(perf->fds, perf->cpus, perf->events);
	wk_map_fini(&perf->sources);
	wk_map_fini(&perf->with_fields);
	WK_BUF_FINI_ALL(&perf->notices, &perf->tracing_data);
	*perf = (struct wk_perf){ 0 };
}
