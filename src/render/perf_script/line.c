/* One sample as `perf script` prints it: columns in its order, with its widths. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

#include "formats/tracepoint/format.h"
#include "os/os.h"
#include "render/perf_script/internal.h"

#define USUAL_FRAMES     127
#define KERNEL_MODE      1u
#define USER_MODE        2u
#define SWITCH_OUT       0x2000u
#define NAMED_BY_EXEC    0x2000u
#define MAPPED_AS_DATA   0x2000u
#define SWITCH_PREEMPTED 0x4000u

static const struct wk_event_details no_details;

static const struct wk_event_details *details_of(const struct wk_event_sample *sample)
{
	return sample->details ? sample->details : &no_details;
}

/* `misc` of the record; of records without samples, as far as it is known. */
static unsigned mode_of(const struct wk_event *event)
{
	switch (event->kind) {
	case WK_EVENT_SAMPLE:
		return details_of(&event->sample)->mode;
	case WK_EVENT_OTHER:
		return event->other.mode;
	case WK_EVENT_PROCESS:
		return event->process.change == WK_PROCESS_EXEC ? NAMED_BY_EXEC : 0;
	case WK_EVENT_IMAGE:
		return (event->image.is_data ? MAPPED_AS_DATA : 0) |
		       (event->image.is_kernel ? KERNEL_MODE : USER_MODE);
	default:
		return 0;
	}
}

/* K, U ... for the mode, then a letter for the kind of record. */
static void add_misc(unsigned mode, char kind, struct wk_buf *out)
{
	static const struct {
		unsigned bits;
		char letter;
	} modes[] = { { 1, 'K' }, { 2, 'U' }, { 3, 'H' }, { 4, 'G' }, { 5, 'g' } };
	int written = 0;

	for (size_t i = 0; i < sizeof(modes) / sizeof(modes[0]); i++)
		if ((mode & modes[i].bits) == modes[i].bits) {
			wk_buf_add_char(out, modes[i].letter);
			written++;
		}
	if (kind == 'm' && mode & 0x2000)
		written += (wk_buf_add_char(out, 'M'), 1);
	if (kind == 'o' && mode & SWITCH_OUT)
		written += (wk_buf_add_text(out, mode & SWITCH_PREEMPTED ? "Sp" : "S"),
			    mode & SWITCH_PREEMPTED ? 2 : 1);
	if (kind == 'c' && mode & 0x2000)
		written += (wk_buf_add_char(out, 'E'), 1);
	wk_buf_add_fmt(out, "%*s", 6 - written, " ");
}

/* With --reltime since the first line that has a time, with --deltatime since the last. */
static uint64_t counted_time(struct wk_perf_script *script, uint64_t time_ns)
{
	bool is_first = script->printed_ns == 0;
	uint64_t since_ns = time_ns - script->printed_ns;

	if (!script->options.since_first && !script->options.since_last)
		return time_ns;
	if (is_first || script->options.since_last)
		script->printed_ns = time_ns;
	return is_first ? 0 : since_ns;
}

static void add_time(struct wk_perf_script *script, uint64_t time_ns, struct wk_buf *out)
{
	char text[40];

	time_ns = counted_time(script, time_ns);
	if (script->options.nanoseconds) {
		wk_buf_add_fmt(out, "%5" PRIu64 ".%09" PRIu64 ": ", time_ns / 1000000000,
			       time_ns % 1000000000);
		return;
	}
	snprintf(text, sizeof(text), "%" PRIu64 ".%06" PRIu64, time_ns / 1000000000,
		 time_ns % 1000000000 / 1000);
	wk_buf_add_fmt(out, "%12s: ", text);
}

static void add_time_of_day(const struct wk_perf_script *script, uint64_t time_ns,
			    struct wk_buf *out)
{
	uint64_t wall_ns = time_ns - script->clock_ns + script->wall_ns;
	char text[64] = "";
	struct tm tm;

	if (wk_os_local_time(wall_ns / 1000000000, &tm))
		strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	if (script->options.nanoseconds)
		wk_buf_add_fmt(out, "%s.%09" PRIu64 " ", text, wall_ns % 1000000000);
	else
		wk_buf_add_fmt(out, "%s.%06" PRIu64 " ", text, wall_ns % 1000000000 / 1000);
}

static bool has_chain(const struct wk_perf_script *script, const struct wk_script_source *source)
{
	return source->source.details & WK_DETAIL_CHAIN && !script->options.hides_chains;
}

/* As perf prints it: -1 for none or unknown. */
static int printed_id(uint32_t id)
{
	return id == WK_UNKNOWN_PID ? -1 : (int)id;
}

void wk_script_add_head(struct wk_perf_script *script, const struct wk_event *event,
			const struct wk_script_source *source, char kind, uint32_t comm_tid,
			struct wk_buf *out)
{
	uint32_t fields = script->options.fields.shown[source->type];
	struct wk_buf made = { 0 };
	unsigned mode = mode_of(event);

	if (fields & WK_FIELD_COMM) {
		struct wk_str comm = wk_script_comm(script, comm_tid, &made);
		bool is_narrow = fields & WK_FIELD_IP && has_chain(script, source);

		for (size_t i = comm.len; i < 16 && !is_narrow; i++)
			wk_buf_add_char(out, ' ');
		wk_script_add_text(comm, out);
		wk_buf_add_char(out, ' ');
	}
	wk_buf_fini(&made);
	if (fields & WK_FIELD_PID && fields & WK_FIELD_TID)
		wk_buf_add_fmt(out, "%5d/%-5d ", printed_id(event->pid), printed_id(event->tid));
	else if (fields & WK_FIELD_PID)
		wk_buf_add_fmt(out, "%5d ", printed_id(event->pid));
	else if (fields & WK_FIELD_TID)
		wk_buf_add_fmt(out, "%5d ", printed_id(event->tid));
	if (fields & WK_FIELD_CPU)
		wk_buf_add_fmt(out, "[%03d] ", event->cpu == WK_NO_CPU ? -1 : (int)event->cpu);
	if (fields & WK_FIELD_MISC)
		add_misc(mode, kind, out);
	if (fields & WK_FIELD_TOD)
		add_time_of_day(script, event->time_ns, out);
	if (fields & WK_FIELD_TIME)
		add_time(script, event->time_ns, out);
}

static void add_trace(struct wk_perf_script *script, const struct wk_event_details *details,
		      struct wk_buf *out)
{
	struct wk_trace_namer namer = { wk_script_name_kernel, script };
	struct wk_bytes raw = wk_bytes_of(details->trace_raw.at, details->trace_raw.len);

	if (!details->trace_formats) {
		wk_script_add_text(details->trace, out);
		return;
	}
	script->lists_fields |= !wk_trace_has_library();
	wk_trace_formats_set_namer(details->trace_formats, namer);
	wk_buf_reset(&script->scratch);
	wk_trace_formats_print(details->trace_formats, raw, &script->scratch);
	wk_script_add_text(wk_buf_str(&script->scratch), out);
	wk_trace_formats_set_namer(details->trace_formats, (struct wk_trace_namer){ 0 });
}

/* Only page faults and similar events have an address that can have a name. */
static bool address_has_name(const struct wk_script_source *source)
{
	return source->type == WK_PERF_EVENTS_SOFTWARE &&
	       (wk_str_starts(source->source.name, "page-faults") ||
		wk_str_starts(source->source.name, "faults") ||
		wk_str_starts(source->source.name, "minor-faults") ||
		wk_str_starts(source->source.name, "major-faults"));
}

static void add_address(struct wk_perf_script *script, const struct wk_event *event,
			const struct wk_script_source *source, uint32_t fields, struct wk_buf *out)
{
	uint64_t address = details_of(&event->sample)->data_address;
	struct wk_script_place place;

	wk_buf_add_fmt(out, "%16" PRIx64, address);
	if (!address_has_name(source))
		return;
	place = wk_script_place_at(script, event->pid, address, event->sample.in_kernel);
	wk_script_add_place(script, &place, fields & ~(uint32_t)WK_FIELD_SRCLINE, out);
}

/* --- The chain ----------------------------------------------------------------------------- */

static void add_part(struct wk_perf_script *script, const struct wk_event *event,
		     const uint64_t *chain, size_t count, bool in_kernel, uint32_t fields)
{
	for (size_t i = 0; i < count; i++) {
		struct wk_script_place place =
			wk_script_place_at(script, event->pid, chain[i], in_kernel);

		wk_out_str(script->out, wk_script_frame_lines(script, &place, fields));
	}
}

/* A recorded chain has one limit; an unwound user part has its own. */
static void add_chain(struct wk_perf_script *script, const struct wk_event *event, uint32_t fields)
{
	const struct wk_event_sample *sample = &event->sample;
	size_t most = script->options.most_frames ? script->options.most_frames : USUAL_FRAMES;
	size_t kernel = sample->kernel_count < most ? sample->kernel_count : most;
	size_t left = sample->user_is_exact ? most : most - kernel;

	add_part(script, event, sample->kernel_chain, kernel, true, fields);
	add_part(script, event, sample->user_chain,
		 sample->user_count < left ? sample->user_count : left, false, fields);
}

/* --- Branches ------------------------------------------------------------------------------ */

static const char *branch_type(unsigned type)
{
	static const char *const names[] = { "", "COND", "UNCOND", "IND", "CALL", "IND_CALL", "RET",
					     "SYSCALL", "SYSRET", "COND_CALL", "COND_RET", "ERET",
					     "IRQ" };

	return type < sizeof(names) / sizeof(names[0]) ? names[type] : "";
}

/* /predicted/transaction/abort/cycles/type */
static void add_branch_flags(uint64_t flags, struct wk_buf *out)
{
	char predicted = flags & 2 ? 'P' : flags & 1 ? 'M' : '-';

	wk_buf_add_fmt(out, "/%c/%c/%c/%u/%s ", predicted, flags & 4 ? 'X' : '-',
		       flags & 8 ? 'A' : '-', (unsigned)(flags >> 4 & 0xffff),
		       branch_type(flags >> 20 & 15));
}

/* In its file; in the kernel only if its symbols are unknown. */
static uint64_t branch_offset(struct wk_perf_script *script, const struct wk_script_place *place)
{
	if (place->image->is_kernel && !wk_resolver_image(script->names, place->image_number))
		return place->ip - place->image->first_start;
	return place->address;
}

static void add_branch_end(struct wk_perf_script *script, const struct wk_event *event,
			   uint64_t address, uint32_t fields, struct wk_buf *out)
{
	struct wk_script_place place =
		wk_script_place_at(script, event->pid, address, event->sample.in_kernel);

	if (!place.image)
		place = wk_script_place_at(script, event->pid, address, !event->sample.in_kernel);
	if (fields & WK_FIELD_BRSTACKSYM)
		wk_script_add_symbol(script, &place, true, out);
	else if (fields & WK_FIELD_BRSTACKOFF && place.image)
		wk_buf_add_fmt(out, "0x%" PRIx64, branch_offset(script, &place));
	else
		wk_buf_add_fmt(out, "0x%" PRIx64, address);
	if (fields & WK_FIELD_DSO) {
		wk_buf_add_char(out, '(');
		wk_script_add_dso(&place, out);
		wk_buf_add_char(out, ')');
	}
}

static void add_branches(struct wk_perf_script *script, const struct wk_event *event,
			 uint32_t fields, struct wk_buf *out)
{
	const struct wk_event_details *details = details_of(&event->sample);

	/* perf prints the first of these that is requested. */
	if (fields & WK_FIELD_BRSTACK)
		fields &= ~(uint32_t)(WK_FIELD_BRSTACKSYM | WK_FIELD_BRSTACKOFF);
	else if (!(fields & (WK_FIELD_BRSTACKSYM | WK_FIELD_BRSTACKOFF)))
		return;
	for (size_t i = 0; i < details->branch_count; i++) {
		if (!(fields & WK_FIELD_BRSTACKSYM))
			wk_buf_add_char(out, ' ');
		add_branch_end(script, event, details->branches[i].from, fields, out);
		wk_buf_add_char(out, '/');
		add_branch_end(script, event, details->branches[i].to, fields, out);
		add_branch_flags(details->branches[i].flags, out);
	}
}

/* --- The rest of a line -------------------------------------------------------------------- */

static void add_page_size(uint64_t bytes, struct wk_buf *out)
{
	if (bytes == 0)
		wk_buf_add_text(out, " N/A");
	else if (bytes >> 30 && bytes % (1u << 30) == 0)
		wk_buf_add_fmt(out, " %" PRIu64 "G", bytes >> 30);
	else if (bytes >> 20 && bytes % (1u << 20) == 0)
		wk_buf_add_fmt(out, " %" PRIu64 "M", bytes >> 20);
	else
		wk_buf_add_fmt(out, " %" PRIu64 "K", bytes >> 10);
}

static void add_behind(const struct wk_event_details *details, uint32_t fields, struct wk_buf *out)
{
	if (fields & WK_FIELD_PHYS_ADDR)
		wk_buf_add_fmt(out, "%16" PRIx64, details->physical_address);
	if (fields & WK_FIELD_DATA_PAGE_SIZE)
		add_page_size(details->data_page_bytes, out);
	if (fields & WK_FIELD_CODE_PAGE_SIZE)
		add_page_size(details->code_page_bytes, out);
	if (fields & WK_FIELD_CGROUP)
		wk_buf_add_fmt(out, " %" PRIu64, details->cgroup);
}

static void add_place_of_sample(struct wk_perf_script *script, const struct wk_event *event,
				uint32_t fields, bool in_lines, struct wk_buf *line)
{
	const struct wk_event_sample *sample = &event->sample;
	struct wk_script_place place;

	wk_buf_add_char(line, in_lines ? '\n' : ' ');
	if (in_lines) {
		wk_out_str(script->out, wk_buf_str(line));
		wk_buf_reset(line);
		add_chain(script, event, fields);
		return;
	}
	place = wk_script_place_at(script, event->pid, sample->address, sample->in_kernel);
	wk_buf_add_fmt(line, "%16" PRIx64, sample->address);
	wk_script_add_place(script, &place, fields, line);
}

bool wk_script_sample(struct wk_perf_script *script, const struct wk_event *event,
		      struct wk_err *err)
{
	uint32_t index = wk_map_find(&script->source_of, (uint64_t)event->sample.source + 1);
	const struct wk_script_source *source = index ? &script->sources[index - 1] : NULL;
	const struct wk_event_details *details = details_of(&event->sample);
	bool is_in_view = wk_script_is_in_view(script);
	struct wk_buf line = { 0 };
	uint32_t fields;

	(void)err;
	if (!source || !script->options.fields.shown[source->type])
		return true;
	if (!is_in_view || !wk_script_wants(script, source, event)) {
		script->refused_count++;
		return true;
	}
	script->wanted_count++;
	fields = script->options.fields.shown[source->type];
	wk_script_add_head(script, event, source, 's', event->tid, &line);
	if (fields & WK_FIELD_PERIOD)
		wk_buf_add_fmt(&line, "%10" PRIu64 " ", event->sample.weight);
	if (fields & WK_FIELD_EVENT) {
		for (size_t i = source->source.name.len; i < script->name_width; i++)
			wk_buf_add_char(&line, ' ');
		wk_script_add_text(source->source.name, &line);
		wk_buf_add_text(&line, ": ");
	}
	if (fields & WK_FIELD_FLAGS) /* only hardware traces have some */
		wk_buf_add_fmt(&line, "%24s", "");
	if (fields & WK_FIELD_TRACE)
		add_trace(script, details, &line);
	if (fields & WK_FIELD_ADDR)
		add_address(script, event, source, fields, &line);
	if (fields & WK_FIELD_DATA_SRC)
		wk_script_add_data_source(script, details->data_source, &line);
	if (fields & WK_FIELD_WEIGHT)
		wk_buf_add_fmt(&line, "%16" PRIu64, details->weight);
	if (fields & WK_FIELD_INS_LAT)
		wk_buf_add_fmt(&line, "%16u", details->latency);
	if (fields & WK_FIELD_IP)
		add_place_of_sample(script, event, fields, has_chain(script, source), &line);
	if (fields & WK_FIELD_IREGS)
		wk_script_add_registers(details->registers, &line);
	if (fields & WK_FIELD_UREGS)
		wk_script_add_registers(details->user_registers, &line);
	add_branches(script, event, fields, &line);
	add_behind(details, fields, &line);
	wk_buf_add_char(&line, '\n');
	wk_out_str(script->out, wk_buf_str(&line));
	wk_buf_fini(&line);
	return true;
}
