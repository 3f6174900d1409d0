/* The output of `go tool pprof -raw` and `-traces`. In the first, samples precede their locations,
 * so samples are read last. docs/formats/go.md */
#include "base/mem.h"
#include "base/num.h"
#include "formats/profiles/pprof_writer.h"
#include "formats/stack_text.h"

struct reading {
	struct wk_stack_text text;
	struct wk_pprof_tables tables;
	struct wk_pprof_writer pprof;
	uint64_t *values;
	size_t value_count, value_cap;
	bool has_location;

	/* Of -traces: */
	struct wk_str type; /* "cpu" */
	uint64_t value, scale;
	bool in_stack; /* its value was read */
	bool has_source;
};

/* --- Locations of -raw --------------------------------------------------------------------- */

/* A function called at a line of the last location. */
static void add_line(struct wk_pprof_tables *tables, struct wk_str name, struct wk_str file,
		     uint32_t line)
{
	uint64_t id = tables->function_count;

	wk_pprof_add_function(
		tables, id,
		(struct wk_pprof_function){ .name = wk_pprof_add_text(tables, name),
					    .file = wk_pprof_add_text(tables, file) });
	wk_pprof_add_line(tables, id, line);
	tables->locations[tables->location_count - 1].line_count++;
}

/* "name file:line s=start(linked name)". Names may contain blanks, so it is parsed from its end. */
static void read_function(struct wk_pprof_tables *tables, struct wk_str text)
{
	size_t start = wk_str_find_last_text(text, " s=");
	struct wk_str name = text, file = { 0 };
	uint32_t line = 0;

	if (start != SIZE_MAX) {
		size_t blank = wk_str_find_last(wk_str_of(text.at, start), ' ');

		if (blank != SIZE_MAX) {
			file = wk_str_of(text.at + blank + 1, start - blank - 1);
			if (wk_cut_line(&file, &line))
				wk_cut_line(&file, &line); /* it was the column */
			name.len = blank;
		}
	}
	if (wk_str_is(name, "??"))
		name.len = 0;
	add_line(tables, name, file, line);
}

/* As the older tool: the first word of the first line of a location, if more follows. */
static void read_collapsed(struct wk_pprof_tables *tables, uint64_t id, struct wk_str line)
{
	struct wk_str name = wk_scan_word(&line);

	if (name.len == 0 || line.len == 0)
		return;
	wk_pprof_add_location(tables, id, (struct wk_pprof_location){
						  .first_line = (uint32_t)tables->line_count });
	add_line(tables, name, (struct wk_str){ 0 }, 0);
}

/* "1: 0x4b18f5 M=1 main.fib /src/main.go:3 s=0"; or only "runtime.findObject ...", the function
 * into which the previous line was inlined. */
static void read_location(struct reading *reading, struct wk_str line)
{
	struct wk_pprof_location location = { .first_line = (uint32_t)reading->tables.line_count };
	struct wk_str rest = wk_trim(line), before;
	uint64_t id;

	if (!wk_scan_number(&rest, &id) || !wk_str_accept(&rest, ": 0x") ||
	    !wk_scan_hex(&rest, &location.address)) {
		if (!reading->has_location)
			wk_stack_text_bad(&reading->text, "a location");
		else if (!reading->text.collapse)
			read_function(&reading->tables, wk_trim(line));
		return;
	}
	reading->has_location = true;
	wk_scan_blanks(&rest);
	before = rest;
	if (wk_str_accept(&rest, "M=") && wk_scan_number(&rest, &location.mapping_id))
		wk_scan_blanks(&rest);
	if (reading->text.collapse) {
		/* A mapping is a name only if there is nothing else. */
		before = rest.len ? rest : before;
		before.len = (size_t)(line.at + line.len - before.at);
		read_collapsed(&reading->tables, id, before);
		return;
	}
	wk_str_accept(&rest, "[F] ");
	wk_pprof_add_location(&reading->tables, id, location);
	if (rest.len)
		read_function(&reading->tables, rest);
}

/* "1: 0x400000/0x4b2000/0x0 /srv/shop  [FN]" */
static void read_mapping(struct reading *reading, struct wk_str line)
{
	struct wk_str rest = wk_trim(line);
	uint64_t id;

	if (!wk_scan_number(&rest, &id) || !wk_str_accept(&rest, ": ")) {
		wk_stack_text_bad(&reading->text, "a mapping");
		return;
	}
	wk_scan_word(&rest);
	wk_scan_blanks(&rest);
	wk_pprof_add_mapping(&reading->tables, id,
			     wk_pprof_add_text(&reading->tables, wk_scan_word(&rest)));
}

/* --- Samples of -raw ----------------------------------------------------------------------- */

/* "samples/count cpu/nanoseconds[dflt]" */
static void read_types(struct wk_pprof_tables *tables, struct wk_str line)
{
	struct wk_str word;

	wk_pprof_add_text(tables, (struct wk_str){ 0 });
	while (wk_next_word(&line, &word)) {
		bool is_default = wk_str_ends(word, "[dflt]");
		uint64_t type;

		word.len -= is_default ? strlen("[dflt]") : 0;
		type = wk_pprof_add_text(tables, wk_str_cut(&word, '/'));
		wk_pprof_add_type(tables, type, wk_pprof_add_text(tables, word));
		if (is_default)
			tables->default_type = type;
	}
}

/* Locations are innermost first, so the text is read from its end. An unknown one is a frame with
 * its number as name. */
static uint32_t stack_of(struct reading *reading, struct wk_str text)
{
	uint32_t stack = 0;

	while ((text = wk_trim(text)).len) {
		size_t blank = wk_str_find_last(text, ' ');
		struct wk_str word = wk_str_skip(text, blank == SIZE_MAX ? 0 : blank + 1);
		struct wk_pprof_location *location = NULL;
		uint64_t id;

		if (wk_num_u64(word, &id))
			location = wk_pprof_location(&reading->tables, id);
		text.len -= word.len;
		stack = location ? wk_pprof_push(&reading->pprof, stack, location)
				 : wk_stack_writer_stack(
					   reading->text.writer, stack,
					   wk_stack_writer_name(reading->text.writer, word));
	}
	return stack;
}

/* Values are 64-bit signed numbers; negative ones of a difference cannot be weights. */
static bool read_values(struct reading *reading, struct wk_str text)
{
	reading->value_count = 0;
	for (wk_scan_blanks(&text); text.len; wk_scan_blanks(&text)) {
		bool is_negative = wk_str_accept(&text, "-");
		uint64_t value;

		if (!wk_scan_number(&text, &value))
			return false;
		*WK_APPEND(reading->values, reading->value_count, reading->value_cap) =
			is_negative         ? 0
			: value > INT64_MAX ? INT64_MAX
					    : value;
	}
	return reading->value_count > 0;
}

/* "   1   10000000: 5 6 7"; or "bytes:[16]", a label of the previous sample. */
static void read_sample(struct reading *reading, struct wk_str line)
{
	size_t colon = wk_str_find_last(line, ':');
	struct wk_str values = line;

	if (wk_str_has(line, ":[") || wk_trim(line).len == 0)
		return;
	values.len = colon == SIZE_MAX ? 0 : colon;
	if (!read_values(reading, values)) {
		wk_stack_text_bad(&reading->text, "counts, a colon and the numbers of locations");
		return;
	}
	line = wk_str_skip(line, colon + 1);
	if (!reading->text.collapse)
		wk_pprof_emit_values(&reading->pprof, WK_NO_PID, WK_NO_PID, stack_of(reading, line),
				     reading->values, reading->value_count);
	else if (reading->text.collapse->sample_index < reading->value_count &&
		 reading->values[reading->text.collapse->sample_index])
		wk_stack_writer_count(reading->text.writer, stack_of(reading, line),
				      reading->values[reading->text.collapse->sample_index]);
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

	if (!wk_stack_text_next(&reading->text, &line))
		return;
	read_types(&reading->tables, line);
	samples = reading->text.lines;
	while (wk_stack_text_next(&reading->text, &line)) {
		if (is_heading(line, "Locations"))
			read = read_location;
		else if (is_heading(line, "Mappings"))
			read = read_mapping;
		else if (read && wk_trim(line).len)
			read(reading, line);
	}
	if (reading->tables.type_count == 0)
		return;
	if (reading->text.collapse)
		wk_stack_writer_source(reading->text.writer, 0, "samples", "samples", false);
	else
		wk_pprof_emit_sources(&reading->pprof);
	reading->text.lines = samples;
	while (wk_stack_text_next(&reading->text, &line) && !is_heading(line, "Locations"))
		read_sample(reading, line);
}

/* --- Stacks of -traces, separated by rules --------------------------------------------------- */

static bool is_rule(struct wk_str line)
{
	return wk_str_starts(line, "-----------+");
}

/* "1.14MB": already rounded by pprof. */
static const struct wk_unit *read_value(struct wk_str *text, uint64_t *value)
{
	static const struct wk_unit count = { "", 1, "count" };
	struct wk_str rest = *text, number, word;
	const struct wk_unit *unit = &count;
	double real, sum;

	while (rest.len && (wk_is_digit(rest.at[0]) || rest.at[0] == '.'))
		rest = wk_str_skip(rest, 1);
	number = wk_str_of(text->at, text->len - rest.len);
	word = wk_scan_word(&rest);
	if (word.len)
		unit = wk_unit_of(word);
	if (!unit || !wk_num_real(number, &real))
		return NULL;
	sum = real * (double)unit->times + 0.5;
	*value = sum < 9e18 ? (uint64_t)sum : (uint64_t)INT64_MAX;
	*text = rest;
	return unit;
}

static void add_frame(struct reading *reading, struct wk_str name)
{
	static const char mark[] = " (inline)";
	struct wk_event_frame frame = { .name = name };

	if (wk_str_ends(name, mark)) {
		frame.is_inlined = true;
		frame.name.len -= sizeof(mark) - 1;
	}
	wk_stack_text_frame(&reading->text, &frame);
}

static void end_stack(struct reading *reading)
{
	if (reading->value && reading->has_source)
		wk_stack_text_count(&reading->text,
				    wk_pprof_scaled(reading->value, reading->scale));
	reading->text.count = 0;
	reading->in_stack = false;
}

/* All values but 0 have a unit, so the first nonzero one determines the source. */
static void emit_source(struct reading *reading, const struct wk_unit *unit)
{
	struct wk_str type = reading->type.len ? reading->type : wk_str_c("samples");

	if (reading->has_source || reading->value == 0)
		return;
	reading->scale =
		wk_pprof_emit_source(reading->text.writer, 0, type, wk_str_c(unit->counts));
	reading->has_source = true;
}

/* Labels come first ("     bytes:  1.14MB"), then the value and the innermost frame, then the other
 * frames below it. */
static void read_trace_line(struct reading *reading, struct wk_str line)
{
	struct wk_str rest = wk_trim(line);
	const struct wk_unit *unit;

	if (rest.len == 0)
		return;
	if (reading->in_stack) {
		add_frame(reading, rest);
		return;
	}
	unit = read_value(&rest, &reading->value);
	if (unit && wk_scan_blanks(&rest) && rest.len) {
		emit_source(reading, unit);
		reading->in_stack = true;
		add_frame(reading, rest);
	} else if (!wk_str_has(line, ":  ")) {
		wk_stack_text_bad(&reading->text, "a value and a function");
	}
}

/* Continues after the first rule. */
static void read_traces(struct reading *reading)
{
	struct wk_str line;

	while (wk_stack_text_next(&reading->text, &line)) {
		if (is_rule(line))
			end_stack(reading);
		else
			read_trace_line(reading, line);
	}
	end_stack(reading);
}

/* --- The reader ---------------------------------------------------------------------------- */

static void read_all(struct reading *reading)
{
	struct wk_str line;

	while (wk_stack_text_next(&reading->text, &line)) {
		if (wk_str_starts(line, "Type: "))
			reading->type = wk_trim(wk_str_skip(line, 6));
		if (wk_str_starts(line, "Samples:")) {
			read_raw(reading);
			return;
		}
		if (is_rule(line) && !reading->text.collapse)
			read_traces(reading);
	}
}

static bool read_file(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct reading reading = { 0 };

	wk_stack_text_begin(&reading.text, input, sink, NULL);
	wk_pprof_writer_init(&reading.pprof, reading.text.writer, &reading.tables,
			     wk_bytes_left(&input->bytes));
	read_all(&reading);
	wk_pprof_writer_end(&reading.pprof);
	wk_pprof_tables_fini(&reading.tables);
	wk_free(reading.values);
	return wk_stack_text_end(&reading.text,
				 "the output of `go tool pprof -raw` or `go tool pprof -traces`",
				 err);
}

static int probe(struct wk_bytes first)
{
	struct wk_lines lines = wk_lines_of(first);
	bool has_samples = false;
	struct wk_str line;

	while (wk_lines_next(&lines, &line)) {
		if (has_samples)
			return wk_str_has(line, "/") ? 85 : 0;
		if (is_rule(line))
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
