/* The trace itself: its session, its times, the enabled kernel events. */
#include <inttypes.h>

#include "base/num.h"
#include "formats/etl/config/facts.h"

static const struct wk_etl_section trace = { WK_ETL_PART_TRACE, WK_STR("trace") };

struct word {
	uint32_t bit;
	const char *word;
};

/* By the masks that contain their bits. */
static const struct word first_words[] = {
	{ 0x1, "processes" }, { 0x2, "threads" }, { 0x4, "images" },
	{ 0x8, "process counters" }, { 0x10, "context switches" }, { 0x20, "DPCs" },
	{ 0x40, "interrupts" }, { 0x80, "system calls" }, { 0x100, "disk I/O" },
	{ 0x200, "file names" }, { 0x400, "disk I/O starts" }, { 0x800, "ready threads" },
	{ 0x1000, "page faults" }, { 0x2000, "hard faults" }, { 0x4000, "virtual memory" },
	{ 0x8000, "mapped files" }, { 0x10000, "network" }, { 0x20000, "registry" },
	{ 0x40000, "debug output" }, { 0x80000, "jobs" }, { 0x100000, "ALPC" },
	{ 0x200000, "split I/O" }, { 0x400000, "debugger events" }, { 0x800000, "drivers" },
	{ 0x1000000, "samples" }, { 0x2000000, "file I/O" }, { 0x4000000, "file I/O starts" },
	{ 0x10000000, "no system configuration" }, { 0 },
};

static const struct word second_words[] = {
	{ 0x1, "memory" }, { 0x2, "samples" }, { 0x4, "context switches" }, { 0x8, "footprint" },
	{ 0x10, "drivers" }, { 0x20, "reference sets" }, { 0x40, "pool" }, { 0x80, "DPCs" },
	{ 0x100, "compact context switches" }, { 0x200, "ready threads" },
	{ 0x400, "processor counters" }, { 0x800, "process swaps" }, { 0x1000, "affinity" },
	{ 0x2000, "priorities" }, { 0x4000, "interrupts" }, { 0x8000, "virtual memory" },
	{ 0x10000, "spin locks" }, { 0x20000, "synchronisation objects" }, { 0x40000, "DPC queue" },
	{ 0x80000, "memory use" }, { 0x100000, "contiguous memory" },
	{ 0x200000, "spin lock counters" }, { 0x400000, "sessions and sections" },
	{ 0x800000, "memory use of processes" }, { 0x1000000, "kernel queues" },
	{ 0x2000000, "interrupt steering" }, { 0x4000000, "yields" }, { 0x8000000, "working sets" },
	{ 0 },
};

static const struct word third_words[] = {
	{ 0x1, "anti-starvation" }, { 0x2, "frozen processes" }, { 0x4, "page lists" },
	{ 0x8, "working set details" }, { 0x10, "working set entries" }, { 0x20, "heap" },
	{ 0x40, "system calls" }, { 0x80, "user-mode scheduling" }, { 0x100, "backtraces" },
	{ 0x400, "objects" }, { 0x800, "events" }, { 0x1000, "full trace" }, { 0x4000, "prefetch" },
	{ 0x8000, "processor idle" }, { 0x10000, "processor configuration" }, { 0x20000, "timers" },
	{ 0x40000, "clock interrupts" }, { 0x80000, "load balancer" }, { 0x100000, "clock timers" },
	{ 0x200000, "idle selection" }, { 0x400000, "interrupts between processors" },
	{ 0x800000, "I/O timers" }, { 0x1000000, "registry hives" },
	{ 0x2000000, "registry notifications" }, { 0x4000000, "idle exit latency" },
	{ 0x8000000, "worker threads" }, { 0 },
};

static const struct word fifth_words[] = {
	{ 0x1, "optical I/O" }, { 0x2, "optical I/O starts" }, { 0x8, "library details" },
	{ 0x40, "handles" }, { 0x80, "object references" }, { 0x800, "debugger" },
	{ 0x1000, "process attaches" }, { 0x8000, "power" }, { 0x20000, "file cache" },
	{ 0x80000, "filter I/O starts" }, { 0x100000, "filter I/O" },
	{ 0x200000, "fast filter I/O" }, { 0x400000, "failed filter I/O" },
	{ 0x800000, "hypervisor samples" }, { 0x1000000, "driver framework DPCs" },
	{ 0x2000000, "driver framework interrupts" }, { 0x4000000, "cache flushes" }, { 0 },
};

static const struct word *const mask_words[WK_ETL_KERNEL_MASKS] = {
	first_words, second_words, third_words, NULL, fifth_words,
};

static const struct word mode_words[] = {
	{ 0x1, "sequential" }, { 0x2, "circular" }, { 0x4, "appended" }, { 0x8, "new files" },
	{ 0x20, "preallocated" }, { 0x40, "not to be stopped" }, { 0x80, "secure" },
	{ 0x100, "real time" }, { 0x400, "in memory" }, { 0x800, "private" },
	{ 0x2000, "sizes in KiB" }, { 0x4000, "numbered in all" }, { 0x8000, "numbered" },
	{ 0x10000, "relogged" }, { 0x20000, "in one process" }, { 0x1000000, "paged memory" },
	{ 0x2000000, "system session" }, { 0x4000000, "packed" },
	{ 0x8000000, "independent of other sessions" }, { 0x10000000, "not by processor" },
	{ 0x80000000, "of a new kind" }, { 0 },
};

/* Unknown bits are shown as a number. */
static void add_words(struct wk_buf *text, const struct word *words, unsigned mask, uint32_t bits)
{
	for (; words && words->bit; words++) {
		if (!(bits & words->bit))
			continue;
		wk_buf_add_fmt(text, "%s%s", text->len ? ", " : "", words->word);
		bits &= ~words->bit;
	}
	if (bits)
		wk_buf_add_fmt(text, "%sflags 0x%" PRIx32, text->len ? ", " : "",
			       bits | (uint32_t)mask << 29);
}

bool wk_etl_read_kernel_masks(struct wk_etl_config *config, struct wk_bytes in)
{
	for (size_t i = 0; i < WK_ETL_KERNEL_MASKS; i++)
		config->kernel_masks[i] |= wk_u32le(&in);
	return !in.bad;
}

static void add_kernel_events(struct wk_etl_config *config)
{
	struct wk_buf text = { 0 };

	for (unsigned i = 0; i < WK_ETL_KERNEL_MASKS; i++)
		add_words(&text, mask_words[i], i, config->kernel_masks[i]);
	wk_etl_fact_add(config, trace, wk_str_c("kernel events"), wk_buf_str(&text));
	wk_buf_fini(&text);
}

static void add_date(struct wk_etl_config *config, const char *key, uint64_t since_1601)
{
	struct wk_buf text = { 0 };

	wk_etl_date_add(&text, since_1601);
	wk_etl_fact_add(config, trace, wk_str_c(key), wk_buf_str(&text));
	wk_buf_fini(&text);
}

static void add_times(struct wk_etl_config *config, const struct wk_etl_header *header)
{
	static const char *const clocks[] = {
		[WK_ETL_QPC] = "performance counter", [WK_ETL_SYSTEM_TIME] = "system time",
		[WK_ETL_CYCLES] = "processor cycles" };
	int64_t zone = -(int64_t)header->time_zone_minutes;
	unsigned minutes = (unsigned)(zone < 0 ? -zone : zone);
	struct wk_buf text = { 0 };

	add_date(config, "machine started", header->boot_time);
	add_date(config, "begin", header->start_time);
	add_date(config, "end", header->end_time);
	if (minutes < 24 * 60)
		wk_etl_fact_fmt(config, trace, "time zone",
				"UTC%s%02u:%02u, without daylight saving", zone < 0 ? "-" : "+",
				minutes / 60, minutes % 60);
	if (header->end_time > header->start_time &&
	    header->end_time - header->start_time < UINT64_MAX / 100) {
		wk_num_add_duration(&text, (header->end_time - header->start_time) * 100);
		wk_etl_fact_add(config, trace, wk_str_c("lasted"), wk_buf_str(&text));
	}
	wk_etl_fact_fmt(config, trace, "clock", "%s, %" PRIu64 " ticks a second",
			clocks[header->clock], header->ticks_per_second);
	wk_buf_fini(&text);
}

void wk_etl_config_handle_header(struct wk_etl_config *config, const struct wk_etl_header *header)
{
	struct wk_buf mode = { 0 };

	wk_etl_fact_text(config, trace, "session", header->session);
	wk_etl_fact_text(config, trace, "recorded to", header->file);
	add_times(config, header);
	add_words(&mode, mode_words, 0, header->log_mode);
	wk_etl_fact_add(config, trace, wk_str_c("log mode"), wk_buf_str(&mode));
	wk_buf_fini(&mode);
	wk_etl_fact_fmt(config, trace, "buffers", "%" PRIu32 " of %" PRIu32 " bytes",
			header->buffers_written, header->buffer_bytes);
	wk_etl_fact_fmt(config, trace, "lost", "%" PRIu32 " events, %" PRIu32 " buffers",
			header->events_lost, header->buffers_lost);
	add_kernel_events(config);
}
