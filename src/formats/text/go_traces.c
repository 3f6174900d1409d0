#include "formats/text/go_traces.h"

#include "base/mem.h"
#include "formats/profiles/pprof_writer.h"
#include "formats/scan.h"

struct traces {
	struct wk_stack_writer *writer;
	struct wk_lines *lines;
	struct wk_bad_lines *bad;
	struct wk_str type; /* "cpu" */
	uint32_t *frames;   /* of the current stack, innermost first */
	size_t frame_count, frame_cap;
	uint64_t value, scale;
	bool in_stack; /* its value was read */
	bool has_source;
};

struct value_unit {
	const char *suffix, *unit;
	double scale;
};

static const struct value_unit value_units[] = {
	{ "", "count", 1 },
	{ "ns", "nanoseconds", 1 },
	{ "us", "nanoseconds", 1e3 },
	{ "\302\265s", "nanoseconds", 1e3 },
	{ "ms", "nanoseconds", 1e6 },
	{ "s", "nanoseconds", 1e9 },
	{ "mins", "nanoseconds", 60e9 },
	{ "hrs", "nanoseconds", 3600e9 },
	{ "B", "bytes", 1 },
	{ "kB", "bytes", 1024 },
	{ "MB", "bytes", 1024.0 * 1024 },
	{ "GB", "bytes", 1024.0 * 1024 * 1024 },
	{ "TB", "bytes", 1024.0 * 1024 * 1024 * 1024 },
};

/* "1.14MB": already rounded by pprof. */
static const struct value_unit *read_value(struct wk_str *text, uint64_t *value)
{
	uint64_t whole = 0, fraction = 0;
	double parts = 1, sum;
	struct wk_str rest = *text, suffix;

	if (!wk_scan_number(&rest, &whole))
		return NULL;
	if (wk_scan_text(&rest, ".")) {
		size_t before = rest.len;

		if (!wk_scan_number(&rest, &fraction))
			return NULL;
		for (size_t i = rest.len; i < before; i++)
			parts *= 10;
	}
	suffix = wk_scan_word(&rest);
	for (size_t i = 0; i < sizeof(value_units) / sizeof(value_units[0]); i++) {
		if (!wk_str_is(suffix, value_units[i].suffix))
			continue;
		sum = ((double)whole + (double)fraction / parts) * value_units[i].scale + 0.5;
		*value = sum < 9e18 ? (uint64_t)sum : (uint64_t)INT64_MAX;
		*text = rest;
		return &value_units[i];
	}
	return NULL;
}

static void add_frame(struct traces *traces, struct wk_str name)
{
	static const char mark[] = " (inline)";
	struct wk_event_frame frame = { .name = name };

	if (wk_str_ends(name, mark)) {
		frame.is_inlined = true;
		frame.name.len -= sizeof(mark) - 1;
	}
	*WK_APPEND(traces->frames, traces->frame_count, traces->frame_cap) =
		wk_stack_writer_frame(traces->writer, &frame);
}

static void end_stack(struct traces *traces)
{
	if (traces->in_stack && traces->value && traces->frame_count && traces->has_source)
		wk_stack_writer_count(traces->writer,
				      wk_stack_writer_reversed(traces->writer, traces->frames,
							       traces->frame_count),
				      wk_pprof_scaled(traces->value, traces->scale));
	traces->frame_count = 0;
	traces->in_stack = false;
}

/* All values but 0 have a unit, so the first nonzero one determines the source. */
static void emit_source(struct traces *traces, const struct value_unit *unit)
{
	if (traces->has_source || traces->value == 0)
		return;
	traces->scale = wk_pprof_emit_source(traces->writer, 0,
					     traces->type.len ? traces->type : wk_str_c("samples"),
					     wk_str_c(unit->unit));
	traces->has_source = true;
}

/* Labels come first ("     bytes:  1.14MB"), then the value and the innermost frame, then the other
 * frames below it. */
static void read_line(struct traces *traces, struct wk_str line)
{
	struct wk_str rest = wk_trim(line);
	const struct value_unit *unit;

	if (rest.len == 0)
		return;
	if (traces->in_stack) {
		add_frame(traces, rest);
		return;
	}
	unit = read_value(&rest, &traces->value);
	if (unit && wk_scan_blanks(&rest) && rest.len) {
		emit_source(traces, unit);
		traces->in_stack = true;
		add_frame(traces, rest);
	} else if (wk_str_find(line, ":  ") == SIZE_MAX) {
		wk_bad_line(traces->bad, traces->lines, line, "a value and a function");
	}
}

void wk_go_traces_read(struct wk_stack_writer *writer, struct wk_lines *lines,
		       struct wk_bad_lines *bad, struct wk_str type)
{
	struct traces traces = { .writer = writer, .lines = lines, .bad = bad, .type = type };
	struct wk_str line;

	while (wk_lines_next(lines, &line) && !wk_stack_writer_is_done(writer)) {
		if (wk_go_is_rule(line))
			end_stack(&traces);
		else
			read_line(&traces, line);
	}
	end_stack(&traces);
	wk_free(traces.frames);
}
