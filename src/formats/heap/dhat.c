/* Valgrind's DHAT, and what writes the same: for each stack what it allocated, and what of it was
 * there at two moments. docs/formats/dhat.md */
#include <inttypes.h>

#include "base/mem.h"
#include "base/text/json.h"
#include "formats/heap/valgrind.h"
#include "formats/lines.h"
#include "formats/reader.h"

#define NEWEST_VERSION 2

struct reading {
	struct wk_stack_writer *writer;
	uint64_t version;
	bool has_lifetimes;        /* of blocks; else events or copied bytes are counted */
	struct wk_buf mode, units; /* "heap", "copy" ...; "bytes" */
	struct wk_buf command;
	uint32_t pid;
	uint64_t peak_time, end_time; /* as in the file, from here on in nanoseconds */
	uint64_t unit_ns;
	struct wk_json points; /* the program points: they precede their frames */
	bool has_points;
	struct wk_buf texts; /* of frames */
	struct wk_valgrind_line *lines;
	size_t line_count, line_cap;
	uint32_t *frames; /* of a point, innermost first */
	size_t frame_count, frame_cap;
	uint64_t missing; /* frames */
};

/* A program point, with the names of the file. */
struct point {
	uint64_t total_bytes, total_blocks; /* tb, tbk */
	uint64_t peak_bytes, peak_blocks;   /* gb, gbk: when the heap was largest */
	uint64_t end_bytes, end_blocks;     /* eb, ebk */
	uint32_t stack;
};

/* --- Frames -------------------------------------------------------------------------------- */

/* Texts move while they are collected, so their lengths are stored first. */
static void read_frame_table(struct reading *reading, struct wk_json *json)
{
	size_t start = 0;

	if (!wk_json_enter_array(json))
		return;
	while (wk_json_next_element(json)) {
		struct wk_str text = wk_json_text(json);

		wk_buf_add(&reading->texts, text.at, text.len);
		*WK_APPEND(reading->lines, reading->line_count, reading->line_cap) =
			(struct wk_valgrind_line){ .text.len = text.len };
	}
	for (size_t i = 0; i < reading->line_count; i++) {
		struct wk_valgrind_line *line = &reading->lines[i];
		size_t len = line->text.len;

		wk_valgrind_line_init(line, wk_str_of(reading->texts.at + start, len));
		line->frame.is_lasting = false;
		start += len;
	}
}

static void read_frames(struct reading *reading, struct wk_json *json)
{
	reading->frame_count = 0;
	if (!wk_json_enter_array(json))
		return;
	while (wk_json_next_element(json)) {
		uint64_t number = wk_json_u64(json);

		if (number < reading->line_count)
			*WK_APPEND(reading->frames, reading->frame_count, reading->frame_cap) =
				(uint32_t)number;
		else
			reading->missing++;
	}
}

static uint32_t stack_of_frames(struct reading *reading)
{
	struct wk_valgrind_line *caller = NULL;
	uint32_t stack = 0;

	for (size_t i = reading->frame_count; i-- > 0;) {
		struct wk_valgrind_line *line = &reading->lines[reading->frames[i]];

		stack = wk_valgrind_push(reading->writer, stack, line, caller);
		caller = line;
	}
	return stack;
}

/* --- Program points ------------------------------------------------------------------------ */

static bool read_point(struct reading *reading, struct wk_json *json, struct point *point)
{
	struct wk_str key;

	*point = (struct point){ 0 };
	reading->frame_count = 0;
	if (!wk_json_enter_object(json))
		return false;
	while (wk_json_next_key(json, &key)) {
		uint64_t *field = wk_str_is(key, "tb")    ? &point->total_bytes
				  : wk_str_is(key, "tbk") ? &point->total_blocks
				  : wk_str_is(key, "gb")  ? &point->peak_bytes
				  : wk_str_is(key, "gbk") ? &point->peak_blocks
				  : wk_str_is(key, "eb")  ? &point->end_bytes
				  : wk_str_is(key, "ebk") ? &point->end_blocks
							  : NULL;

		if (field)
			*field = wk_json_u64(json);
		else if (wk_str_is(key, "fs"))
			read_frames(reading, json);
	}
	point->stack = stack_of_frames(reading);
	return true;
}

static uint64_t more(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static void emit_sum(struct reading *reading, uint64_t time_ns, uint32_t stack,
		     const struct wk_event_heap_sum *sum)
{
	struct wk_event event = { .kind = WK_EVENT_HEAP_SUM, .cpu = WK_NO_CPU,
				  .pid = reading->pid, .tid = reading->pid, .time_ns = time_ns,
				  .heap_sum = *sum };

	event.heap_sum.sample.named_stack = stack;
	wk_stack_writer_event(reading->writer, &event);
}

/* The file has what was there at the peak, not what had been freed by then: that is counted as
 * allocated and freed afterwards. */
static void emit_peak(struct reading *reading, const struct point *point)
{
	if (point->peak_bytes || point->peak_blocks)
		emit_sum(reading, reading->peak_time, point->stack,
			 &(struct wk_event_heap_sum){ .allocated_bytes = point->peak_bytes,
						      .allocated_blocks = point->peak_blocks,
						      .peak_bytes = point->peak_bytes,
						      .peak_blocks = point->peak_blocks });
}

static void emit_rest(struct reading *reading, const struct point *point)
{
	struct wk_event_heap_sum sum = {
		.allocated_bytes = more(point->total_bytes, point->peak_bytes),
		.allocated_blocks = more(point->total_blocks, point->peak_blocks),
		.freed_bytes = more(point->total_bytes, point->end_bytes),
		.freed_blocks = more(point->total_blocks, point->end_blocks),
	};

	if (sum.allocated_bytes || sum.allocated_blocks || sum.freed_bytes || sum.freed_blocks)
		emit_sum(reading, reading->end_time, point->stack, &sum);
}

/* Of a profile of events or copied bytes. */
static void emit_counts(struct reading *reading, const struct point *point)
{
	if (point->total_bytes)
		wk_stack_writer_sample(reading->writer, reading->end_time, reading->pid,
				       reading->pid, 0, point->stack, point->total_bytes);
	if (point->total_blocks)
		wk_stack_writer_sample(reading->writer, reading->end_time, reading->pid,
				       reading->pid, 1, point->stack, point->total_blocks);
}

static void emit_points(struct reading *reading,
			void (*emit)(struct reading *reading, const struct point *point))
{
	struct wk_json points = reading->points;
	struct point point;

	points.text = (struct wk_buf){ 0 };
	reading->missing = 0; /* points are read twice */
	if (wk_json_enter_array(&points))
		while (wk_json_next_element(&points) && !wk_stack_writer_is_done(reading->writer))
			if (read_point(reading, &points, &point))
				emit(reading, &point);
	wk_json_end(&points, &(struct wk_err){ 0 });
}

static void emit_snapshot(struct reading *reading, uint64_t time_ns, enum wk_snapshot_cause cause,
			  const char *label)
{
	struct wk_event event = { .kind = WK_EVENT_SNAPSHOT, .cpu = WK_NO_CPU,
				  .pid = reading->pid, .tid = reading->pid, .time_ns = time_ns,
				  .snapshot = { .label = wk_str_c(label), .cause = cause } };

	if (!wk_stack_writer_is_done(reading->writer))
		wk_stack_writer_event(reading->writer, &event);
}

static void emit_heap(struct reading *reading)
{
	emit_points(reading, emit_peak);
	emit_snapshot(reading, reading->peak_time, WK_SNAPSHOT_PEAK, "t-gmax");
	emit_points(reading, emit_rest);
	emit_snapshot(reading, reading->end_time, WK_SNAPSHOT_EXIT, "t-end");
}

/* --- The file ------------------------------------------------------------------------------ */

static void read_head(struct reading *reading, struct wk_json *json, struct wk_str key)
{
	if (wk_str_is(key, "dhatFileVersion"))
		reading->version = wk_json_u64(json);
	else if (wk_str_is(key, "mode"))
		wk_json_copy_text(json, &reading->mode);
	else if (wk_str_is(key, "bklt"))
		reading->has_lifetimes = wk_json_bool(json);
	else if (wk_str_is(key, "bsu"))
		wk_json_copy_text(json, &reading->units);
	else if (wk_str_is(key, "tu"))
		reading->unit_ns = wk_str_is(wk_json_text(json), "\xc2\xb5s") ? 1000 : 1;
	else if (wk_str_is(key, "cmd"))
		wk_json_copy_text(json, &reading->command);
	else if (wk_str_is(key, "pid"))
		reading->pid = (uint32_t)wk_json_u64(json);
	else if (wk_str_is(key, "te"))
		reading->end_time = wk_json_u64(json);
	else if (wk_str_is(key, "tg"))
		reading->peak_time = wk_json_u64(json);
}

static void read_file_table(struct reading *reading, struct wk_json *json)
{
	struct wk_str key;

	if (!wk_json_enter_object(json))
		return;
	while (wk_json_next_key(json, &key)) {
		if (wk_str_is(key, "pps") && !reading->has_points) {
			reading->points = wk_json_value(json);
			reading->has_points = true;
		} else if (wk_str_is(key, "ftbl") && reading->line_count == 0) {
			read_frame_table(reading, json);
		} else {
			read_head(reading, json, key);
		}
	}
}

static uint64_t nanoseconds(uint64_t time, uint64_t unit_ns)
{
	uint64_t ns;

	if (__builtin_mul_overflow(time, unit_ns, &ns) || ns > INT64_MAX)
		return INT64_MAX;
	return ns ? ns : 1; /* 0 would mean before the recording */
}

static void emit_all(struct reading *reading, bool is_cut)
{
	reading->end_time = nanoseconds(reading->end_time, reading->unit_ns);
	reading->peak_time = nanoseconds(reading->peak_time, reading->unit_ns);
	if (reading->peak_time > reading->end_time)
		reading->end_time = reading->peak_time;
	wk_stack_writer_command(reading->writer, reading->pid, wk_buf_str(&reading->command));
	if (reading->unit_ns == 1)
		wk_stack_writer_remark(reading->writer,
				       wk_str_c("times are instructions, shown as nanoseconds"));
	if (reading->has_lifetimes) {
		emit_heap(reading);
	} else {
		const char *units = wk_buf_text(&reading->units);

		wk_stack_writer_source(reading->writer, 0, wk_buf_text(&reading->mode),
				       *units ? units : "bytes", false);
		wk_stack_writer_source(reading->writer, 1, "events", "events", false);
		emit_points(reading, emit_counts);
	}
	wk_note_count(reading->writer, reading->missing, "frames that are not in the table");
	if (is_cut)
		wk_stack_writer_note(reading->writer, wk_str_c("the file is truncated"));
}

static bool check_version(const struct reading *reading, struct wk_err *err)
{
	if (reading->version && reading->version <= NEWEST_VERSION)
		return true;
	return wk_fail(err, WK_EFORMAT, 0,
		       "dhatFileVersion is %" PRIu64 "; versions up to %d are known",
		       reading->version, NEWEST_VERSION);
}

static bool read_file(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct reading reading = { .writer = wk_stack_writer_new(sink), .has_lifetimes = true,
				   .pid = 1, .unit_ns = 1 };
	struct wk_json json = wk_json_of(input->bytes);
	bool is_cut;

	read_file_table(&reading, &json);
	is_cut = json.is_cut;
	if (wk_json_end(&json, err) && check_version(&reading, err)) {
		emit_all(&reading, is_cut);
		wk_check_samples(reading.writer, true, input->bytes, "a profile of DHAT", err);
	}
	wk_buf_fini(&reading.mode);
	wk_buf_fini(&reading.units);
	wk_buf_fini(&reading.command);
	wk_buf_fini(&reading.texts);
	WK_FREE_ALL(reading.lines, reading.frames);
	return wk_stack_writer_end(reading.writer, err);
}

static int probe(struct wk_bytes first)
{
	return wk_json_looks_like(first) && wk_json_has_key(first, "dhatFileVersion") ? 97 : 0;
}

const struct wk_reader wk_reader_dhat = {
	.name = "dhat",
	.summary = "Valgrind's DHAT, and dhat of Rust",
	.suffixes = (const char *const[]){ ".json", NULL },
	.probe = probe,
	.read = read_file,
};
