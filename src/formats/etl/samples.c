/* Samples of a Windows trace: the timer, counters of the processor, page faults, and the time of
 * interrupts. Each is a source of its own, emitted only if it has samples. */
#include "formats/etl/trace.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/mem.h"

#define IDLE_TID 0

#define TIMER_100NS 10000 /* without a record of the interval */

static const struct {
	const char *name, *unit;
} sources[WK_ETL_FIRST_COUNTER] = {
	[WK_ETL_SAMPLED] = { "SampledProfile", "ns" },
	[WK_ETL_IDLE] = { "idle", "ns" },
	[WK_ETL_HARD_FAULT] = { "hard fault", "events" },
	[WK_ETL_TRANSITION_FAULT] = { "transition fault", "events" },
	[WK_ETL_DEMAND_ZERO_FAULT] = { "demand zero fault", "events" },
	[WK_ETL_COPY_ON_WRITE_FAULT] = { "copy on write fault", "events" },
	[WK_ETL_GUARD_PAGE_FAULT] = { "guard page fault", "events" },
	[WK_ETL_HARD_PAGE_FAULT] = { "hard page fault", "events" },
	[WK_ETL_ACCESS_VIOLATION] = { "access violation", "events" },
	[WK_ETL_DPC] = { "DPC", "ns" },
	[WK_ETL_ISR] = { "ISR", "ns" },
};

/* Idle processors are sampled as well, in their own thread 0, which also serves devices. */
static enum wk_etl_source source_of_sample(const struct wk_etl_sample *sample)
{
	return sample->tid != IDLE_TID || sample->in_dpc || sample->in_isr ? WK_ETL_SAMPLED
									   : WK_ETL_IDLE;
}

/* ---- intervals */

static void add_since(struct wk_etl_intervals *all, uint64_t time, uint64_t interval)
{
	if (all->count && all->at[all->count - 1].interval == interval)
		return;
	*WK_APPEND(all->at, all->count, all->cap) = (struct wk_etl_since){ time, interval };
}

/* In order of time. Before the first change, the interval is the one that this change replaces or,
 * if `before` is 0, its new one. */
static void add_interval(struct wk_etl_intervals *all, uint64_t time, uint64_t before,
			 uint64_t interval)
{
	if (!all->count)
		add_since(all, 0, before ? before : interval);
	add_since(all, time, interval);
}

/* `otherwise` if unknown. Lookups in order of time are fast. */
static uint64_t interval_at(struct wk_etl_intervals *all, uint64_t time, uint64_t otherwise)
{
	if (!all->count)
		return otherwise;
	if (time < all->at[all->now].time)
		all->now = 0;
	while (all->now + 1 < all->count && all->at[all->now + 1].time <= time)
		all->now++;
	return all->at[all->now].interval;
}

/* ---- the first pass: which sources have samples */

bool wk_etl_sums_others(const struct wk_etl_trace *trace)
{
	return trace->sums_other_sources && trace->sources_seen & 1u << WK_ETL_SAMPLED;
}

/* The weight of a sample of the timer. */
static uint64_t timer_ns(struct wk_etl_trace *trace, uint64_t time)
{
	return interval_at(&trace->intervals, time, TIMER_100NS) * 100;
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
		trace->idle_unweighted += count;
}

void wk_etl_sum_idle(struct wk_etl_trace *trace, struct wk_etl_sums *sums)
{
	struct wk_event_sum idle = trace->idle;
	struct wk_event_whose whose = { .pid = wk_etl_pid_of_thread(trace, IDLE_TID),
					.tid = IDLE_TID, .source = WK_ETL_IDLE };

	idle.weight += trace->idle_unweighted * timer_ns(trace, 0);
	if (idle.times)
		wk_etl_sums_add(sums, &whose, &idle);
}

bool wk_etl_scan_sample(struct wk_etl_trace *trace)
{
	const uint32_t both = 1u << WK_ETL_SAMPLED | 1u << WK_ETL_IDLE;
	struct wk_etl_sample sample;

	if (((trace->sources_seen & both) == both && !trace->sums_other_sources) ||
	    !wk_etl_read_sample(trace->record.payload, wk_etl_form(trace), &sample))
		return true; /* the second pass counts short ones */
	trace->sources_seen |= 1u << source_of_sample(&sample);
	if (trace->sums_other_sources && source_of_sample(&sample) == WK_ETL_IDLE)
		add_idle(trace, trace->record.time, &sample);
	return true;
}

bool wk_etl_scan_samples(struct wk_etl_trace *trace)
{
	struct wk_etl_samples samples;

	wk_etl_read_samples(trace->record.payload, wk_etl_form(trace), &samples);
	for (size_t i = 0; i < samples.count; i++) {
		trace->record.payload = samples.at[i];
		wk_etl_scan_sample(trace);
	}
	return true;
}

static struct wk_etl_counter *counter_of(struct wk_etl_trace *trace, uint32_t source)
{
	uint32_t *row = wk_map_at(&trace->counter_of, source);

	if (!*row) {
		*WK_APPEND(trace->counters, trace->counter_count, trace->counter_cap) =
			(struct wk_etl_counter){ .source = source };
		*row = (uint32_t)trace->counter_count;
	}
	return &trace->counters[*row - 1];
}

/* A counter of the processor overflowed: where, in which thread, and which counter, by the number
 * that intervals use. */
static bool read_counted(const struct wk_etl_trace *trace, uint64_t *address, uint32_t *tid,
			 uint16_t *source)
{
	struct wk_bytes in = trace->record.payload;

	*address = wk_etl_read_pointer(&in, wk_etl_form(trace));
	*tid = wk_u32le(&in);
	*source = wk_u16le(&in);
	return !in.bad;
}

bool wk_etl_scan_counted(struct wk_etl_trace *trace)
{
	uint64_t address;
	uint32_t tid;
	uint16_t source;

	if (read_counted(trace, &address, &tid, &source))
		counter_of(trace, source)->has_samples = true;
	return true;
}

/* The interval of the timer is a time, that of a counter a number of its events. */
bool wk_etl_scan_interval(struct wk_etl_trace *trace)
{
	struct wk_etl_interval interval;
	struct wk_etl_counter *counter = NULL;
	uint32_t before;

	if (!wk_etl_read_interval(trace->record.payload, &interval) || !interval.interval)
		return true;
	/* At the start and the end of a trace the one before is that of another trace. */
	before = trace->hook->phase == WK_ETL_ONCE ? interval.before : 0;
	if (interval.source)
		counter = counter_of(trace, interval.source);
	add_interval(counter ? &counter->intervals : &trace->intervals, trace->record.time, before,
		     interval.interval);
	if (counter && !counter->name.len)
		counter->name = wk_utf16_copy(&trace->texts, interval.name);
	return true;
}

/* ---- sources */

static bool emit_source(struct wk_etl_trace *trace, uint32_t number, struct wk_str name,
			const char *unit, bool is_cpu_time)
{
	struct wk_event event = { .kind = WK_EVENT_SOURCE, .cpu = WK_NO_CPU,
				  .source = { .source = number, .name = name,
					      .unit = wk_str_c(unit), .is_cpu_time = is_cpu_time } };

	return wk_etl_emit_event(trace, &event);
}

static bool emit_counter(struct wk_etl_trace *trace, size_t row)
{
	const struct wk_etl_counter *counter = &trace->counters[row];
	struct wk_buf name = { 0 };
	bool ok;

	if (!counter->has_samples)
		return true;
	if (counter->name.len)
		wk_buf_add_str(&name, counter->name);
	else
		wk_buf_add_fmt(&name, "counter %" PRIu32, counter->source);
	ok = emit_source(trace, WK_ETL_FIRST_COUNTER + (uint32_t)row, wk_buf_str(&name), "events",
			 false);
	wk_buf_fini(&name);
	return ok;
}

bool wk_etl_emit_sources(struct wk_etl_trace *trace)
{
	bool ok = true;

	for (uint32_t i = WK_ETL_SAMPLED; ok && i < WK_ETL_FIRST_COUNTER; i++)
		if (trace->sources_seen >> i & 1)
			ok = emit_source(trace, i, wk_str_c(sources[i].name), sources[i].unit,
					 i == WK_ETL_SAMPLED);
	for (size_t i = 0; ok && i < trace->counter_count; i++)
		ok = emit_counter(trace, i);
	return ok;
}

/* ---- the second pass: samples */

static struct wk_event begin_sample(const struct wk_etl_trace *trace, uint32_t source)
{
	struct wk_event event = wk_etl_event(trace, WK_EVENT_SAMPLE);

	event.sample.source = source;
	event.sample.weight = 1;
	return event;
}

static void set_address(const struct wk_etl_trace *trace, struct wk_event *event, uint64_t address)
{
	event->sample.address = address;
	event->sample.in_kernel = address >> (trace->record.pointer_bytes * 8 - 1);
}

bool wk_etl_emit_sample(struct wk_etl_trace *trace)
{
	struct wk_etl_sample sample;
	struct wk_event event;

	if (!wk_etl_read_sample(trace->record.payload, wk_etl_form(trace), &sample))
		return wk_etl_skip_short(trace);
	if (source_of_sample(&sample) == WK_ETL_IDLE && wk_etl_sums_others(trace))
		return true;
	event = begin_sample(trace, source_of_sample(&sample));
	event.sample.weight =
		(sample.count ? sample.count : 1) * timer_ns(trace, trace->record.time);
	set_address(trace, &event, sample.address);
	wk_etl_set_thread(trace, sample.tid, &event, &event.sample);
	return wk_etl_emit_event(trace, &event);
}

bool wk_etl_emit_samples(struct wk_etl_trace *trace)
{
	struct wk_etl_samples samples;
	bool ok = true;

	if (!wk_etl_read_samples(trace->record.payload, wk_etl_form(trace), &samples))
		trace->short_payloads++;
	for (size_t i = 0; ok && i < samples.count; i++) {
		trace->record.payload = samples.at[i];
		ok = wk_etl_emit_sample(trace);
	}
	return ok;
}

bool wk_etl_emit_counted(struct wk_etl_trace *trace)
{
	struct wk_event event = begin_sample(trace, WK_ETL_FIRST_COUNTER);
	uint64_t address;
	uint32_t tid, row;
	uint16_t source;

	if (!read_counted(trace, &address, &tid, &source))
		return wk_etl_skip_short(trace);
	row = wk_map_find(&trace->counter_of, source); /* the first pass has added it */
	if (!row)
		return true;
	event.sample.source = WK_ETL_FIRST_COUNTER + row - 1;
	event.sample.weight =
		interval_at(&trace->counters[row - 1].intervals, trace->record.time, 1);
	set_address(trace, &event, address);
	wk_etl_set_thread(trace, tid, &event, &event.sample);
	return wk_etl_emit_event(trace, &event);
}

bool wk_etl_emit_fault(struct wk_etl_trace *trace)
{
	struct wk_event event = begin_sample(trace, trace->hook->source);
	struct wk_etl_form form = wk_etl_form(trace);
	struct wk_bytes in = trace->record.payload;
	struct wk_event_details details = { .data_address = wk_etl_read_pointer(&in, form) };

	set_address(trace, &event, wk_etl_read_pointer(&in, form));
	if (in.bad)
		return wk_etl_skip_short(trace);
	event.sample.details = &details;
	wk_etl_find_thread(trace, &event, &event.sample);
	return wk_etl_emit_event(trace, &event);
}

/* Weighs 1, however many pages were read; the bytes are a detail. */
bool wk_etl_emit_hard_fault(struct wk_etl_trace *trace)
{
	struct wk_event event = begin_sample(trace, trace->hook->source);
	struct wk_event_details details = { 0 };
	struct wk_etl_form form = wk_etl_form(trace);
	struct wk_bytes in = trace->record.payload;
	uint32_t tid;

	wk_bytes_skip(&in, 16); /* start time; offset in the file */
	details.data_address = wk_etl_read_pointer(&in, form);
	wk_etl_read_pointer(&in, form); /* key of the file */
	tid = wk_u32le(&in);
	details.weight = wk_u32le(&in);
	if (in.bad)
		return wk_etl_skip_short(trace);
	event.sample.details = &details;
	wk_etl_set_thread(trace, tid, &event, &event.sample);
	if (event.sample.kernel_count)
		set_address(trace, &event, event.sample.kernel_chain[0]);
	else if (event.sample.user_count)
		set_address(trace, &event, event.sample.user_chain[0]);
	return wk_etl_emit_event(trace, &event);
}

/* Logged at its end. It has no stack but its own start. */
bool wk_etl_emit_interrupt(struct wk_etl_trace *trace)
{
	struct wk_event event = begin_sample(trace, trace->hook->source);
	struct wk_bytes in = trace->record.payload;
	uint64_t begin_ns = wk_etl_ns(trace->file, wk_u64le(&in));

	event.sample.weight = event.time_ns > begin_ns ? event.time_ns - begin_ns : 0;
	set_address(trace, &event, wk_etl_read_pointer(&in, wk_etl_form(trace)));
	if (in.bad)
		return wk_etl_skip_short(trace);
	wk_etl_set_running(trace, &event);
	return wk_etl_emit_event(trace, &event);
}
