#include "record/probe.h"

#include <linux/perf_event.h>
#include <unistd.h>

#include "record/perf_names.h"
#include "record/perf_open.h"
#include "record/tracefs.h"

/* Opens what a recording of `tid` (-1: everything) needs. */
static bool try_to_open(struct wk_perf *perf, const struct wk_perf_event *cycles, pid_t tid,
			uint64_t frequency_hz, uint32_t stack_bytes, struct wk_err *err)
{
	struct wk_perf_config config = {
		.events = cycles,
		.event_count = 1,
		.may_use_cpu_clock = true,
		.frequency_hz = frequency_hz,
		.has_chain = true,
		.stack_bytes = stack_bytes,
	};

	return wk_perf_init(perf, &config, err) && wk_perf_open_rings(perf, err) &&
	       wk_perf_open_target(perf, tid, true, err) == WK_OPENED;
}

struct wk_record_probe wk_record_probe(uint64_t frequency_hz, uint32_t stack_bytes)
{
	struct wk_record_probe probe = { 0 };
	struct wk_perf_event cycles;
	struct wk_perf perf = { 0 };
	struct wk_family family;

	wk_perf_name_parse(wk_str_c("cycles"), &cycles, NULL);
	probe.can_record =
		try_to_open(&perf, &cycles, getpid(), frequency_hz, stack_bytes, &probe.refusal);
	if (probe.can_record) {
		probe.can_record_kernel = !perf.kernel_refused;
		probe.has_counters = perf.events[0].type == PERF_TYPE_HARDWARE;
		probe.ring_bytes = perf.config.ring_bytes;
		probe.wanted_ring_bytes = perf.wanted_ring_bytes;
	}
	wk_perf_fini(&perf);
	perf = (struct wk_perf){ 0 };
	probe.can_record_all = probe.can_record &&
			       try_to_open(&perf, &cycles, -1, frequency_hz, stack_bytes, NULL);
	wk_perf_fini(&perf);
	probe.can_sample_cpus = probe.can_record_all && wk_family_open(&family);
	if (probe.can_sample_cpus)
		wk_family_close(&family);
	return probe;
}

bool wk_record_may_trace_memory(struct wk_err *why)
{
	struct wk_perf_event event;
	uint64_t id;

	return wk_perf_name_memory_at(0, &event) &&
	       wk_tracepoint_id(event.system, event.point, &id, why);
}
