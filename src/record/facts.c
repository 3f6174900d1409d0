#include "record/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/num.h"
#include "os/os.h"
#include "record/proc_scan.h"

#define KERNEL_PATH         "[kernel.kallsyms]"
#define HIDDEN_KERNEL_START ((uint64_t)1 << 63)

#define MOST_PROCESSES_TOLD 4

struct teller {
	const struct wk_sink *sink;
	struct wk_err *err;
	bool ok;
};

static void emit(struct teller *teller, const char *key, struct wk_str value)
{
	struct wk_event event = {
		.kind = WK_EVENT_SYSTEM,
		.cpu = WK_NO_CPU,
		.system = { .key = wk_str_c(key), .value = value },
	};

	if (teller->ok && value.len)
		teller->ok = wk_sink_emit(teller->sink, &event, teller->err);
}

static void emit_number(struct teller *teller, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	emit(teller, key, wk_str_c(text));
}

/* The value of the first line "NAME   : value" in such a file. */
static struct wk_str value_of(struct wk_str text, const char *name)
{
	while (text.len) {
		const char *end = memchr(text.at, '\n', text.len);
		struct wk_str line = wk_str_of(text.at, end ? (size_t)(end - text.at) : text.len);
		const char *colon = memchr(line.at, ':', line.len);

		text = wk_str_skip(text, line.len + 1);
		if (!colon || !wk_str_starts(line, name))
			continue;
		line = wk_str_skip(line, (size_t)(colon + 1 - line.at));
		while (line.len && line.at[0] == ' ')
			line = wk_str_skip(line, 1);
		return line;
	}
	return (struct wk_str){ 0 };
}

static void emit_machine(struct teller *teller)
{
	struct utsname name;
	struct wk_buf text = { 0 };
	long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);

	if (uname(&name) == 0) {
		emit(teller, "host name", wk_str_c(name.nodename));
		emit(teller, "kernel", wk_str_c(name.release));
		emit(teller, "machine", wk_str_c(name.machine));
	}
	if (wk_os_read_small("/proc/cpuinfo", &text))
		emit(teller, "cpu", value_of(wk_buf_str(&text), "model name"));
	if (pages > 0 && page_bytes > 0)
		emit_number(teller, "memory", (uint64_t)pages * (uint64_t)page_bytes);
	if (wk_proc_command_line(getpid(), &text))
		emit(teller, "command line", wk_buf_str(&text));
	wk_buf_fini(&text);
}

static void emit_events(struct teller *teller, const struct wk_perf *perf)
{
	for (size_t i = 0; i < perf->event_count; i++) {
		const struct wk_perf_event *event = &perf->events[i];
		char text[WK_PERF_NAME_MAX + 64];

		if (perf->config.period || event->is_tracepoint)
			snprintf(text, sizeof(text), "%s, one sample every %llu", event->name,
				 (unsigned long long)(perf->config.period ? perf->config.period
									  : 1));
		else
			snprintf(text, sizeof(text), "%s, %llu samples a second", event->name,
				 (unsigned long long)perf->config.frequency_hz);
		emit(teller, "event", wk_str_c(text));
	}
}

static void emit_call_graph(struct teller *teller, const struct wk_perf *perf)
{
	char text[64];

	if (perf->layout.stack_bytes)
		snprintf(text, sizeof(text), "dwarf, %u bytes of each stack",
			 perf->layout.stack_bytes);
	else
		snprintf(text, sizeof(text), "%s",
			 perf->layout.has_chain ? "frame pointers" : "none");
	emit(teller, "call graph", wk_str_c(text));
	emit(teller, "sampled code", wk_str_c(perf->config.user_only ? "user" : "kernel and user"));
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
	size_t told = count < MOST_PROCESSES_TOLD ? count : MOST_PROCESSES_TOLD;
	struct wk_buf name = { 0 };

	wk_buf_add_text(text, count == 1 ? "process " : "processes ");
	for (size_t i = 0; i < told; i++) {
		wk_buf_add_fmt(text, "%s%d", i ? ", " : "", (int)pids[i]);
		wk_buf_reset(&name);
		if (wk_proc_name(pids[i], &name))
			wk_buf_add_fmt(text, " (%s)", wk_buf_text(&name));
	}
	if (count > told)
		wk_buf_add_fmt(text, " and %zu more", count - told);
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

static void emit_recorded(struct teller *teller, const struct wk_recorder_options *options)
{
	struct wk_buf text = { 0 };

	add_recorded(options, &text);
	emit(teller, "recorded", wk_buf_str(&text));
	wk_buf_fini(&text);
}

static void emit_clock(struct teller *teller)
{
	char text[64];
	uint64_t before = wk_os_clock_ns(), wall = wk_os_wall_ns(), after = wk_os_clock_ns();

	emit(teller, "clock", wk_str_c("CLOCK_MONOTONIC"));
	snprintf(text, sizeof(text), "%llu %llu",
		 (unsigned long long)(before + (after - before) / 2), (unsigned long long)wall);
	emit(teller, "clock pair", wk_str_c(text));
}

bool wk_facts_emit(const struct wk_perf *perf, const struct wk_recorder_options *options,
		   const struct wk_sink *sink, struct wk_err *err)
{
	struct teller teller = { .sink = sink, .err = err, .ok = true };
	char text[16];

	emit_machine(&teller);
	emit_number(&teller, "cpus", perf->cpu_count);
	emit_recorded(&teller, options);
	emit_events(&teller, perf);
	emit_call_graph(&teller, perf);
	snprintf(text, sizeof(text), "%d", wk_perf_paranoid());
	emit(&teller, "perf_event_paranoid", wk_str_c(text));
	emit_clock(&teller);
	return teller.ok;
}

/* The first word of `rest`, which is removed with the blank after it. */
static struct wk_str handle_word(struct wk_str *rest)
{
	size_t len = 0;
	struct wk_str word = *rest;

	while (len < rest->len && rest->at[len] != ' ')
		len++;
	word.len = len;
	*rest = wk_str_skip(*rest, len + 1);
	return word;
}

bool wk_facts_module_line(struct wk_str line, struct wk_str *name, uint64_t *start,
			  uint64_t *size_bytes)
{
	struct wk_str address;

	*name = handle_word(&line);
	if (!wk_num_u64(handle_word(&line), size_bytes))
		return false;
	for (int i = 0; i < 3; i++)
		handle_word(&line);
	address = handle_word(&line);
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
		const char *end = memchr(rest.at, '\n', rest.len);
		struct wk_str line = wk_str_of(rest.at, end ? (size_t)(end - rest.at) : rest.len);
		struct wk_str name;
		uint64_t start, size_bytes;
		char path[128];

		rest = wk_str_skip(rest, line.len + 1);
		if (!wk_facts_module_line(line, &name, &start, &size_bytes))
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
