#include "base/map.h"
#include "base/mem.h"
#include "base/num.h"
#include "formats/collapse.h"
#include "formats/text/go_traces.h"
#include "formats/lines.h"
#include "formats/profiles/pprof_frames.h"
#include "formats/profiles/pprof_types.h"
#include "formats/reader.h"
#include "formats/scan.h"

/* The output of `go tool pprof -raw` and `-traces`. In the first, samples precede their locations,
 * so samples are read last. docs/formats/go.md */

static const char expected[] = "the output of `go tool pprof -raw` or `go tool pprof -traces`";

struct location {
	uint64_t address, mapping;
	struct wk_str first;     /* the innermost line, as written */
	struct wk_str collapsed; /* the text in which the older tool looks for a name */
	struct wk_lines more;    /* its other lines */
	uint32_t line_count;
	uint32_t first_frame;     /* 0: not created yet */
	uint32_t collapsed_frame; /* likewise */
};

struct type {
	struct wk_str type, unit;
	uint64_t scale;
	bool is_usual;
};

struct reading {
	struct wk_stack_writer *writer;
	struct wk_pprof_frames frames; /* of locations */
	const struct wk_collapse *collapse;
	struct wk_lines lines;
	struct wk_bad_lines bad;
	struct type *types;
	struct location *locations;
	struct wk_str *mappings;
	uint64_t *values;
	size_t type_count, type_cap, location_count, location_cap, mapping_count, mapping_cap;
	size_t value_count, value_cap;
	struct wk_map location_of, mapping_of; /* id + 1 to row + 1 */
};

/* --- Locations of -raw --------------------------------------------------------------------- */

static void add_location(struct reading *reading, uint64_t id, const struct location *location)
{
	*WK_APPEND(reading->locations, reading->location_count, reading->location_cap) = *location;
	wk_map_set(&reading->location_of, id + 1, (uint32_t)reading->location_count);
}

/* "1: 0x4b18f5 M=1 main.fib /src/main.go:3 s=0"; or only "runtime.findObject ...", the function
 * into which the previous line was inlined. */
static void read_location(struct reading *reading, struct wk_str line)
{
	struct location location = { .more = reading->lines };
	struct wk_str rest = wk_trim(line);
	uint64_t id;

	if (!wk_scan_number(&rest, &id) || !wk_scan_text(&rest, ": 0x") ||
	    !wk_scan_hex(&rest, &location.address)) {
		if (reading->location_count == 0)
			wk_bad_line(&reading->bad, &reading->lines, line, "a location");
		else
			reading->locations[reading->location_count - 1].line_count++;
		return;
	}
	wk_scan_blanks(&rest);
	/* The older tool does not use a mapping as name, unless there is nothing else. */
	location.collapsed = wk_str_of(rest.at, (size_t)(line.at + line.len - rest.at));
	if (wk_scan_text(&rest, "M=") && wk_scan_number(&rest, &location.mapping))
		wk_scan_blanks(&rest);
	if (rest.len)
		location.collapsed = wk_str_of(rest.at, (size_t)(line.at + line.len - rest.at));
	wk_scan_text(&rest, "[F] ");
	location.first = rest;
	location.line_count = rest.len > 0;
	add_location(reading, id, &location);
}

/* "1: 0x400000/0x4b2000/0x0 /srv/shop  [FN]" */
static void read_mapping(struct reading *reading, struct wk_str line)
{
	struct wk_str rest = wk_trim(line);
	uint64_t id;

	if (!wk_scan_number(&rest, &id) || !wk_scan_text(&rest, ": ")) {
		wk_bad_line(&reading->bad, &reading->lines, line, "a mapping");
		return;
	}
	wk_scan_word(&rest);
	wk_scan_blanks(&rest);
	*WK_APPEND(reading->mappings, reading->mapping_count, reading->mapping_cap) =
		wk_scan_word(&rest);
	wk_map_set(&reading->mapping_of, id + 1, (uint32_t)reading->mapping_count);
}

/* "name file:line s=start(linked name)". Names may contain blanks, so it is parsed from its end. */
static void describe(struct wk_str text, struct wk_event_frame *frame)
{
	size_t start = wk_str_find_last_text(text, " s=");
	size_t blank;
	struct wk_str place;

	frame->name = text;
	if (start == SIZE_MAX)
		return;
	text.len = start;
	blank = wk_str_find_last(text, ' ');
	if (blank == SIZE_MAX)
		return;
	place = wk_str_skip(text, blank + 1);
	if (wk_cut_line(&place, &frame->line))
		wk_cut_line(&place, &frame->line); /* it was the column */
	frame->file = place;
	frame->name.len = blank;
}

static void make_frame(struct reading *reading, const struct location *location, struct wk_str text,
		       bool is_inlined)
{
	uint32_t mapping = wk_map_find(&reading->mapping_of, location->mapping + 1);
	struct wk_event_frame frame = { .address = location->address,
					.is_inlined = is_inlined, .is_lasting = true };

	describe(text, &frame);
	if (mapping)
		frame.image = reading->mappings[mapping - 1];
	if (wk_str_is(frame.name, "??"))
		frame.name.len = 0;
	wk_pprof_frames_add(&reading->frames, &frame);
}

static void make_frames(struct reading *reading, struct location *location)
{
	struct wk_lines lines = location->more;
	struct wk_str line = location->first;

	location->first_frame = wk_pprof_frames_next(&reading->frames);
	if (location->line_count == 0)
		make_frame(reading, location, line, false);
	for (uint32_t i = 0; i < location->line_count; i++) {
		make_frame(reading, location, wk_trim(line), i + 1 < location->line_count);
		wk_lines_next(&lines, &line);
	}
}

/* --- Samples of -raw ----------------------------------------------------------------------- */

/* "samples/count cpu/nanoseconds[dflt]" */
static void read_types(struct reading *reading, struct wk_str line)
{
	for (;;) {
		struct wk_str word;
		struct type type = { .scale = 1 };

		wk_scan_blanks(&line);
		word = wk_scan_word(&line);
		if (word.len == 0)
			return;
		type.is_usual = wk_str_ends(word, "[dflt]");
		word.len -= type.is_usual ? 6 : 0;
		type.type = wk_scan_to(&word, '/');
		type.unit = wk_str_skip(word, 1);
		*WK_APPEND(reading->types, reading->type_count, reading->type_cap) = type;
	}
}

static void emit_source(struct reading *reading, size_t number)
{
	struct type *type = &reading->types[number];

	type->scale =
		wk_pprof_emit_source(reading->writer, (uint32_t)number, type->type, type->unit);
}

/* The type that pprof would show is emitted first, as for the binary form. */
static void emit_sources(struct reading *reading)
{
	size_t usual = reading->type_count - 1;

	for (size_t i = 0; i < reading->type_count; i++)
		if (reading->types[i].is_usual)
			usual = i;
	emit_source(reading, usual);
	for (size_t i = 0; i < reading->type_count; i++)
		if (i != usual)
			emit_source(reading, i);
}

/* Locations are innermost first, so the text is read from its end. */
static uint32_t stack_of(struct reading *reading, struct wk_str text)
{
	uint32_t stack = 0;

	while ((text = wk_trim(text)).len) {
		size_t blank = wk_str_find_last(text, ' ');
		size_t from = blank == SIZE_MAX ? 0 : blank + 1;
		uint64_t id = 0;
		uint32_t row = wk_num_u64(wk_str_skip(text, from), &id)
				       ? wk_map_find(&reading->location_of, id + 1)
				       : 0;
		struct location *location = row ? &reading->locations[row - 1] : NULL;
		struct wk_str word = wk_str_skip(text, from);

		text.len = from;
		if (!location) {
			stack = wk_stack_writer_stack(reading->writer, stack,
						      wk_stack_writer_name(reading->writer, word));
			continue;
		}
		if (!location->first_frame)
			make_frames(reading, location);
		stack = wk_pprof_frames_stack(&reading->frames, stack, location->first_frame,
					      location->line_count);
	}
	return stack;
}

/* As the older tool: the first word of the first line of a location. */
static uint32_t collapsed_frame_of(struct reading *reading, struct location *location,
				   struct wk_str number)
{
	struct wk_str line = location->collapsed, name;

	if (location->collapsed_frame)
		return location->collapsed_frame;
	name = wk_scan_word(&line);
	if (name.len == 0 || line.len == 0) {
		location->collapsed.len = 0;
		return wk_stack_writer_name(reading->writer, number);
	}
	location->collapsed_frame = wk_stack_writer_name(reading->writer, name);
	return location->collapsed_frame;
}

static uint32_t collapsed_stack_of(struct reading *reading, struct wk_str text)
{
	uint32_t stack = 0;

	while ((text = wk_trim(text)).len) {
		size_t blank = wk_str_find_last(text, ' ');
		struct wk_str word = wk_str_skip(text, blank == SIZE_MAX ? 0 : blank + 1);
		uint64_t id = 0;
		uint32_t row =
			wk_num_u64(word, &id) ? wk_map_find(&reading->location_of, id + 1) : 0;

		text.len -= word.len;
		stack = wk_stack_writer_stack(
			reading->writer, stack,
			row ? collapsed_frame_of(reading, &reading->locations[row - 1], word)
			    : wk_stack_writer_name(reading->writer, word));
	}
	return stack;
}

static void add_value(struct reading *reading, uint64_t value)
{
	*WK_APPEND(reading->values, reading->value_count, reading->value_cap) = value;
}

static bool read_values(struct reading *reading, struct wk_str text)
{
	reading->value_count = 0;
	for (;;) {
		uint64_t value = 0;

		wk_scan_blanks(&text);
		if (text.len == 0)
			return reading->value_count > 0;
		/* Negative values of a difference cannot be weights. */
		if (wk_scan_text(&text, "-")) {
			if (!wk_scan_number(&text, &value))
				return false;
			value = 0;
		} else if (!wk_scan_number(&text, &value)) {
			return false;
		}
		add_value(reading, value);
	}
}

static void emit_values(struct reading *reading, uint32_t stack)
{
	for (uint32_t i = 0; i < reading->value_count && i < reading->type_count; i++)
		if (reading->values[i])
			wk_stack_writer_sample(
				reading->writer, 0, WK_NO_PID, WK_NO_PID, i, stack,
				wk_pprof_scaled(reading->values[i], reading->types[i].scale));
}

/* "   1   10000000: 5 6 7"; or "bytes:[16]", a label of the previous sample. */
static void read_sample(struct reading *reading, struct wk_str line)
{
	size_t colon = wk_str_find_last(line, ':');
	struct wk_str values = line;

	if (wk_str_find(line, ":[") != SIZE_MAX || wk_trim(line).len == 0)
		return;
	values.len = colon == SIZE_MAX ? 0 : colon;
	if (!read_values(reading, values)) {
		wk_bad_line(&reading->bad, &reading->lines, line,
			    "counts, a colon and the numbers of locations");
		return;
	}
	line = wk_str_skip(line, colon + 1);
	if (!reading->collapse)
		emit_values(reading, stack_of(reading, line));
	else if (reading->collapse->sample_index < reading->value_count &&
		 reading->values[reading->collapse->sample_index])
		wk_stack_writer_count(reading->writer, collapsed_stack_of(reading, line),
				      reading->values[reading->collapse->sample_index]);
}

static bool is_heading(struct wk_str line, const char *heading)
{
	return wk_str_starts(line, heading) && wk_trim(wk_str_skip(line, strlen(heading))).len == 0;
}

/* Continues after the line "Samples:". */
static void read_raw(struct reading *reading)
{
	struct wk_lines samples;
	struct wk_str line;
	void (*read)(struct reading * reading, struct wk_str line) = NULL;

	if (!wk_lines_next(&reading->lines, &line))
		return;
	read_types(reading, line);
	samples = reading->lines;
	while (wk_lines_next(&reading->lines, &line)) {
		if (is_heading(line, "Locations"))
			read = read_location;
		else if (is_heading(line, "Mappings"))
			read = read_mapping;
		else if (read && wk_trim(line).len)
			read(reading, line);
	}
	if (reading->type_count == 0)
		return;
	if (reading->collapse)
		wk_stack_writer_source(reading->writer, "samples", "samples", false);
	else
		emit_sources(reading);
	reading->lines = samples;
	while (wk_lines_next(&reading->lines, &line) && !is_heading(line, "Locations") &&
	       !wk_stack_writer_is_done(reading->writer))
		read_sample(reading, line);
}

/* --- The reader ---------------------------------------------------------------------------- */

static void read_all(struct reading *reading)
{
	struct wk_str line, type = { 0 };

	while (wk_lines_next(&reading->lines, &line)) {
		if (wk_str_starts(line, "Type: "))
			type = wk_trim(wk_str_skip(line, 6));
		if (wk_str_starts(line, "Samples:")) {
			read_raw(reading);
			return;
		}
		if (wk_go_is_rule(line) && !reading->collapse) {
			wk_go_traces_read(reading->writer, &reading->lines, &reading->bad, type);
			return;
		}
	}
}

static void fini(struct reading *reading)
{
	wk_free(reading->types);
	wk_free(reading->locations);
	wk_free(reading->mappings);
	wk_pprof_frames_fini(&reading->frames);
	wk_free(reading->values);
	wk_map_fini(&reading->location_of);
	wk_map_fini(&reading->mapping_of);
}

static bool read_file(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_stack_writer *writer = wk_stack_writer_new(sink);
	struct reading reading = {
		.writer = writer,
		.collapse = input->options.collapse,
		.lines = wk_lines_of(input->bytes),
	};

	wk_pprof_frames_init(&reading.frames, writer, wk_bytes_left(&input->bytes));
	read_all(&reading);
	wk_bad_lines_emit(&reading.bad, writer);
	wk_pprof_frames_emit(&reading.frames);
	if (wk_stack_writer_samples(writer) == 0 && !wk_stack_writer_is_done(writer))
		wk_fail_no_stacks(err, input->bytes, expected);
	fini(&reading);
	return wk_stack_writer_end(writer, err);
}

static int probe(struct wk_bytes first)
{
	struct wk_lines lines = wk_lines_of(first);
	bool has_samples = false;
	struct wk_str line;

	while (wk_lines_next(&lines, &line)) {
		if (has_samples)
			return wk_str_find(line, "/") != SIZE_MAX ? 85 : 0;
		if (wk_go_is_rule(line))
			return 85;
		has_samples = is_heading(line, "Samples:");
	}
	return 0;
}

const struct wk_reader wk_reader_go = {
	.name = "go",
	.summary = "text of go tool pprof -raw and -traces",
	.suffixes = (const char *const[]){ ".raw", ".pprof", ".txt", NULL },
	.probe = probe,
	.read = read_file,
};
