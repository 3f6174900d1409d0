/* Tracebacks of Python's faulthandler, once or several times. docs/formats/faulthandler.md */
#include "formats/stack_text.h"

#include "base/buf.h"
#include "base/num.h"

struct place {
	struct wk_str file, line, function;
};

/* `  File "x.py", line 7 in run` */
static bool read_place(struct wk_str line, struct place *place)
{
	if (!wk_str_accept(&line, "  File \""))
		return false;
	place->file = wk_scan_to(&line, '"');
	if (!wk_str_accept(&line, "\", line "))
		return false;
	place->line = wk_scan_digits(&line);
	place->function = line;
	return wk_str_accept(&place->function, " in ");
}

static bool is_frame(struct wk_str line)
{
	struct place place;

	return read_place(line, &place);
}

static bool is_head(struct wk_str line)
{
	return wk_str_ends(line, "(most recent call first):");
}

static void add_frame(struct wk_stack_text *text, const struct place *place)
{
	struct wk_event_frame frame = { .name = place->function, .file = place->file };
	struct wk_buf name = { 0 };
	uint64_t line;

	if (text->collapse) {
		wk_buf_add_str(&name, place->file);
		wk_buf_add_char(&name, ':');
		wk_buf_add_str(&name, place->line);
		wk_buf_add_char(&name, ':');
		wk_buf_add_str(&name, place->function);
		frame.name = wk_buf_str(&name);
	} else if (wk_num_u64(place->line, &line) && line <= UINT32_MAX) {
		frame.line = (uint32_t)line;
	}
	wk_stack_text_frame(text, &frame);
	wk_buf_fini(&name);
}

/* `Thread 0x7f12 [worker] (most recent call first):`; the name since Python 3.14. */
static struct wk_str thread_name(struct wk_str line)
{
	wk_str_cut(&line, '[');
	return wk_str_has(line, "]") ? wk_str_cut(&line, ']') : (struct wk_str){ 0 };
}

static void end_stack(struct wk_stack_text *text, struct wk_str thread)
{
	if (text->count && thread.len && !text->collapse)
		wk_stack_text_name(text, thread);
	wk_stack_text_count(text, 1);
}

static bool read_tracebacks(const struct wk_input *input, const struct wk_sink *sink,
			    struct wk_err *err)
{
	struct wk_stack_text text;
	struct wk_str line, thread = { 0 };
	struct place place;

	wk_stack_text_begin(&text, input, sink, "samples");
	while (wk_stack_text_next(&text, &line)) {
		if (read_place(line, &place)) {
			add_frame(&text, &place);
			continue;
		}
		if (text.collapse && wk_str_starts(line, "Thread"))
			text.count = 0;
		end_stack(&text, thread);
		thread = is_head(line) ? thread_name(line) : (struct wk_str){ 0 };
		if (wk_str_starts(line, "  File "))
			wk_stack_text_bad(&text, "`  File \"name\", line 1 in function`");
	}
	end_stack(&text, thread);
	return wk_stack_text_end(&text, "tracebacks: `  File \"name\", line 1 in function`", err);
}

const struct wk_reader wk_reader_faulthandler = {
	.name = "faulthandler",
	.summary = "tracebacks of Python's faulthandler",
	.signs = (const struct wk_line_sign[]){ { 95, is_frame, is_head }, { 0 } },
	.read = read_tracebacks,
};
