#include "formats/perf/internal.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/mem.h"

#define LEAST_ATTR 48 /* up to the flags: all there was in the first version */

uint64_t wk_perf_mirrored(uint64_t bits)
{
	uint64_t out = 0;

	for (int i = 0; i < 64; i++)
		out |= (bits >> i & 1) << (63 - i);
	return out;
}

static unsigned has(uint64_t bits, uint64_t bit)
{
	return (bits & bit) != 0;
}

static void lay_out(struct wk_perf_attr *attr)
{
	uint64_t type = attr->sample_type;
	unsigned before_time = has(type, WK_PERF_SAMPLE_IDENTIFIER) + has(type, WK_PERF_SAMPLE_IP) +
			       has(type, WK_PERF_SAMPLE_TID);
	unsigned before_id =
		before_time + has(type, WK_PERF_SAMPLE_TIME) + has(type, WK_PERF_SAMPLE_ADDR);
	unsigned words = 0;

	attr->sample_time = has(type, WK_PERF_SAMPLE_TIME) ? (int)before_time : -1;
	if (has(type, WK_PERF_SAMPLE_IDENTIFIER))
		attr->sample_id = 0;
	else
		attr->sample_id = has(type, WK_PERF_SAMPLE_ID) ? (int)before_id : -1;
	if (!has(attr->flags, WK_PERF_FLAG_SAMPLE_ID_ALL))
		return;
	/* From the last word of the trailer to its first. */
	if (has(type, WK_PERF_SAMPLE_IDENTIFIER))
		attr->trailer_id = ++words;
	if (has(type, WK_PERF_SAMPLE_CPU))
		attr->trailer_cpu = ++words;
	if (has(type, WK_PERF_SAMPLE_STREAM_ID))
		words++;
	if (has(type, WK_PERF_SAMPLE_ID)) {
		words++;
		if (!attr->trailer_id)
			attr->trailer_id = words;
	}
	if (has(type, WK_PERF_SAMPLE_TIME))
		attr->trailer_time = ++words;
	if (has(type, WK_PERF_SAMPLE_TID))
		attr->trailer_tid = ++words;
}

bool wk_perf_add_attr(struct wk_perf *perf, struct wk_bytes raw)
{
	struct wk_perf_attr attr = { 0 };
	uint32_t size;

	if (wk_bytes_left(&raw) < LEAST_ATTR)
		return false;
	attr.type = wk_u32(&raw);
	size = wk_u32(&raw);
	if (size >= LEAST_ATTR && size - 8 < wk_bytes_left(&raw))
		raw.end = raw.at + (size - 8);
	attr.config = wk_u64(&raw);
	attr.period = wk_u64(&raw);
	attr.sample_type = wk_u64(&raw);
	attr.read_format = wk_u64(&raw);
	attr.flags = wk_u64(&raw);
	if (raw.big_endian)
		attr.flags = wk_perf_mirrored(attr.flags);
	/* Fields beyond the end of a short attr read as zero, as the kernel treats them. */
	wk_u32(&raw); /* wakeup_events */
	attr.breakpoint_kind = wk_u32(&raw);
	attr.breakpoint_address = wk_u64(&raw); /* config1 of others */
	wk_u64(&raw);                           /* config2 */
	attr.branch_sample_type = wk_u64(&raw);
	attr.user_registers = wk_u64(&raw);
	attr.user_stack_bytes = wk_u32(&raw);
	attr.clock_id = (int32_t)wk_u32(&raw);
	attr.interrupt_registers = wk_u64(&raw);
	lay_out(&attr);
	if (has(attr.flags, WK_PERF_FLAG_BUILD_ID))
		perf->has_build_id_flag = true;
	*WK_APPEND(perf->attrs, perf->attr_count, perf->attr_cap) = attr;
	return true;
}

void wk_perf_add_ids(struct wk_perf *perf, struct wk_bytes ids)
{
	perf->attrs[perf->attr_count - 1].id_count = (uint32_t)(wk_bytes_left(&ids) / 8);
	while (wk_bytes_left(&ids) >= 8)
		wk_map_set(&perf->attr_of_id, wk_u64(&ids), (uint32_t)perf->attr_count);
}

void wk_perf_name_attr(struct wk_perf *perf, uint64_t id, struct wk_str name)
{
	uint32_t index = wk_map_find(&perf->attr_of_id, id);

	if (index)
		perf->attrs[index - 1].name = name;
	else if (perf->attr_count == 1)
		perf->attrs[0].name = name;
}

static uint64_t word_at(const struct wk_perf_record *record, const uint8_t *at)
{
	struct wk_bytes word = record->body;

	word.at = at;
	return wk_u64(&word);
}

/* A word of a sample's body, counted from the start; 0 if it is missing. */
static uint64_t sample_word(const struct wk_perf_record *record, int index)
{
	if (index < 0 || wk_bytes_left(&record->body) < 8 * ((size_t)index + 1))
		return 0;
	return word_at(record, record->body.at + 8 * (size_t)index);
}

/* A word of a trailer, counted from the end; 0 if it is missing. */
static uint64_t trailer_word(const struct wk_perf_record *record, unsigned index)
{
	if (index == 0 || wk_bytes_left(&record->body) < 8 * (size_t)index)
		return 0;
	return word_at(record, record->body.end - 8 * (size_t)index);
}

bool wk_perf_names_attr(const struct wk_perf *perf, const struct wk_perf_record *record)
{
	unsigned place = perf->attr_count ? perf->attrs[0].trailer_id : 0;

	return perf->attr_count == 1 ||
	       wk_map_find(&perf->attr_of_id, trailer_word(record, place)) != 0;
}

/* All attrs keep their ids at one place, otherwise no reader could distinguish the records. */
struct wk_perf_attr *wk_perf_attr_of(struct wk_perf *perf, const struct wk_perf_record *record)
{
	const struct wk_perf_attr *first = perf->attrs;
	uint32_t index;
	uint64_t id;

	if (perf->attr_count < 2)
		return perf->attrs;
	id = record->type == WK_PERF_SAMPLE ? sample_word(record, first->sample_id)
					    : trailer_word(record, first->trailer_id);
	index = wk_map_find(&perf->attr_of_id, id);
	return &perf->attrs[index ? index - 1 : 0];
}

static bool has_trailer(const struct wk_perf_record *record)
{
	return record->type != WK_PERF_SAMPLE && record->type < WK_PERF_HEADER_ATTR;
}

/* Forks and exits hold their time in the body as well. */
static uint64_t body_time(const struct wk_perf_record *record)
{
	if (record->type == WK_PERF_FORK || record->type == WK_PERF_EXIT)
		return sample_word(record, 2);
	if (record->type == WK_PERF_THROTTLE || record->type == WK_PERF_UNTHROTTLE)
		return sample_word(record, 0);
	return 0;
}

uint64_t wk_perf_time_of(struct wk_perf *perf, const struct wk_perf_record *record)
{
	const struct wk_perf_attr *attr = wk_perf_attr_of(perf, record);
	uint64_t time_ns;

	if (attr && record->type == WK_PERF_SAMPLE && attr->sample_time >= 0)
		time_ns = sample_word(record, attr->sample_time);
	else if (attr && has_trailer(record) && attr->trailer_time)
		time_ns = trailer_word(record, attr->trailer_time);
	else if ((time_ns = body_time(record)) == 0)
		return perf->file_order_ns;
	if (time_ns == UINT64_MAX) /* perf's other way to say "none" */
		time_ns = 0;
	perf->file_order_ns = time_ns;
	return time_ns;
}

void wk_perf_read_trailer(struct wk_perf *perf, const struct wk_perf_record *record,
			  struct wk_event *event)
{
	const struct wk_perf_attr *attr = wk_perf_attr_of(perf, record);
	struct wk_bytes word = record->body;

	event->cpu = WK_NO_CPU;
	if (!attr || !has_trailer(record))
		return;
	if (attr->trailer_cpu && wk_bytes_left(&word) >= 8 * attr->trailer_cpu) {
		word.at = word.end - 8 * attr->trailer_cpu;
		event->cpu = wk_u32(&word);
	}
	word = record->body;
	if (attr->trailer_tid && wk_bytes_left(&word) >= 8 * attr->trailer_tid) {
		word.at = word.end - 8 * attr->trailer_tid;
		event->pid = wk_u32(&word);
		event->tid = wk_u32(&word);
	}
}

/* Hybrid machines put the kind of core into the upper half of a general event's config. */
static uint32_t general_config(const struct wk_perf_attr *attr)
{
	return (uint32_t)attr->config;
}

static bool is_cycles(const struct wk_perf_attr *attr)
{
	return attr->type == WK_PERF_TYPE_HARDWARE &&
	       (general_config(attr) == WK_PERF_HW_CPU_CYCLES ||
		general_config(attr) == WK_PERF_HW_REF_CYCLES);
}

static bool is_clock(const struct wk_perf_attr *attr)
{
	return attr->type == WK_PERF_TYPE_SOFTWARE &&
	       (attr->config == WK_PERF_SW_CPU_CLOCK || attr->config == WK_PERF_SW_TASK_CLOCK);
}

static void add_cache_name(uint32_t config, struct wk_buf *out)
{
	static const char *const caches[] = { "L1-dcache", "L1-icache", "LLC", "dTLB",
					      "iTLB",      "branch",    "node" };
	static const char *const operations[] = { "load", "store", "prefetch" };
	uint32_t cache = config & 0xff, operation = config >> 8 & 0xff;
	uint32_t result = config >> 16 & 0xff;

	if (cache > 6 || operation > 2 || result > 1)
		wk_buf_add_fmt(out, "cache:0x%" PRIx32, config);
	else if (result == 1)
		wk_buf_add_fmt(out, "%s-%s-misses", caches[cache], operations[operation]);
	else
		wk_buf_add_fmt(out, "%s-%s%s", caches[cache], operations[operation],
			       operation == 2 ? "es" : "s");
}

static void add_letter(bool is_wanted, char letter, struct wk_buf *letters)
{
	if (is_wanted)
		wk_buf_add_char(letters, letter);
}

/* As perf writes them: what is counted, if not everything; precision; and host and guest, if they
 * differ from what perf's defaults would give for the former. */
static void add_modifiers(uint64_t flags, struct wk_buf *out)
{
	bool no_user = has(flags, WK_PERF_FLAG_EXCLUDE_USER);
	bool no_kernel = has(flags, WK_PERF_FLAG_EXCLUDE_KERNEL);
	bool no_hypervisor = has(flags, WK_PERF_FLAG_EXCLUDE_HV);
	bool no_host = has(flags, WK_PERF_FLAG_EXCLUDE_HOST);
	bool no_guest = has(flags, WK_PERF_FLAG_EXCLUDE_GUEST);
	unsigned precise = (unsigned)(flags >> WK_PERF_FLAG_PRECISE_SHIFT & 3);
	bool is_narrowed = no_user || no_kernel || no_hypervisor;
	struct wk_buf letters = { 0 };

	add_letter(is_narrowed && !no_kernel, 'k', &letters);
	add_letter(is_narrowed && !no_user, 'u', &letters);
	add_letter(is_narrowed && !no_hypervisor, 'h', &letters);
	for (unsigned i = 0; i < precise; i++)
		wk_buf_add_char(&letters, 'p');
	if (no_host || no_guest == (is_narrowed || precise > 0)) {
		add_letter(!no_host, 'H', &letters);
		add_letter(!no_guest, 'G', &letters);
	}
	if (letters.len)
		wk_buf_add_fmt(out, ":%s", wk_buf_text(&letters));
	wk_buf_fini(&letters);
}

static void add_breakpoint_name(const struct wk_perf_attr *attr, struct wk_buf *out)
{
	static const char kinds[] = "rwx";

	wk_buf_add_fmt(out, "mem:0x%" PRIx64 ":", attr->breakpoint_address);
	for (unsigned i = 0; i < 3; i++)
		add_letter(attr->breakpoint_kind >> i & 1, kinds[i], out);
}

/* A name for an attr whose recorder stored none. */
static void make_name(struct wk_perf *perf, const struct wk_perf_attr *attr, struct wk_buf *out)
{
	bool is_general = attr->type <= WK_PERF_TYPE_SOFTWARE;
	struct wk_trace_formats *formats =
		attr->type == WK_PERF_TYPE_TRACEPOINT ? wk_perf_trace_formats(perf) : NULL;
	const struct wk_trace_format *format =
		formats ? wk_trace_formats_find(formats, (uint32_t)attr->config) : NULL;

	for (size_t i = 0; is_general && wk_perf_known_events[i].name && out->len == 0; i++)
		if (wk_perf_known_events[i].type == attr->type &&
		    wk_perf_known_events[i].config == general_config(attr))
			wk_buf_add_text(out, wk_perf_known_events[i].name);
	if (out->len == 0 && attr->type == WK_PERF_TYPE_CACHE)
		add_cache_name(general_config(attr), out);
	if (out->len == 0 && attr->type == WK_PERF_TYPE_RAW)
		wk_buf_add_fmt(out, "raw 0x%" PRIx64, attr->config);
	if (attr->type == WK_PERF_TYPE_BREAKPOINT)
		add_breakpoint_name(attr, out);
	if (out->len == 0 && format)
		wk_buf_add_fmt(out, "%.*s:%.*s", WK_STR_ARG(format->system),
			       WK_STR_ARG(format->name));
	if (out->len == 0 && attr->type == WK_PERF_TYPE_TRACEPOINT)
		wk_buf_add_fmt(out, "tracepoint:%" PRIu64, attr->config);
	if (out->len == 0)
		wk_buf_add_fmt(out, "event:%" PRIu32 ":0x%" PRIx64, attr->type, attr->config);
	if (attr->type != WK_PERF_TYPE_TRACEPOINT)
		add_modifiers(attr->flags, out);
}

static struct wk_str name_of(struct wk_perf *perf, const struct wk_perf_attr *attr,
			     struct wk_buf *made)
{
	if (attr->name.len)
		return attr->name;
	wk_buf_reset(made);
	make_name(perf, attr, made);
	return wk_buf_str(made);
}

/* perf sets its columns by it, whether or not the event is ever sampled. All names are known. */
static uint32_t longest_name(struct wk_perf *perf)
{
	struct wk_buf made = { 0 };

	for (size_t i = 0; i < perf->attr_count && !perf->has_name_width; i++) {
		struct wk_str name = name_of(perf, &perf->attrs[i], &made);

		if (name.len > perf->name_width)
			perf->name_width = (uint32_t)name.len;
	}
	perf->has_name_width = true;
	wk_buf_fini(&made);
	return perf->name_width;
}

/* Do samples of the tracepoint contain its fields, and are they described? */
static bool has_fields(struct wk_perf *perf, const struct wk_perf_attr *attr)
{
	struct wk_trace_formats *formats =
		attr->type == WK_PERF_TYPE_TRACEPOINT && has(attr->sample_type, WK_PERF_SAMPLE_RAW)
			? wk_perf_trace_formats(perf)
			: NULL;

	return formats && wk_trace_formats_find(formats, (uint32_t)attr->config);
}

bool wk_perf_announce_new(struct wk_perf *perf, struct wk_perf_attr *attr)
{
	struct wk_event event = { .kind = WK_EVENT_SOURCE, .cpu = WK_NO_CPU };
	struct wk_buf made = { 0 };
	const char *unit = "events";
	bool ok;

	attr->is_announced = true;
	if (is_clock(attr))
		unit = "ns";
	else if (is_cycles(attr))
		unit = "cycles";
	event.source = (struct wk_event_source){
		.source = (uint32_t)(attr - perf->attrs),
		.name = name_of(perf, attr, &made),
		.unit = wk_str_c(unit),
		.is_cpu_time = is_clock(attr) || is_cycles(attr),
		.is_perf = true,
		.perf_type = attr->type,
		.details = wk_perf_details_of(attr->sample_type),
		.user_registers = attr->user_registers,
		.user_stack_bytes = attr->user_stack_bytes,
		.name_width = longest_name(perf),
	};
	if (!perf->skips_details && has_fields(perf, attr)) {
		event.source.tracing_data = wk_str_of((const char *)perf->tracing_data.at,
						      wk_bytes_left(&perf->tracing_data));
		event.source.trace_id = attr->config;
	}
	ok = wk_sink_emit(perf->sink, &event, perf->err) &&
	     (!perf->is_header_only || wk_perf_header_attr(perf, attr, event.source.name));
	wk_buf_fini(&made);
	return ok;
}
