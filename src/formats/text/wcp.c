/* Reports of wallClockProfiler: its section "Full stacks". docs/formats/wcp.md */
#include "formats/stack_text.h"

/* "99.791% ===================================== (17194 samples)" */
static bool read_share(struct wk_str line, uint64_t *samples)
{
	uint64_t count;

	if (!wk_scan_digits(&line).len || !wk_str_accept(&line, "."))
		return false;
	wk_scan_digits(&line);
	if (!wk_str_accept(&line, "% ="))
		return false;
	while (wk_str_accept(&line, "="))
		;
	if (!wk_str_accept(&line, " (") || !wk_scan_number(&line, &count) ||
	    !wk_str_starts(line, " samples)"))
		return false;
	*samples = count;
	return true;
}

static bool is_share(struct wk_str line)
{
	uint64_t samples;

	return read_share(wk_trim(line), &samples);
}

/* "1: name" of a frame line; the number is the depth. */
static bool read_name(struct wk_str line, struct wk_str *name)
{
	*name = line;
	return wk_scan_digits(name).len > 0 && wk_str_accept(name, ": ");
}

/* The last " (at ", if the name ends with ")"; or SIZE_MAX. */
static size_t find_place(struct wk_str name)
{
	return wk_str_ends(name, ")") ? wk_str_find_last_text(name, " (at ") : SIZE_MAX;
}

/* False for a frame without a place, which the older tool skips without --lines. */
static bool add_collapsed(struct wk_stack_text *text, struct wk_str name)
{
	size_t place = find_place(name);

	if (text->collapse->with_source_line)
		place = name.len;
	if (place == SIZE_MAX)
		return false;
	wk_stack_text_name(text, wk_str_of(name.at, place));
	return true;
}

static void add_frame(struct wk_stack_text *text, struct wk_str name)
{
	size_t start = find_place(name);
	struct wk_event_frame frame = { 0 };

	if (start != SIZE_MAX) {
		frame.file = wk_str_skip(name, start + strlen(" (at "));
		frame.file.len--;
		wk_cut_line(&frame.file, &frame.line);
		name.len = start;
	}
	frame.name = wk_trim(name);
	wk_stack_text_frame(text, &frame);
}

static void read_line(struct wk_stack_text *text, struct wk_str line, uint64_t *samples)
{
	struct wk_str name;

	if (read_share(line, samples)) {
		return;
	} else if (line.len == 0) {
		wk_stack_text_count(text, *samples);
	} else if (!read_name(line, &name)) {
		if (!text->collapse)
			wk_stack_text_bad(text, "\"1: name   (at file:line)\"");
	} else if (!text->collapse) {
		add_frame(text, name);
	} else if (!add_collapsed(text, name)) {
		wk_stack_text_bad(text, "a place in a file after the name");
	}
}

static bool read_report(const struct wk_input *input, const struct wk_sink *sink,
			struct wk_err *err)
{
	struct wk_stack_text text;
	struct wk_str line;
	uint64_t samples = 0;
	bool has_begun = false;

	wk_stack_text_begin(&text, input, sink, "samples");
	while (wk_stack_text_next(&text, &line)) {
		line = wk_trim(line);
		if (wk_str_starts(line, "Full stacks"))
			has_begun = true;
		else if (has_begun)
			read_line(&text, line, &samples);
	}
	wk_stack_text_count(&text, samples);
	return wk_stack_text_end(&text, "a section \"Full stacks\" as wallClockProfiler prints it",
				 err);
}

const struct wk_reader wk_reader_wcp = {
	.name = "wcp",
	.summary = "reports of wallClockProfiler",
	.signs = (const struct wk_line_sign[]){ { 85, is_share, NULL }, { 0 } },
	.read = read_report,
};
