#include "record/perf_names.h"

#include <linux/perf_event.h>
#include <stdio.h>

#include "base/num.h"

struct known_event {
	const char *name;
	uint32_t type;
	uint64_t config;
};

static const struct known_event known_events[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "cpu-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "bus-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BUS_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "idle-cycles-frontend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "idle-cycles-backend", PERF_TYPE_HARDWARE, PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cs", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
	{ "dummy", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY },
	{ "cgroup-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CGROUP_SWITCHES },
};

#define KNOWN_EVENTS (sizeof(known_events) / sizeof(known_events[0]))

/* Hardware cache events are named CACHE-OPERATION; config is cache | op << 8 | result << 16. */
static const struct known_event caches[] = {
	{ "L1-dcache", 0, PERF_COUNT_HW_CACHE_L1D }, { "L1-icache", 0, PERF_COUNT_HW_CACHE_L1I },
	{ "LLC", 0, PERF_COUNT_HW_CACHE_LL },        { "dTLB", 0, PERF_COUNT_HW_CACHE_DTLB },
	{ "iTLB", 0, PERF_COUNT_HW_CACHE_ITLB },     { "branch", 0, PERF_COUNT_HW_CACHE_BPU },
	{ "node", 0, PERF_COUNT_HW_CACHE_NODE },
};

static const struct known_event cache_operations[] = {
	{ "loads", 0, PERF_COUNT_HW_CACHE_OP_READ << 8 },
	{ "load-misses", 0, PERF_COUNT_HW_CACHE_OP_READ << 8 | 1 << 16 },
	{ "stores", 0, PERF_COUNT_HW_CACHE_OP_WRITE << 8 },
	{ "store-misses", 0, PERF_COUNT_HW_CACHE_OP_WRITE << 8 | 1 << 16 },
	{ "prefetches", 0, PERF_COUNT_HW_CACHE_OP_PREFETCH << 8 },
	{ "prefetch-misses", 0, PERF_COUNT_HW_CACHE_OP_PREFETCH << 8 | 1 << 16 },
};

#define CACHES           (sizeof(caches) / sizeof(caches[0]))
#define CACHE_OPERATIONS (sizeof(cache_operations) / sizeof(cache_operations[0]))

/* Name number `i` of all that are known, or false past the last. */
static bool known_name(size_t i, char *name, size_t size, uint32_t *type, uint64_t *config)
{
	size_t pair = i - KNOWN_EVENTS;

	if (i < KNOWN_EVENTS) {
		snprintf(name, size, "%s", known_events[i].name);
		*type = known_events[i].type;
		*config = known_events[i].config;
		return true;
	}
	if (pair >= CACHES * CACHE_OPERATIONS)
		return false;
	snprintf(name, size, "%s-%s", caches[pair / CACHE_OPERATIONS].name,
		 cache_operations[pair % CACHE_OPERATIONS].name);
	*type = PERF_TYPE_HW_CACHE;
	*config = caches[pair / CACHE_OPERATIONS].config |
		  cache_operations[pair % CACHE_OPERATIONS].config;
	return true;
}

bool wk_perf_name_at(size_t index, struct wk_perf_event *event)
{
	*event = (struct wk_perf_event){ .user = true, .kernel = true, .hypervisor = true };
	return known_name(index, event->name, sizeof(event->name), &event->type, &event->config);
}

void wk_perf_name_try(struct wk_suggestion *suggestion, char best[static WK_PERF_NAME_MAX],
		      const char *word)
{
	wk_suggestion_try(suggestion, word);
	if (suggestion->best == word) {
		snprintf(best, WK_PERF_NAME_MAX, "%s", word);
		suggestion->best = best;
	}
}

static bool unknown_name(struct wk_str name, struct wk_err *err)
{
	struct wk_suggestion suggestion = wk_suggestion_for(name);
	char candidate[64], best[WK_PERF_NAME_MAX];
	uint32_t type;
	uint64_t config;

	for (size_t i = 0; known_name(i, candidate, sizeof(candidate), &type, &config); i++)
		wk_perf_name_try(&suggestion, best, candidate);
	if (suggestion.best)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "event \"%.*s\" is not known; did you mean \"%s\"?",
			       WK_STR_ARG(name), suggestion.best);
	return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
		       "event \"%.*s\" is not known; `wick record -e list` lists all that this "
		       "machine has",
		       WK_STR_ARG(name));
}

/* "r" and a hexadecimal number. */
static bool is_raw(struct wk_str name, uint64_t *config)
{
	return name.len > 1 && name.at[0] == 'r' && wk_num_hex(wk_str_skip(name, 1), config);
}

static bool find_known(struct wk_str name, struct wk_perf_event *event)
{
	char candidate[64];

	for (size_t i = 0;
	     known_name(i, candidate, sizeof(candidate), &event->type, &event->config); i++)
		if (wk_str_is(name, candidate))
			return true;
	if (!is_raw(name, &event->config))
		return false;
	event->type = PERF_TYPE_RAW;
	return true;
}

static void choose_unit(struct wk_perf_event *event)
{
	bool is_clock =
		event->type == PERF_TYPE_SOFTWARE && (event->config == PERF_COUNT_SW_CPU_CLOCK ||
						      event->config == PERF_COUNT_SW_TASK_CLOCK);
	bool is_cycles = event->type == PERF_TYPE_HARDWARE &&
			 (event->config == PERF_COUNT_HW_CPU_CYCLES ||
			  event->config == PERF_COUNT_HW_REF_CPU_CYCLES);

	event->unit = is_clock ? "ns" : is_cycles ? "cycles" : "events";
	event->is_cpu_time = is_clock || is_cycles;
}

#define MODIFIERS "ukhpP"

static bool parse_modifiers(struct wk_str letters, struct wk_perf_event *event, struct wk_err *err)
{
	unsigned precise = 0;
	bool user = false, kernel = false, hypervisor = false, most = false;

	for (size_t i = 0; i < letters.len; i++) {
		char c = letters.at[i];

		user |= c == 'u';
		kernel |= c == 'k';
		hypervisor |= c == 'h';
		precise += c == 'p';
		most |= c == 'P';
		if (!strchr(MODIFIERS, c) || precise > 3)
			return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
				       "event \"%s\": modifier \"%.*s\" is not known; expected "
				       "letters of u (user), k (kernel), h (hypervisor), p or P "
				       "(precise)",
				       event->name, (int)letters.len, letters.at);
	}
	if (user || kernel || hypervisor) {
		event->user = user;
		event->kernel = kernel;
		event->hypervisor = hypervisor;
	}
	if (precise || most)
		event->precise = most ? WK_PERF_PRECISE_MOST : precise;
	return true;
}

static bool is_plain_name(struct wk_str name)
{
	for (size_t i = 0; i < name.len; i++) {
		char c = name.at[i];

		if (!(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z') && !(c >= '0' && c <= '9') &&
		    c != '_' && c != '-')
			return false;
	}
	return name.len > 0;
}

/* "u" of "cyclse:u" is not a tracepoint but the modifier of a mistyped name. */
static bool is_modifiers(struct wk_str text)
{
	size_t i = 0;

	while (i < text.len && strchr(MODIFIERS, text.at[i]))
		i++;
	return i == text.len;
}

/* A tracepoint: SYSTEM:NAME, both of them names of folders, so nothing like "..". */
static bool parse_tracepoint(struct wk_str system, struct wk_str point, struct wk_perf_event *event)
{
	if (!is_plain_name(system) || !is_plain_name(point) || is_modifiers(point))
		return false;
	event->type = PERF_TYPE_TRACEPOINT;
	event->is_tracepoint = true;
	snprintf(event->system, sizeof(event->system), "%.*s", WK_STR_ARG(system));
	snprintf(event->point, sizeof(event->point), "%.*s", WK_STR_ARG(point));
	return true;
}

/* UNIT/TERMS/, whose names are those of files. Removes them and the slashes from `rest`. */
static bool parse_pmu(struct wk_str *rest, struct wk_perf_event *event)
{
	struct wk_str unit, terms, left, behind;

	if (!wk_str_split(*rest, '/', &unit, &behind) ||
	    !wk_str_split(behind, '/', &terms, &behind) || !is_plain_name(unit))
		return false;
	left = terms;
	do {
		struct wk_str term, name, value;

		wk_str_split(left, ',', &term, &left);
		if (wk_str_split(term, '=', &name, &value) && !is_plain_name(value))
			return false;
		if (!is_plain_name(name))
			return false;
	} while (left.len);
	event->is_pmu = true;
	snprintf(event->system, sizeof(event->system), "%.*s", WK_STR_ARG(unit));
	snprintf(event->point, sizeof(event->point), "%.*s", WK_STR_ARG(terms));
	*rest = wk_str_skip(behind, wk_str_starts(behind, ":"));
	return true;
}

bool wk_perf_name_parse(struct wk_str text, struct wk_perf_event *event, struct wk_err *err)
{
	struct wk_str rest = text, name;

	*event = (struct wk_perf_event){ .user = true, .kernel = true, .hypervisor = true };
	if (text.len == 0)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE, "the name of an event is empty");
	if (text.len >= WK_PERF_NAME_MAX)
		return wk_fail(err, WK_EUSAGE, WK_NOWHERE,
			       "the name of an event has %zu letters, expected fewer than %d",
			       text.len, WK_PERF_NAME_MAX);
	memcpy(event->name, text.at, text.len);
	if (parse_pmu(&rest, event)) {
		event->unit = "events";
		return parse_modifiers(rest, event, err);
	}
	name = wk_str_cut(&rest, ':');
	if (find_known(name, event)) {
		if (event->type == PERF_TYPE_HARDWARE && event->config == PERF_COUNT_HW_CPU_CYCLES)
			event->precise = WK_PERF_PRECISE_MOST;
	} else if (!parse_tracepoint(name, wk_str_cut(&rest, ':'), event)) {
		return unknown_name(name, err);
	}
	choose_unit(event);
	return parse_modifiers(rest, event, err);
}

/* The stack is in one of two: where a call takes effect (formats/perf/space_calls.h). */
bool wk_perf_name_memory_at(size_t index, struct wk_perf_event *event)
{
	static const struct {
		const char *name;
		bool is_bare;
	} points[] = {
		{ "syscalls:sys_enter_mmap", true },
		{ "syscalls:sys_exit_mmap", false },
		{ "syscalls:sys_enter_mremap", true },
		{ "syscalls:sys_exit_mremap", false },
		{ "syscalls:sys_enter_mprotect", true },
		{ "syscalls:sys_exit_mprotect", false },
		{ "syscalls:sys_enter_munmap", true },
		{ "syscalls:sys_exit_munmap", false },
		{ "syscalls:sys_enter_madvise", false },
		{ "syscalls:sys_exit_brk", false },
		{ "syscalls:sys_enter_pkey_mprotect", true },
		{ "syscalls:sys_exit_pkey_mprotect", false },
	};

	if (index >= sizeof(points) / sizeof(points[0]))
		return false;
	wk_perf_name_parse(wk_str_c(points[index].name), event, NULL);
	event->is_memory = true;
	event->is_bare = points[index].is_bare;
	return true;
}
