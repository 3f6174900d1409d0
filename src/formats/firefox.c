#include <inttypes.h>

#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "base/strtab.h"
#include "formats/firefox_table.h"
#include "formats/lines.h"
#include "formats/reader.h"
#include "formats/spans.h"

/* Profiles of the Firefox Profiler: the processed form that it saves and that samply and
 * others write, and the one that Firefox itself writes. docs/formats/firefox.md tells what is
 * read. */

#define MOST_NESTED   4           /* levels of processes in processes; there is one */
#define MADE_UP_ID    0x40000000u /* where ids are no numbers of 32 bits */

static const char expected[] = "threads with samples, stackTable, frameTable and strings";

enum { STACK_PREFIX, STACK_FRAME };
enum { FRAME_FUNC, FRAME_LINE, FRAME_ADDRESS, FRAME_DEPTH, FRAME_CATEGORY, FRAME_SYMBOL,
       FRAME_LOCATION };
enum { FUNC_NAME, FUNC_RESOURCE, FUNC_FILE, FUNC_SOURCE, FUNC_LINE, FUNC_IS_JS };
enum { RESOURCE_LIB };
enum { SYMBOL_LIB };
enum { SOURCE_FILE };
enum { SAMPLE_STACK, SAMPLE_TIME, SAMPLE_DELTA, SAMPLE_WEIGHT };

static const struct wk_fx_layout stack_layout = { .names = { "prefix", "frame" } };
static const struct wk_fx_layout frame_layout = {
	.names = { "func", "line", "address", "inlineDepth", "category", "nativeSymbol",
		   "location" } };
static const struct wk_fx_layout func_layout = {
	.names = { "name", "resource", "fileName", "source", "lineNumber", "isJS" } };
static const struct wk_fx_layout resource_layout = { .names = { "lib" } };
static const struct wk_fx_layout symbol_layout = { .names = { "libIndex" } };
static const struct wk_fx_layout source_layout = { .names = { "filename" } };
/* Milliseconds become nanoseconds; a weight in milliseconds does, too. */
static const struct wk_fx_layout sample_layout = {
	.names = { "stack", "time", "timeDeltas", "weight" }, .decimals = { 0, 6, 6, 6 } };

#define WEIGHT_SCALE 1000000

enum measure { MEASURE_SAMPLES, MEASURE_TIME, MEASURE_BYTES, MEASURE_JS, MEASURE_NATIVE, MEASURES };

static const struct {
	const char *name, *unit;
} measures[MEASURES] = {
	{ "samples", "samples" }, { "time", "ns" }, { "bytes", "bytes" },
	{ "js-allocations", "bytes" }, { "native-allocations", "bytes" },
};

/* What a stack is made of. In new profiles all threads share one, in others each has its own. */
struct tables {
	struct wk_fx_table stacks, frames, funcs, resources, symbols, sources;
	uint32_t *strings, *libs;           /* texts */
	size_t string_count, string_cap, lib_count, lib_cap;
	uint32_t *number_of_frame;          /* of the writer, + 1 */
	uint32_t *number_of_stack;          /* + 1; ON_PATH while it is walked */
};

#define ON_PATH UINT32_MAX

struct samples {
	struct wk_fx_table table;
	enum measure measure;
};

/* One profile: the file, or a process in it. */
struct profile {
	struct tables shared;
	uint32_t *categories; /* texts */
	size_t category_count, category_cap;
	int64_t start_ns;
	bool has_start;
};

struct thread {
	struct tables own;
	struct samples samples, js, native;
	struct wk_buf name, process_name;
	uint32_t pid_text, tid_text;
};

struct reading {
	struct wk_stack_writer *writer;
	struct wk_spans spans;
	struct wk_strtab *texts;
	struct wk_map process_of; /* text of the pid + 1 to number + 1 */
	uint32_t made_up;         /* ids so far */
	int64_t first_start_ns;
	bool has_first_start;
	bool is_told[MEASURES];
	uint32_t *path;           /* scratch of walks to the root */
	size_t path_cap;
	uint64_t without_stack, negative, too_nested;
};

/* --- Texts --------------------------------------------------------------------------------- */

static void add_text(struct reading *reading, uint32_t **rows, size_t *count, size_t *cap,
		     struct wk_json *json)
{
	*rows = wk_grow(*rows, cap, *count + 1, sizeof(**rows));
	(*rows)[(*count)++] = wk_strtab_add_str(reading->texts, wk_json_text(json));
}

static void read_strings(struct reading *reading, struct tables *tables, struct wk_json *json)
{
	if (!wk_json_enter_array(json))
		return;
	while (wk_json_next_element(json))
		add_text(reading, &tables->strings, &tables->string_count, &tables->string_cap,
			 json);
}

/* An array of objects of which one text each is kept: `best`, or `other` where that is empty. */
static void read_named(struct reading *reading, const char *best, const char *other,
		       uint32_t **rows, size_t *count, size_t *cap, struct wk_json *json)
{
	struct wk_str key;

	if (!wk_json_enter_array(json))
		return;
	while (wk_json_next_element(json)) {
		*rows = wk_grow(*rows, cap, *count + 1, sizeof(**rows));
		(*rows)[(*count)++] = 0;
		if (!wk_json_enter_object(json))
			continue;
		while (wk_json_next_key(json, &key)) {
			bool is_best = wk_str_is(key, best);
			uint32_t text;

			if (!is_best && !wk_str_is(key, other)) {
				wk_json_skip(json);
				continue;
			}
			text = wk_strtab_add_str(reading->texts, wk_json_text(json));
			if (text && (is_best || !(*rows)[*count - 1]))
				(*rows)[*count - 1] = text;
		}
	}
}

static struct wk_str string_at(const struct reading *reading, const struct tables *tables,
			       const struct tables *shared, int64_t index)
{
	const struct tables *from = tables->string_count ? tables : shared;

	if (index < 0 || (uint64_t)index >= from->string_count)
		return wk_str_c("");
	return wk_strtab_str(reading->texts, from->strings[index]);
}

static struct wk_str lib_at(const struct reading *reading, const struct tables *tables,
			    const struct tables *shared, int64_t index)
{
	const struct tables *from = tables->lib_count ? tables : shared;

	if (index < 0 || (uint64_t)index >= from->lib_count)
		return wk_str_c("");
	return wk_strtab_str(reading->texts, from->libs[index]);
}

/* --- Frames -------------------------------------------------------------------------------- */

static uint32_t line_of(int64_t line)
{
	return line > 0 && line <= UINT32_MAX ? (uint32_t)line : 0;
}

static bool is_address(struct wk_str name)
{
	uint64_t address;

	return wk_str_starts(name, "0x") && wk_num_hex(wk_str_skip(name, 2), &address);
}

static void describe_processed(const struct reading *reading, const struct profile *profile,
			       const struct tables *tables, int64_t row,
			       struct wk_event_frame *frame)
{
	const struct tables *shared = &profile->shared;
	int64_t func = wk_fx_get(&tables->frames, FRAME_FUNC, row);
	int64_t resource = wk_fx_get(&tables->funcs, FUNC_RESOURCE, func);
	int64_t source = wk_fx_get(&tables->funcs, FUNC_SOURCE, func);
	int64_t symbol = wk_fx_get(&tables->frames, FRAME_SYMBOL, row);
	int64_t lib = wk_fx_get(&tables->resources, RESOURCE_LIB, resource);
	int64_t file = wk_fx_get(&tables->funcs, FUNC_FILE, func);

	if (lib < 0)
		lib = wk_fx_get(&tables->symbols, SYMBOL_LIB, symbol);
	if (file < 0)
		file = wk_fx_get(&shared->sources, SOURCE_FILE, source);
	frame->name = string_at(reading, tables, shared,
				wk_fx_get(&tables->funcs, FUNC_NAME, func));
	frame->image = lib_at(reading, tables, shared, lib);
	frame->file = string_at(reading, tables, shared, file);
	frame->line = line_of(wk_fx_get(&tables->frames, FRAME_LINE, row));
	if (!frame->line)
		frame->line = line_of(wk_fx_get(&tables->funcs, FUNC_LINE, func));
	frame->is_inlined = wk_fx_get(&tables->frames, FRAME_DEPTH, row) > 0;
	if (wk_fx_get(&tables->funcs, FUNC_IS_JS, func) == 1)
		frame->kind = WK_FRAME_JIT;
}

/* Takes ":12" or ":12:5" off the end of a place; the line, or 0. */
static uint32_t take_line(struct wk_str *place)
{
	uint64_t number = 0;
	uint32_t line = 0;

	for (int i = 0; i < 2; i++) {
		size_t colon = place->len;

		while (colon && place->at[colon - 1] >= '0' && place->at[colon - 1] <= '9')
			colon--;
		if (colon == place->len || colon < 2 || place->at[colon - 1] != ':' ||
		    !wk_num_u64(wk_str_skip(*place, colon), &number))
			break;
		line = number <= UINT32_MAX ? (uint32_t)number : 0;
		place->len = colon - 1;
	}
	return line;
}

/* "name (https://place:12:5)" and "name (in library)"; any other text is a name as it is. */
static void describe_location(struct wk_str location, struct wk_event_frame *frame)
{
	size_t open = location.len;
	struct wk_str inside;

	frame->name = location;
	if (!wk_str_ends(location, ")"))
		return;
	while (open > 1 && !(location.at[open - 1] == '(' && location.at[open - 2] == ' '))
		open--;
	if (open < 3)
		return;
	inside = wk_str_of(location.at + open, location.len - 1 - open);
	if (wk_str_starts(inside, "in ")) {
		frame->image = wk_str_skip(inside, 3);
	} else {
		frame->line = take_line(&inside);
		if (!frame->line)
			return;
		frame->file = inside;
		frame->kind = WK_FRAME_JIT;
	}
	frame->name.len = open - 2;
}

static uint32_t make_frame(struct reading *reading, const struct profile *profile,
			   const struct tables *tables, int64_t row)
{
	int64_t category = wk_fx_get(&tables->frames, FRAME_CATEGORY, row);
	int64_t address = wk_fx_get(&tables->frames, FRAME_ADDRESS, row);
	int64_t location = wk_fx_get(&tables->frames, FRAME_LOCATION, row);
	struct wk_event_frame frame = { .address = address > 0 ? (uint64_t)address : 0 };

	if (location >= 0)
		describe_location(string_at(reading, tables, &profile->shared, location), &frame);
	else
		describe_processed(reading, profile, tables, row, &frame);
	/* The line that ran, where it is known, and not the one where the function begins. */
	if (location >= 0 && line_of(wk_fx_get(&tables->frames, FRAME_LINE, row)))
		frame.line = line_of(wk_fx_get(&tables->frames, FRAME_LINE, row));
	if (category >= 0 && (uint64_t)category < profile->category_count &&
	    wk_str_is(wk_strtab_str(reading->texts, profile->categories[category]), "Kernel"))
		frame.kind = WK_FRAME_KERNEL;
	frame.is_unnamed = frame.name.len == 0 || is_address(frame.name);
	if (frame.name.len == 0)
		frame.name = wk_str_c("[unnamed]");
	return wk_stack_writer_frame(reading->writer, &frame);
}

/* The writer's number of a frame, or 0 where there is no such row. */
static uint32_t frame_of(struct reading *reading, const struct profile *profile,
			 struct tables *tables, int64_t row)
{
	unsigned column = wk_fx_count(&tables->frames, FRAME_FUNC) ? FRAME_FUNC : FRAME_LOCATION;
	size_t count = wk_fx_count(&tables->frames, column);

	if (row < 0 || (uint64_t)row >= count)
		return 0;
	if (!tables->number_of_frame)
		tables->number_of_frame = wk_alloc_zeroed(count, sizeof(uint32_t));
	if (!tables->number_of_frame[row])
		tables->number_of_frame[row] = make_frame(reading, profile, tables, row);
	return tables->number_of_frame[row];
}

/* --- Stacks -------------------------------------------------------------------------------- */

/* Walks towards the root as far as stacks are unknown, and back making them: each row once,
 * whatever their order; a circle is cut where it closes. */
static uint32_t stack_of(struct reading *reading, const struct profile *profile,
			 struct tables *tables, int64_t row)
{
	size_t count = wk_fx_count(&tables->stacks, STACK_FRAME), depth = 0;
	uint32_t stack = 0;

	if (!tables->number_of_stack)
		tables->number_of_stack = wk_alloc_zeroed(count + 1, sizeof(uint32_t));
	while (row >= 0 && (uint64_t)row < count && !tables->number_of_stack[row]) {
		reading->path = wk_grow(reading->path, &reading->path_cap, depth + 1,
					sizeof(*reading->path));
		reading->path[depth++] = (uint32_t)row;
		tables->number_of_stack[row] = ON_PATH;
		row = wk_fx_get(&tables->stacks, STACK_PREFIX, row);
	}
	if (row >= 0 && (uint64_t)row < count && tables->number_of_stack[row] != ON_PATH)
		stack = tables->number_of_stack[row] - 1;
	while (depth) {
		uint32_t at = reading->path[--depth];
		uint32_t frame = frame_of(reading, profile, tables,
					  wk_fx_get(&tables->stacks, STACK_FRAME, at));

		if (frame)
			stack = wk_stack_writer_stack(reading->writer, stack, frame);
		tables->number_of_stack[at] = stack + 1;
	}
	return stack;
}

/* --- Samples ------------------------------------------------------------------------------- */

static enum measure measure_of(struct wk_str type)
{
	if (wk_str_is(type, "tracing-ms"))
		return MEASURE_TIME;
	return wk_str_is(type, "bytes") ? MEASURE_BYTES : MEASURE_SAMPLES;
}

/* The table, and the one fact about it that is no column. */
static void read_samples(struct samples *samples, struct wk_json *json)
{
	struct wk_json value = wk_json_value(json), again = value;
	struct wk_str key;

	if (wk_json_enter_object(&again))
		while (wk_json_next_key(&again, &key)) {
			if (wk_str_is(key, "weightType"))
				samples->measure = measure_of(wk_json_text(&again));
			else
				wk_json_skip(&again);
		}
	wk_json_end(&again, NULL);
	wk_fx_table_read(&samples->table, &sample_layout, &value);
	wk_json_end_value(&value, json);
}

static void tell_source(struct reading *reading, enum measure measure)
{
	struct wk_event_source source = { .source = measure,
					  .name = wk_str_c(measures[measure].name),
					  .unit = wk_str_c(measures[measure].unit),
					  .is_weighed = true };

	if (!reading->is_told[measure])
		wk_stack_writer_tell_source(reading->writer, &source);
	reading->is_told[measure] = true;
}

static int64_t weight_of(const struct samples *samples, int64_t row)
{
	int64_t weight = wk_fx_get(&samples->table, SAMPLE_WEIGHT, row);

	if (weight == WK_FX_NONE)
		return samples->measure == MEASURE_SAMPLES;
	return samples->measure == MEASURE_TIME ? weight : weight / WEIGHT_SCALE;
}

/* The time of a row, from the one before where only the difference is told. */
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

static void tell_samples(struct reading *reading, const struct profile *profile,
			 struct tables *tables, const struct samples *samples, uint32_t thread)
{
	size_t count = wk_fx_count(&samples->table, SAMPLE_STACK);
	int64_t offset = profile->start_ns - reading->first_start_ns;
	int64_t time = 0;

	if (count)
		tell_source(reading, samples->measure);
	for (size_t i = 0; i < count; i++) {
		int64_t row = wk_fx_get(&samples->table, SAMPLE_STACK, (int64_t)i);
		int64_t weight = weight_of(samples, (int64_t)i), at;
		uint32_t stack = row >= 0 ? stack_of(reading, profile, tables, row) : 0;

		time = time_of(samples, (int64_t)i, time);
		at = time > INT64_MAX - offset ? time : time + offset;
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

	*is_made_up = text && (!wk_num_u64(wk_strtab_str(reading->texts, text), &number) ||
			       number >= WK_NO_PID);
	if (*is_made_up)
		number = MADE_UP_ID + (reading->made_up++ & (MADE_UP_ID - 1));
	return (uint32_t)number;
}

static void tell_name(struct reading *reading, enum wk_event_kind kind, uint32_t pid,
		      uint32_t tid, struct wk_str name)
{
	struct wk_event event = { .kind = kind, .pid = pid, .tid = tid, .cpu = WK_NO_CPU };

	if (kind == WK_EVENT_PROCESS)
		event.process = (struct wk_event_process){ .change = WK_PROCESS_SEEN,
							   .name = name };
	else
		event.thread = (struct wk_event_thread){ .change = WK_THREAD_SEEN, .name = name };
	wk_stack_writer_event(reading->writer, &event);
}

static uint32_t tell_thread(struct reading *reading, const struct thread *thread)
{
	uint32_t *process = wk_map_at(&reading->process_of, (uint64_t)thread->pid_text + 1);
	bool is_new = !*process, is_made_up = false;
	struct wk_str name = wk_buf_str(&thread->process_name);
	uint32_t pid, tid;

	if (is_new)
		*process = number_of(reading, thread->pid_text, &is_made_up) + 1;
	pid = *process - 1;
	if (name.len == 0 && is_made_up)
		name = wk_strtab_str(reading->texts, thread->pid_text);
	tid = number_of(reading, thread->tid_text, &is_made_up);
	tell_name(reading, WK_EVENT_THREAD, pid, tid, wk_buf_str(&thread->name));
	/* After its first thread, whose name would become the process's. */
	if (is_new || (tid == pid && name.len))
		tell_name(reading, WK_EVENT_PROCESS, pid, pid, name);
	return wk_spans_thread(&reading->spans, pid, tid, MEASURE_SAMPLES);
}

/* A key of what threads and the shared data have alike; false if it is none of these. */
static bool tables_key(struct reading *reading, struct tables *tables, struct wk_str key,
		       struct wk_json *json)
{
	if (wk_str_is(key, "stackTable"))
		wk_fx_table_read(&tables->stacks, &stack_layout, json);
	else if (wk_str_is(key, "frameTable"))
		wk_fx_table_read(&tables->frames, &frame_layout, json);
	else if (wk_str_is(key, "funcTable"))
		wk_fx_table_read(&tables->funcs, &func_layout, json);
	else if (wk_str_is(key, "resourceTable"))
		wk_fx_table_read(&tables->resources, &resource_layout, json);
	else if (wk_str_is(key, "nativeSymbols"))
		wk_fx_table_read(&tables->symbols, &symbol_layout, json);
	else if (wk_str_is(key, "sources"))
		wk_fx_table_read(&tables->sources, &source_layout, json);
	else if (wk_str_is(key, "stringArray") || wk_str_is(key, "stringTable"))
		read_strings(reading, tables, json);
	else if (wk_str_is(key, "libs"))
		read_named(reading, "path", "name", &tables->libs, &tables->lib_count,
			   &tables->lib_cap, json);
	else
		return false;
	return true;
}

static void tables_fini(struct tables *tables)
{
	wk_fx_table_fini(&tables->stacks);
	wk_fx_table_fini(&tables->frames);
	wk_fx_table_fini(&tables->funcs);
	wk_fx_table_fini(&tables->resources);
	wk_fx_table_fini(&tables->symbols);
	wk_fx_table_fini(&tables->sources);
	free(tables->strings);
	free(tables->libs);
	free(tables->number_of_frame);
	free(tables->number_of_stack);
}

static void keep_text(struct wk_buf *buf, struct wk_json *json)
{
	wk_buf_reset(buf);
	wk_buf_add_str(buf, wk_json_text(json));
}

static void thread_key(struct reading *reading, struct thread *thread, struct wk_str key,
		       struct wk_json *json)
{
	if (wk_str_is(key, "name"))
		keep_text(&thread->name, json);
	else if (wk_str_is(key, "processName"))
		keep_text(&thread->process_name, json);
	else if (wk_str_is(key, "pid"))
		thread->pid_text = wk_strtab_add_str(reading->texts, wk_json_text_or_number(json));
	else if (wk_str_is(key, "tid"))
		thread->tid_text = wk_strtab_add_str(reading->texts, wk_json_text_or_number(json));
	else if (wk_str_is(key, "samples"))
		read_samples(&thread->samples, json);
	else if (wk_str_is(key, "jsAllocations"))
		read_samples(&thread->js, json);
	else if (wk_str_is(key, "nativeAllocations"))
		read_samples(&thread->native, json);
	else if (!tables_key(reading, &thread->own, key, json))
		wk_json_skip(json);
}

static void read_thread(struct reading *reading, struct profile *profile, struct wk_json *json)
{
	struct thread thread = { 0 };
	struct tables *tables;
	struct wk_str key;
	uint32_t row;

	if (!wk_json_enter_object(json))
		return;
	while (wk_json_next_key(json, &key))
		thread_key(reading, &thread, key, json);
	tables = wk_fx_count(&thread.own.stacks, STACK_FRAME) ? &thread.own : &profile->shared;
	thread.js.measure = MEASURE_JS;
	thread.native.measure = MEASURE_NATIVE;
	row = tell_thread(reading, &thread);
	tell_samples(reading, profile, tables, &thread.samples, row);
	tell_samples(reading, profile, tables, &thread.js, row);
	tell_samples(reading, profile, tables, &thread.native, row);
	tables_fini(&thread.own);
	wk_fx_table_fini(&thread.samples.table);
	wk_fx_table_fini(&thread.js.table);
	wk_fx_table_fini(&thread.native.table);
	wk_buf_fini(&thread.name);
	wk_buf_fini(&thread.process_name);
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
			read_named(reading, "name", "name", &profile->categories,
				   &profile->category_count, &profile->category_cap, json);
		} else {
			wk_json_skip(json);
		}
	}
}

static void read_shared(struct reading *reading, struct profile *profile, struct wk_json *json)
{
	struct wk_str key;

	if (!wk_json_enter_object(json))
		return;
	while (wk_json_next_key(json, &key))
		if (!tables_key(reading, &profile->shared, key, json))
			wk_json_skip(json);
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

static void set_aside(struct wk_json *value, struct wk_json *json)
{
	wk_json_end(value, NULL);
	*value = wk_json_value(json);
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
			set_aside(&threads, json);
		else if (wk_str_is(key, "processes"))
			set_aside(&processes, json);
		else if (!tables_key(reading, &profile.shared, key, json))
			wk_json_skip(json);
	}
	settle_start(reading, &profile);
	read_threads(reading, &profile, &threads);
	tables_fini(&profile.shared);
	free(profile.categories);
	if (processes.at && level == MOST_NESTED)
		reading->too_nested++;
	else if (processes.at && wk_json_enter_array(&processes))
		while (wk_json_next_element(&processes))
			read_profile(reading, &processes, level + 1);
	wk_json_end_value(&threads, json);
	wk_json_end_value(&processes, json);
}

static void tell(struct reading *reading, bool is_cut)
{
	wk_spans_tell(&reading->spans);
	wk_note_count(reading->writer, reading->without_stack, "samples without a stack, left out");
	wk_note_count(reading->writer, reading->negative,
		      "samples of negative weight, as in a comparison or of "
					 "freed memory, left out");
	wk_note_count(reading->writer, reading->too_nested, "processes nested too deep, left out");
	if (is_cut)
		wk_stack_writer_note(reading->writer,
				     wk_str_c("the file has no end; what is there was read"));
}

static bool read_file(const struct wk_input *input, const struct wk_sink *sink,
		      struct wk_err *err)
{
	struct wk_stack_writer *writer = wk_stack_writer_new(sink);
	struct wk_json json = wk_json_of(input->bytes);
	struct reading reading = { .writer = writer, .texts = wk_strtab_new() };
	bool is_cut;

	wk_spans_init(&reading.spans, writer);
	read_profile(&reading, &json, 0);
	is_cut = json.is_cut;
	if (wk_json_end(&json, err)) {
		tell(&reading, is_cut);
		if (wk_stack_writer_samples(writer) == 0 && !wk_stack_writer_is_done(writer))
			wk_fail_no_stacks(err, input->bytes, expected);
	}
	wk_spans_fini(&reading.spans);
	wk_strtab_free(reading.texts);
	wk_map_fini(&reading.process_of);
	free(reading.path);
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
	/* An empty first thread or a long list of libraries may stand before all of these. */
	return wk_json_has_key(first, "breakpadId") || wk_json_has_key(first, "libs") ? 60 : 0;
}

const struct wk_reader wk_reader_firefox = {
	.name = "firefox",
	.summary = "profiles of the Firefox Profiler (Firefox, samply ...)",
	.suffixes = (const char *const[]){ ".json", NULL },
	.probe = probe,
	.read = read_file,
};
