#include "record/recorder.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/bytes.h"
#include "base/mem.h"
#include "base/num.h"
#include "event/advice.h"
#include "os/os.h"
#include "record/attach.h"
#include "record/counters/process_counters.h"
#include "record/facts.h"
#include "record/heap/attach.h"
#include "record/heap/channels.h"
#include "record/heap/fairness.h"
#include "record/heap/library.h"
#include "record/launch.h"
#include "record/merge.h"
#include "record/parse.h"
#include "record/perf_open.h"
#include "record/probe.h"
#include "record/proc_scan.h"
#include "record/reader.h"
#include "record/tracefs.h"

#define DEFAULT_FREQUENCY_HZ 997 /* a prime, to stay out of step with periodic programs */
#define SMALL_STACK_BYTES    16384
#define CALL_STACK_BYTES     32768
#define PROBE_STACK_BYTES    8192
#define FEWEST_COPIES        16
#define HIGH_FREQUENCY_HZ    4000
#define QUEUE_BYTES          (16u << 20)
#define PROGRESS_NS          UINT64_C(250000000)
#define EXIT_CODE_TRIES      50

struct wk_recorder {
	struct wk_recorder_options options;
	pid_t *pids;
	struct wk_perf perf;
	struct wk_launch launch;
	struct wk_reader reader;
	struct wk_queue queue;
	struct wk_merge merge;
	struct wk_parser parser;
	struct wk_heap_channels *heap;      /* NULL: not recorded */
	struct wk_heap_probes *heap_probes; /* NULL: none */
	struct wk_heap_attach *heap_attach; /* of processes that run already; or NULL */
	struct wk_buf heap_rows;
	uint64_t heap_bytes, heap_moved_ns;
	struct wk_process_counters *counters; /* NULL: not recorded */
	bool records_calls;                   /* that change address spaces, ... */
	bool hooks_calls;                     /* ... or else the heap library does */
	struct wk_err why_no_calls;           /* are recorded by tracepoints, or at all */
	uint64_t settled_ns;                  /* records until then were emitted */
	const struct wk_sink *sink;
	uint64_t *lost;         /* scratch of emit_losses */
	bool command_was_named; /* its first exec was seen */
	struct wk_undo *undo;
	int usual_priority;
	bool is_hurried;
};

static bool check_options(struct wk_recorder_options *options, struct wk_err *err)
{
	if (!options->command && !options->pid_count && !options->all_cpus)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "nothing to record: give a command, processes, or the whole system");
	if (options->command && !options->command[0])
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "the command to record is empty");
	if (!options->frequency_hz)
		options->frequency_hz = DEFAULT_FREQUENCY_HZ;
	if (options->stack_bytes > WK_MOST_STACK_BYTES)
		options->stack_bytes = WK_MOST_STACK_BYTES;
	options->stack_bytes = (options->stack_bytes + 7) & ~7u;
	return true;
}

static bool parse_events(const struct wk_recorder *recorder, struct wk_perf_event **events,
			 size_t *count, struct wk_err *err)
{
	const struct wk_recorder_options *options = &recorder->options;
	struct wk_perf_event memory;
	uint64_t id;
	size_t cap = 0;

	*events = NULL;
	*count = 0;
	for (size_t i = 0; i < options->event_count || *count == 0; i++) {
		const char *name = options->event_count ? options->events[i] : "cycles";

		if (!wk_perf_name_parse(wk_str_c(name), WK_APPEND(*events, *count, cap), err))
			return false;
	}
	for (size_t i = 0; wk_heap_probes_event_at(recorder->heap_probes, i, &memory); i++)
		*WK_APPEND(*events, *count, cap) = memory;
	if (!options->records_memory)
		return true;
	if (!wk_perf_name_parse(wk_str_c("page-faults"), WK_APPEND(*events, *count, cap), err))
		return false;
	(*events)[*count - 1].has_address = true;
	/* Some kernels do not have all of them. */
	for (size_t i = 0; recorder->records_calls && wk_perf_name_memory_at(i, &memory); i++)
		if (wk_tracepoint_id(memory.system, memory.point, &id, NULL))
			*WK_APPEND(*events, *count, cap) = memory;
	return true;
}

/* If they are not needed, `why` says why there are none. */
static bool make_heap_probes(struct wk_recorder *recorder, struct wk_err *why, struct wk_err *err)
{
	const struct wk_recorder_options *options = &recorder->options;

	if (!options->heap_probe_count)
		return true;
	recorder->heap_probes = wk_heap_probes_new(options->heap_probes, options->heap_probe_count,
						   options->needs_heap_probes ? err : why);
	return recorder->heap_probes || !options->needs_heap_probes;
}

static void report_heap_probes(struct wk_recorder *recorder, const struct wk_err *why)
{
	const struct wk_recorder_options *options = &recorder->options;
	struct wk_buf *notices = &recorder->perf.notices;

	if (options->heap_patch_count) {
		wk_buf_add_fmt(notices, "the allocator of %s is recorded by patching ",
			       options->heap_patched[0]);
		wk_num_add_counted(notices, options->heap_patch_count, " function", " functions");
		wk_buf_add_char(notices, '\n');
	}
	if (recorder->heap_probes) {
		wk_buf_add_fmt(notices, "the allocator of %s is recorded by uprobes on ",
			       options->heap_probes[0].path);
		wk_num_add_counted(notices, options->heap_probe_count, " function", " functions");
		wk_buf_add_text(notices, ": a call takes some microseconds more");
		if (options->why_heap_probes)
			wk_buf_add_fmt(notices, " (%s)", options->why_heap_probes);
		wk_buf_add_char(notices, '\n');
	} else if (options->heap_probe_count) {
		wk_buf_add_fmt(notices, "the allocator of %s is not recorded: %s\n",
			       options->heap_probes[0].path, why->text);
	}
}

/* Which way is used, and what it does not see. */
static void add_calls_notice(struct wk_recorder *recorder)
{
	const struct wk_err *why = &recorder->why_no_calls;

	if (!recorder->options.records_memory || recorder->records_calls)
		return;
	if (recorder->hooks_calls)
		wk_buf_add_fmt(&recorder->perf.notices,
			       "memory calls are recorded by %s, without those of static "
			       "programs: %s\n",
			       WK_HEAP_LIBRARY_NAME,
			       why->code == WK_EPERM ? "only root can use tracepoints" : why->text);
	else
		wk_buf_add_fmt(
			&recorder->perf.notices,
			"page faults are sampled, but calls that map memory are not recorded: "
			"%s\n",
			why->text);
}

static bool init_perf(struct wk_recorder *recorder, struct wk_err *err)
{
	const struct wk_recorder_options *options = &recorder->options;
	bool wants_stacks = options->call_graph == WK_CALL_GRAPH_AUTO ||
			    options->call_graph == WK_CALL_GRAPH_DWARF;
	bool has_stacks = wants_stacks && wk_machine_here() != WK_MACHINE_UNKNOWN;
	struct wk_perf_event *events = NULL;
	struct wk_perf_config config = {
		.may_use_cpu_clock = options->event_count == 0,
		.frequency_hz = options->period ? 0 : options->frequency_hz,
		.period = options->period,
		.user_only = options->user_only,
		.has_chain = options->call_graph != WK_CALL_GRAPH_NONE,
		.may_sample_cpus = options->command != NULL,
		.stack_bytes = !has_stacks	      ? 0
			       : options->stack_bytes ? options->stack_bytes
						      : WK_MOST_STACK_BYTES,
		.ring_bytes = options->ring_bytes,
	};
	struct wk_err why_no_probes = { 0 };
	bool ok = make_heap_probes(recorder, &why_no_probes, err);

	recorder->records_calls =
		options->records_memory && wk_record_may_trace_memory(&recorder->why_no_calls);
	recorder->hooks_calls =
		options->records_memory && !recorder->records_calls && !options->all_cpus;
	ok = ok && parse_events(recorder, &events, &config.event_count, err);

	config.events = events;
	ok = ok && wk_perf_init(&recorder->perf, &config, err);
	wk_free(events);
	if (ok)
		report_heap_probes(recorder, &why_no_probes);
	if (ok && wants_stacks && !has_stacks)
		wk_buf_add_text(&recorder->perf.notices,
				"call chains by frame pointers only: copies of stacks cannot be "
				"unwound on this machine\n");
	return ok;
}

/* How many copies a ring should have space for: at high rates, those of 50 ms. */
static uint64_t fewest_copies(const struct wk_perf *perf)
{
	uint64_t copies = perf->config.frequency_hz / 20;

	return perf->config.frequency_hz > HIGH_FREQUENCY_HZ && copies > FEWEST_COPIES
		       ? copies
		       : FEWEST_COPIES;
}

/* Ordinary users may lock little memory, and high rates need much. A copy takes its full size in a
 * ring, and what is cut can be read from the process, but what is lost cannot. */
static void limit_stacks(struct wk_recorder *recorder)
{
	struct wk_perf *perf = &recorder->perf;
	uint32_t *bytes = &perf->layout.stack_bytes;

	if (!recorder->options.stack_bytes && wk_perf_counts_events(perf) &&
	    *bytes > SMALL_STACK_BYTES)
		*bytes = SMALL_STACK_BYTES;
	if (!recorder->options.stack_bytes && recorder->heap_probes && *bytes > PROBE_STACK_BYTES)
		*bytes = PROBE_STACK_BYTES;
	/* Lost calls are worse than cut stacks, but compilers have deep ones. */
	if (!recorder->options.stack_bytes && recorder->records_calls && *bytes > CALL_STACK_BYTES)
		*bytes = CALL_STACK_BYTES;
	while (!recorder->options.stack_bytes && *bytes > SMALL_STACK_BYTES &&
	       perf->config.ring_bytes / *bytes < fewest_copies(perf))
		*bytes = *bytes / 2 & ~7u;
}

static bool open_targets(struct wk_recorder *recorder, struct wk_err *err)
{
	const struct wk_recorder_options *options = &recorder->options;
	bool ok = true;

	if (options->all_cpus)
		return wk_perf_open_target(&recorder->perf, -1, false, err) == WK_OPENED;
	for (size_t i = 0; i < options->pid_count && ok; i++)
		ok = wk_attach(&recorder->perf, recorder->pids[i], err);
	if (options->pid_count)
		return ok;
	switch (wk_perf_open_target(&recorder->perf, recorder->launch.pid, true, err)) {
	case WK_OPENED:
		return true;
	case WK_OPEN_GONE:
		return wk_fail(err, WK_EIO, WK_NOWHERE, WK_LAUNCH_ENDED_EARLY);
	case WK_OPEN_FAILED:
		break;
	}
	return false;
}

/* The name of the process with the given arguments; needed when an exec is seen. */
static void ask_command_line(void *context, uint32_t pid, struct wk_str name, struct wk_buf *out)
{
	struct wk_recorder *recorder = context;
	struct wk_buf now = { 0 };

	if (pid == (uint32_t)recorder->launch.pid && !recorder->command_was_named) {
		recorder->command_was_named = true;
		for (char *const *word = recorder->options.command; *word; word++) {
			wk_buf_add_text(out, word == recorder->options.command ? "" : " ");
			wk_buf_add_text(out, *word);
		}
		return;
	}
	/* It may have ended since, or may run yet another program: then nothing is emitted. */
	if (wk_proc_command_line((pid_t)pid, out) &&
	    (!wk_proc_name((pid_t)pid, &now) || !wk_str_eq(wk_buf_str(&now), name)))
		wk_buf_reset(out);
	wk_buf_fini(&now);
}

static int code_of(int wait_status)
{
	return WIFSIGNALED(wait_status) ? 128 + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

/* The record of its end comes a moment before the process can be waited for. */
static bool ask_exit_code(void *context, uint32_t pid, int *code)
{
	struct wk_recorder *recorder = context;
	struct timespec moment = { .tv_nsec = 1000000 };

	if (!recorder->launch.pid || pid != (uint32_t)recorder->launch.pid)
		return false;
	for (int i = 0; i < EXIT_CODE_TRIES; i++) {
		if (wk_launch_ended(&recorder->launch, false)) {
			*code = code_of(recorder->launch.wait_status);
			return true;
		}
		nanosleep(&moment, NULL);
	}
	return false;
}

/* Events that are counted one by one come faster than they are unwound: their queue grows. A clock
 * that is too fast loses samples instead of taking the machine's memory. */
static uint64_t most_queue_bytes(const struct wk_recorder *recorder)
{
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
	uint64_t most =
		pages > 0 && page_bytes > 0 ? (uint64_t)pages * (uint64_t)page_bytes / 8 : 0;

	return (wk_perf_counts_events(&recorder->perf) || recorder->heap_probes) &&
			       most > QUEUE_BYTES
		       ? most
		       : QUEUE_BYTES;
}

static void prepare_stages(struct wk_recorder *recorder)
{
	struct wk_parser_asks asks = {
		.command_line = ask_command_line,
		.exit_code = ask_exit_code,
		.context = recorder,
	};
	uint64_t rings = recorder->perf.config.ring_bytes * recorder->perf.cpu_count;
	uint64_t most = most_queue_bytes(recorder);

	wk_parser_init(&recorder->parser, &recorder->perf.layout, &recorder->perf.sources, &asks);
	if (recorder->perf.with_fields.count)
		recorder->parser.with_fields = &recorder->perf.with_fields;
	recorder->parser.kernel_counts_lost = recorder->perf.knows_lost;
	recorder->parser.drops_strangers = recorder->heap_probes;
	recorder->lost = wk_alloc_zeroed(recorder->perf.event_count + 1, sizeof(*recorder->lost));
	recorder->queue.limit_bytes = (size_t)(rings > most ? rings : most);
	recorder->reader.perf = &recorder->perf;
	recorder->reader.queue = &recorder->queue;
	recorder->reader.command = recorder->launch.pid;
	recorder->reader.pids = recorder->pids;
	recorder->reader.pid_count = recorder->options.pid_count;
	recorder->reader.duration_ns = recorder->options.duration_ns;
	recorder->reader.on_full_stack = recorder->options.on_full_stack;
	recorder->reader.find_stack_end = recorder->options.find_stack_end;
	recorder->reader.stack_context = recorder->options.stack_context;
}

static bool has_pid(const pid_t *pids, size_t count, pid_t pid)
{
	for (size_t i = 0; i < count; i++)
		if (pids[i] == pid)
			return true;
	return false;
}

/* A process that is named twice, or by several of its threads, would be counted twice. */
static void copy_pids(struct wk_recorder *recorder)
{
	struct wk_recorder_options *options = &recorder->options;
	size_t given = options->pid_count;

	recorder->pids = wk_alloc(given * sizeof(*recorder->pids));
	options->pid_count = 0;
	for (size_t i = 0; i < given; i++) {
		pid_t pid = wk_proc_of_thread(options->pids[i]);

		if (!has_pid(recorder->pids, options->pid_count, pid))
			recorder->pids[options->pid_count++] = pid;
	}
}

static void copy_options(struct wk_recorder *recorder, const struct wk_recorder_options *options)
{
	size_t size = options->size < sizeof(*options) ? options->size : sizeof(*options);

	memcpy(&recorder->options, options, size);
	copy_pids(recorder);
}

/* Samples of kernel code are worth little without names: better said before than after. */
static void emit_hidden_kernel(struct wk_perf *perf)
{
	if (!perf->config.user_only && wk_facts_kernel_is_hidden())
		wk_buf_add_fmt(&perf->notices,
			       "functions of the kernel will have no names: kernel.kptr_restrict "
			       "hides where they are; to see them run: %s\n",
			       wk_advice(WK_ADVICE_LINUX, WK_ADVICE_SHOW_KERNEL));
}

/* Their mappings are readable if those of the first process are; root may read those of others
 * even where it may not read that one's. */
static void emit_hidden_processes(struct wk_recorder *recorder)
{
	struct wk_buf text = { 0 };

	if (recorder->options.all_cpus && geteuid() != 0 &&
	    !wk_os_read_small("/proc/1/maps", &text))
		wk_buf_add_text(&recorder->perf.notices,
				"stacks and functions of other users' processes will be unknown: "
				"only root can read what those have mapped\n");
	wk_buf_fini(&text);
}

static void end_hurry(struct wk_recorder *recorder)
{
	if (recorder->is_hurried)
		setpriority(PRIO_PROCESS, 0, recorder->usual_priority);
	recorder->is_hurried = false;
}

/* All but the memory. */
static void release(struct wk_recorder *recorder)
{
	end_hurry(recorder);
	wk_reader_join(&recorder->reader);
	wk_launch_fini(&recorder->launch);
	wk_perf_close(&recorder->perf);
	wk_heap_probes_free(recorder->heap_probes);
	recorder->heap_probes = NULL;
	if (recorder->reader.wake_fd >= 0)
		close(recorder->reader.wake_fd);
}

static void release_undone(struct wk_undo *undo)
{
	release(undo->at);
}

/* An empty round, for the worker to come for the heap's rows. */
static void wake_worker(void *context)
{
	struct wk_recorder *recorder = context;

	wk_queue_put(&recorder->queue, &(struct wk_round){ 0 }, true);
}

static unsigned moments_of(const struct wk_recorder_options *options)
{
	return (options->snapshots_at_exit ? WK_HEAP_MOMENT_EXIT : 0u) |
	       (options->snapshots_at_peak ? WK_HEAP_MOMENT_PEAK : 0u) |
	       (options->snapshot_over_bytes ? WK_HEAP_MOMENT_OVER : 0u);
}

/* Probes do for processes that run already. */
static bool attaches_heap(const struct wk_recorder *recorder)
{
	return recorder->options.pid_count && !recorder->heap_probes;
}

static bool prepare_heap(struct wk_recorder *recorder, struct wk_err *err)
{
	struct wk_heap_channels_options options = {
		.records = (recorder->options.records_heap ? WK_CHANNEL_HEAP : 0u) |
			   (recorder->hooks_calls ? WK_CHANNEL_MEMORY : 0u),
		.snapshot_every_ns = recorder->options.snapshot_every_ns,
		.has_other_heaps = recorder->heap_probes != NULL,
		.patches = recorder->options.heap_patches,
		.patch_count = recorder->options.heap_patch_count,
		.moments = moments_of(&recorder->options),
		.over_bytes = recorder->options.snapshot_over_bytes,
		.when_full = recorder->options.drops_heap_events ? WK_CHANNEL_DROP
								 : WK_CHANNEL_BLOCK,
		.spills = recorder->options.spills_heap_events,
		.sample_bytes = recorder->options.heap_sample_bytes,
		.seed = recorder->options.heap_seed,
		.on_rows = wake_worker,
		.context = recorder,
	};

	recorder->heap = wk_heap_channels_new(&options, err);
	if (recorder->heap && attaches_heap(recorder))
		recorder->heap_attach =
			wk_heap_attach_new(recorder->pids, recorder->options.pid_count, err);
	return recorder->heap && (!attaches_heap(recorder) || recorder->heap_attach);
}

/* Memory calls without the heap: page faults are better than no recording. */
static bool prepare_hooks(struct wk_recorder *recorder)
{
	struct wk_buf library = { 0 };
	struct wk_err why = { 0 };
	bool ok = wk_heap_library_find(&library, &why) && prepare_heap(recorder, &why);

	wk_buf_fini(&library);
	if (ok)
		return true;
	wk_heap_channels_free(recorder->heap);
	recorder->heap = NULL;
	if (!recorder->options.pid_count)
		return false;
	recorder->why_no_calls = (struct wk_err){ 0 };
	return wk_fail(&recorder->why_no_calls, why.code, WK_NOWHERE,
		       "%s; root needs no library in the program", why.text);
}

/* A program finds the heap's recorder by its environment. */
static bool prepare_command(struct wk_recorder *recorder, struct wk_err *err)
{
	struct wk_launch_how how = { .folder = recorder->options.folder,
				     .to_stderr = recorder->options.command_to_stderr };
	struct wk_buf library = { 0 }, preload = { 0 }, channel = { 0 }, sanitizer = { 0 };
	bool ok = !recorder->heap || wk_heap_library_find(&library, err);

	if (ok && recorder->heap) {
		wk_heap_library_preload(wk_buf_text(&library), &preload);
		wk_buf_add_fmt(&channel, "%s=%s", WK_HEAP_VARIABLE,
			       wk_heap_channels_name(recorder->heap));
		how.variables[0] = preload.at;
		wk_heap_library_sanitizer(&sanitizer);
		how.variables[1] = channel.at;
		how.variables[2] = sanitizer.at;
	}
	ok = ok && wk_launch_prepare(&recorder->launch, recorder->options.command, &how, err);
	WK_BUF_FINI_ALL(&library, &preload, &channel, &sanitizer);
	return ok;
}

struct wk_recorder *wk_recorder_new(const struct wk_recorder_options *options, struct wk_err *err)
{
	struct wk_recorder *recorder = wk_alloc_zeroed(1, sizeof(*recorder));

	copy_options(recorder, options);
	wk_queue_init(&recorder->queue, QUEUE_BYTES);
	recorder->launch = (struct wk_launch){ .go_fd = -1, .failure_fd = -1 };
	recorder->reader.wake_fd = -1;
	recorder->undo = wk_undo_new();
	wk_undo_arm(recorder->undo, release_undone, recorder, 0);
	recorder->reader.wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (recorder->reader.wake_fd < 0) {
		wk_fail_os(err, errno, "cannot make an eventfd");
		goto fail;
	}
	if (!check_options(&recorder->options, err) || !init_perf(recorder, err))
		goto fail;
	if (recorder->options.records_heap && !prepare_heap(recorder, err))
		goto fail;
	if (recorder->hooks_calls && !recorder->heap)
		recorder->hooks_calls = prepare_hooks(recorder);
	add_calls_notice(recorder);
	/* Before limits are raised and rings are mapped: the child shall not inherit those. */
	if (recorder->options.command && !prepare_command(recorder, err))
		goto fail;
	if (!wk_perf_open_rings(&recorder->perf, err))
		goto fail;
	limit_stacks(recorder);
	if (!open_targets(recorder, err))
		goto fail;
	emit_hidden_kernel(&recorder->perf);
	emit_hidden_processes(recorder);
	prepare_stages(recorder);
	if (recorder->options.records_memory)
		recorder->counters = wk_process_counters_new();
	return recorder;
fail:
	wk_recorder_free(recorder);
	return NULL;
}

const char *wk_recorder_notices(const struct wk_recorder *recorder)
{
	return wk_buf_text(&recorder->perf.notices);
}

bool wk_recorder_hooks_calls(const struct wk_recorder *recorder)
{
	return recorder->hooks_calls;
}

/* All records pass through here, so that the parser knows which threads existed before. */
static bool handle_seen(void *context, const struct wk_event *event, struct wk_err *err)
{
	struct wk_recorder *recorder = context;

	if (event->kind == WK_EVENT_THREAD)
		wk_parser_knows(&recorder->parser, event->pid, event->tid);
	return wk_sink_emit(recorder->sink, event, err);
}

static bool emit_sources(struct wk_recorder *recorder, struct wk_err *err)
{
	for (size_t i = 0; i < recorder->perf.event_count; i++) {
		const struct wk_perf_event *from = &recorder->perf.events[i];
		struct wk_event event = {
			.kind = WK_EVENT_SOURCE,
			.cpu = WK_NO_CPU,
			.source = {
				.source = (uint32_t)i + 1,
				.name = wk_str_c(from->name),
				.unit = wk_str_c(from->unit),
				.is_cpu_time = from->is_cpu_time,
				.details = from->has_address ? WK_DETAIL_ADDRESS : 0,
			},
		};

		if (from->has_fields) {
			event.source.tracing_data = wk_buf_str(&recorder->perf.tracing_data);
			event.source.trace_id = from->config;
		}

		if (!wk_sink_emit(recorder->sink, &event, err))
			return false;
	}
	return true;
}

/* All that has time 0: the machine, the sources, and what already runs. */
static bool emit_beginning(struct wk_recorder *recorder, struct wk_err *err)
{
	struct wk_sink seen = { .take = handle_seen, .context = recorder };
	bool ok = wk_facts_emit(&recorder->perf, &recorder->options, recorder->sink, err) &&
		  emit_sources(recorder, err) && wk_facts_emit_kernel(recorder->sink, err);

	if (recorder->options.all_cpus)
		return ok && wk_proc_scan_all(&seen, err);
	for (size_t i = 0; i < recorder->options.pid_count && ok; i++)
		ok = wk_proc_scan(recorder->pids[i], &seen, err);
	return ok;
}

static bool handle_record(void *context, const uint8_t *record, size_t size, uint64_t time_ns,
			  struct wk_err *err)
{
	struct wk_recorder *recorder = context;

	return wk_parse_record(&recorder->parser, record, size, time_ns, recorder->sink, err);
}

static bool emit_losses(struct wk_recorder *recorder, struct wk_err *err)
{
	wk_perf_lost(&recorder->perf, recorder->lost);
	return wk_losses_emit_new(&recorder->parser.losses, recorder->lost,
				  recorder->perf.event_count + 1, recorder->merge.last_ns,
				  recorder->sink, err);
}

/* So that a reader need not wait for more records before it reads the heap's events. */
static void add_settled(struct wk_buf *rows, uint64_t settled_ns)
{
	wk_buf_add_u32(rows, 1 + 8);
	wk_buf_add_char(rows, WK_HEAP_ROW_SETTLED);
	wk_buf_add_u64(rows, settled_ns);
}

#define HEAP_PART_BYTES (4u << 20)

/* In parts: many may have waited for the disk, and each part is copied some times. */
static bool emit_heap_rows(struct wk_recorder *recorder, struct wk_err *err)
{
	struct wk_event event = { .kind = WK_EVENT_HEAP_STREAM, .cpu = WK_NO_CPU };
	struct wk_bytes left =
		wk_bytes_of((const uint8_t *)recorder->heap_rows.at, recorder->heap_rows.len);
	bool ok = true;

	while (ok && wk_bytes_left(&left)) {
		const uint8_t *from = left.at;

		while (wk_bytes_left(&left) && left.at - from < HEAP_PART_BYTES)
			wk_bytes_skip(&left, wk_u32le(&left));
		event.heap_stream.rows = wk_str_of((const char *)from, (size_t)(left.at - from));
		ok = wk_sink_emit(recorder->sink, &event, err);
	}
	return ok;
}

/* What came of the heap's events, in front of the records of their time: the time until which
 * records may follow. */
static bool emit_heap(struct wk_recorder *recorder, uint64_t *until_ns, struct wk_err *err)
{
	*until_ns = UINT64_MAX;
	if (!recorder->heap)
		return true;
	*until_ns = wk_heap_channels_take(recorder->heap, &recorder->heap_rows);
	if (recorder->heap_rows.len && recorder->settled_ns)
		add_settled(&recorder->heap_rows, recorder->settled_ns);
	recorder->heap_bytes += recorder->heap_rows.len;
	if (recorder->heap_rows.len >= WK_HEAP_WORTH_BYTES)
		wk_heap_be_fair(&recorder->heap_moved_ns, wk_os_clock_ns());
	return emit_heap_rows(recorder, err);
}

/* In front of the very first rows stands what the program mapped before it: otherwise a disk that
 * is soon full would keep events without names. False: those records are yet to come. */
static bool begin_heap(struct wk_recorder *recorder, const struct wk_round *round, bool *ok,
		       struct wk_err *err)
{
	uint64_t first_ns;

	if (!recorder->heap || recorder->heap_bytes || round->is_last)
		return true;
	first_ns = wk_heap_channels_first_ns(recorder->heap);
	if (round->final_ns < first_ns) {
		wk_reader_want(&recorder->reader, first_ns);
		return false;
	}
	*ok = wk_merge_flush(&recorder->merge, first_ns, &recorder->queue, handle_record, recorder,
			     err);
	return true;
}

static bool handle_round(struct wk_recorder *recorder, const struct wk_round *round,
			 struct wk_err *err)
{
	uint64_t until_ns = UINT64_MAX;
	bool ok = true;

	for (struct wk_chunk *chunk = round->first, *next; chunk; chunk = next) {
		next = chunk->next;
		wk_merge_add(&recorder->merge, chunk);
		if (chunk->live == 0)
			wk_queue_release(&recorder->queue, chunk);
	}
	if (round->is_last && recorder->heap)
		wk_heap_channels_stop(recorder->heap);
	if (begin_heap(recorder, round, &ok, err))
		ok = ok && emit_heap(recorder, &until_ns, err);
	if (!ok)
		return false;
	if (round->is_last || round->final_ns < until_ns)
		until_ns = round->final_ns;
	if (until_ns > recorder->settled_ns)
		recorder->settled_ns = until_ns;
	return wk_merge_flush(&recorder->merge, until_ns, &recorder->queue, handle_record, recorder,
			      err);
}

static uint64_t elapsed_ns(const struct wk_recorder *recorder, uint64_t now_ns)
{
	uint64_t end_ns = atomic_load(&recorder->reader.end_ns);

	return (end_ns ? end_ns : now_ns) - recorder->reader.started_ns;
}

static struct wk_recorder_status status_of(const struct wk_recorder *recorder, uint64_t now_ns)
{
	return (struct wk_recorder_status){
		.samples = recorder->parser.counts.samples,
		.lost_samples = recorder->parser.losses.samples,
		.lost_records = recorder->parser.losses.records,
		.elapsed_ns = elapsed_ns(recorder, now_ns),
		.command_running = recorder->launch.pid &&
				   !atomic_load(&recorder->reader.command_ended),
	};
}

static uint64_t patience_ns(const struct wk_recorder *recorder)
{
	uint64_t pause_ns =
		recorder->counters ? wk_process_counters_pause_ns(recorder->counters) : PROGRESS_NS;

	return pause_ns < PROGRESS_NS ? pause_ns : PROGRESS_NS;
}

/* Its records may come only in some time. */
static uint32_t running_command(const struct wk_recorder *recorder)
{
	return recorder->launch.began && !atomic_load(&recorder->reader.command_ended)
		       ? (uint32_t)recorder->launch.pid
		       : 0;
}

/* The next time also of processes that have begun until now, however few records there are. */
static bool count_memory(struct wk_recorder *recorder, struct wk_err *err)
{
	if (wk_process_counters_pause_ns(recorder->counters))
		return true;
	if (!atomic_load(&recorder->reader.wanted_ns)) /* a later one would delay it */
		wk_reader_want(&recorder->reader, wk_os_clock_ns());
	return wk_process_counters_poll(recorder->counters, &recorder->parser.alive,
					running_command(recorder), recorder->sink, err);
}

static bool handle_rounds(struct wk_recorder *recorder,
			  void (*progress)(void *context, const struct wk_recorder_status *status),
			  void *context, struct wk_err *err)
{
	uint64_t told_ns = wk_os_clock_ns();
	bool is_last = false, ok = true;

	while (ok && !is_last) {
		struct wk_round *round = wk_queue_pop(&recorder->queue, patience_ns(recorder));
		uint64_t now_ns;

		wk_heap_check(); /* the reader may have run out of memory */
		if (round) {
			ok = handle_round(recorder, round, err) &&
			     (!recorder->parser.losses.announced || emit_losses(recorder, err));
			is_last = round->is_last;
			wk_queue_done(&recorder->queue, round);
		}
		if (ok && recorder->counters)
			ok = count_memory(recorder, err);
		now_ns = wk_os_clock_ns();
		if (progress && now_ns - told_ns >= PROGRESS_NS) {
			struct wk_recorder_status status = status_of(recorder, now_ns);

			progress(context, &status);
			told_ns = now_ns;
		}
	}
	return ok;
}

static bool emit_note(struct wk_recorder *recorder, uint64_t count, const char *one,
		      const char *several, struct wk_err *err)
{
	struct wk_buf text = { 0 };
	struct wk_event event = {
		.kind = WK_EVENT_NOTE,
		.time_ns = recorder->merge.last_ns,
		.cpu = WK_NO_CPU,
		.note = { .offset = WK_NOWHERE },
	};
	bool ok;

	if (count == 0)
		return true;
	wk_num_add_counted(&text, count, one, several);
	event.note.text = wk_buf_str(&text);
	ok = wk_sink_emit(recorder->sink, &event, err);
	wk_buf_fini(&text);
	return ok;
}

static bool emit_end(struct wk_recorder *recorder, struct wk_err *err)
{
	uint64_t broken = 0;

	for (size_t i = 0; i < recorder->perf.cpu_count; i++)
		broken += recorder->perf.cpus[i].ring.broken;
	return emit_losses(recorder, err) &&
	       wk_facts_emit_end(&recorder->launch, recorder->merge.last_ns, recorder->sink, err) &&
	       emit_note(recorder, recorder->merge.late,
			 " record came later than the order of time allows",
			 " records came later than the order of time allows", err) &&
	       emit_note(recorder, recorder->parser.counts.damaged,
			 " record of the kernel was damaged and left out",
			 " records of the kernel were damaged and left out", err) &&
	       emit_note(recorder, broken, " byte of the kernel's rings was not part of a record",
			 " bytes of the kernel's rings were not part of records", err);
}

/* Not after a Ctrl-C: the child has heard it as a rule, but a SIGTERM came to us alone. */
static bool let_command_go(struct wk_recorder *recorder, struct wk_err *err)
{
	if (atomic_load(&recorder->reader.stops))
		return wk_fail(err, WK_EIO, WK_NOWHERE, "interrupted");
	return wk_launch_go(&recorder->launch, recorder->options.command[0], err);
}

/* What is known at the beginning is in the file before the command runs: a recorder that is killed
 * soon leaves a recording. */
static bool begin(struct wk_recorder *recorder,
		  void (*progress)(void *context, const struct wk_recorder_status *status),
		  void *context, struct wk_err *err)
{
	struct wk_recorder_status status = status_of(recorder, wk_os_clock_ns());

	if (!emit_beginning(recorder, err))
		return false;
	if (progress)
		progress(context, &status);
	if (!recorder->launch.pid || recorder->perf.samples_cpus)
		wk_perf_enable(&recorder->perf);
	if (recorder->heap_attach &&
	    !wk_heap_attach_begin(recorder->heap_attach, wk_heap_channels_name(recorder->heap),
				  err))
		return false;
	return !recorder->launch.pid || let_command_go(recorder, err);
}

static bool is_of_a_clock(const struct wk_perf *perf)
{
	return perf->event_count == 1 && perf->events[0].is_cpu_time &&
	       strcmp(perf->events[0].unit, "ns") == 0;
}

static void fill_result(struct wk_recorder *recorder, struct wk_recorder_result *result)
{
	const struct wk_parser_counts *counts = &recorder->parser.counts;
	const struct wk_launch *launch = &recorder->launch;
	const struct wk_perf *perf = &recorder->perf;
	struct wk_heap_patched patched = { 0 };

	if (atomic_load(&recorder->reader.command_ended))
		wk_launch_ended(&recorder->launch, true);
	if (recorder->heap)
		patched = wk_heap_channels_patched(recorder->heap);
	*result = (struct wk_recorder_result){
		.samples = counts->samples,
		.lost_samples = recorder->parser.losses.samples,
		.lost_records = recorder->parser.losses.records,
		.throttled = counts->throttled,
		.elapsed_ns = elapsed_ns(recorder, wk_os_clock_ns()),
		.end_ns = atomic_load(&recorder->reader.end_ns),
		.has_command = recorder->launch.pid != 0,
		.command_began = recorder->launch.began,
		.command_running = recorder->launch.began && !recorder->launch.has_ended,
		.command_pid = recorder->launch.pid,
		.wait_status = recorder->launch.wait_status,
		.user_only = perf->config.user_only,
		.samples_cpus = perf->samples_cpus,
		.privileged = counts->privileged,
		.cpu_ns = launch->user_ns + (perf->config.user_only ? 0 : launch->system_ns),
		.sampled_ns = is_of_a_clock(perf) ? counts->cpu_ns : UINT64_MAX,
		.heap_processes = recorder->heap ? wk_heap_channels_processes(recorder->heap) : 0,
		.heap_bytes = recorder->heap_bytes,
		.heap_patched = patched.done,
		.heap_unpatched = patched.failed,
		.probes_heap = recorder->heap_probes != NULL,
		.counts_cpu_time = perf->events[0].is_cpu_time,
		.records_calls = recorder->records_calls || recorder->hooks_calls,
		.hooks_calls = recorder->hooks_calls,
		.counters = wk_process_counters_count(recorder->counters),
	};
}

/* On a machine with more runnable threads than processors, a recorder that waits for its turn loses
 * samples. It needs little time, but soon; if real-time priority is not allowed, it waits like
 * others. */
#define HURRY 10

static bool record(struct wk_recorder *recorder,
		   void (*progress)(void *context, const struct wk_recorder_status *status),
		   void *context, struct wk_err *err)
{
	bool ok;

	recorder->usual_priority = getpriority(PRIO_PROCESS, 0);
	recorder->is_hurried = setpriority(PRIO_PROCESS, 0, recorder->usual_priority - HURRY) == 0;
	/* The reader's thread begins with the priority of the one that starts it. */
	ok = (!recorder->heap || wk_heap_channels_start(recorder->heap, err)) &&
	     wk_reader_start(&recorder->reader, err);
	if (ok) {
		ok = begin(recorder, progress, context, err) &&
		     handle_rounds(recorder, progress, context, err);
		/* Otherwise it has nothing more to read, and takes a moment to end. */
		if (!ok) {
			wk_reader_cancel(&recorder->reader);
			wk_reader_join(&recorder->reader);
		}
	}
	end_hurry(recorder);
	return ok;
}

bool wk_recorder_run(struct wk_recorder *recorder, const struct wk_sink *sink,
		     void (*progress)(void *context, const struct wk_recorder_status *status),
		     void *context, struct wk_recorder_result *result, struct wk_err *err)
{
	bool ok;

	*result = (struct wk_recorder_result){ .has_command = recorder->launch.pid != 0 };
	recorder->sink = sink;
	recorder->reader.puts_empty_rounds = recorder->heap != NULL;
	recorder->reader.started_ns = wk_os_clock_ns();
	ok = record(recorder, progress, context, err);
	ok = ok && emit_end(recorder, err);
	fill_result(recorder, result);
	return ok;
}

void wk_recorder_stop(struct wk_recorder *recorder)
{
	wk_reader_stop(&recorder->reader);
}

void wk_recorder_signal(struct wk_recorder *recorder, int signal_number)
{
	if (recorder->launch.pid > 0 && !recorder->launch.has_ended && recorder->launch.go_fd < 0)
		kill(recorder->launch.pid, signal_number);
}

pid_t wk_recorder_command(const struct wk_recorder *recorder)
{
	const struct wk_launch *launch = &recorder->launch;

	return launch->began && !launch->has_ended ? launch->pid : 0;
}

void wk_recorder_free(struct wk_recorder *recorder)
{
	if (!recorder)
		return;
	release(recorder);
	wk_undo_free(recorder->undo);
	wk_merge_fini(&recorder->merge, &recorder->queue);
	wk_queue_fini(&recorder->queue);
	wk_parser_fini(&recorder->parser);
	wk_perf_fini(&recorder->perf);
	wk_heap_attach_free(recorder->heap_attach);
	wk_heap_channels_free(recorder->heap);
	wk_process_counters_free(recorder->counters);
	wk_buf_fini(&recorder->heap_rows);
	WK_FREE_ALL(recorder->pids, recorder->lost, recorder);
}
