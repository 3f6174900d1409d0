/* What a Windows trace has samples of: the timer, counters of the processor, page faults, and the
 * time that interrupts took. Each is a source of its own, told only where it occurs. */
#include "formats/etl/trace.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/mem.h"
#include "formats/etl/payload/memory.h"
#include "formats/etl/payload/threads.h"

#define IDLE_TID 0

#define TIMER_100NS 10000 /* where nobody tells */

/* Numbers of sources; those of counters follow by their rows. */
enum source {
	NO_SOURCE,
	SAMPLED,
	IDLE,
	HARD_FAULT,
	TRANSITION_FAULT,
	DEMAND_ZERO_FAULT,
	COPY_ON_WRITE_FAULT,
	GUARD_PAGE_FAULT,
	HARD_PAGE_FAULT,
	ACCESS_VIOLATION,
	DPC,
	ISR,
	FIRST_COUNTER,
};

static const struct {
	const char *name, *unit;
} sources[FIRST_COUNTER] = {
	[SAMPLED] = { "SampledProfile", "ns" },
	[IDLE] = { "idle", "ns" },
	[HARD_FAULT] = { "hard fault", "events" },
	[TRANSITION_FAULT] = { "transition fault", "events" },
	[DEMAND_ZERO_FAULT] = { "demand zero fault", "events" },
	[COPY_ON_WRITE_FAULT] = { "copy on write fault", "events" },
	[GUARD_PAGE_FAULT] = { "guard page fault", "events" },
	[HARD_PAGE_FAULT] = { "hard page fault", "events" },
	[ACCESS_VIOLATION] = { "access violation", "events" },
	[DPC] = { "DPC", "ns" },
	[ISR] = { "ISR", "ns" },
};

/* A processor that has nothing to do is sampled, too, in the thread 0 of its own: unless that runs
 * what a device asked for. */
static enum source source_of_sample(const struct wk_etl_sample *sample)
{
	return sample->tid != IDLE_TID || sample->in_dpc || sample->in_isr ? SAMPLED : IDLE;
}

static enum source source_of_hook(uint32_t hook)
{
	switch (hook) {
	case WK_ETL_HARD_FAULT:
		return HARD_FAULT;
	case WK_ETL_TRANSITION_FAULT:
		return TRANSITION_FAULT;
	case WK_ETL_DEMAND_ZERO_FAULT:
		return DEMAND_ZERO_FAULT;
	case WK_ETL_COPY_ON_WRITE_FAULT:
		return COPY_ON_WRITE_FAULT;
	case WK_ETL_GUARD_PAGE_FAULT:
		return GUARD_PAGE_FAULT;
	case WK_ETL_HARD_PAGE_FAULT:
		return HARD_PAGE_FAULT;
	case WK_ETL_ACCESS_VIOLATION:
		return ACCESS_VIOLATION;
	case WK_ETL_DPC:
	case WK_ETL_THREADED_DPC:
	case WK_ETL_TIMER_DPC:
		return DPC;
	case WK_ETL_ISR:
	case WK_ETL_MESSAGE_ISR:
		return ISR;
	default:
		return NO_SOURCE;
	}
}

bool wk_etl_is_sampled(uint32_t hook)
{
	switch (hook) {
	case WK_ETL_SAMPLE:
	case WK_ETL_SAMPLE_NMI:
	case WK_ETL_SAMPLE_CACHE:
	case WK_ETL_COUNTED:
		return true;
	default:
		return source_of_hook(hook) != NO_SOURCE;
	}
}

/* ---- the first pass: which there are */

static void see(struct wk_etl_trace *trace, enum source source)
{
	trace->sources_seen |= 1u << source;
}

bool wk_etl_sums_others(const struct wk_etl_trace *trace)
{
	return trace->sums_other_sources && trace->sources_seen & 1u << SAMPLED;
}

/* What a sample of the timer stands for. */
static uint64_t timer_ns(struct wk_etl_trace *trace, uint64_t time)
{
	return wk_etl_intervals_at(&trace->intervals, time, TIMER_100NS) * 100;
}

static void add_idle(struct wk_etl_trace *trace, uint64_t time, const struct wk_etl_sample *sample)
{
	struct wk_event_sum *idle = &trace->idle;
	uint64_t count = sample->count ? sample->count : 1;

	if (idle->times == 0 || time < idle->time_ns)
		idle->time_ns = time;
	if (time > idle->until_ns)
		idle->until_ns = time;
	idle->times++;
	if (trace->intervals.count)
		idle->weight += count * timer_ns(trace, time);
	else
		trace->idle_untold += count;
}

void wk_etl_count_idle(struct wk_etl_trace *trace, struct wk_etl_sums *sums)
{
	struct wk_event_sum idle = trace->idle;
	struct wk_event_whose whose = { .pid = wk_etl_pid_of_thread(trace, IDLE_TID),
					.tid = IDLE_TID, .source = IDLE };

	idle.weight += trace->idle_untold * timer_ns(trace, 0);
	if (idle.times)
		wk_etl_sums_add(sums, &whose, &idle);
}

static void scan_sample(struct wk_etl_trace *trace, const struct wk_etl_record *record,
			struct wk_bytes payload)
{
	const uint32_t both = 1u << SAMPLED | 1u << IDLE;
	struct wk_etl_sample sample;

	if (((trace->sources_seen & both) == both && !trace->sums_other_sources) ||
	    !wk_etl_read_sample(payload, wk_etl_form_of(record), &sample))
		return;
	see(trace, source_of_sample(&sample));
	if (trace->sums_other_sources && source_of_sample(&sample) == IDLE)
		add_idle(trace, record->time, &sample);
}

static void scan_samples(struct wk_etl_trace *trace, const struct wk_etl_record *record)
{
	struct wk_etl_samples samples;

	wk_etl_read_samples(record->payload, wk_etl_form_of(record), &samples);
	for (size_t i = 0; i < samples.count; i++)
		scan_sample(trace, record, samples.at[i]);
}

static struct wk_etl_counter *counter_of(struct wk_etl_trace *trace, uint32_t source)
{
	uint32_t *row = wk_map_at(&trace->counter_of, source);

	if (!*row) {
		trace->counters = wk_grow(trace->counters, &trace->counter_cap,
					  trace->counter_count + 1, sizeof(*trace->counters));
		trace->counters[trace->counter_count++] = (struct wk_etl_counter){
			.source = source };
		*row = (uint32_t)trace->counter_count;
	}
	return &trace->counters[*row - 1];
}

static void scan_counted(struct wk_etl_trace *trace, const struct wk_etl_record *record)
{
	struct wk_etl_counted counted;

	if (wk_etl_read_counted(record->payload, wk_etl_form_of(record), &counted))
		counter_of(trace, counted.source)->is_seen = true;
}

/* Of the timer the unit is known; of a counter it is whatever that counts. */
void wk_etl_scan_interval(struct wk_etl_trace *trace, const struct wk_etl_record *record,
			  uint32_t hook)
{
	struct wk_etl_interval interval;
	struct wk_etl_counter *counter = NULL;
	uint32_t before;

	if (!wk_etl_read_interval(record->payload, &interval) || !interval.interval)
		return;
	before = hook == WK_ETL_INTERVAL_SET ? interval.before : 0; /* else another trace's */
	if (interval.source)
		counter = counter_of(trace, interval.source);
	wk_etl_intervals_add(counter ? &counter->intervals : &trace->intervals, record->time,
			     before, interval.interval);
	if (counter && !counter->name.len)
		counter->name = wk_etl_keep16(trace, interval.name);
}

bool wk_etl_scan_sampled(struct wk_etl_trace *trace, const struct wk_etl_record *record,
			 uint32_t hook)
{
	enum source source = source_of_hook(hook);

	switch (hook) {
	case WK_ETL_SAMPLE:
	case WK_ETL_SAMPLE_NMI:
		scan_sample(trace, record, record->payload);
		break;
	case WK_ETL_SAMPLE_CACHE:
		scan_samples(trace, record);
		break;
	case WK_ETL_COUNTED:
		scan_counted(trace, record);
		break;
	default:
		if (source == NO_SOURCE)
			return false;
		see(trace, source);
		break;
	}
	return true;
}

/* ---- sources */

static bool emit_source(struct wk_etl_trace *trace, uint32_t number, struct wk_str name,
			const char *unit, bool is_cpu_time)
{
	struct wk_event event = { .kind = WK_EVENT_SOURCE, .cpu = WK_NO_CPU };

	event.source = (struct wk_event_source){ .source = number, .name = name,
						 .unit = wk_str_c(unit),
						 .is_cpu_time = is_cpu_time };
	return wk_etl_handle(trace, &event);
}

static bool emit_counter(struct wk_etl_trace *trace, size_t row)
{
	const struct wk_etl_counter *counter = &trace->counters[row];
	struct wk_buf name = { 0 };
	bool ok;

	if (!counter->is_seen)
		return true;
	if (counter->name.len)
		wk_buf_add_str(&name, counter->name);
	else
		wk_buf_add_fmt(&name, "counter %" PRIu32, counter->source);
	ok = emit_source(trace, FIRST_COUNTER + (uint32_t)row, wk_buf_str(&name), "events", false);
	wk_buf_fini(&name);
	return ok;
}

bool wk_etl_emit_sources(struct wk_etl_trace *trace)
{
	bool ok = true;

	for (uint32_t i = SAMPLED; ok && i < FIRST_COUNTER; i++)
		if (trace->sources_seen >> i & 1)
			ok = emit_source(trace, i, wk_str_c(sources[i].name), sources[i].unit,
					 i == SAMPLED);
	for (size_t i = 0; ok && i < trace->counter_count; i++)
		ok = emit_counter(trace, i);
	return ok;
}

/* ---- the second pass: samples */

static struct wk_event begin_sample(const struct wk_etl_trace *trace,
				    const struct wk_etl_record *record, uint32_t source)
{
	struct wk_event event = { .kind = WK_EVENT_SAMPLE, .cpu = record->cpu,
				  .time_ns = wk_etl_ns(trace->file, record->time) };

	event.sample.source = source;
	event.sample.weight = 1;
	return event;
}

static void set_address(struct wk_event *event, const struct wk_etl_record *record,
			uint64_t address)
{
	event->sample.address = address;
	event->sample.in_kernel = address >> (record->pointer_bytes * 8 - 1);
}

static bool on_sample(struct wk_etl_trace *trace, const struct wk_etl_record *record,
		      struct wk_bytes payload)
{
	struct wk_etl_sample sample;
	struct wk_event event;

	if (!wk_etl_read_sample(payload, wk_etl_form_of(record), &sample)) {
		trace->short_payloads++;
		return true;
	}
	if (source_of_sample(&sample) == IDLE && wk_etl_sums_others(trace))
		return true;
	event = begin_sample(trace, record, source_of_sample(&sample));
	event.sample.weight = (sample.count ? sample.count : 1) * timer_ns(trace, record->time);
	set_address(&event, record, sample.address);
	wk_etl_set_thread(trace, record, sample.tid, &event, &event.sample);
	return wk_etl_handle(trace, &event);
}

static bool on_samples(struct wk_etl_trace *trace, const struct wk_etl_record *record)
{
	struct wk_etl_samples samples;
	bool ok = true;

	if (!wk_etl_read_samples(record->payload, wk_etl_form_of(record), &samples))
		trace->short_payloads++;
	for (size_t i = 0; ok && i < samples.count; i++)
		ok = on_sample(trace, record, samples.at[i]);
	return ok;
}

static bool on_counted(struct wk_etl_trace *trace, const struct wk_etl_record *record)
{
	struct wk_event event = begin_sample(trace, record, FIRST_COUNTER);
	struct wk_etl_counted counted;
	uint32_t row;

	if (!wk_etl_read_counted(record->payload, wk_etl_form_of(record), &counted)) {
		trace->short_payloads++;
		return true;
	}
	row = wk_map_find(&trace->counter_of, counted.source); /* the first pass has seen it */
	if (!row)
		return true;
	event.sample.source = FIRST_COUNTER + row - 1;
	event.sample.weight =
		wk_etl_intervals_at(&trace->counters[row - 1].intervals, record->time, 1);
	set_address(&event, record, counted.address);
	wk_etl_set_thread(trace, record, counted.tid, &event, &event.sample);
	return wk_etl_handle(trace, &event);
}

static bool on_fault(struct wk_etl_trace *trace, const struct wk_etl_record *record,
		     enum source source)
{
	struct wk_event event = begin_sample(trace, record, source);
	struct wk_event_details details = { .has = WK_DETAIL_ADDRESS };
	struct wk_etl_fault fault;

	if (!wk_etl_read_fault(record->payload, wk_etl_form_of(record), &fault)) {
		trace->short_payloads++;
		return true;
	}
	details.data_address = fault.address;
	event.sample.details = &details;
	set_address(&event, record, fault.program_counter);
	wk_etl_set_doer(trace, record, &event, &event.sample);
	return wk_etl_handle(trace, &event);
}

/* One is one, however many pages were read; how many bytes that were stands beside it. */
static bool on_hard_fault(struct wk_etl_trace *trace, const struct wk_etl_record *record)
{
	struct wk_event event = begin_sample(trace, record, HARD_FAULT);
	struct wk_event_details details = { .has = WK_DETAIL_ADDRESS | WK_DETAIL_WEIGHT };
	struct wk_etl_hard_fault fault;

	if (!wk_etl_read_hard_fault(record->payload, wk_etl_form_of(record), &fault)) {
		trace->short_payloads++;
		return true;
	}
	details.data_address = fault.address;
	details.weight = fault.size_bytes;
	event.sample.details = &details;
	wk_etl_set_thread(trace, record, fault.tid, &event, &event.sample);
	if (event.sample.kernel_count)
		set_address(&event, record, event.sample.kernel_chain[0]);
	else if (event.sample.user_count)
		set_address(&event, record, event.sample.user_chain[0]);
	return wk_etl_handle(trace, &event);
}

/* It is told when it is over; what it did has no stack but its own beginning. */
static bool on_interrupt(struct wk_etl_trace *trace, const struct wk_etl_record *record,
			 enum source source)
{
	struct wk_event event = begin_sample(trace, record, source);
	struct wk_etl_interrupt interrupt;
	uint64_t begin_ns;

	if (!wk_etl_read_interrupt(record->payload, wk_etl_form_of(record), &interrupt)) {
		trace->short_payloads++;
		return true;
	}
	begin_ns = wk_etl_ns(trace->file, interrupt.begin);
	event.sample.weight = event.time_ns > begin_ns ? event.time_ns - begin_ns : 0;
	set_address(&event, record, interrupt.routine);
	wk_etl_set_running(trace, record, &event);
	return wk_etl_handle(trace, &event);
}

bool wk_etl_emit_sampled(struct wk_etl_trace *trace, const struct wk_etl_record *record,
			 uint32_t hook)
{
	enum source source = source_of_hook(hook);

	switch (hook) {
	case WK_ETL_SAMPLE:
	case WK_ETL_SAMPLE_NMI:
		return on_sample(trace, record, record->payload);
	case WK_ETL_SAMPLE_CACHE:
		return on_samples(trace, record);
	case WK_ETL_COUNTED:
		return on_counted(trace, record);
	case WK_ETL_HARD_FAULT:
		return on_hard_fault(trace, record);
	default:
		break;
	}
	if (source == DPC || source == ISR)
		return on_interrupt(trace, record, source);
	return source == NO_SOURCE || on_fault(trace, record, source);
}
