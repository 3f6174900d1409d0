/* The output of py-spy --format raw: folded stacks with frames "name (file:line)".
 * docs/formats/py-spy.md */
#include "formats/stack_text.h"

#include "base/num.h"

/* Removes the count; `line` is then the stack. */
static bool read_count(struct wk_str *line, uint64_t *count)
{
	size_t blank = wk_str_find_last(*line, ' ');

	if (blank == SIZE_MAX || !wk_num_u64(wk_str_skip(*line, blank + 1), count))
		return false;
	line->len = blank;
	return true;
}

/* "name (file.py:12)", "name (lib.so)"; any other text is a name. */
static struct wk_event_frame frame_of(struct wk_str text)
{
	struct wk_event_frame frame = { .name = text };
	struct wk_str place;

	if (!wk_cut_bracketed(&frame.name, " (", &place))
		return frame;
	if (wk_cut_line(&place, &frame.line))
		frame.file = place;
	else
		frame.image = place;
	return frame;
}

/* Counts the frames with a place in a Python file, and those without any place. */
static void weigh(struct wk_str line, size_t *sure, size_t *other)
{
	while (line.len) {
		struct wk_event_frame frame = frame_of(wk_str_cut(&line, ';'));

		if (wk_str_ends(frame.file, ".py") && frame.line)
			++*sure;
		else if (frame.file.len == 0 && frame.image.len == 0 &&
			 !wk_str_starts(frame.name, "process ") &&
			 !wk_str_starts(frame.name, "thread "))
			++*other;
	}
}

static int probe(struct wk_bytes first)
{
	struct wk_lines lines = wk_lines_of(first);
	size_t sure = 0, other = 0;
	struct wk_str line;
	uint64_t count;

	while (wk_lines_next(&lines, &line)) {
		bool is_cut = lines.at == lines.end && wk_bytes_left(&first) == WK_PROBE_BYTES;

		if (is_cut || wk_trim(line).len == 0)
			continue;
		if (!read_count(&line, &count))
			return 0;
		weigh(line, &sure, &other);
	}
	return sure && other == 0 ? 85 : 0;
}

/* `process 12:"python x.py"` as the outermost frame, with --subprocesses. */
static bool read_process(struct wk_str *line, uint32_t *pid, struct wk_str *command)
{
	struct wk_str rest = *line;
	uint64_t number;

	if (!wk_str_accept(&rest, "process ") || !wk_scan_number(&rest, &number) ||
	    !wk_str_accept(&rest, ":\""))
		return false;
	*command = wk_scan_to(&rest, '"');
	if (!wk_str_accept(&rest, "\"") || !wk_str_accept(&rest, ";"))
		return false;
	*pid = wk_pid_of(number);
	*line = rest;
	return true;
}

static void read_line(struct wk_stack_text *text, struct wk_str line)
{
	struct wk_str command;
	uint32_t pid = WK_NO_PID, stack = 0;
	uint64_t weight;

	if (!read_count(&line, &weight)) {
		wk_stack_text_bad(text, "a count at the end");
		return;
	}
	if (read_process(&line, &pid, &command))
		wk_stack_text_process(text, pid, wk_str_basename(wk_scan_word(&command)));
	while (line.len) {
		struct wk_event_frame frame = frame_of(wk_str_cut(&line, ';'));

		stack = wk_stack_writer_push(text->writer, stack, &frame);
	}
	wk_stack_writer_sample(text->writer, 0, pid, pid, 0, stack, weight);
}

static bool read_raw(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct wk_stack_text text;
	struct wk_str line;

	wk_stack_text_begin(&text, input, sink, "samples");
	while (wk_stack_text_next(&text, &line))
		if (wk_trim(line).len)
			read_line(&text, line);
	return wk_stack_text_end(&text, "the raw format of py-spy: \"name (file.py:12);... 3\"",
				 err);
}

const struct wk_reader wk_reader_pyspy = {
	.name = "py-spy",
	.summary = "samples of py-spy, --format raw",
	.probe = probe,
	.read = read_raw,
};
