/* Recordings of .NET's EventPipe (.nettrace), as dotnet-trace writes them; see
 * docs/formats/nettrace.md. */
#include <inttypes.h>

#include "base/mem.h"
#include "base/num.h"
#include "formats/nettrace/trace.h"
#include "formats/reader.h"

static void end_trace(struct wk_nettrace *trace)
{
	wk_nettrace_types_fini(&trace->types);
	wk_nettrace_threads_fini(&trace->threads);
	wk_nettrace_stacks_fini(&trace->stacks);
	wk_nettrace_methods_fini(&trace->methods);
	wk_clr_owners_fini(&trace->owners);
	wk_nettrace_losses_fini(&trace->losses);
	wk_nettrace_samples_fini(&trace->samples);
	wk_nettrace_universal_fini(&trace->universal);
	WK_BUF_FINI_ALL(&trace->command, &trace->system, &trace->machine);
	wk_free(trace->rows);
}

/* ---- the machine and the process */

static bool emit_fact(const struct wk_nettrace *trace, const char *key, struct wk_str value)
{
	struct wk_event event = { .kind = WK_EVENT_SYSTEM, .cpu = WK_NO_CPU,
				  .system = { .key = wk_str_c(key), .value = value } };

	return value.len == 0 || wk_nettrace_emit(trace, &event);
}

/* The runtime walks the stacks of its own samples; collectors for whole machines unwind. */
static bool emit_system(const struct wk_nettrace *trace)
{
	struct wk_event event = { .kind = WK_EVENT_SYSTEM, .cpu = WK_NO_CPU };

	event.system.key = wk_str_c("system");
	event.system.value = trace->system.len ? wk_buf_str(&trace->system) : wk_str_c(".NET");
	event.system.traits = trace->head.pid ? &wk_traits_dotnet : &wk_traits_linux;
	return wk_nettrace_emit(trace, &event);
}

/* Times count from the start of the recording. */
static bool emit_numbers(const struct wk_nettrace *trace)
{
	struct wk_buf clock = { 0 }, cpus = { 0 };
	bool ok;

	if (trace->head.wall_ns)
		wk_buf_add_fmt(&clock, "0 %" PRIu64, trace->head.wall_ns);
	if (trace->head.cpus)
		wk_buf_add_fmt(&cpus, "%" PRIu32, trace->head.cpus);
	ok = emit_fact(trace, "clock pair", wk_buf_str(&clock)) &&
	     emit_fact(trace, "cpus", wk_buf_str(&cpus));
	WK_BUF_FINI_ALL(&clock, &cpus);
	return ok;
}

static bool emit_sampling(const struct wk_nettrace *trace)
{
	static const char how[] = "all threads in turn, about every millisecond, whether they run "
				  "or not";
	static const char unmarked[] = "; the runtime did not mark managed code";
	struct wk_buf text = { 0 };
	bool ok;

	if (trace->samples.count == 0)
		return true;
	wk_buf_add_text(&text, how);
	if (!trace->samples.marks_managed)
		wk_buf_add_text(&text, unmarked);
	ok = emit_fact(trace, "samples", wk_buf_str(&text));
	wk_buf_fini(&text);
	return ok;
}

/* The file name of the first word, which may be quoted. */
static struct wk_str program_of(struct wk_str command)
{
	struct wk_str word, rest;
	bool is_quoted = wk_str_accept(&command, "\"");

	wk_str_split(command, is_quoted ? '"' : ' ', &word, &rest);
	return wk_str_basename(word);
}

static bool emit_process(const struct wk_nettrace *trace)
{
	struct wk_event event = { .kind = WK_EVENT_PROCESS, .pid = trace->head.pid,
				  .tid = trace->head.pid, .cpu = WK_NO_CPU };
	struct wk_str command = wk_buf_str(&trace->command);

	event.process = (struct wk_event_process){ .change = WK_PROCESS_SEEN,
						   .name = program_of(command),
						   .command_line = command };
	return trace->head.pid == 0 || wk_nettrace_emit(trace, &event);
}

static bool emit_start(const struct wk_nettrace *trace)
{
	return emit_system(trace) && emit_fact(trace, "machine", wk_buf_str(&trace->machine)) &&
	       emit_numbers(trace) && emit_sampling(trace) && wk_nettrace_emit_sources(trace) &&
	       emit_process(trace) &&
	       wk_nettrace_methods_emit_seen(&trace->methods, &trace->owners, trace->sink,
					     trace->err);
}

/* ---- counts and faults */

static bool emit_counts(const struct wk_nettrace *trace)
{
	bool ok = true;

	for (uint32_t i = 0; ok && i < trace->types.count; i++) {
		const struct wk_nettrace_type *type = &trace->types.at[i];
		struct wk_event event = { .kind = WK_EVENT_COUNT, .cpu = WK_NO_CPU };

		event.count = (struct wk_event_count){ type->provider, type->name, type->count,
						       wk_nettrace_is_used(type) };
		ok = type->count == 0 || wk_nettrace_emit(trace, &event);
	}
	return ok;
}

static bool emit_lost(const struct wk_nettrace *trace)
{
	struct wk_event event = { .kind = WK_EVENT_LOST, .cpu = WK_NO_CPU,
				  .lost.count = trace->losses.lost };

	return event.lost.count == 0 || wk_nettrace_emit(trace, &event);
}

static bool emit_cut(const struct wk_nettrace *trace, const struct wk_nettrace_file *file)
{
	struct wk_event event = { .kind = WK_EVENT_NOTE, .cpu = WK_NO_CPU };

	if (file->is_cut)
		return wk_sink_note(trace->sink, WK_NOTE_INCOMPLETE,
				    wk_str_c("the trace is truncated: names of methods, which are "
					     "written last, may be missing, and threads that wait "
					     "in those count as running"),
				    trace->err);
	if (!file->fault)
		return true;
	event.note = (struct wk_event_note){ .offset = file->fault_offset,
					     .text = wk_str_c(file->fault),
					     .severity = WK_NOTE_INCOMPLETE };
	return wk_nettrace_emit(trace, &event);
}

static bool emit_fault(const struct wk_nettrace *trace, uint64_t count, const char *one,
		       const char *several)
{
	return wk_sink_note_count(trace->sink, WK_NOTE_FAULT, count, one, several, trace->err);
}

static bool emit_faults(const struct wk_nettrace *trace)
{
	return emit_fault(trace, trace->bad_blocks, " block ends inside a record",
			  " blocks end inside a record") &&
	       emit_fault(trace, trace->unknown_types, " event has no description",
			  " events have no description") &&
	       emit_fault(trace, trace->short_payloads, " event is too short for its fields",
			  " events are too short for their fields") &&
	       emit_fault(trace, trace->unknown_stacks, " event has a stack that is not there",
			  " events have stacks that are not there");
}

/* ---- the reader */

/* The first block, which all others need. */
static bool read_head(struct wk_nettrace *trace, struct wk_nettrace_file *file, struct wk_err *err)
{
	struct wk_nettrace_block block;

	while (wk_nettrace_next(file, &block))
		if (block.kind == WK_NETTRACE_TRACE)
			return wk_nettrace_head_read(block.content, file->is_v6, &trace->head) ||
			       wk_fail(err, file->is_cut ? WK_EFORMAT : WK_ECORRUPT,
				       file->is_cut ? WK_NOWHERE : wk_bytes_offset(&block.content),
				       file->is_cut ? "the trace is truncated in its header"
						    : "the header of the trace makes no sense");
	if (file->fault)
		return wk_fail(err, WK_ECORRUPT, file->fault_offset, "%s", file->fault);
	return wk_fail(err, WK_EFORMAT, WK_NOWHERE, "the trace is truncated in its header");
}

static bool read_nettrace(const struct wk_input *input, const struct wk_sink *sink,
			  struct wk_err *err)
{
	struct wk_nettrace trace = { .sink = sink, .err = err };
	struct wk_nettrace_file start, file;
	bool ok;

	if (!wk_nettrace_open(input->bytes, &start, err))
		return false;
	file = start;
	trace.is_v6 = start.is_v6;
	ok = read_head(&trace, &file, err);
	if (ok) {
		wk_nettrace_first_pass(&trace, &file);
		ok = emit_start(&trace) && wk_nettrace_second_pass(&trace, &start) &&
		     emit_counts(&trace) && emit_lost(&trace) && emit_cut(&trace, &file) &&
		     emit_faults(&trace);
	}
	end_trace(&trace);
	return ok;
}

static int probe(struct wk_bytes first)
{
	return wk_nettrace_is(first) ? 100 : 0;
}

const struct wk_reader wk_reader_nettrace = {
	.name = "nettrace",
	.summary = ".NET traces: dotnet-trace, EventPipe",
	.suffixes = (const char *const[]){ ".nettrace", NULL },
	.probe = probe,
	.read = read_nettrace,
	.reads_binary = true,
};
