/* One sample as `perf script` prints it: columns in its order, with its widths. */
#include <inttypes.h>
#include <stdio.h>

#include "formats/tracepoint/format.h"
#include "render/perf_script/internal.h"

#define USUAL_FRAMES 127

static const struct wk_event_details no_details;

static const struct wk_event_details *details_of(const struct wk_event_sample *sample)
{
	return sample->details ? sample->details : &no_details;
}

static void add_comm(const struct wk_perf_script *script, uint32_t tid, bool is_padded,
		     struct wk_buf *out)
{
	uint32_t id = wk_map_find(&script->comm_of, tid);
	struct wk_str comm = tid == 0 ? wk_str_c("swapper") : (struct wk_str){ 0 };
	char number[16];

	if (id) {
		comm = wk_strtab_str(script->comms, id);
	} else if (tid != 0) {
		snprintf(number, sizeof(number), ":%d", (int)tid);
		comm = wk_str_c(number);
	}
	for (size_t i = comm.len; i < 16 && is_padded; i++)
		wk_buf_add_char(out, ' ');
	wk_script_add_text(comm, out);
	wk_buf_add_char(out, ' ');
}

static void add_time(const struct wk_perf_script *script, uint64_t time_ns, struct wk_buf *out)
{
	char text[40];

	if (script->options.nanoseconds) {
		wk_buf_add_fmt(out, "%5" PRIu64 ".%09" PRIu64 ": ", time_ns / 1000000000,
			       time_ns % 1000000000);
		return;
	}
	snprintf(text, sizeof(text), "%" PRIu64 ".%06" PRIu64, time_ns / 1000000000,
		 time_ns % 1000000000 / 1000);
	wk_buf_add_fmt(out, "%12s: ", text);
}

/* As perf prints it: -1 for none or unknown. */
static int printed_id(uint32_t id)
{
	return id == WK_UNKNOWN_PID ? -1 : (int)id;
}

void wk_script_add_head(struct wk_perf_script *script, const struct wk_event *event,
			const struct wk_script_source *source, uint32_t comm_tid,
			struct wk_buf *out)
{
	uint32_t columns = source->columns;

	if (columns & WK_COLUMN_COMM)
		add_comm(script, comm_tid, !(columns & WK_COLUMN_IP && source->has_chains), out);
	if (columns & WK_COLUMN_PID && columns & WK_COLUMN_TID)
		wk_buf_add_fmt(out, "%5d/%-5d ", printed_id(event->pid), printed_id(event->tid));
	else if (columns & (WK_COLUMN_PID | WK_COLUMN_TID))
		wk_buf_add_fmt(out, "%5d ",
			       printed_id(columns & WK_COLUMN_PID ? event->pid : event->tid));
	if (columns & WK_COLUMN_CPU)
		wk_buf_add_fmt(out, "[%03d] ", event->cpu == WK_NO_CPU ? -1 : (int)event->cpu);
	if (columns & WK_COLUMN_TIME)
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

static void add_address(struct wk_perf_script *script, const struct wk_event *event,
			const struct wk_script_source *source, struct wk_buf *out)
{
	uint64_t address = details_of(&event->sample)->data_address;
	struct wk_script_place place;

	wk_buf_add_fmt(out, "%16" PRIx64, address);
	if (!source->names_addresses)
		return;
	place = wk_script_place_at(script, event->pid, address, event->sample.in_kernel);
	wk_script_add_place(script, &place, source->columns & ~(uint32_t)WK_COLUMN_SRCLINE, false,
			    out);
}

/* --- The place and the chain --------------------------------------------------------------- */

static void add_part(struct wk_perf_script *script, const struct wk_event *event,
		     const uint64_t *chain, size_t count, bool in_kernel, uint32_t columns)
{
	for (size_t i = 0; i < count; i++) {
		struct wk_script_place place =
			wk_script_place_at(script, event->pid, chain[i], in_kernel);

		wk_out_str(script->out, wk_script_frame_lines(script, &place, columns));
	}
}

/* A recorded chain has one limit; an unwound user part has its own. */
static void add_chain(struct wk_perf_script *script, const struct wk_event *event, uint32_t columns)
{
	const struct wk_event_sample *sample = &event->sample;
	size_t most = script->options.most_frames ? script->options.most_frames : USUAL_FRAMES;
	size_t kernel = sample->kernel_count < most ? sample->kernel_count : most;
	size_t left = sample->user_is_exact ? most : most - kernel;

	add_part(script, event, sample->kernel_chain, kernel, true, columns);
	add_part(script, event, sample->user_chain,
		 sample->user_count < left ? sample->user_count : left, false, columns);
}

/* A chain begins a line of its own: what precedes it is written first. */
static void add_place_of_sample(struct wk_perf_script *script, const struct wk_event *event,
				const struct wk_script_source *source, struct wk_buf *line)
{
	const struct wk_event_sample *sample = &event->sample;
	struct wk_script_place place;

	wk_buf_add_char(line, source->has_chains ? '\n' : ' ');
	if (source->has_chains) {
		wk_out_str(script->out, wk_buf_str(line));
		wk_buf_reset(line);
		add_chain(script, event, source->columns);
		return;
	}
	place = wk_script_place_at(script, event->pid, sample->address, sample->in_kernel);
	wk_buf_add_fmt(line, "%16" PRIx64, sample->address);
	wk_script_add_place(script, &place, source->columns, false, line);
}

/* --- Branches ------------------------------------------------------------------------------ */

/* /predicted/transaction/abort/cycles/type */
static void add_branch_flags(uint64_t flags, struct wk_buf *out)
{
	static const char *const types[16] = { "", "COND", "UNCOND", "IND", "CALL", "IND_CALL",
					       "RET", "SYSCALL", "SYSRET", "COND_CALL",
					       "COND_RET", "ERET", "IRQ", "", "", "" };
	char predicted = flags & 2 ? 'P' : flags & 1 ? 'M' : '-';

	wk_buf_add_fmt(out, "/%c/%c/%c/%u/%s ", predicted, flags & 4 ? 'X' : '-',
		       flags & 8 ? 'A' : '-', (unsigned)(flags >> 4 & 0xffff),
		       types[flags >> 20 & 15]);
}

static void add_branch_end(struct wk_perf_script *script, const struct wk_event *event,
			   uint64_t address, bool with_dso, struct wk_buf *out)
{
	struct wk_script_place place =
		wk_script_place_at(script, event->pid, address, event->sample.in_kernel);

	if (!place.image)
		place = wk_script_place_at(script, event->pid, address, !event->sample.in_kernel);
	wk_buf_add_fmt(out, "0x%" PRIx64, address);
	if (with_dso)
		wk_script_add_dso(&place, out);
}

static void add_branches(struct wk_perf_script *script, const struct wk_event *event,
			 uint32_t columns, struct wk_buf *out)
{
	const struct wk_event_details *details = details_of(&event->sample);
	bool with_dso = columns & WK_COLUMN_DSO;

	for (size_t i = 0; i < details->branch_count; i++) {
		wk_buf_add_char(out, ' ');
		add_branch_end(script, event, details->branches[i].from, with_dso, out);
		wk_buf_add_char(out, '/');
		add_branch_end(script, event, details->branches[i].to, with_dso, out);
		add_branch_flags(details->branches[i].flags, out);
	}
}

/* --- The line ------------------------------------------------------------------------------ */

bool wk_perf_script_selects(const struct wk_filter *filter, uint32_t sample)
{
	bool is_of_source = filter->has_named_source || filter->is_given[WK_FILTER_OUTSTANDING];

	return is_of_source ? wk_filter_has(filter, sample) : wk_filter_passes(filter, sample);
}

/* Whether the filter selects the next sample; call once for each. */
static bool is_in_view(struct wk_perf_script *script)
{
	const struct wk_filter *filter = script->options.filter;
	uint32_t sample = script->sample_number++;

	if (!filter)
		return true;
	if (sample >= script->options.filter_count)
		return false;
	return wk_perf_script_selects(filter, sample);
}

void wk_script_sample(struct wk_perf_script *script, const struct wk_event *event)
{
	uint32_t index = wk_map_find(&script->source_of, (uint64_t)event->sample.source + 1);
	const struct wk_script_source *source = index ? &script->sources[index - 1] : NULL;
	bool is_selected = is_in_view(script);
	struct wk_buf line = { 0 };
	uint32_t columns;

	if (!source || !source->columns)
		return;
	script->had_samples = true;
	if (!is_selected)
		return;
	script->had_selected = true;
	columns = source->columns;
	wk_script_add_head(script, event, source, event->tid, &line);
	if (columns & WK_COLUMN_PERIOD)
		wk_buf_add_fmt(&line, "%10" PRIu64 " ", event->sample.weight);
	if (columns & WK_COLUMN_EVENT) {
		for (size_t i = source->name.len; i < script->name_width; i++)
			wk_buf_add_char(&line, ' ');
		wk_script_add_text(source->name, &line);
		wk_buf_add_text(&line, ": ");
	}
	if (columns & WK_COLUMN_TRACE)
		add_trace(script, details_of(&event->sample), &line);
	if (columns & WK_COLUMN_ADDR)
		add_address(script, event, source, &line);
	if (columns & WK_COLUMN_IP)
		add_place_of_sample(script, event, source, &line);
	if (columns & WK_COLUMN_BRSTACK)
		add_branches(script, event, columns, &line);
	wk_buf_add_char(&line, '\n');
	wk_out_str(script->out, wk_buf_str(&line));
	wk_buf_fini(&line);
}
