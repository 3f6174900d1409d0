#include "formats/perfparser/internal.h"

#include "base/mem.h"

#define COST_BYTES 12 /* the number of an event, and its cost */

/* Everything that happened begins with the process, the thread, the time and the CPU. */
static struct wk_event begin_event(struct wk_bytes *body)
{
	struct wk_event event = { .pid = wk_u32(body) };

	event.tid = wk_u32(body);
	event.time_ns = wk_u64(body);
	event.cpu = wk_u32(body);
	return event;
}

/* --- Threads ------------------------------------------------------------------------------- */

/* Older versions do not have the parent. What happened at time 0 describes what already ran. */
static void read_start(struct wk_hotspot *hotspot, struct wk_bytes *body, struct wk_event *event)
{
	bool has_parent = wk_bytes_left(body) >= 4;
	uint32_t parent_pid = has_parent ? wk_u32(body) : 0;
	bool is_seen = event->time_ns == 0;

	(void)hotspot;
	if (event->pid != event->tid) {
		event->kind = WK_EVENT_THREAD;
		event->thread.change = is_seen ? WK_THREAD_SEEN : WK_THREAD_START;
		event->thread.parent_tid = is_seen ? 0 : parent_pid;
		return;
	}
	event->kind = WK_EVENT_PROCESS;
	event->process.parent_pid = parent_pid;
	if (is_seen)
		event->process.change = WK_PROCESS_SEEN;
	else
		event->process.change = has_parent ? WK_PROCESS_FORK : WK_PROCESS_START;
}

static void read_end(struct wk_hotspot *hotspot, struct wk_bytes *body, struct wk_event *event)
{
	(void)hotspot;
	(void)body;
	if (event->pid == event->tid) {
		event->kind = WK_EVENT_PROCESS;
		event->process.change = WK_PROCESS_EXIT;
	} else {
		event->kind = WK_EVENT_THREAD;
		event->thread.change = WK_THREAD_EXIT;
	}
}

/* A program that replaces another is not distinguished from a thread that renames itself. */
static void read_command(struct wk_hotspot *hotspot, struct wk_bytes *body, struct wk_event *event)
{
	struct wk_str name = wk_hotspot_string(hotspot, (int32_t)wk_u32(body));

	if (event->time_ns == 0 && event->pid == event->tid) {
		event->kind = WK_EVENT_PROCESS;
		event->process.change = WK_PROCESS_SEEN;
		event->process.name = name;
	} else {
		event->kind = WK_EVENT_THREAD;
		event->thread.change = event->time_ns ? WK_THREAD_NAME : WK_THREAD_SEEN;
		event->thread.name = name;
	}
}

static void read_switch(struct wk_hotspot *hotspot, struct wk_bytes *body, struct wk_event *event)
{
	if (hotspot->skips_details)
		return;
	event->kind = WK_EVENT_OTHER;
	event->other.what = wk_str_c("switch");
	event->other.text = wk_str_c(wk_u8(body) ? "out" : "in");
}

/* Older versions do not contain how many. */
static void read_lost(struct wk_hotspot *hotspot, struct wk_bytes *body, struct wk_event *event)
{
	if (wk_bytes_left(body) < 8) {
		hotspot->losses++;
		return;
	}
	event->lost.count = wk_u64(body);
	event->pid = event->tid = 0; /* the task that ran at the time is unrelated */
	if (event->lost.count)
		event->kind = WK_EVENT_LOST;
}

/* --- Sources ------------------------------------------------------------------------------- */

enum { HARDWARE, SOFTWARE, TRACEPOINT }; /* types of perf's attributes */

static bool is_clock(const struct wk_hotspot_attributes *attributes)
{
	return attributes->type == SOFTWARE && attributes->config <= 1;
}

/* Hybrid machines put the kind of core into the upper half. */
static bool is_cycles(const struct wk_hotspot_attributes *attributes)
{
	uint32_t config = (uint32_t)attributes->config;

	return attributes->type == HARDWARE && (config == 0 || config == 9);
}

static void announce(struct wk_hotspot *hotspot, struct wk_hotspot_attributes *attributes)
{
	struct wk_event_source source = {
		.source = (uint32_t)(attributes - hotspot->attributes),
		.name = wk_hotspot_string(hotspot, attributes->name),
		.unit = wk_str_c("events"),
		.is_cpu_time = is_clock(attributes) || is_cycles(attributes),
	};

	attributes->is_announced = true;
	if (source.name.len == 0)
		source.name = wk_str_c("samples");
	if (is_clock(attributes))
		source.unit = wk_str_c("ns");
	else if (is_cycles(attributes))
		source.unit = wk_str_c("cycles");
	wk_stack_writer_emit_source(hotspot->writer, &source);
}

/* The attributes of a sample, announced; NULL if they are not defined. */
static struct wk_hotspot_attributes *attributes_at(struct wk_hotspot *hotspot, int32_t number)
{
	struct wk_hotspot_attributes *attributes;

	if (number < 0 || (size_t)number >= hotspot->attribute_count)
		return NULL;
	attributes = &hotspot->attributes[number];
	if (!attributes->is_defined)
		return NULL;
	if (!attributes->is_announced)
		announce(hotspot, attributes);
	return attributes;
}

/* --- Samples ------------------------------------------------------------------------------- */

/* A sample without a period has the one that was requested. */
static uint64_t weight_of(const struct wk_hotspot_attributes *attributes, uint64_t cost)
{
	if (cost == 0 && attributes->period)
		return attributes->period;
	return cost ? cost : 1;
}

/* How much a counter grew since it was last read; one that shrank began again. Counters of a whole
 * machine belong to its CPUs, which are recorded then, others to a thread. */
static uint64_t growth_of(struct wk_hotspot *hotspot, int32_t number, const struct wk_event *event,
			  uint64_t value)
{
	uint64_t owner = event->cpu == WK_NO_CPU ? event->tid : event->cpu;
	uint32_t *index = wk_map_at(&hotspot->counter_of, (uint64_t)number << 32 | owner);
	uint64_t last;

	if (!*index) {
		*WK_APPEND(hotspot->counters, hotspot->counter_count, hotspot->counter_cap) = 0;
		*index = (uint32_t)hotspot->counter_count;
	}
	last = hotspot->counters[*index - 1];
	hotspot->counters[*index - 1] = value;
	return value >= last ? value - last : value;
}

/* One cost is a period. Several are the counters of a group, of which the first was sampled: the
 * others weigh something if they counted since the last time. */
static void emit_costs(struct wk_hotspot *hotspot, struct wk_bytes costs, struct wk_event *event)
{
	bool is_group = wk_bytes_left(&costs) > COST_BYTES, is_first = true;

	for (; wk_bytes_left(&costs); is_first = false) {
		int32_t number = (int32_t)wk_u32(&costs);
		uint64_t cost = wk_u64(&costs);
		struct wk_hotspot_attributes *attributes = attributes_at(hotspot, number);

		if (!attributes) {
			hotspot->bad_samples++;
			continue;
		}
		event->sample.source = (uint32_t)number;
		event->sample.weight = is_group ? growth_of(hotspot, number, event, cost)
						: weight_of(attributes, cost);
		if (event->sample.weight || is_first)
			wk_stack_writer_event(hotspot->writer, event);
	}
}

static void describe_first(struct wk_hotspot *hotspot, struct wk_bytes locations,
			   struct wk_event_sample *sample)
{
	uint32_t first = wk_u32(&locations);

	if (locations.bad || first >= hotspot->location_count)
		return;
	sample->address = hotspot->locations[first].address;
	sample->in_kernel = hotspot->locations[first].pid == WK_KERNEL_PID;
}

/* By the sampled event, which is the first. */
static bool has_cpus(const struct wk_hotspot *hotspot, struct wk_bytes costs)
{
	uint32_t number = wk_u32(&costs);

	return !costs.bad && number < hotspot->attribute_count &&
	       hotspot->attributes[number].has_cpus;
}

/* A sample of a group has a weight for each event of the group. */
static void emit_sample(struct wk_hotspot *hotspot, const struct wk_hotspot_record *record,
			struct wk_bytes body, struct wk_event *event)
{
	struct wk_bytes locations = wk_hotspot_many(&body, 4), costs;
	struct wk_event_details details = { 0 };
	bool has_fields = record->type == WK_HOTSPOT_TRACE_SAMPLE;

	wk_u8(&body); /* frames that were guessed at the end */
	costs = wk_hotspot_many(&body, COST_BYTES);
	if (body.bad || wk_bytes_left(&costs) == 0 || (!has_fields && wk_bytes_left(&body))) {
		hotspot->bad_samples++;
		return;
	}
	event->kind = WK_EVENT_SAMPLE;
	if (!has_cpus(hotspot, costs))
		event->cpu = WK_NO_CPU;
	describe_first(hotspot, locations, &event->sample);
	event->sample.named_stack = wk_hotspot_stack(hotspot, locations);
	if (has_fields && !hotspot->skips_details) {
		wk_buf_reset(&hotspot->trace_text);
		wk_hotspot_print_fields(hotspot, &body, &hotspot->trace_text);
		details.trace = wk_buf_str(&hotspot->trace_text);
		event->sample.details = &details;
	}
	emit_costs(hotspot, costs, event);
}

void wk_hotspot_emit(struct wk_hotspot *hotspot, const struct wk_hotspot_record *record)
{
	static void (*const readers[])(struct wk_hotspot *, struct wk_bytes *,
				       struct wk_event *) = {
		[WK_HOTSPOT_THREAD_START] = read_start, [WK_HOTSPOT_THREAD_END] = read_end,
		[WK_HOTSPOT_COMMAND] = read_command,    [WK_HOTSPOT_LOST] = read_lost,
		[WK_HOTSPOT_SWITCH] = read_switch,
	};
	struct wk_bytes body = record->body;
	struct wk_event event = begin_event(&body);

	if (record->type == WK_HOTSPOT_SAMPLE || record->type == WK_HOTSPOT_TRACE_SAMPLE) {
		emit_sample(hotspot, record, body, &event);
		return;
	}
	if (!hotspot->has_cpus)
		event.cpu = WK_NO_CPU;
	readers[record->type](hotspot, &body, &event);
	if (!body.bad && event.kind != WK_EVENT_NONE)
		wk_stack_writer_event(hotspot->writer, &event);
}
