#include "cli/options/record_options.h"

#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/num.h"

#define AT(field) offsetof(struct wk_record_args, field)

/* perf_event_attr.sample_stack_user is 16 bits wide, and a multiple of 8: the nearest to 64K. */
#define MOST_STACK_BYTES 65528

static const char *const call_graphs[] = { "auto", "dwarf", "fp", "none", NULL };

/* For completion; -e takes any name that perf knows. */
static const char *const common_events[] = {
	"cycles", "instructions", "cache-misses", "branch-misses", "cpu-clock", "task-clock",
	"page-faults", "context-switches", "cpu-migrations", "list", NULL,
};

static const struct wk_opt options[] = {
	{ 'p', "pid", "PID[,PID...]", "record running processes with all their threads",
	  WK_OPT_LIST, AT(pids), NULL },
	{ 'a', "all-cpus", NULL, "record the whole system", WK_OPT_FLAG, AT(all_cpus), NULL },
	{ 'F', "freq", "HZ", "samples per second on each CPU [default: 997]", WK_OPT_TEXT, AT(frequency),
	  NULL },
	{ 'c', "count", "EVENTS", "sample every N events, instead of at a frequency",
	  WK_OPT_TEXT, AT(period), NULL },
	{ 'e', "event", "NAME[,NAME...]",
	  "event to sample, by perf's name: cycles, page-faults, sched:sched_switch, "
	"cpu/mem-loads/ ... `wick record -e list` lists all [default: cycles, or cpu-clock "
	"without hardware counters]",
	  WK_OPT_LIST, AT(events), common_events },
	{ 0, "duration", "TIME", "stop recording after TIME (10, 500ms, 2m); a command "
		"runs to its end", WK_OPT_DURATION, AT(duration_ns), NULL },
	{ 0, "call-graph", "HOW",
	  "how to find stacks: dwarf (unwind tables), fp (frame pointers), none, auto "
	"[default: auto, which is dwarf]",
	  WK_OPT_CHOICE, AT(call_graph), call_graphs },
	{ 0, "stack-size", "SIZE",
	  "bytes of each stack to copy, up to 64K; deeper frames are read from the process "
	"[default: 32K]",
	  WK_OPT_SIZE, AT(stack_bytes), NULL },
	{ 0, "embed-symbols", NULL, "embed the names and source lines of all samples, so "
		"that the recording opens on another machine", WK_OPT_FLAG,
	  AT(embeds_symbols), NULL },
	{ 0, "buffer", "SIZE", "buffer between kernel and wick for each CPU, 64K to 16M "
		"[default: by rate and stack size]", WK_OPT_SIZE, AT(ring_bytes), NULL },
	{ 0, "user-only", NULL, "do not record kernel code", WK_OPT_FLAG, AT(user_only), NULL },
	{ 0 },
};

const struct wk_opt_group wk_record_group = { "Recording", options };

static bool wrong(struct wk_err *err, const char *option, const char *value, const char *expected)
{
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--%s is \"%s\", but must be %s", option, value,
		       expected);
}

/* A number that must not be 0, which means "not given" in the recorder's options. */
static bool positive(const char *option, const char *text, uint64_t *value, struct wk_err *err)
{
	if (!text)
		return true;
	if (!wk_num_u64(wk_str_c(text), value) || *value == 0)
		return wrong(err, option, text, "a whole number above 0");
	/* The kernel accepts no more for a period, and reports only "invalid argument". */
	if (*value > INT64_MAX)
		return wrong(err, option, text, "less than 2^63");
	return true;
}

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

static size_t parts_of(const struct wk_text_list *list)
{
	size_t count = list->count;

	for (size_t i = 0; i < list->count; i++)
		for (const char *c = list->at[i]; *c; c++)
			count += *c == ',';
	return count;
}

static bool plan_pids(struct wk_record_plan *plan, const struct wk_text_list *list,
		      struct wk_err *err)
{
	size_t room = parts_of(list), count = 0;

	plan->pids = wk_alloc_zeroed(room, sizeof(*plan->pids));
	for (size_t i = 0; i < list->count; i++) {
		struct wk_str text = wk_str_c(list->at[i]);

		do {
			uint64_t pid;

			if (!wk_num_u64(next_part(&text), &pid) || pid == 0 || pid > INT_MAX)
				return wrong(err, "pid", list->at[i],
					     "process numbers such as 1234 or 1234,5678");
			plan->pids[count++] = (pid_t)pid;
		} while (text.len);
	}
	plan->options.pids = plan->pids;
	plan->options.pid_count = count;
	return true;
}

bool wk_record_args_want_list(const struct wk_record_args *args, struct wk_err *err)
{
	for (size_t i = 0; i < args->events.count; i++)
		if (strcmp(args->events.at[i], "list") == 0)
			return !wk_fail(err, WK_EUSAGE, WK_NOWHERE,
					"\"-e list\" only lists events: wick record -e list");
	return false;
}

static bool plan_events(struct wk_record_plan *plan, const struct wk_text_list *list,
			struct wk_err *err)
{
	size_t count = 0;
	const char *name;

	for (size_t i = 0; i < list->count; i++) {
		struct wk_str text = wk_str_c(list->at[i]);

		do {
			struct wk_str part = next_part(&text);

			if (part.len == 0)
				return wrong(err, "event", list->at[i],
					     "names such as cycles or page-faults,cycles");
			wk_buf_add(&plan->names, part.at, part.len);
			wk_buf_add_char(&plan->names, '\0');
			count++;
		} while (text.len);
	}
	plan->events = wk_alloc_zeroed(count, sizeof(*plan->events));
	name = wk_buf_text(&plan->names);
	for (size_t i = 0; i < count; i++, name += strlen(name) + 1)
		plan->events[i] = name;
	plan->options.events = plan->events;
	plan->options.event_count = count;
	return true;
}

#define LEAST_BUFFER (64u << 10)
#define MOST_BUFFER  (16u << 20)

/* A ring for less than two stacks always loses some. */
static bool check_sizes(const struct wk_record_args *args, struct wk_err *err)
{
	if (args->ring_bytes && (args->ring_bytes < LEAST_BUFFER || args->ring_bytes > MOST_BUFFER))
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--buffer is %" PRIu64 " bytes, but must be 64K to 16M",
			       args->ring_bytes);
	if (args->stack_bytes > 65536)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "--stack-size is %" PRIu64 " bytes, but the kernel copies "
			       "64K at most",
			       args->stack_bytes);
	return true;
}

const char *wk_record_args_are_set(const struct wk_record_args *args)
{
	const struct {
		bool is_given;
		const char *name;
	} options_given[] = {
		{ args->frequency, "freq" },
		{ args->period, "count" },
		{ args->events.count, "event" },
		{ args->duration_ns, "duration" },
		{ args->call_graph, "call-graph" },
		{ args->stack_bytes, "stack-size" },
		{ args->embeds_symbols, "embed-symbols" },
		{ args->ring_bytes, "buffer" },
		{ args->user_only, "user-only" },
	};

	for (size_t i = 0; i < sizeof(options_given) / sizeof(options_given[0]); i++)
		if (options_given[i].is_given)
			return options_given[i].name;
	return NULL;
}

static enum wk_call_graph call_graph_of(const char *word)
{
	if (!word || strcmp(word, "auto") == 0)
		return WK_CALL_GRAPH_AUTO;
	if (strcmp(word, "dwarf") == 0)
		return WK_CALL_GRAPH_DWARF;
	return strcmp(word, "fp") == 0 ? WK_CALL_GRAPH_FRAME_POINTER : WK_CALL_GRAPH_NONE;
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
	if (args->frequency && args->period)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "--freq and --count exclude each other");
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
		.duration_ns = args->duration_ns,
		.call_graph = call_graph_of(args->call_graph),
		.ring_bytes = args->ring_bytes,
	} };
	if (!check_what(args, command, err) ||
	    !positive("freq", args->frequency, &plan->options.frequency_hz, err) ||
	    !positive("count", args->period, &plan->options.period, err) || !check_sizes(args, err))
		return false;
	plan->embeds_symbols = args->embeds_symbols;
	plan->options.stack_bytes =
		args->stack_bytes ? (uint32_t)args->stack_bytes : WK_DEFAULT_STACK_BYTES;
	if (plan->options.stack_bytes > MOST_STACK_BYTES)
		plan->options.stack_bytes = MOST_STACK_BYTES;
	if (!plan->options.frequency_hz && !plan->options.period)
		plan->options.frequency_hz = WK_DEFAULT_FREQUENCY_HZ;
	return !wk_record_args_want_list(args, err) && plan_pids(plan, &args->pids, err) &&
	       plan_events(plan, &args->events, err);
}

void wk_record_plan_fini(struct wk_record_plan *plan)
{
	WK_FREE_ALL(plan->pids, plan->events);
	wk_buf_fini(&plan->names);
	*plan = (struct wk_record_plan){ 0 };
}
