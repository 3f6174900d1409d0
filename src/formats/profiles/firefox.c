#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "formats/profiles/firefox_stacks.h"
#include "formats/lines.h"
#include "formats/reader.h"
#include "formats/profiles/spans.h"

/* Profiles of the Firefox Profiler: the processed form that it saves and that samply and others
 * write, and the one that Firefox itself writes. docs/formats/firefox.md describes what is read. */

#define MOST_NESTED 4           /* levels of processes in processes; there is one */
#define MADE_UP_ID  0x40000000u /* for ids that are not 32-bit numbers */

static const char expected[] = "threads with samples, stackTable, frameTable and strings";

enum { SAMPLE_STACK, SAMPLE_TIME, SAMPLE_DELTA, SAMPLE_WEIGHT };

/* Milliseconds become nanoseconds; so does a weight in milliseconds. */
static const struct wk_fx_layout sample_layout = {
	.names = { "stack", "time", "timeDeltas", "weight" }, .decimals = { 0, 6, 6, 6 } };

#define WEIGHT_SCALE 1000000

enum measure { MEASURE_SAMPLES, MEASURE_TIME, MEASURE_BYTES, MEASURE_JS, MEASURE_NATIVE, MEASURES };

static const struct {
	const char *name, *unit;
} measures[MEASURES] = {
	{ "samples", "samples" },
	{ "time", "ns" },
	{ "bytes", "bytes" },
	{ "js-allocations", "bytes" },
	{ "native-allocations", "bytes" },
};

struct samples {
	struct wk_fx_table table;
	enum measure measure;
};

/* One profile: the file, or a process in it. */
struct profile {
	struct wk_fx_tables shared;
	int64_t start_ns;
	bool has_start;
};

struct thread {
	struct wk_fx_tables own;
	struct samples samples, js, native;
	struct wk_buf name, process_name;
	uint32_t pid_text, tid_text;
};

struct reading {
	struct wk_stack_writer *writer;
	struct wk_fx_maker maker;
	struct wk_spans spans;
	struct wk_map process_of; /* text of the pid + 1 to number + 1 */
	uint32_t made_up;         /* ids so far */
	int64_t first_start_ns;
	bool has_first_start;
	bool has_threads; /* "threads", empty or not */
	uint64_t without_stack, negative, too_nested;
};

/* --- Samples ------------------------------------------------------------------------------- */

static enum measure measure_of(struct wk_str type)
{
	if (wk_str_is(type, "tracing-ms"))
		return MEASURE_TIME;
	return wk_str_is(type, "bytes") ? MEASURE_BYTES : MEASURE_SAMPLES;
}

/* The table, and its one field that is not a column. */
static void read_samples(struct samples *samples, struct wk_json *json)
{
	struct wk_json value = wk_json_value(json), again = value;
	struct wk_str key;

	if (wk_json_enter_object(&again))
		while (wk_json_next_key(&again, &key))
			if (wk_str_is(key, "weightType"))
				samples->measure = measure_of(wk_json_text(&again));
	wk_json_end(&again, NULL);
	wk_fx_table_read(&samples->table, &sample_layout, &value);
	wk_json_end_value(&value, json);
}

static int64_t weight_of(const struct samples *samples, int64_t row)
{
	int64_t weight = wk_fx_get(&samples->table, SAMPLE_WEIGHT, row);

	if (weight == WK_FX_NONE)
		return samples->measure == MEASURE_SAMPLES;
	return samples->measure == MEASURE_TIME ? weight : weight / WEIGHT_SCALE;
}

/* The time of a row, from the previous one if only the difference is stored. */
static int64_t time_of(const struct samples *samples, int64_t row, int64_t before)
{
	int64_t time = wk_fx_get(&samples->table, SAMPLE_TIME, row);
	int64_t delta = wk_fx_get(&samples->table, SAMPLE_DELTA, row);

	if (time != WK_FX_NONE)
		return time;
	if (delta == WK_FX_NONE || (delta > 0 && before > INT64_MAX - delta) ||
	    (delta < 0 && before < INT64_MIN - delta))
		return before;
	return before + delta;
}

static void emit_samples(struct reading *reading, const struct profile *profile,
			 struct wk_fx_tables *tables, const struct samples *samples,
			 uint32_t thread)
{
	size_t count = wk_fx_count(&samples->table, SAMPLE_STACK);
	struct wk_fx_maker *maker = &reading->maker;
	int64_t offset, time = 0;

	if (count)
		wk_spans_source(&reading->spans, samples->measure, measures[samples->measure].name,
				measures[samples->measure].unit);
	if (__builtin_sub_overflow(profile->start_ns, reading->first_start_ns, &offset))
		offset = 0;
	for (size_t i = 0; i < count; i++) {
		int64_t row = wk_fx_get(&samples->table, SAMPLE_STACK, (int64_t)i);
		int64_t weight = weight_of(samples, (int64_t)i), at;
		uint32_t stack = row >= 0 ? wk_fx_stack(maker, &profile->shared, tables, row) : 0;

		time = time_of(samples, (int64_t)i, time);
		if (__builtin_add_overflow(time, offset, &at))
			at = time;
		reading->without_stack += !stack;
		reading->negative += weight < 0;
		if (stack && weight >= 0)
			wk_spans_sample(&reading->spans, thread, samples->measure, stack,
					at > 0 ? (uint64_t)at : 0, (uint64_t)weight);
	}
}

/* --- Threads ------------------------------------------------------------------------------- */

static uint32_t number_of(struct reading *reading, uint32_t text, bool *is_made_up)
{
	uint64_t number = 0;

	*is_made_up = text && (!wk_num_u64(wk_strtab_str(reading->maker.texts, text), &number) ||
			       number >= WK_NO_PID);
	if (*is_made_up)
		number = MADE_UP_ID + (reading->made_up++ & (MADE_UP_ID - 1));
	return (uint32_t)number;
}

static uint32_t emit_thread(struct reading *reading, const struct thread *thread)
{
	uint32_t *process = wk_map_at(&reading->process_of, (uint64_t)thread->pid_text + 1);
	bool is_new = !*process, is_made_up = false;
	struct wk_str name = wk_buf_str(&thread->process_name);
	uint32_t pid, tid;

	if (is_new)
		*process = number_of(reading, thread->pid_text, &is_made_up) + 1;
	pid = *process - 1;
	if (name.len == 0 && is_made_up)
		name = wk_strtab_str(reading->maker.texts, thread->pid_text);
	tid = number_of(reading, thread->tid_text, &is_made_up);
	wk_stack_writer_thread(reading->writer, pid, tid, wk_buf_str(&thread->name));
	/* After its first thread, whose name would become the process's. */
	if (is_new || (tid == pid && name.len))
		wk_stack_writer_process(reading->writer, pid, name);
	return wk_spans_thread(&reading->spans, pid, tid, MEASURE_SAMPLES);
}

static void thread_key(struct reading *reading, struct thread *thread, struct wk_str key,
		       struct wk_json *json)
{
	struct wk_strtab *texts = reading->maker.texts;

	if (wk_str_is(key, "name"))
		wk_json_copy_text(json, &thread->name);
	else if (wk_str_is(key, "processName"))
		wk_json_copy_text(json, &thread->process_name);
	else if (wk_str_is(key, "pid"))
		thread->pid_text = wk_strtab_add_str(texts, wk_json_text_or_number(json));
	else if (wk_str_is(key, "tid"))
		thread->tid_text = wk_strtab_add_str(texts, wk_json_text_or_number(json));
	else if (wk_str_is(key, "samples"))
		read_samples(&thread->samples, json);
	else if (wk_str_is(key, "jsAllocations"))
		read_samples(&thread->js, json);
	else if (wk_str_is(key, "nativeAllocations"))
		read_samples(&thread->native, json);
	else
		wk_fx_tables_key(&reading->maker, &thread->own, key, json);
}

static void read_thread(struct reading *reading, struct profile *profile, struct wk_json *json)
{
	struct thread thread = { 0 };
	struct wk_fx_tables *tables;
	struct wk_str key;
	uint32_t row;

	if (!wk_json_enter_object(json))
		return;
	while (wk_json_next_key(json, &key))
		thread_key(reading, &thread, key, json);
	tables = wk_fx_tables_have_stacks(&thread.own) ? &thread.own : &profile->shared;
	thread.js.measure = MEASURE_JS;
	thread.native.measure = MEASURE_NATIVE;
	row = emit_thread(reading, &thread);
	emit_samples(reading, profile, tables, &thread.samples, row);
	emit_samples(reading, profile, tables, &thread.js, row);
	emit_samples(reading, profile, tables, &thread.native, row);
	wk_fx_tables_fini(&thread.own);
	wk_fx_table_fini(&thread.samples.table);
	wk_fx_table_fini(&thread.js.table);
	wk_fx_table_fini(&thread.native.table);
	WK_BUF_FINI_ALL(&thread.name, &thread.process_name);
}

/* --- Profiles ------------------------------------------------------------------------------ */

static void read_meta(struct reading *reading, struct profile *profile, struct wk_json *json)
{
	struct wk_str key;

	if (!wk_json_enter_object(json))
		return;
	while (wk_json_next_key(json, &key)) {
		if (wk_str_is(key, "startTime")) {
			profile->start_ns = wk_json_scaled(json, 6);
			profile->has_start = true;
		} else if (wk_str_is(key, "categories")) {
			wk_fx_tables_key(&reading->maker, &profile->shared, key, json);
		}
	}
}

static void read_shared(struct reading *reading, struct profile *profile, struct wk_json *json)
{
	struct wk_str key;

	if (!wk_json_enter_object(json))
		return;
	while (wk_json_next_key(json, &key))
		wk_fx_tables_key(&reading->maker, &profile->shared, key, json);
}

/* Times of a process count from its own start; those of the file from the first one's. */
static void settle_start(struct reading *reading, struct profile *profile)
{
	int64_t most = INT64_MAX / 4;

	if (!profile->has_start || profile->start_ns < 0 || profile->start_ns > most)
		profile->start_ns = reading->first_start_ns;
	if (!reading->has_first_start)
		reading->first_start_ns = profile->start_ns;
	reading->has_first_start = true;
}

static void read_threads(struct reading *reading, struct profile *profile, struct wk_json *json)
{
	if (!json->at || !wk_json_enter_array(json))
		return;
	while (wk_json_next_element(json) && !wk_stack_writer_is_done(reading->writer))
		read_thread(reading, profile, json);
}

static void read_profile(struct reading *reading, struct wk_json *json, int level)
{
	struct wk_json threads = { 0 }, processes = { 0 };
	struct profile profile = { 0 };
	struct wk_str key;

	if (!wk_json_enter_object(json))
		return;
	while (wk_json_next_key(json, &key)) {
		if (wk_str_is(key, "meta"))
			read_meta(reading, &profile, json);
		else if (wk_str_is(key, "shared"))
			read_shared(reading, &profile, json);
		else if (wk_str_is(key, "threads"))
			wk_json_replace_value(&threads, json);
		else if (wk_str_is(key, "processes"))
			wk_json_replace_value(&processes, json);
		else
			wk_fx_tables_key(&reading->maker, &profile.shared, key, json);
	}
	reading->has_threads |= threads.at != NULL;
	settle_start(reading, &profile);
	read_threads(reading, &profile, &threads);
	wk_fx_tables_fini(&profile.shared);
	if (processes.at && level == MOST_NESTED)
		reading->too_nested++;
	else if (processes.at && wk_json_enter_array(&processes))
		while (wk_json_next_element(&processes))
			read_profile(reading, &processes, level + 1);
	wk_json_end_value(&threads, json);
	wk_json_end_value(&processes, json);
}

static void emit(struct reading *reading)
{
	wk_spans_emit(&reading->spans);
	wk_note_count(reading->writer, reading->without_stack, "samples without a stack, left out");
	wk_note_count(reading->writer, reading->negative,
		      "samples of negative weight, as in a comparison or of freed memory, "
		      "left out");
	wk_note_count(reading->writer, reading->too_nested, "processes nested too deep, left out");
}

static bool read_file(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_stack_writer *writer = wk_stack_writer_new(sink);
	struct wk_json json = wk_json_of(input->bytes);
	struct reading reading = { .writer = writer, .maker.writer = writer,
				   .spans.writer = writer };
	bool is_cut;

	reading.maker.texts = wk_strtab_new();
	read_profile(&reading, &json, 0);
	is_cut = json.is_cut;
	if (wk_json_end(&json, err)) {
		emit(&reading);
		wk_check_samples_of_cut(writer, is_cut, reading.has_threads, input->bytes, expected,
					err);
	}
	wk_spans_fini(&reading.spans);
	wk_strtab_free(reading.maker.texts);
	wk_map_fini(&reading.process_of);
	wk_map_fini(&reading.maker.open_of);
	wk_free(reading.maker.path);
	return wk_stack_writer_end(writer, err);
}

static int probe(struct wk_bytes first)
{
	static const char *const keys[] = {
		"preprocessedProfileVersion", "stackTable", "frameTable", "stringArray",
		"markerSchema", "processType", "sampleUnits", NULL,
	};

	if (!wk_json_looks_like(first))
		return 0;
	for (int i = 0; keys[i]; i++)
		if (wk_json_has_key(first, keys[i]))
			return 92;
	/* An empty first thread or a long list of libraries may precede all of these. */
	return wk_json_has_key(first, "breakpadId") || wk_json_has_key(first, "libs") ? 60 : 0;
}

const struct wk_reader wk_reader_firefox = {
	.name = "firefox",
	.summary = "profiles of the Firefox Profiler (Firefox, samply ...)",
	.suffixes = (const char *const[]){ ".json", NULL },
	.probe = probe,
	.read = read_file,
};
