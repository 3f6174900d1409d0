#include "base/text/json.h"
#include "base/mem.h"
#include "formats/lines.h"
#include "formats/reader.h"
#include "formats/profiles/spans.h"

/* speedscope's own file format, written by py-spy, rbspy, samply's converters and many more.
 * docs/formats/speedscope.md describes what is read. */

static const char expected[] = "a speedscope file: shared frames, and profiles of them";

enum { SOURCE_SAMPLES, SOURCE_TIME, SOURCE_BYTES };

struct unit {
	const char *name;
	uint32_t source;
	unsigned decimals;       /* to nanoseconds */
	const char *source_name; /* of the events */
	const char *source_unit;
};

static const struct unit units[] = {
	{ "none", SOURCE_SAMPLES, 0, "samples", "samples" },
	{ "nanoseconds", SOURCE_TIME, 0, "time", "ns" },
	{ "microseconds", SOURCE_TIME, 3, "time", "ns" },
	{ "milliseconds", SOURCE_TIME, 6, "time", "ns" },
	{ "seconds", SOURCE_TIME, 9, "time", "ns" },
	{ "bytes", SOURCE_BYTES, 0, "bytes", "bytes" },
};

/* Values are saved for later, because their meaning may follow or precede them. */
struct profile {
	struct wk_buf name;
	const struct unit *unit;
	int64_t start;
	struct wk_json start_value, events, samples, weights;
};

struct reading {
	struct wk_stack_writer *writer;
	struct wk_spans spans;
	uint32_t *frames; /* by index: numbers of the writer */
	size_t frame_count, frame_cap;
	uint32_t profile_count;
	bool has_profiles; /* "profiles", empty or not */
	bool has_several;  /* profiles: each is a thread */
	uint64_t missing, fractions, without_weight;
};

/* --- Frames -------------------------------------------------------------------------------- */

static void read_frame(struct reading *reading, struct wk_json *json)
{
	struct wk_buf name = { 0 }, file = { 0 };
	struct wk_event_frame frame = { 0 };
	struct wk_str key;

	/* An element that is not an object still has an index. */
	if (wk_json_enter_object(json)) {
		while (wk_json_next_key(json, &key)) {
			if (wk_str_is(key, "name")) {
				wk_json_copy_text(json, &name);
			} else if (wk_str_is(key, "file")) {
				wk_json_copy_text(json, &file);
			} else if (wk_str_is(key, "line")) {
				uint64_t line = wk_json_u64(json);

				frame.line = line <= UINT32_MAX ? (uint32_t)line : 0;
			}
		}
	}
	frame.name = name.len ? wk_buf_str(&name) : wk_str_c("[unnamed]");
	frame.file = wk_buf_str(&file);
	*WK_APPEND(reading->frames, reading->frame_count, reading->frame_cap) =
		wk_stack_writer_frame(reading->writer, &frame);
	WK_BUF_FINI_ALL(&name, &file);
}

static void read_shared(struct reading *reading, struct wk_json *json)
{
	struct wk_str key;

	if (!wk_json_enter_object(json))
		return;
	while (wk_json_next_key(json, &key))
		if (wk_str_is(key, "frames") && wk_json_enter_array(json))
			while (wk_json_next_element(json))
				read_frame(reading, json);
}

/* The number of the frame at an index, or 0. */
static uint32_t frame_at(struct reading *reading, uint64_t index)
{
	if (index < reading->frame_count)
		return reading->frames[index];
	reading->missing++;
	return 0;
}

/* --- Profiles ------------------------------------------------------------------------------ */

/* A value or weight in wick's unit; counts lost fractions. */
static int64_t measured(struct reading *reading, const struct profile *profile,
			struct wk_json *json)
{
	int64_t thousandths;

	if (profile->unit->decimals)
		return wk_json_scaled(json, profile->unit->decimals);
	thousandths = wk_json_scaled(json, 3);
	reading->fractions += thousandths % 1000 != 0;
	if (thousandths == INT64_MAX)
		return INT64_MAX / 1000;
	return thousandths / 1000 + (thousandths % 1000 >= 500);
}

static uint64_t not_negative(int64_t value)
{
	return value > 0 ? (uint64_t)value : 0;
}

static void read_event(struct reading *reading, struct profile *profile, uint32_t thread)
{
	struct wk_json *json = &profile->events;
	uint64_t frame_index = UINT64_MAX;
	int64_t at = 0;
	char type = 0;
	struct wk_str key;

	if (!wk_json_enter_object(json))
		return;
	while (wk_json_next_key(json, &key)) {
		if (wk_str_is(key, "type")) {
			struct wk_str text = wk_json_text(json);

			type = text.len == 1 ? text.at[0] : 0;
		} else if (wk_str_is(key, "frame")) {
			frame_index = wk_json_u64(json);
		} else if (wk_str_is(key, "at")) {
			at = measured(reading, profile, json);
		}
	}
	if ((type == 'O' || type == 'C') && !json->is_cut) {
		uint32_t frame = frame_at(reading, frame_index);

		if (frame)
			wk_spans_add(&reading->spans, type == 'O' ? WK_SPAN_BEGIN : WK_SPAN_END,
				     thread, not_negative(at), 0, frame);
	}
}

static uint32_t read_stack(struct reading *reading, struct wk_json *json)
{
	uint32_t stack = 0;

	if (!wk_json_enter_array(json))
		return 0;
	while (wk_json_next_element(json)) {
		uint32_t frame = frame_at(reading, wk_json_u64(json));

		if (frame)
			stack = wk_stack_writer_stack(reading->writer, stack, frame);
	}
	return stack;
}

static void read_samples(struct reading *reading, struct profile *profile, uint32_t thread)
{
	uint64_t now = not_negative(profile->start);
	bool has_weights = wk_json_enter_array(&profile->weights);

	if (!wk_json_enter_array(&profile->samples))
		return;
	while (wk_json_next_element(&profile->samples)) {
		uint32_t stack = read_stack(reading, &profile->samples);
		uint64_t weight = 1;

		has_weights = has_weights && wk_json_next_element(&profile->weights);
		if (has_weights)
			weight = not_negative(measured(reading, profile, &profile->weights));
		reading->without_weight += !has_weights;
		if (stack)
			wk_spans_sample(&reading->spans, thread, profile->unit->source, stack, now,
					weight);
		now = weight > INT64_MAX - now ? INT64_MAX : now + weight;
	}
}

/* Profiles of one file are most often the threads of one program. */
static uint32_t emit_thread(struct reading *reading, const struct profile *profile)
{
	if (!reading->has_several)
		return wk_spans_thread(&reading->spans, WK_NO_PID, WK_NO_PID,
				       profile->unit->source);
	wk_stack_writer_thread(reading->writer, 0, reading->profile_count,
			       wk_buf_str(&profile->name));
	return wk_spans_thread(&reading->spans, 0, reading->profile_count, profile->unit->source);
}

static void parse_profile(struct reading *reading, struct profile *profile)
{
	uint32_t thread;

	reading->profile_count++;
	wk_spans_source(&reading->spans, profile->unit->source, profile->unit->source_name,
			profile->unit->source_unit);
	thread = emit_thread(reading, profile);
	if (profile->unit->source != SOURCE_TIME)
		wk_spans_no_time(&reading->spans, thread);
	if (profile->start_value.at)
		profile->start = measured(reading, profile, &profile->start_value);
	if (profile->samples.at)
		read_samples(reading, profile, thread);
	if (profile->events.at && wk_json_enter_array(&profile->events))
		while (wk_json_next_element(&profile->events))
			read_event(reading, profile, thread);
}

static const struct unit *unit_of(struct wk_str name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (wk_str_is(name, units[i].name))
			return &units[i];
	return &units[0];
}

static void profile_key(struct profile *profile, struct wk_str key, struct wk_json *json)
{
	if (wk_str_is(key, "name"))
		wk_json_copy_text(json, &profile->name);
	else if (wk_str_is(key, "unit"))
		profile->unit = unit_of(wk_json_text(json));
	else if (wk_str_is(key, "startValue"))
		wk_json_replace_value(&profile->start_value, json);
	else if (wk_str_is(key, "events"))
		wk_json_replace_value(&profile->events, json);
	else if (wk_str_is(key, "samples"))
		wk_json_replace_value(&profile->samples, json);
	else if (wk_str_is(key, "weights"))
		wk_json_replace_value(&profile->weights, json);
}

static void read_profile(struct reading *reading, struct wk_json *json)
{
	struct profile profile = { .unit = &units[0] };
	struct wk_str key;

	if (!wk_json_enter_object(json))
		return;
	while (wk_json_next_key(json, &key))
		profile_key(&profile, key, json);
	parse_profile(reading, &profile);
	wk_json_end_value(&profile.start_value, json);
	wk_json_end_value(&profile.events, json);
	wk_json_end_value(&profile.samples, json);
	wk_json_end_value(&profile.weights, json);
	wk_buf_fini(&profile.name);
}

/* Looks ahead, without consuming anything, whether there are two of them. */
static bool has_two(const struct wk_json *array)
{
	struct wk_json ahead = wk_json_of(
		(struct wk_bytes){ .at = array->at, .end = array->end, .start = array->start });
	int count = 0;

	if (wk_json_enter_array(&ahead))
		while (count < 2 && wk_json_next_element(&ahead))
			count++;
	wk_json_end(&ahead, NULL);
	return count == 2;
}

static void read_profiles(struct reading *reading, struct wk_json *json)
{
	reading->has_several = has_two(json);
	if (!wk_json_enter_array(json))
		return;
	while (wk_json_next_element(json) && !wk_stack_writer_is_done(reading->writer))
		read_profile(reading, json);
}

/* --- The file ------------------------------------------------------------------------------ */

/* The profiles wait until the frames are there. */
static void read_all(struct reading *reading, struct wk_json *json)
{
	struct wk_json profiles = { 0 };
	struct wk_buf name = { 0 };
	struct wk_str key;

	if (!wk_json_enter_object(json))
		return;
	while (wk_json_next_key(json, &key)) {
		if (wk_str_is(key, "shared"))
			read_shared(reading, json);
		else if (wk_str_is(key, "profiles"))
			wk_json_replace_value(&profiles, json);
		else if (wk_str_is(key, "name"))
			wk_json_copy_text(json, &name);
	}
	reading->has_profiles = profiles.at != NULL;
	if (profiles.at)
		read_profiles(reading, &profiles);
	if (reading->has_several)
		wk_stack_writer_process(reading->writer, 0, wk_buf_str(&name));
	wk_json_end_value(&profiles, json);
	wk_buf_fini(&name);
}

static void emit(struct reading *reading)
{
	wk_spans_emit(&reading->spans);
	wk_note_count(reading->writer, reading->missing, "frames missing from the table, skipped");
	wk_note_count(reading->writer, reading->fractions, "values with a fraction, rounded");
	wk_note_count(reading->writer, reading->without_weight,
		      "samples without a weight, counted once");
	wk_note_count(reading->writer, reading->spans.stray_ends,
		      "closes of frames that are not open, skipped");
}

static bool read_file(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_stack_writer *writer = wk_stack_writer_new(sink);
	struct wk_json json = wk_json_of(input->bytes);
	struct reading reading = { .writer = writer, .spans.writer = writer };
	bool is_cut;

	read_all(&reading, &json);
	is_cut = json.is_cut;
	if (wk_json_end(&json, err)) {
		emit(&reading);
		wk_check_samples_of_cut(writer, is_cut, reading.has_profiles, input->bytes,
					expected, err);
	}
	wk_free(reading.frames);
	wk_spans_fini(&reading.spans);
	return wk_stack_writer_end(writer, err);
}

static int probe(struct wk_bytes first)
{
	if (!wk_json_looks_like(first))
		return 0;
	if (wk_json_has_string(first, "https://www.speedscope.app/file-format-schema.json"))
		return 95;
	if (!wk_json_has_key(first, "frames"))
		return 0;
	return wk_json_has_key(first, "shared") || wk_json_has_key(first, "profiles") ? 60 : 0;
}

const struct wk_reader wk_reader_speedscope = {
	.name = "speedscope",
	.summary = "speedscope's file format (py-spy, rbspy ...)",
	.suffixes = (const char *const[]){ ".speedscope.json", ".speedscope", NULL },
	.probe = probe,
	.read = read_file,
};
