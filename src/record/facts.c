#include "record/facts.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/num.h"
#include "os/os.h"
#include "record/proc_scan.h"

#define KERNEL_PATH         "[kernel.kallsyms]"
#define HIDDEN_KERNEL_START ((uint64_t)1 << 63)

#define MOST_PROCESSES_LISTED 4

struct facts {
	const struct wk_sink *sink;
	struct wk_err *err;
	uint64_t time_ns;
	bool ok;
};

static void emit(struct facts *facts, const char *key, struct wk_str value)
{
	struct wk_event event = {
		.kind = WK_EVENT_SYSTEM,
		.time_ns = facts->time_ns,
		.cpu = WK_NO_CPU,
		.system = { .key = wk_str_c(key), .value = value },
	};

	if (facts->ok && value.len)
		facts->ok = wk_sink_emit(facts->sink, &event, facts->err);
}

__attribute__((format(printf, 3, 4))) static void emit_fmt(struct facts *facts, const char *key,
							   const char *format, ...)
{
	char text[WK_PERF_NAME_MAX + 64];
	va_list list;

	va_start(list, format);
	vsnprintf(text, sizeof(text), format, list);
	va_end(list);
	emit(facts, key, wk_str_c(text));
}

/* The value of the first line "NAME   : value" in such a file. */
static struct wk_str value_of(struct wk_str text, const char *name)
{
	while (text.len) {
		struct wk_str label, value;

		if (wk_str_split(wk_str_cut(&text, '\n'), ':', &label, &value) &&
		    wk_str_starts(label, name))
			return wk_trim(value);
	}
	return (struct wk_str){ 0 };
}

static void emit_machine(struct facts *facts)
{
	struct utsname name;
	struct wk_buf text = { 0 };
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

	if (uname(&name) == 0) {
		emit(facts, "host name", wk_str_c(name.nodename));
		emit(facts, "kernel", wk_str_c(name.release));
		emit(facts, "machine", wk_str_c(name.machine));
	}
	if (wk_os_read_small("/proc/cpuinfo", &text))
		emit(facts, "cpu", value_of(wk_buf_str(&text), "model name"));
	if (pages > 0 && page_bytes > 0)
		emit_fmt(facts, "memory", "%" PRIu64, (uint64_t)pages * (uint64_t)page_bytes);
	if (wk_proc_command_line(getpid(), &text))
		emit(facts, "command line", wk_buf_str(&text));
	wk_buf_fini(&text);
}

static void emit_events(struct facts *facts, const struct wk_perf *perf)
{
	for (size_t i = 0; i < perf->event_count; i++) {
		const struct wk_perf_event *event = &perf->events[i];

		if ((event->is_memory && i && perf->events[i - 1].is_memory &&
		     event->is_heap == perf->events[i - 1].is_heap) ||
		    strcmp(event->name, WK_DUMMY_EVENT) == 0)
			continue;
		if (event->is_heap)
			emit(facts, "event", wk_str_c("calls of allocators, each of them"));
		else if (event->is_memory)
			emit(facts, "event", wk_str_c("memory calls, each of them"));
		else if (perf->config.period || event->is_tracepoint)
			emit_fmt(facts, "event", "%s, one sample every %" PRIu64, event->name,
				 perf->config.period ? perf->config.period : 1);
		else
			emit_fmt(facts, "event", "%s, %" PRIu64 " samples a second", event->name,
				 perf->config.frequency_hz);
	}
}

/* Also of recordings without any block. */
static void emit_heap(struct facts *facts, const struct wk_recorder_options *options)
{
	struct wk_buf text = { 0 };

	if (!options->records_heap)
		return;
	wk_buf_add_text(&text, options->heap_sample_bytes ? "one block per " : "each block");
	if (options->heap_sample_bytes)
		wk_num_add_bytes(&text, options->heap_sample_bytes);
	emit(facts, "heap", wk_buf_str(&text));
	wk_buf_fini(&text);
}

static void emit_call_graph(struct facts *facts, const struct wk_perf *perf)
{
	if (perf->layout.stack_bytes)
		emit_fmt(facts, "call graph", "dwarf, %u bytes of each stack",
			 perf->layout.stack_bytes);
	else
		emit_fmt(facts, "call graph", "%s",
			 perf->layout.has_chain ? "frame pointers" : "none");
	emit(facts, "sampled code", wk_str_c(perf->config.user_only ? "user" : "kernel and user"));
}

/* A word that contains blanks is quoted. */
static void add_command(struct wk_buf *text, char *const *command)
{
	for (size_t i = 0; command[i]; i++) {
		bool has_blank = command[i][0] == 0 || strpbrk(command[i], " \t\n") != NULL;

		wk_buf_add_fmt(text, has_blank ? "%s'%s'" : "%s%s", i ? " " : "", command[i]);
	}
}

static void add_processes(struct wk_buf *text, const pid_t *pids, size_t count)
{
	size_t listed = count < MOST_PROCESSES_LISTED ? count : MOST_PROCESSES_LISTED;
	struct wk_buf name = { 0 };

	wk_buf_add_text(text, count == 1 ? "process " : "processes ");
	for (size_t i = 0; i < listed; i++) {
		wk_buf_add_fmt(text, "%s%d", i ? ", " : "", (int)pids[i]);
		wk_buf_reset(&name);
		if (wk_proc_name(pids[i], &name))
			wk_buf_add_fmt(text, " (%s)", wk_buf_text(&name));
	}
	if (count > listed)
		wk_buf_add_fmt(text, " and %zu more", count - listed);
	wk_buf_fini(&name);
}

static void add_recorded(const struct wk_recorder_options *options, struct wk_buf *text)
{
	if (options->all_cpus)
		wk_buf_add_text(text, "the whole system");
	if (options->all_cpus && options->command)
		wk_buf_add_text(text, " during ");
	if (options->command)
		add_command(text, options->command);
	else if (!options->all_cpus)
		add_processes(text, options->pids, options->pid_count);
}

static void emit_recorded(struct facts *facts, const struct wk_recorder_options *options)
{
	struct wk_buf text = { 0 };

	add_recorded(options, &text);
	emit(facts, "recorded", wk_buf_str(&text));
	wk_buf_fini(&text);
}

static void emit_clock(struct facts *facts)
{
	uint64_t before = wk_os_clock_ns(), wall = wk_os_wall_ns(), after = wk_os_clock_ns();

	emit(facts, "clock", wk_str_c("CLOCK_MONOTONIC"));
	emit_fmt(facts, "clock pair", "%" PRIu64 " %" PRIu64, before + (after - before) / 2, wall);
}

bool wk_facts_emit(const struct wk_perf *perf, const struct wk_recorder_options *options,
		   const struct wk_sink *sink, struct wk_err *err)
{
	struct facts facts = { .sink = sink, .err = err, .ok = true };

	emit_machine(&facts);
	emit_fmt(&facts, "cpus", "%zu", perf->cpu_count);
	emit_recorded(&facts, options);
	emit_events(&facts, perf);
	emit_heap(&facts, options);
	emit_call_graph(&facts, perf);
	emit_fmt(&facts, "perf_event_paranoid", "%d", wk_perf_paranoid());
	emit_clock(&facts);
	return facts.ok;
}

bool wk_facts_module_line(struct wk_str line, struct wk_str *name, uint64_t *start,
			  uint64_t *size_bytes)
{
	struct wk_str address;

	*name = wk_str_cut(&line, ' ');
	if (!wk_num_u64(wk_str_cut(&line, ' '), size_bytes))
		return false;
	for (int i = 0; i < 3; i++)
		wk_str_cut(&line, ' ');
	address = wk_str_cut(&line, ' ');
	return name->len && wk_str_starts(address, "0x") &&
	       wk_num_hex(wk_str_skip(address, 2), start) && *start && *size_bytes;
}

static bool emit_image(const struct wk_sink *sink, const char *path, uint64_t start,
		       uint64_t size_bytes, struct wk_err *err)
{
	struct wk_event event = {
		.kind = WK_EVENT_IMAGE,
		.pid = WK_KERNEL_PID,
		.cpu = WK_NO_CPU,
		.image = {
			.start = start,
			.size_bytes = size_bytes,
			.file_offset = start,
			.path = wk_str_c(path),
			.is_kernel = true,
		},
	};

	/* Modules belong to their kernel: its id says for all of them which one it was. */
	if (wk_str_is(event.image.path, KERNEL_PATH))
		event.image.build_id.size =
			(uint8_t)wk_os_kernel_build_id(event.image.build_id.bytes);
	return wk_sink_emit(sink, &event, err);
}

/* Modules as "[name]"; `lowest` becomes the lowest address of any. */
static bool emit_modules(const struct wk_sink *sink, uint64_t *lowest, struct wk_err *err)
{
	struct wk_buf text = { 0 };
	struct wk_str rest;
	bool ok = true;

	wk_os_read_small("/proc/modules", &text);
	rest = wk_buf_str(&text);
	while (rest.len && ok) {
		struct wk_str name;
		uint64_t start, size_bytes;
		char path[128];

		if (!wk_facts_module_line(wk_str_cut(&rest, '\n'), &name, &start, &size_bytes))
			continue;
		snprintf(path, sizeof(path), "[%.*s]", name.len < 100 ? (int)name.len : 100,
			 name.at);
		if (start < *lowest)
			*lowest = start;
		ok = emit_image(sink, path, start, size_bytes, err);
	}
	wk_buf_fini(&text);
	return ok;
}

/* The address of _text. It is near the top of /proc/kallsyms, which is long and slow to read;
 * reading stops there. 0 if it is hidden. */
static uint64_t kernel_text(void)
{
	FILE *file = fopen("/proc/kallsyms", "re");
	char line[256];
	uint64_t start = 0;

	for (int i = 0; file && i < 4096 && fgets(line, sizeof(line), file); i++) {
		if (!strstr(line, " _text\n"))
			continue;
		start = strtoull(line, NULL, 16);
		break;
	}
	if (file)
		fclose(file);
	return start;
}

bool wk_facts_kernel_is_hidden(void)
{
	return kernel_text() == 0;
}

/* The kernel is mapped within one aligned GiB, before its modules. _etext would be more exact, but
 * finding it costs tens of ms, and nothing else is in between. */
bool wk_facts_emit_kernel(const struct wk_sink *sink, struct wk_err *err)
{
	uint64_t start = kernel_text(), lowest = UINT64_MAX, end;

	if (!emit_modules(sink, &lowest, err))
		return false;
	if (start == 0)
		return emit_image(sink, KERNEL_PATH, HIDDEN_KERNEL_START, HIDDEN_KERNEL_START, err);
	end = (start | 0x3fffffff) + 1;
	if (lowest > start && lowest < end)
		end = lowest;
	return emit_image(sink, KERNEL_PATH, start, end - start, err);
}

bool wk_facts_emit_end(const struct wk_launch *launch, uint64_t time_ns, const struct wk_sink *sink,
		       struct wk_err *err)
{
	struct facts facts = { .sink = sink, .err = err, .time_ns = time_ns, .ok = true };

	if (launch->has_ended && launch->most_resident_bytes)
		emit_fmt(&facts, "largest process", "%" PRIu64, launch->most_resident_bytes);
	return facts.ok;
}
