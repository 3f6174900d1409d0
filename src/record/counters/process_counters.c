#include "record/counters/process_counters.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/num.h"
#include "os/os.h"

#define SHORTEST_NS        UINT64_C(20000000)
#define SHORTEST_ROLLUP_NS UINT64_C(1000000000)
#define PAUSE_OF_COST      100

struct known {
	struct wk_process_use use;
	uint64_t rollup_due_ns;
};

struct wk_process_counters {
	struct wk_map known_of; /* pid + 1 to index + 1 */
	struct known *known;
	size_t known_count, known_cap;
	uint64_t due_ns, count;
	uint64_t rollup_cost_ns; /* of the poll at hand: it has pauses of its own */
	struct wk_buf text;
};

struct wk_process_counters *wk_process_counters_new(void)
{
	return wk_alloc_zeroed(1, sizeof(struct wk_process_counters));
}

void wk_process_counters_free(struct wk_process_counters *counters)
{
	if (!counters)
		return;
	wk_map_fini(&counters->known_of);
	wk_free(counters->known);
	wk_buf_fini(&counters->text);
	wk_free(counters);
}

static bool read_file(struct wk_process_counters *counters, uint32_t pid, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
	wk_buf_reset(&counters->text);
	return wk_os_read_small(path, &counters->text);
}

/* "VmRSS:	    1234 kB" */
static uint64_t bytes_of(struct wk_str text, const char *key)
{
	uint64_t number = 0;

	while (text.len) {
		struct wk_str line = wk_str_cut(&text, '\n'), name = wk_str_cut(&line, ':');

		if (!wk_str_is(name, key))
			continue;
		line = wk_trim(line);
		return wk_num_u64(wk_str_cut(&line, ' '), &number) ? number << 10 : 0;
	}
	return 0;
}

/* A process that ends has no memory, while it can still be read. */
static bool read_status(struct wk_process_counters *counters, uint32_t pid,
			struct wk_process_use *use)
{
	struct wk_str text;

	if (!read_file(counters, pid, "status"))
		return false;
	text = wk_buf_str(&counters->text);
	use->working_set_bytes = bytes_of(text, "VmRSS");
	use->peak_working_set_bytes = bytes_of(text, "VmHWM");
	use->peak_virtual_bytes = bytes_of(text, "VmPeak");
	use->swap_bytes = bytes_of(text, "VmSwap");
	use->huge_tlb_bytes = bytes_of(text, "HugetlbPages");
	use->anonymous_bytes = bytes_of(text, "RssAnon");
	use->file_bytes = bytes_of(text, "RssFile");
	use->shared_bytes = bytes_of(text, "RssShmem");
	return use->peak_working_set_bytes != 0;
}

/* "FROM-TO rw-p OFFSET DEVICE INODE   PATH" */
static bool is_mapping(struct wk_str line)
{
	return line.len && !(line.at[0] >= 'A' && line.at[0] <= 'Z');
}

/* The sums of all mappings, as smaps_rollup has them, and those of two of them. */
static void read_mappings(struct wk_process_counters *counters, uint32_t pid,
			  struct wk_process_use *use)
{
	uint64_t none = 0, *resident = &none;
	struct wk_str text;

	if (!read_file(counters, pid, "smaps"))
		return;
	use->share_bytes = use->huge_bytes = use->heap_bytes = use->stack_bytes = 0;
	for (text = wk_buf_str(&counters->text); text.len;) {
		struct wk_str line = wk_str_cut(&text, '\n');

		if (is_mapping(line)) {
			resident = wk_str_ends(line, "[heap]")    ? &use->heap_bytes
				   : wk_str_ends(line, "[stack]") ? &use->stack_bytes
								  : &none;
			continue;
		}
		use->share_bytes += bytes_of(line, "Pss");
		use->huge_bytes += bytes_of(line, "AnonHugePages");
		*resident = bytes_of(line, "Rss") ? bytes_of(line, "Rss") : *resident;
	}
}

/* Of this thread: it may be preempted. */
static uint64_t cpu_ns(void)
{
	struct timespec time = { 0 };

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint64_t pause_after(uint64_t cost_ns, uint64_t shortest_ns)
{
	uint64_t pause_ns = cost_ns * PAUSE_OF_COST;

	return wk_os_clock_ns() + (pause_ns > shortest_ns ? pause_ns : shortest_ns);
}

static struct known *known_of(struct wk_process_counters *counters, uint32_t pid)
{
	uint32_t *index = wk_map_at(&counters->known_of, (uint64_t)pid + 1);

	if (!*index) {
		*WK_APPEND(counters->known, counters->known_count, counters->known_cap) =
			(struct known){ 0 };
		*index = (uint32_t)counters->known_count;
	}
	return &counters->known[*index - 1];
}

static bool poll_one(struct wk_process_counters *counters, uint32_t pid, const struct wk_sink *sink,
		     struct wk_err *err)
{
	struct known *known = known_of(counters, pid);
	struct wk_process_use use = known->use;
	uint64_t begun_ns = wk_os_clock_ns(), begun_cpu_ns;
	struct wk_event event = {
		.kind = WK_EVENT_PROCESS,
		.time_ns = begun_ns,
		.pid = pid,
		.tid = pid,
		.cpu = WK_NO_CPU,
		.process = { .change = WK_PROCESS_SEEN, .threads_apart = true },
	};

	if (!read_status(counters, pid, &use))
		return true;
	begun_cpu_ns = cpu_ns();
	if (begun_ns >= known->rollup_due_ns) {
		read_mappings(counters, pid, &use);
		known->rollup_due_ns = pause_after(cpu_ns() - begun_cpu_ns, SHORTEST_ROLLUP_NS);
		counters->rollup_cost_ns += cpu_ns() - begun_cpu_ns;
	}
	if (use.is_known && memcmp(&use, &known->use, sizeof(use)) == 0)
		return true;
	use.is_known = true;
	known->use = event.process.use = use;
	counters->count++;
	return wk_sink_emit(sink, &event, err);
}

bool wk_process_counters_poll(struct wk_process_counters *counters, const struct wk_map *alive,
			      uint32_t command, const struct wk_sink *sink, struct wk_err *err)
{
	uint64_t begun_cpu_ns = cpu_ns();
	bool ok = true;

	if (wk_os_clock_ns() < counters->due_ns)
		return true;
	counters->rollup_cost_ns = 0;
	if (command && !wk_map_find(alive, (uint64_t)command + 1))
		ok = poll_one(counters, command, sink, err);
	for (size_t i = 0; i < alive->cap && ok; i++)
		if (alive->slots[i].id && alive->slots[i].key)
			ok = poll_one(counters, (uint32_t)(alive->slots[i].key - 1), sink, err);
	counters->due_ns =
		pause_after(cpu_ns() - begun_cpu_ns - counters->rollup_cost_ns, SHORTEST_NS);
	return ok;
}

uint64_t wk_process_counters_pause_ns(const struct wk_process_counters *counters)
{
	uint64_t now_ns = wk_os_clock_ns();

	return counters->due_ns > now_ns ? counters->due_ns - now_ns : 0;
}

uint64_t wk_process_counters_count(const struct wk_process_counters *counters)
{
	return counters ? counters->count : 0;
}
