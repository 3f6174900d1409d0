#include "cli/options/record_options.h"

#include <limits.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"
#include "cli/options/option_errors.h"

#define FEWEST_SNAPSHOT_NS 10000000

#define AT(field) offsetof(struct wk_record_args, field)

/* perf_event_attr.sample_stack_user is 16 bits wide, and a multiple of 8: the nearest to 64K. */

static const char *const call_graphs[] = { "auto", "dwarf", "fp", "none", NULL };

static const char *const heap_full[] = { "block", "spill", "drop", NULL };

/* For completion; -e takes any name that perf knows. */
static const char *const common_events[] = {
	"cycles", "instructions", "cache-misses", "branch-misses", "cpu-clock", "task-clock",
	"page-faults", "context-switches", "cpu-migrations", "list", NULL,
};

static const struct wk_opt options[] = {
	WK_VALUE('p', "pid", "PID[,PID...]", "record running processes with all their threads",
	  WK_OPT_LIST, AT(pids)),
	WK_FLAG('a', "all-cpus", "record the whole system", AT(all_cpus)),
	WK_VALUE('c', "count", "EVENTS", "sample every N events, instead of at a frequency",
	  WK_OPT_COUNT, AT(period)),
	WK_VALUE('F', "freq", "HZ", "samples per second on each CPU [default: 997]", WK_OPT_COUNT,
	  AT(frequency)),
	{ 'e', "event", "NAME[,NAME...]", "event to sample, by perf's name: cycles, page-faults, "
	  "sched:sched_switch, cpu/mem-loads/ ... `wick record -e list` lists all [default: "
	  "cycles, or cpu-clock without hardware counters]", WK_OPT_LIST, AT(events),
	  common_events },
	WK_VALUE(0, "duration", "TIME", "stop recording after TIME (10, 500ms, 2m); a command runs "
	  "to its end", WK_OPT_DURATION, AT(duration_ns)),
	{ 0, "call-graph", "HOW", "how to find stacks: dwarf (unwind tables), fp (frame pointers), "
	  "none, auto [default: auto, which is dwarf]", WK_OPT_CHOICE, AT(call_graph),
	  call_graphs },
	WK_VALUE(0, "stack-size", "SIZE", "bytes of each stack to copy, up to 64K; deeper frames "
	  "are read from the process [default: 64K, less above -F 4000; 16K with -c and "
	  "tracepoints]", WK_OPT_SIZE, AT(stack_bytes)),
	WK_FLAG(0, "no-embed", "do not store the names, lines and inlined calls of sampled code in "
	  "the recording, which then needs the same files to open", AT(no_embed)),
	WK_FLAG(0, "embed-symbols", "store them, which is the default", AT(embeds_symbols)),
	WK_VALUE(0, "buffer", "SIZE", "buffer between kernel and wick for each CPU, 64K to 256M "
	  "[default: by rate and stack size]", WK_OPT_SIZE, AT(ring_bytes)),
	WK_FLAG(0, "user-only", "do not record kernel code", AT(user_only)),
	WK_FLAG(0, "heap", "record each allocation and release of the command and its children, or "
	  "of running processes (-p), with stacks (allocators inside the program: --heap-symbols); no "
	  "samples, unless --cpu, -e or -F is given", AT(heap)),
	WK_VALUE(0, "heap-sample", "SIZE", "record only some of the blocks, on average one for each SIZE "
	  "bytes, and estimate the rest; 512K costs next to nothing", WK_OPT_SIZE, AT(heap_sample)),
	WK_VALUE(0, "heap-seed", "N", "choose the same blocks each time, if the program allocates the "
	  "same ones", WK_OPT_COUNT, AT(heap_seed)),
	{ 0, "heap-full", "HOW", "what a program does whose allocations come faster than they are "
	  "written: block (wait), spill (go on, and wick keeps them in memory), drop (leave out, "
	  "and count) [default: block]", WK_OPT_CHOICE,
	  AT(heap_full), heap_full },
	{ 0, "heap-symbols", "[LIST]", "also record an allocator that is inside the program (if it is linked "
	  "statically, as root); LIST has prefixes (mi_), NAME=malloc, NAME=free, files "
	  "[default: known allocators]", WK_OPT_MAYBE, AT(heap_symbols), NULL },
	WK_VALUE(0, "snapshot-every", "TIME", "with --heap, take a snapshot of all recorded heaps "
	  "each TIME (5s, 500ms)", WK_OPT_DURATION,
	  AT(snapshot_every_ns)),
	WK_FLAG(0, "snapshot-at-exit", "with --heap, a snapshot of each process as it ends: what it did "
	  "not free", AT(snapshot_at_exit)),
	WK_FLAG(0, "snapshot-at-peak", "with --heap, a snapshot of each process when it had the most",
	  AT(snapshot_at_peak)),
	WK_VALUE(0, "snapshot-over", "SIZE", "with --heap, a snapshot of each process when it first has "
	  "more than SIZE allocated (2G, 500M), and at each doubling of that", WK_OPT_SIZE,
	  AT(snapshot_over)),
	WK_FLAG(0, "memory", "record what the program's calls reserve, commit and release (mmap, brk "
	  "and so on), with stacks; no samples, unless --cpu, -e or -F is given", AT(memory)),
	WK_FLAG(0, "cpu", "sample CPU time: the default without --heap and --memory", AT(cpu)),
	{ 0 },
};

const struct wk_opt_group wk_record_group = { "Recording", options };
const struct wk_opt_group wk_sampling_group = { "Sampling", options + 3 };

/* The text up to the next comma that is not between slashes, as in cpu/event=0x3c,umask=1/; `text`
 * moves past it. */
static struct wk_str next_part(struct wk_str *text)
{
	struct wk_str part = { text->at, 0 };
	bool is_inside = false;

	for (; part.len < text->len && (is_inside || text->at[part.len] != ','); part.len++)
		is_inside ^= text->at[part.len] == '/';

	*text = wk_str_skip(*text, part.len + 1);
	return part;
}

/* The parts of all texts of a list, as texts of the plan. */
static struct wk_text_list split(struct wk_record_plan *plan, const struct wk_text_list *list)
{
	struct wk_text_list parts = { 0 };

	for (size_t i = 0; i < list->count; i++) {
		struct wk_str text = wk_str_c(list->at[i]);

		do
			wk_text_list_add(&parts, wk_arena_copy(&plan->texts, next_part(&text)).at);
		while (text.len);
	}
	return parts;
}

static bool plan_pids(struct wk_record_plan *plan, const struct wk_text_list *list,
		      struct wk_err *err)
{
	struct wk_text_list parts = split(plan, list);
	bool ok = true;

	plan->pids = wk_alloc_zeroed(parts.count, sizeof(*plan->pids));
	for (size_t i = 0; i < parts.count && ok; i++) {
		uint64_t pid;

		ok = (wk_num_u64(wk_str_c(parts.at[i]), &pid) && pid != 0 && pid <= INT_MAX) ||
		     wk_option_must_be("pid", parts.at[i],
				       "process numbers such as 1234 or 1234,5678", err);
		plan->pids[i] = ok ? (pid_t)pid : 0;
	}
	plan->options.pids = plan->pids;
	plan->options.pid_count = parts.count;
	wk_text_list_fini(&parts);
	return ok;
}

static bool plan_events(struct wk_record_plan *plan, const struct wk_text_list *list,
			bool has_samples, struct wk_err *err)
{
	plan->events = split(plan, list);
	/* An event that never happens. */
	if ((plan->options.records_heap || plan->options.records_memory) && !list->count &&
	    !has_samples)
		wk_text_list_add(&plan->events, WK_DUMMY_EVENT);
	for (size_t i = 0; i < plan->events.count; i++)
		if (!*plan->events.at[i])
			return wk_option_must_be("event", "",
						 "names such as cycles or page-faults,cycles", err);
	plan->options.events = plan->events.at;
	plan->options.event_count = plan->events.count;
	return true;
}

/* The kernel accepts no larger period, and reports only "invalid argument". A ring for less than
 * two stacks always loses some. */
static bool check_ranges(const struct wk_record_args *args, struct wk_err *err)
{
	if (args->snapshot_every_ns && args->snapshot_every_ns < FEWEST_SNAPSHOT_NS)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--snapshot-every must be 10ms or more");
	return wk_option_check_range("freq", args->frequency, 1, INT64_MAX, "less than 2^63",
				     err) &&
	       wk_option_check_range("count", args->period, 1, INT64_MAX, "less than 2^63", err) &&
	       wk_option_check_range("buffer", args->ring_bytes, 64 << 10, 256 << 20, "64K to 256M",
				     err) &&
	       wk_option_check_range("stack-size", args->stack_bytes, 1, 64 << 10,
				     "at most 64K, the most the kernel copies", err);
}

static enum wk_call_graph call_graph_of(const char *word)
{
	if (!word || strcmp(word, "auto") == 0)
		return WK_CALL_GRAPH_AUTO;
	if (strcmp(word, "dwarf") == 0)
		return WK_CALL_GRAPH_DWARF;
	return strcmp(word, "fp") == 0 ? WK_CALL_GRAPH_FRAME_POINTER : WK_CALL_GRAPH_NONE;
}

static const char *snapshot_option(const struct wk_record_args *args)
{
	return args->snapshot_every_ns  ? "snapshot-every"
	       : args->snapshot_at_exit ? "snapshot-at-exit"
	       : args->snapshot_at_peak ? "snapshot-at-peak"
	       : args->snapshot_over    ? "snapshot-over"
					: NULL;
}

static bool check_what(const struct wk_record_args *args, char *const *command, struct wk_err *err)
{
	if (command && !command[0])
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "no command after \"--\"");
	if (!command && !args->pids.count && !args->all_cpus)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "nothing to record: give a command after \"--\", a process "
			       "with -p, or -a for the whole system");
	if (args->pids.count && (command || args->all_cpus))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--pid records these processes only; it excludes %s",
			       command ? "a command" : "--all-cpus");
	if ((args->heap || args->heap_sample || args->heap_symbols) && args->all_cpus)
		return wk_fail(
			err, WK_EUSAGE, WK_NOWHERE,
			"--heap records a command or processes (-p), and excludes --all-cpus");
	if (snapshot_option(args) && !args->heap && !args->heap_sample && !args->heap_symbols)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--%s takes snapshots of heaps; it needs --heap",
			       snapshot_option(args));
	if (args->cpu && args->events.count)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--cpu samples the default event, and excludes --event");
	if (args->frequency && args->period)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--freq and --count exclude each other");
	if (args->no_embed && args->embeds_symbols)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--no-embed and --embed-symbols exclude each other");
	return true;
}

bool wk_record_plan_init(struct wk_record_plan *plan, const struct wk_record_args *args,
			 char *const *command, struct wk_err *err)
{
	*plan = (struct wk_record_plan){ .options = {
		.size = sizeof(plan->options),
		.command = command,
		.all_cpus = args->all_cpus,
		.user_only = args->user_only,
		.frequency_hz = args->frequency,
		.period = args->period,
		.duration_ns = args->duration_ns,
		.call_graph = call_graph_of(args->call_graph),
		.ring_bytes = args->ring_bytes,
		.records_heap = args->heap || args->heap_sample || args->heap_symbols,
		.heap_sample_bytes = args->heap_sample,
		.heap_seed = args->heap_seed,
		.records_memory = args->memory,
		.snapshot_every_ns = args->snapshot_every_ns,
		.snapshots_at_exit = args->snapshot_at_exit,
		.snapshots_at_peak = args->snapshot_at_peak,
		.snapshot_over_bytes = args->snapshot_over,
		.drops_heap_events = args->heap_full && strcmp(args->heap_full, "drop") == 0,
		.spills_heap_events = args->heap_full && strcmp(args->heap_full, "spill") == 0,
	} };
	if (!check_what(args, command, err) || !check_ranges(args, err))
		return false;
	plan->heap_symbols = args->heap_symbols;
	plan->embeds_symbols = !args->no_embed;
	plan->options.stack_bytes = (uint32_t)args->stack_bytes;
	if (!plan->options.frequency_hz && !plan->options.period)
		plan->options.frequency_hz = WK_DEFAULT_FREQUENCY_HZ;
	return !wk_record_args_want_list(args, err) && plan_pids(plan, &args->pids, err) &&
	       plan_events(plan, &args->events, args->cpu || args->frequency || args->period, err);
}

void wk_record_plan_fini(struct wk_record_plan *plan)
{
	wk_free(plan->pids);
	wk_text_list_fini(&plan->events);
	wk_arena_fini(&plan->texts);
	*plan = (struct wk_record_plan){ 0 };
}
