#include "formats/stack_text.h"

#include "base/mem.h"

void wk_stack_text_begin(struct wk_stack_text *text, const struct wk_input *input,
			 const struct wk_sink *sink, const char *measure)
{
	*text = (struct wk_stack_text){
		.input = input->bytes,
		.collapse = input->options.collapse,
		.lines = wk_lines_of(input->bytes),
		.writer = wk_stack_writer_new(sink),
		.names = wk_strtab_new(),
	};
	if (measure)
		wk_stack_writer_source(text->writer, 0, measure, "samples", false);
}

bool wk_stack_text_next(struct wk_stack_text *text, struct wk_str *line)
{
	bool ok =
		!wk_stack_writer_is_done(text->writer) && wk_lines_next(&text->lines, &text->line);

	*line = text->line;
	return ok;
}

void wk_stack_text_add(struct wk_stack_text *text, uint32_t frame)
{
	*WK_APPEND(text->frames, text->count, text->cap) = frame;
}

/* Innermost first: the last part is added first. */
static void add_parts(struct wk_stack_text *text, struct wk_str name)
{
	size_t semicolon;

	while ((semicolon = wk_str_find_last(name, ';')) != SIZE_MAX) {
		wk_stack_text_add(
			text, wk_stack_writer_name(text->writer, wk_str_skip(name, semicolon + 1)));
		name.len = semicolon;
	}
	wk_stack_text_add(text, wk_stack_writer_name(text->writer, name));
}

void wk_stack_text_frame(struct wk_stack_text *text, const struct wk_event_frame *frame)
{
	if (text->collapse)
		add_parts(text, frame->name);
	else
		wk_stack_text_add(text, wk_stack_writer_frame(text->writer, frame));
}

void wk_stack_text_name(struct wk_stack_text *text, struct wk_str name)
{
	wk_stack_text_frame(text, &(struct wk_event_frame){ .name = name });
}

void wk_stack_text_sample(struct wk_stack_text *text, uint32_t pid, uint32_t tid, uint32_t source,
			  uint64_t weight)
{
	if (text->count == 0)
		return;
	if (text->collapse)
		pid = WK_NO_PID;
	if (tid == WK_NO_PID || pid == WK_NO_PID)
		tid = pid;
	wk_stack_writer_sample(text->writer, 0, pid, tid, source,
			       wk_stack_writer_reversed(text->writer, text->frames, text->count),
			       weight);
	text->count = 0;
}

void wk_stack_text_count(struct wk_stack_text *text, uint64_t weight)
{
	wk_stack_text_sample(text, WK_NO_PID, WK_NO_PID, 0, weight);
}

/* Was this name of the process emitted before? */
static bool is_emitted(struct wk_stack_text *text, uint32_t pid, struct wk_str name)
{
	uint32_t *last = wk_map_at(&text->named, (uint64_t)pid + 1);
	uint32_t id = wk_strtab_add_str(text->names, name);
	bool is_same = *last == id + 1;

	*last = id + 1;
	return is_same;
}

void wk_stack_text_process(struct wk_stack_text *text, uint32_t pid, struct wk_str name)
{
	if (!text->collapse && pid != WK_NO_PID && !is_emitted(text, pid, name))
		wk_stack_writer_process(text->writer, pid, name);
}

void wk_stack_text_bad(struct wk_stack_text *text, const char *expected)
{
	wk_bad_line(&text->bad, &text->lines, text->line, expected);
}

bool wk_stack_text_end(struct wk_stack_text *text, const char *expected, struct wk_err *err)
{
	bool is_empty = wk_stack_writer_samples(text->writer) == 0 &&
			!wk_stack_writer_is_done(text->writer);
	bool ok;

	if (!is_empty)
		wk_bad_lines_emit(&text->bad, text->writer);
	ok = wk_stack_writer_end(text->writer, err);
	wk_free(text->frames);
	wk_map_fini(&text->named);
	wk_strtab_free(text->names);
	return is_empty && !text->may_be_empty ? wk_fail_no_stacks(err, text->input, expected) : ok;
}
