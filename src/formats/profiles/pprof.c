#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/text/proto.h"
#include "formats/lines.h"
#include "formats/profiles/pprof_frames.h"
#include "formats/profiles/pprof_tables.h"
#include "formats/profiles/pprof_types.h"
#include "formats/reader.h"
#include "formats/stack_writer.h"

/* pprof's profile.proto, written by Go, C++, Rust, Python, Java and more. It is read in two passes:
 * tables first, samples second. docs/formats/pprof.md describes what is read. */

struct reading {
	struct wk_bytes input;
	struct wk_stack_writer *writer;
	struct wk_pprof_tables tables;
	struct wk_pprof_frames frames;
	uint64_t *sample_locations;
	uint64_t *values;
	size_t sample_location_count, sample_location_cap, value_count, value_cap;
	struct wk_str program; /* the first mapping's name */
	struct wk_map named;   /* threads and processes whose names were emitted */
	uint64_t negative, missing;
};

static struct wk_str text_of(const struct reading *reading, uint64_t number)
{
	return wk_pprof_text(&reading->tables, number);
}

/* --- Frames -------------------------------------------------------------------------------- */

static struct wk_event_frame frame_in(const struct reading *reading,
				      const struct wk_pprof_location *location)
{
	uint32_t mapping = wk_map_find(&reading->tables.mapping_of, location->mapping_id + 1);
	struct wk_event_frame frame = { .address = location->address, .is_lasting = true };

	if (mapping)
		frame.image = text_of(reading, reading->tables.mappings[mapping - 1]);
	return frame;
}

static void name_by_line(const struct reading *reading, const struct wk_pprof_line *line,
			 struct wk_event_frame *frame)
{
	uint32_t row = wk_map_find(&reading->tables.function_of, line->function_id + 1);
	const struct wk_pprof_function *function = row ? &reading->tables.functions[row - 1] : NULL;

	if (!function)
		return;
	frame->name = text_of(reading, function->name);
	if (frame->name.len == 0)
		frame->name = text_of(reading, function->system_name);
	frame->file = text_of(reading, function->file);
	frame->line = line->line <= UINT32_MAX ? (uint32_t)line->line : 0;
}

/* Creates the frames of a location when a sample first refers to it. */
static void make_frames(struct reading *reading, struct wk_pprof_location *location)
{
	struct wk_event_frame frame = frame_in(reading, location);

	location->first_frame = wk_pprof_frames_next(&reading->frames);
	if (location->line_count == 0)
		wk_pprof_frames_add(&reading->frames, &frame);
	for (uint32_t i = 0; i < location->line_count; i++) {
		frame = frame_in(reading, location);
		name_by_line(reading, &reading->tables.lines[location->first_line + i], &frame);
		frame.is_inlined = i + 1 < location->line_count;
		wk_pprof_frames_add(&reading->frames, &frame);
	}
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

static void emit_process(struct reading *reading, struct wk_event *event, struct wk_str name)
{
	uint32_t *is_emitted = wk_map_at(&reading->named, (uint64_t)event->pid << 32 | UINT32_MAX);

	if (name.len == 0 || *is_emitted)
		return;
	*is_emitted = 1;
	event->kind = WK_EVENT_PROCESS;
	event->process = (struct wk_event_process){ .change = WK_PROCESS_SEEN, .name = name };
	wk_stack_writer_event(reading->writer, event);
}

static void emit_thread(struct reading *reading, struct wk_event *event, struct wk_str name)
{
	uint32_t *is_emitted = wk_map_at(&reading->named, (uint64_t)event->pid << 32 | event->tid);

	if (name.len == 0 || *is_emitted)
		return;
	*is_emitted = 1;
	event->kind = WK_EVENT_THREAD;
	event->thread = (struct wk_event_thread){ .change = WK_THREAD_NAME, .name = name };
	wk_stack_writer_event(reading->writer, event);
}

/* The process and thread of the sample; emits a new name. A thread without a process belongs to the
 * program of the first mapping, under number 0. */
static struct wk_event event_of(struct reading *reading, const struct owner *owner)
{
	struct wk_event event = { .pid = WK_NO_PID, .tid = WK_NO_PID, .cpu = WK_NO_CPU };
	struct wk_str name = owner->process_name;

	if (!owner->has_pid && !owner->has_tid)
		return event;
	event.pid = owner->has_pid ? (uint32_t)owner->pid : 0;
	event.tid = owner->has_tid ? (uint32_t)owner->tid : event.pid;
	if (name.len == 0 && !owner->has_pid)
		name = reading->program;
	emit_process(reading, &event, name);
	emit_thread(reading, &event, owner->thread_name);
	return event;
}

static uint32_t stack_of_sample(struct reading *reading)
{
	uint32_t stack = 0;

	for (size_t i = reading->sample_location_count; i-- > 0;) {
		struct wk_pprof_location *location =
			wk_pprof_location(&reading->tables, reading->sample_locations[i]);

		if (!location) {
			reading->missing++;
			continue;
		}
		if (!location->first_frame)
			make_frames(reading, location);
		stack = wk_pprof_frames_stack(&reading->frames, stack, location->first_frame,
					      location->line_count);
	}
	return stack;
}

static void add_numbers(struct wk_proto_field *field, uint64_t **rows, size_t *count, size_t *cap)
{
	uint64_t value;

	while (wk_proto_number(field, &value)) {
		*rows = wk_grow(*rows, cap, *count + 1, sizeof(**rows));
		(*rows)[(*count)++] = value;
	}
}

static void emit_values(struct reading *reading, struct wk_event *event, uint32_t stack)
{
	event->kind = WK_EVENT_SAMPLE;
	for (uint32_t i = 0; i < reading->value_count && i < reading->tables.type_count; i++) {
		uint64_t value = reading->values[i];

		reading->negative += (int64_t)value < 0;
		if ((int64_t)value <= 0)
			continue;
		event->sample = (struct wk_event_sample){
			.source = i,
			.weight = wk_pprof_scaled(value, reading->tables.types[i].scale),
			.named_stack = stack,
		};
		wk_stack_writer_event(reading->writer, event);
	}
}

static void read_sample(struct reading *reading, struct wk_bytes message)
{
	struct owner owner = { 0 };
	struct wk_proto_field field;
	struct wk_event event;

	reading->sample_location_count = reading->value_count = 0;
	while (wk_proto_next(&message, &field)) {
		if (field.number == 1)
			add_numbers(&field, &reading->sample_locations,
				    &reading->sample_location_count, &reading->sample_location_cap);
		else if (field.number == 2)
			add_numbers(&field, &reading->values, &reading->value_count,
				    &reading->value_cap);
		else if (field.number == 3)
			read_label(reading, field.bytes, &owner);
	}
	reading->tables.bad_messages += message.bad;
	event = event_of(reading, &owner);
	emit_values(reading, &event, stack_of_sample(reading));
}

static void read_samples(struct reading *reading)
{
	struct wk_bytes rest = reading->input;
	struct wk_proto_field field;

	while (wk_proto_next(&rest, &field) && !wk_stack_writer_is_done(reading->writer))
		if (field.number == WK_PPROF_SAMPLE)
			read_sample(reading, field.bytes);
}

/* --- Sources ------------------------------------------------------------------------------- */

static void emit_source(struct reading *reading, uint32_t number)
{
	struct wk_pprof_type *type = &reading->tables.types[number];

	type->scale = wk_pprof_emit_source(reading->writer, number, text_of(reading, type->type),
					   text_of(reading, type->unit));
}

/* What pprof itself would show comes first: the type that the profile names, else the last. */
static void emit_sources(struct reading *reading)
{
	const struct wk_pprof_type *types = reading->tables.types;
	uint32_t count = (uint32_t)reading->tables.type_count;
	uint32_t usual = count ? count - 1 : 0;
	struct wk_str wanted = wk_pprof_short_name(text_of(reading, reading->tables.default_type));

	for (uint32_t i = 0; wanted.len && i < count; i++)
		if (wk_str_eq(wk_pprof_short_name(text_of(reading, types[i].type)), wanted))
			usual = i;
	if (count)
		emit_source(reading, usual);
	for (uint32_t i = 0; i < count; i++)
		if (i != usual)
			emit_source(reading, i);
}

/* --- The reader ---------------------------------------------------------------------------- */

static void fini(struct reading *reading)
{
	wk_pprof_tables_fini(&reading->tables);
	wk_pprof_frames_fini(&reading->frames);
	wk_free(reading->sample_locations);
	wk_free(reading->values);
	wk_map_fini(&reading->named);
}

static void emit(struct reading *reading)
{
	if (reading->tables.mapping_count)
		reading->program = wk_pprof_short_name(
			wk_str_basename(text_of(reading, reading->tables.mappings[0])));
	emit_sources(reading);
	read_samples(reading);
	wk_note_count(reading->writer, reading->negative,
		      "negative values, as in a difference of two profiles, were left out (`wick "
		      "diff` compares profiles)");
	wk_note_count(reading->writer, reading->missing, "frames of missing locations");
	wk_pprof_frames_emit(&reading->frames);
	wk_note_count(reading->writer, reading->tables.bad_messages, "truncated messages");
}

static bool read_file(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct reading reading = {
		.input = input->bytes,
		.writer = wk_stack_writer_new(sink),
	};

	wk_pprof_frames_init(&reading.frames, reading.writer, wk_bytes_left(&input->bytes));
	if (wk_pprof_tables_read(&reading.tables, reading.input, err)) {
		emit(&reading);
		if (wk_stack_writer_samples(reading.writer) == 0 &&
		    !wk_stack_writer_is_done(reading.writer))
			wk_fail(err, WK_EFORMAT, WK_NOWHERE,
				"no stacks in it: a pprof profile of %zu sample types, %zu "
				"locations and no samples",
				reading.tables.type_count, reading.tables.location_count);
	}
	fini(&reading);
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
};
