#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text/proto.h"
#include "formats/lines.h"
#include "formats/profiles/pprof_writer.h"
#include "formats/reader.h"

/* pprof's profile.proto, written by Go, C++, Rust, Python, Java and more. It is read in two passes:
 * tables first, samples second. docs/formats/pprof.md describes what is read. */

struct numbers {
	uint64_t *at;
	size_t count, cap;
};

struct reading {
	struct wk_bytes input;
	struct wk_stack_writer *writer;
	struct wk_pprof_tables tables;
	struct wk_pprof_writer pprof;
	struct numbers locations, values; /* of a sample */
	struct wk_str program;            /* the first mapping's name */
	struct wk_map named;              /* threads and processes whose names were emitted */
	uint64_t missing;
};

static struct wk_str text_of(const struct reading *reading, uint64_t number)
{
	return wk_pprof_text(&reading->tables, number);
}

/* --- Samples ------------------------------------------------------------------------------- */

struct owner {
	uint64_t pid, tid;
	bool has_pid, has_tid;
	struct wk_str process_name, thread_name;
};

#define MOST_DIGITS 20 /* of a 64-bit number */

static void read_id(struct wk_str text, uint64_t number, uint64_t *id, bool *has_id)
{
	if (text.len)
		*has_id = text.len <= MOST_DIGITS && wk_num_u64(text, id);
	else
		*id = number;
	*has_id = (text.len == 0 || *has_id) && *id < WK_NO_PID;
}

/* What the writers of profiles call threads and processes. */
static void read_label(const struct reading *reading, struct wk_bytes message, struct owner *owner)
{
	static const char *const pids[] = { "pid", "process_id", "process id", NULL };
	static const char *const tids[] = { "tid", "thread_id", "thread id", NULL };
	static const char *const thread_names[] = { "thread_name", "thread name", "thread_comm",
						    "thread", NULL };
	static const char *const process_names[] = { "comm", "process_name", "process name", NULL };
	struct wk_str key = { 0 }, text = { 0 };
	struct wk_proto_field field;
	uint64_t number = 0;

	while (wk_proto_next(&message, &field)) {
		if (field.number == 1)
			key = text_of(reading, field.value);
		else if (field.number == 2)
			text = text_of(reading, field.value);
		else if (field.number == 3)
			number = field.value;
	}
	if (wk_str_is_one_of(key, pids))
		read_id(text, number, &owner->pid, &owner->has_pid);
	else if (wk_str_is_one_of(key, tids))
		read_id(text, number, &owner->tid, &owner->has_tid);
	else if (wk_str_is_one_of(key, thread_names))
		owner->thread_name = wk_pprof_short_name(text);
	else if (wk_str_is_one_of(key, process_names))
		owner->process_name = wk_pprof_short_name(text);
}

/* True for the first name of a thread, or of a process (thread UINT32_MAX). */
static bool is_new_name(struct reading *reading, uint32_t pid, uint32_t tid, struct wk_str name)
{
	uint32_t *is_named = wk_map_at(&reading->named, (uint64_t)pid << 32 | tid);

	if (name.len == 0 || *is_named)
		return false;
	*is_named = 1;
	return true;
}

/* Determines the process and thread of a sample and emits new names. A thread without a process
 * belongs to the program of the first mapping, under number 0. */
static void emit_owner(struct reading *reading, const struct owner *owner, struct wk_event *event)
{
	struct wk_str name = owner->process_name;

	*event = (struct wk_event){ .kind = WK_EVENT_PROCESS, .pid = WK_NO_PID, .tid = WK_NO_PID,
				    .cpu = WK_NO_CPU };
	if (!owner->has_pid && !owner->has_tid)
		return;
	event->pid = owner->has_pid ? (uint32_t)owner->pid : 0;
	event->tid = owner->has_tid ? (uint32_t)owner->tid : event->pid;
	if (name.len == 0 && !owner->has_pid)
		name = reading->program;
	event->process = (struct wk_event_process){ .change = WK_PROCESS_SEEN, .name = name };
	if (is_new_name(reading, event->pid, UINT32_MAX, name))
		wk_stack_writer_event(reading->writer, event);
	event->kind = WK_EVENT_THREAD;
	event->thread = (struct wk_event_thread){ .change = WK_THREAD_NAME,
						  .name = owner->thread_name };
	if (is_new_name(reading, event->pid, event->tid, owner->thread_name))
		wk_stack_writer_event(reading->writer, event);
}

static uint32_t stack_of_sample(struct reading *reading)
{
	uint32_t stack = 0;

	for (size_t i = reading->locations.count; i-- > 0;) {
		struct wk_pprof_location *location =
			wk_pprof_location(&reading->tables, reading->locations.at[i]);

		reading->missing += !location;
		if (location)
			stack = wk_pprof_push(&reading->pprof, stack, location);
	}
	return stack;
}

static void add_numbers(struct numbers *numbers, struct wk_proto_field *field)
{
	uint64_t value;

	while (wk_proto_number(field, &value))
		*WK_APPEND(numbers->at, numbers->count, numbers->cap) = value;
}

static void read_sample(struct reading *reading, struct wk_bytes message)
{
	struct owner owner = { 0 };
	struct wk_proto_field field;
	struct wk_event event;

	reading->locations.count = reading->values.count = 0;
	while (wk_proto_next(&message, &field)) {
		if (field.number == 1)
			add_numbers(&reading->locations, &field);
		else if (field.number == 2)
			add_numbers(&reading->values, &field);
		else if (field.number == 3)
			read_label(reading, field.bytes, &owner);
	}
	reading->tables.bad_messages += message.bad;
	emit_owner(reading, &owner, &event);
	wk_pprof_emit_values(&reading->pprof, event.pid, event.tid, stack_of_sample(reading),
			     reading->values.at, reading->values.count);
}

static void read_samples(struct reading *reading)
{
	struct wk_bytes rest = reading->input;
	struct wk_proto_field field;

	while (wk_proto_next(&rest, &field) && !wk_stack_writer_is_done(reading->writer))
		if (field.number == WK_PPROF_SAMPLE)
			read_sample(reading, field.bytes);
}

/* --- The reader ---------------------------------------------------------------------------- */

static void emit(struct reading *reading)
{
	if (reading->tables.mapping_count)
		reading->program = wk_pprof_short_name(
			wk_str_basename(text_of(reading, reading->tables.mappings[0])));
	wk_pprof_writer_init(&reading->pprof, reading->writer, &reading->tables,
			     wk_bytes_left(&reading->input));
	wk_pprof_emit_sources(&reading->pprof);
	read_samples(reading);
	wk_pprof_writer_end(&reading->pprof);
	wk_note_count(reading->writer, reading->missing, "frames of missing locations");
	wk_note_count(reading->writer, reading->tables.bad_messages, "truncated messages");
}

static bool read_file(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct reading reading = {
		.input = input->bytes,
		.writer = wk_stack_writer_new(sink),
	};

	if (wk_pprof_tables_read(&reading.tables, reading.input, err)) {
		emit(&reading);
		if (wk_stack_writer_samples(reading.writer) == 0 &&
		    !wk_stack_writer_is_done(reading.writer))
			wk_fail(err, WK_EFORMAT, WK_NOWHERE,
				"no stacks in it: a pprof profile of %zu sample types, %zu "
				"locations and no samples",
				reading.tables.type_count, reading.tables.location_count);
	}
	wk_pprof_tables_fini(&reading.tables);
	WK_FREE_ALL(reading.locations.at, reading.values.at);
	wk_map_fini(&reading.named);
	return wk_stack_writer_end(reading.writer, err);
}

/* A sample type is a message of at most two small numbers; text hardly ever looks like that. */
static bool is_value_type(struct wk_bytes message)
{
	struct wk_proto_field field;
	int fields = 0;

	while (wk_proto_next(&message, &field)) {
		if (field.is_bytes || field.number > 2 || field.value > UINT32_MAX)
			return false;
		fields++;
	}
	return !message.bad && fields > 0;
}

static int probe(struct wk_bytes first)
{
	struct wk_proto_field field;
	struct wk_bytes rest = first;
	bool has_type = false;

	while (wk_proto_next(&rest, &field)) {
		bool is_message = field.number <= WK_PPROF_STRING;

		if (field.number >= WK_PPROF_FIELDS || (is_message && !field.is_bytes))
			return 0;
		if (field.number == WK_PPROF_SAMPLE_TYPE) {
			if (!is_value_type(field.bytes))
				return 0;
			has_type = true;
		}
	}
	if (!has_type)
		return 0;
	/* The last field may continue past the visible bytes. */
	return !rest.bad || wk_bytes_left(&first) == WK_PROBE_BYTES ? 80 : 30;
}

const struct wk_reader wk_reader_pprof = {
	.name = "pprof",
	.summary = "pprof protocol buffers (Go, C++, Rust, Python ...)",
	.suffixes = (const char *const[]){ ".pprof", ".pb", ".prof", NULL },
	.probe = probe,
	.read = read_file,
	.reads_binary = true,
};
