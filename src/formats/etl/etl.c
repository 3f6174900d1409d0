/* Event traces of Windows (.etl): what xperf, WPR and PerfView record; see docs/formats/etl.md. */
#include "base/mem.h"
#include "base/num.h"
#include "formats/etl/trace.h"
#include "formats/reader.h"

static bool emit_count(struct wk_etl_trace *trace, uint64_t count, const char *one,
		       const char *several)
{
	return wk_sink_note_count(trace->sink, WK_NOTE_FAULT, count, one, several, trace->err);
}

static bool emit_lost(struct wk_etl_trace *trace)
{
	struct wk_event event = { .kind = WK_EVENT_LOST, .cpu = WK_NO_CPU,
				  .lost.count = wk_etl_header(trace->file)->events_lost };

	return event.lost.count == 0 || wk_sink_emit(trace->sink, &event, trace->err);
}

/* Lost buffers, whose number of events is unknown; and buffers that Windows marked, if the header
 * counts no loss. */
static bool emit_lost_buffers(struct wk_etl_trace *trace)
{
	const struct wk_etl_header *header = wk_etl_header(trace->file);
	const struct wk_etl_damage *damage = wk_etl_damage(trace->file);
	uint64_t marked = header->events_lost ? 0 : damage->lossy_buffers; /* those are counted */

	if (header->buffers_lost)
		return wk_sink_note_count(
			trace->sink, WK_NOTE_INCOMPLETE, header->buffers_lost,
			" buffer was lost while recording, with all its events",
			" buffers were lost while recording, with all their events", trace->err);
	return wk_sink_note_count(trace->sink, WK_NOTE_INCOMPLETE, marked,
				  " buffer is marked: events were lost while recording",
				  " buffers are marked: events were lost while recording",
				  trace->err);
}

/* A trace that was cut: its end names stacks and images. */
static bool emit_missing(struct wk_etl_trace *trace)
{
	const struct wk_etl_damage *damage = wk_etl_damage(trace->file);
	struct wk_buf words = { 0 };
	bool ok;

	if (damage->missing_buffers + damage->cut_buffers == 0)
		return true;
	wk_buf_add_text(&words, "the trace is truncated: ");
	if (damage->missing_buffers) {
		wk_num_add_grouped(&words, damage->missing_buffers);
		wk_buf_add_text(&words, " of its ");
		wk_num_add_grouped(&words,
				   damage->missing_buffers + wk_etl_buffer_count(trace->file));
		wk_buf_add_fmt(&words, " buffers %s missing",
			       damage->missing_buffers == 1 ? "is" : "are");
	} else {
		wk_buf_add_text(&words, "it ends inside a buffer");
	}
	wk_buf_add_text(&words, ", and names of stacks may be missing");
	ok = wk_sink_note(trace->sink, WK_NOTE_INCOMPLETE, wk_buf_str(&words), trace->err);
	wk_buf_fini(&words);
	return ok;
}

/* The first of the faults, with its place. */
static bool emit_first_damage(struct wk_etl_trace *trace)
{
	const struct wk_etl_damage *damage = wk_etl_damage(trace->file);
	struct wk_event event = { .kind = WK_EVENT_NOTE, .cpu = WK_NO_CPU,
				  .note = { .offset = damage->first_offset,
					    .text = wk_str_c(damage->first_words),
					    .severity = WK_NOTE_FAULT } };

	return event.note.text.len == 0 || wk_sink_emit(trace->sink, &event, trace->err);
}

#define NO_EXPAT ", which a build without expat cannot read: names are shown as numbers"

static bool emit_damage(struct wk_etl_trace *trace)
{
	return emit_lost(trace) && emit_lost_buffers(trace) && emit_missing(trace) &&
	       emit_count(trace, trace->unknown_keys, " stack is only a key without a definition",
			  " stacks are only keys without a definition") &&
	       emit_count(trace, trace->short_payloads, " record is too short for its fields",
			  " records are too short for their fields") &&
	       emit_count(trace, trace->packed_switches,
			  " record of context switches is packed in an unknown way",
			  " records of context switches are packed in an unknown way") &&
	       emit_count(trace, trace->heap_snapshots,
			  " heap snapshot is not shown: the format of its content is not public",
			  " heap snapshots are not shown: the format of their content is not "
			  "public") &&
	       emit_count(trace, wk_etl_schemas_unread(trace->schemas),
			  " description of events is XML" NO_EXPAT,
			  " descriptions of events are XML" NO_EXPAT) &&
	       emit_first_damage(trace);
}

static void end_trace(struct wk_etl_trace *trace)
{
	wk_etl_close(trace->file);
	wk_etl_stacks_free(trace->stacks);
	wk_etl_ids_free(trace->ids);
	wk_etl_user_free(trace->user);
	wk_etl_methods_fini(&trace->methods);
	wk_etl_modules_fini(&trace->modules);
	wk_etl_schemas_free(trace->schemas);
	wk_etl_kinds_free(trace->kinds);
	wk_etl_counts_fini(&trace->counts);
	wk_etl_paths_fini(&trace->paths);
	wk_etl_config_fini(&trace->config);
	wk_map_fini(&trace->program_of);
	wk_free(trace->programs);
	wk_map_fini(&trace->counter_of);
	wk_map_fini(&trace->pid_of);
	wk_map_fini(&trace->guess_of);
	for (size_t i = 0; i < trace->counter_count; i++)
		wk_free(trace->counters[i].intervals.at);
	WK_FREE_ALL(trace->counters, trace->intervals.at, trace->running, trace->processes,
		    trace->threads, trace->images);
	wk_arena_fini(&trace->texts);
}

/* The files of a session that came together. */
static struct wk_etl_file *open_all(const struct wk_input *input, struct wk_err *err)
{
	size_t count = input->parts.count + 1;
	struct wk_bytes *files = wk_alloc(count * sizeof(*files));
	const struct wk_os_file **mapped = wk_alloc(count * sizeof(*mapped));
	struct wk_etl_file *etl;

	files[0] = input->bytes;
	mapped[0] = input->file;
	for (size_t i = 1; i < count; i++) {
		files[i] = input->parts.at[i - 1].bytes;
		mapped[i] = &input->parts.at[i - 1].file;
	}
	etl = wk_etl_open(files, mapped, count, input->options.threads, err);
	WK_FREE_ALL(mapped, files);
	return etl;
}

static bool read_etl(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_etl_trace trace = { .sink = sink, .err = err,
				      .in_full = !input->options.skips_details,
				      .sums_other_sources = input->options.skips_details &&
						       input->options.sums_other_sources };
	bool ok;

	trace.file = open_all(input, err);
	if (!trace.file)
		return false;
	wk_etl_first_pass(&trace);
	wk_etl_rewind_to_saved(trace.file);
	ok = wk_etl_second_pass(&trace) && wk_etl_schemas_emit_end(trace.schemas, sink, err) &&
	     emit_damage(&trace);
	end_trace(&trace);
	return ok;
}

const struct wk_reader wk_reader_etl = {
	.name = "etl",
	.summary = "event trace of Windows, by xperf, WPR or PerfView",
	.suffixes = (const char *const[]){ ".etl", ".etl.zip", ".zip", ".diagsession", NULL },
	.probe = wk_etl_probe,
	.read = read_etl,
	.reads_binary = true,
};
