#include "base/mem.h"
#include "base/num.h"
#include "base/strtab.h"
#include "formats/lines.h"
#include "formats/reader.h"
#include "formats/profiles/spans.h"
#include "formats/profiles/v8_profile.h"

/* Trace events as written by Chrome, Node, Perfetto's converters, clang and many others: spans of
 * threads, and V8 profiles in chunks. docs/formats/chrome-trace.md describes what is read. */

#define RELEASE_BYTES (8u << 20)  /* of the input, between two calls of wk_os_release_to */
#define MADE_UP_ID    0x40000000u /* for a producer whose ids are not 32-bit numbers */

static const char expected[] = "trace events: objects with \"ph\", \"ts\", \"pid\" and \"tid\"";

enum { SOURCE_TRACE, SOURCE_CPU };

struct thread {
	uint32_t pid_text, tid_text;
	uint32_t row; /* in the spans */
	uint32_t pid, tid;
	uint32_t name; /* texts, 0 if unknown */
};

struct process {
	uint32_t text, pid, name;
};

/* A profile that comes in chunks. */
struct chunked {
	struct wk_spans *spans;
	uint32_t thread; /* in the spans */
	struct wk_v8_profile profile;
};

struct reading {
	const struct wk_input *input;
	struct wk_stack_writer *writer;
	struct wk_spans spans;
	struct wk_strtab *texts; /* ids as they are written, names of threads */
	struct thread *threads;
	struct process *processes;
	struct chunked **profiles;
	size_t thread_count, thread_cap, process_count, process_cap, profile_count, profile_cap;
	struct wk_map thread_of, process_of, profile_of; /* texts to row + 1 */
	uint64_t released;                               /* offset */
	uint64_t events, asynchronous;
	bool has_list; /* "traceEvents" */
};

/* The fields of one event. */
struct trace_event {
	char phase;
	uint32_t pid_text, tid_text, id_text;
	int64_t time_ns, duration_ns;
	struct wk_str name;
	struct wk_buf name_copy;
	struct wk_json args;
};

/* --- Processes and threads ----------------------------------------------------------------- */

static uint32_t number_of(const struct reading *reading, uint32_t text, size_t made_up)
{
	uint64_t number = 0;

	if (text &&
	    (!wk_num_u64(wk_strtab_str(reading->texts, text), &number) || number >= WK_NO_PID))
		number = MADE_UP_ID + (made_up & (MADE_UP_ID - 1));
	return (uint32_t)number;
}

static struct process *process_of(struct reading *reading, uint32_t pid_text)
{
	uint32_t *row = wk_map_at(&reading->process_of, (uint64_t)pid_text + 1);

	if (!*row) {
		uint32_t pid = number_of(reading, pid_text, reading->process_count);

		*WK_APPEND(reading->processes, reading->process_count, reading->process_cap) =
			(struct process){ .text = pid_text, .pid = pid };
		*row = (uint32_t)reading->process_count;
	}
	return &reading->processes[*row - 1];
}

static struct thread *thread_of(struct reading *reading, uint32_t pid_text, uint32_t tid_text)
{
	uint32_t *row = wk_map_at(&reading->thread_of, (uint64_t)pid_text << 32 | tid_text);
	struct thread thread = { .pid_text = pid_text, .tid_text = tid_text };

	if (*row)
		return &reading->threads[*row - 1];
	thread.pid = process_of(reading, pid_text)->pid;
	thread.tid = number_of(reading, tid_text, reading->thread_count);
	thread.row = wk_spans_thread(&reading->spans, thread.pid, thread.tid, SOURCE_TRACE);
	*WK_APPEND(reading->threads, reading->thread_count, reading->thread_cap) = thread;
	*row = (uint32_t)reading->thread_count;
	return &reading->threads[*row - 1];
}

/* --- Profiles of V8 ------------------------------------------------------------------------ */

static void read_sample(void *context, uint32_t stack, uint64_t time_ns, uint64_t weight)
{
	struct chunked *chunked = context;

	wk_spans_sample(chunked->spans, chunked->thread, SOURCE_CPU, stack, time_ns, weight);
}

/* The profile that an event is of, by its process and id. */
static struct chunked *profile_of(struct reading *reading, const struct trace_event *event)
{
	uint32_t *row =
		wk_map_at(&reading->profile_of, (uint64_t)event->pid_text << 32 | event->id_text);
	struct chunked *chunked;

	if (*row)
		return reading->profiles[*row - 1];
	chunked = wk_alloc_zeroed(1, sizeof(*chunked));
	chunked->spans = &reading->spans;
	chunked->thread = thread_of(reading, event->pid_text, event->tid_text)->row;
	chunked->profile.writer = reading->writer;
	chunked->profile.on_sample = read_sample;
	chunked->profile.sample_context = chunked;
	*WK_APPEND(reading->profiles, reading->profile_count, reading->profile_cap) = chunked;
	*row = (uint32_t)reading->profile_count;
	return chunked;
}

/* The outer object has the times, the inner one ("cpuProfile") nodes and samples. */
static void read_profile_data(struct wk_v8_profile *profile, struct wk_json *json, bool is_inner)
{
	struct wk_str key;

	if (!wk_json_enter_object(json))
		return;
	while (wk_json_next_key(json, &key))
		if (!is_inner && wk_str_is(key, "cpuProfile"))
			read_profile_data(profile, json, true);
		else
			wk_v8_member(profile, key, json);
}

/* "Profile" begins one, on the thread that is profiled; "ProfileChunk" adds to it. */
static void read_profile(struct reading *reading, struct trace_event *event)
{
	struct chunked *chunked;
	struct wk_str key;

	if (!wk_str_is(event->name, "Profile") && !wk_str_is(event->name, "ProfileChunk"))
		return;
	chunked = profile_of(reading, event);
	if (wk_str_is(event->name, "Profile"))
		chunked->thread = thread_of(reading, event->pid_text, event->tid_text)->row;
	if (!wk_json_enter_object(&event->args))
		return;
	while (wk_json_next_key(&event->args, &key))
		if (wk_str_is(key, "data"))
			read_profile_data(&chunked->profile, &event->args, false);
}

/* --- Events -------------------------------------------------------------------------------- */

static void read_name(struct reading *reading, struct trace_event *event)
{
	bool is_process = wk_str_is(event->name, "process_name");
	struct wk_str key;

	if ((!is_process && !wk_str_is(event->name, "thread_name")) ||
	    !wk_json_enter_object(&event->args))
		return;
	while (wk_json_next_key(&event->args, &key)) {
		uint32_t name;

		if (!wk_str_is(key, "name"))
			continue;
		name = wk_strtab_add_str(reading->texts, wk_json_text(&event->args));
		if (is_process)
			process_of(reading, event->pid_text)->name = name;
		else
			thread_of(reading, event->pid_text, event->tid_text)->name = name;
	}
}

static uint32_t frame_of(struct reading *reading, const struct trace_event *event)
{
	struct wk_str name = event->name.len ? event->name : wk_str_c("[unnamed]");

	return wk_stack_writer_name(reading->writer, name);
}

static void read_span(struct reading *reading, const struct trace_event *event)
{
	uint32_t thread = thread_of(reading, event->pid_text, event->tid_text)->row;
	uint64_t time_ns = event->time_ns > 0 ? (uint64_t)event->time_ns : 0;

	reading->events++;
	if (event->phase == 'B')
		wk_spans_add(&reading->spans, WK_SPAN_BEGIN, thread, time_ns, 0,
			     frame_of(reading, event));
	else if (event->phase == 'E')
		wk_spans_add(&reading->spans, WK_SPAN_END, thread, time_ns, 0,
			     event->name.len ? frame_of(reading, event) : 0);
	else if (event->duration_ns > 0)
		wk_spans_add(&reading->spans, WK_SPAN_WHOLE, thread, time_ns,
			     (uint64_t)event->duration_ns, frame_of(reading, event));
}

static void parse_event(struct reading *reading, struct trace_event *event)
{
	switch (event->phase) {
	case 'B':
	case 'E':
	case 'X':
		read_span(reading, event);
		break;
	case 'M':
		read_name(reading, event);
		break;
	case 'P':
		read_profile(reading, event);
		break;
	case 'b':
	case 'S':
		reading->asynchronous++;
		break;
	}
}

static uint32_t id_text(struct reading *reading, struct wk_json *json)
{
	return wk_strtab_add_str(reading->texts, wk_json_text_or_number(json));
}

static void event_key(struct reading *reading, struct trace_event *event, struct wk_str key,
		      struct wk_json *json)
{
	if (wk_str_is(key, "ph")) {
		struct wk_str phase = wk_json_text(json);

		event->phase = phase.len == 1 ? phase.at[0] : 0;
	} else if (wk_str_is(key, "name")) {
		/* The next text may reuse this memory. */
		wk_buf_reset(&event->name_copy);
		wk_buf_add_str(&event->name_copy, wk_json_text_or_number(json));
		event->name = wk_buf_str(&event->name_copy);
	} else if (wk_str_is(key, "pid")) {
		event->pid_text = id_text(reading, json);
	} else if (wk_str_is(key, "tid")) {
		event->tid_text = id_text(reading, json);
	} else if (wk_str_is(key, "id")) {
		event->id_text = id_text(reading, json);
	} else if (wk_str_is(key, "ts")) {
		event->time_ns = wk_json_scaled(json, 3);
	} else if (wk_str_is(key, "dur")) {
		event->duration_ns = wk_json_scaled(json, 3);
	} else if (wk_str_is(key, "args")) {
		wk_json_end(&event->args, NULL);
		event->args = wk_json_value(json);
	}
}

static void read_event(struct reading *reading, struct trace_event *event, struct wk_json *json)
{
	struct wk_str key;

	if (!wk_json_enter_object(json))
		return;
	*event = (struct trace_event){ .name_copy = event->name_copy };
	while (wk_json_next_key(json, &key))
		event_key(reading, event, key, json);
	/* Half an event at the end of the file is none. */
	if (!json->is_cut)
		parse_event(reading, event);
	wk_json_end_value(&event->args, json);
}

static void read_events(struct reading *reading, struct wk_json *json)
{
	struct trace_event event = { 0 };

	if (!wk_json_enter_array(json))
		return;
	while (wk_json_next_element(json) && !wk_stack_writer_is_done(reading->writer)) {
		read_event(reading, &event, json);
		if (wk_json_offset(json) - reading->released > RELEASE_BYTES) {
			reading->released = wk_json_offset(json);
			wk_os_release_to(reading->input->file, reading->released);
		}
	}
	wk_buf_fini(&event.name_copy);
}

static void read_all(struct reading *reading, struct wk_json *json)
{
	struct wk_str key;

	if (wk_json_peek(json) == WK_JSON_ARRAY) {
		read_events(reading, json);
		return;
	}
	if (!wk_json_enter_object(json))
		return;
	while (wk_json_next_key(json, &key)) {
		if (!wk_str_is(key, "traceEvents"))
			continue;
		reading->has_list = true;
		read_events(reading, json);
	}
}

/* --- Emitting ------------------------------------------------------------------------------ */

static void emit_threads(struct reading *reading)
{
	for (size_t i = 0; i < reading->thread_count; i++) {
		const struct thread *thread = &reading->threads[i];
		bool is_made_up = thread->tid >= MADE_UP_ID && !thread->name;

		wk_stack_writer_thread(reading->writer, thread->pid, thread->tid,
				       wk_strtab_str(reading->texts,
						     is_made_up ? thread->tid_text : thread->name));
	}
}

/* After the threads: the name of the first thread would become its process's. */
static void emit_processes(struct reading *reading)
{
	for (size_t i = 0; i < reading->process_count; i++) {
		const struct process *process = &reading->processes[i];
		bool is_made_up = process->pid >= MADE_UP_ID && !process->name;

		wk_stack_writer_process(
			reading->writer, process->pid,
			wk_strtab_str(reading->texts, is_made_up ? process->text : process->name));
	}
}

static void emit(struct reading *reading)
{
	if (reading->events)
		wk_stack_writer_source(reading->writer, SOURCE_TRACE, "trace", "ns", false);
	if (reading->profile_count)
		wk_v8_emit_source(reading->writer, SOURCE_CPU);
	for (size_t i = 0; i < reading->profile_count; i++)
		wk_v8_emit(&reading->profiles[i]->profile);
	emit_threads(reading);
	emit_processes(reading);
	wk_spans_emit(&reading->spans);
	wk_note_count(reading->writer, reading->spans.stray_ends,
		      "ends of spans without a start, skipped");
	wk_note_count(reading->writer, reading->spans.cut,
		      "spans that end after their parent, cut there");
	wk_note_count(reading->writer, reading->asynchronous, "asynchronous spans, not shown");
}

static void fini(struct reading *reading)
{
	for (size_t i = 0; i < reading->profile_count; i++) {
		wk_v8_fini(&reading->profiles[i]->profile);
		wk_free(reading->profiles[i]);
	}
	WK_FREE_ALL(reading->profiles, reading->threads, reading->processes);
	wk_map_fini(&reading->thread_of);
	wk_map_fini(&reading->process_of);
	wk_map_fini(&reading->profile_of);
	wk_strtab_free(reading->texts);
	wk_spans_fini(&reading->spans);
}

static bool read_file(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_stack_writer *writer = wk_stack_writer_new(sink);
	struct wk_json json = wk_json_of(input->bytes);
	struct reading reading = { .input = input, .writer = writer, .spans.writer = writer };
	bool is_cut;

	reading.texts = wk_strtab_new();
	read_all(&reading, &json);
	is_cut = json.is_cut && !json.expected;
	if (wk_json_end(&json, err)) {
		emit(&reading);
		wk_check_samples_of_cut(writer, is_cut, reading.has_list || reading.events,
					input->bytes, expected, err);
	}
	fini(&reading);
	return wk_stack_writer_end(writer, err);
}

static int probe(struct wk_bytes first)
{
	if (!wk_json_looks_like(first))
		return 0;
	if (wk_json_has_key(first, "traceEvents"))
		return 95;
	if (wk_json_has_key(first, "ph") && wk_json_has_key(first, "ts"))
		return 85;
	/* The developer tools put pages of metadata in front. */
	return wk_json_has_key(first, "metadata") && wk_json_has_string(first, "DevTools") ? 70 : 0;
}

const struct wk_reader wk_reader_chrome_trace = {
	.name = "chrome-trace",
	.summary = "trace events as JSON (Chrome, Node, clang, Perfetto ...)",
	.suffixes = (const char *const[]){ ".json", ".trace", NULL },
	.probe = probe,
	.read = read_file,
};
