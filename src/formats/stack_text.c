#include "formats/stack_text.h"

#include "base/mem.h"

void wk_stack_text_begin(struct wk_stack_text *text, const struct wk_input *input,
			 const struct wk_sink *sink)
{
	*text = (struct wk_stack_text){
		.input = input->bytes,
		.collapse = input->options.collapse,
		.lines = wk_lines_of(input->bytes),
		.writer = wk_stack_writer_new(sink),
		.names = wk_strtab_new(),
	};
}

bool wk_stack_text_next(struct wk_stack_text *text, struct wk_str *line)
{
	if (wk_stack_writer_is_done(text->writer) || !wk_lines_next(&text->lines, &text->line))
		return false;
	*line = text->line;
	return true;
}

void wk_stack_text_source(struct wk_stack_text *text, uint32_t source, const char *name,
			  const char *unit)
{
	struct wk_event_source told = { .source = source, .name = wk_str_c(name),
					.unit = wk_str_c(unit), .is_weighed = true };

	wk_stack_writer_emit_source(text->writer, &told);
}

static void add(struct wk_stack_text *text, uint32_t frame)
{
	*WK_APPEND(text->frames, text->count, text->cap) = frame;
}

/* Innermost first: the last part comes first. */
static void add_parts(struct wk_stack_text *text, struct wk_str name)
{
	size_t semicolon;

	while ((semicolon = wk_str_find_last(name, ';')) != SIZE_MAX) {
		add(text, wk_stack_writer_name(text->writer, wk_str_skip(name, semicolon + 1)));
		name.len = semicolon;
	}
	add(text, wk_stack_writer_name(text->writer, name));
}

void wk_stack_text_frame(struct wk_stack_text *text, const struct wk_event_frame *frame)
{
	if (text->collapse)
		add_parts(text, frame->name);
	else
		add(text, wk_stack_writer_frame(text->writer, frame));
}

void wk_stack_text_name(struct wk_stack_text *text, struct wk_str name)
{
	if (text->collapse)
		add_parts(text, name);
	else
		add(text, wk_stack_writer_name(text->writer, name));
}

static uint32_t read_stack(struct wk_stack_text *text)
{
	uint32_t stack = wk_stack_writer_reversed(text->writer, text->frames, text->count);

	text->count = 0;
	return stack;
}

void wk_stack_text_drop(struct wk_stack_text *text)
{
	text->count = 0;
}

void wk_stack_text_sample(struct wk_stack_text *text, uint32_t pid, uint32_t tid, uint32_t source,
			  uint64_t weight)
{
	struct wk_event event = { .kind = WK_EVENT_SAMPLE, .cpu = WK_NO_CPU,
				  .pid = WK_NO_PID, .tid = WK_NO_PID };

	if (text->count == 0)
		return;
	if (!text->collapse && pid != WK_NO_PID) {
		event.pid = pid;
		event.tid = tid == WK_NO_PID ? pid : tid;
	}
	event.sample.source = source;
	event.sample.weight = weight;
	event.sample.named_stack = read_stack(text);
	wk_stack_writer_event(text->writer, &event);
}

void wk_stack_text_count(struct wk_stack_text *text, uint64_t weight)
{
	wk_stack_text_sample(text, WK_NO_PID, WK_NO_PID, 0, weight);
}

/* Has this name been told of this process? */
static bool is_emitted(struct wk_stack_text *text, uint32_t pid, struct wk_str name)
{
	uint32_t *told = wk_map_at(&text->named, (uint64_t)pid + 1);
	uint32_t id = wk_strtab_add_str(text->names, name);
	bool is_same = *told == id + 1;

	*told = id + 1;
	return is_same;
}

void wk_stack_text_process(struct wk_stack_text *text, uint32_t pid, struct wk_str name)
{
	struct wk_event event = { .kind = WK_EVENT_PROCESS, .pid = pid, .tid = pid,
				  .cpu = WK_NO_CPU };

	if (text->collapse || pid == WK_NO_PID || is_emitted(text, pid, name))
		return;
	event.process.change = WK_PROCESS_SEEN;
	event.process.name = name;
	wk_stack_writer_event(text->writer, &event);
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
	return is_empty ? wk_fail_no_stacks(err, text->input, expected) : ok;
}

size_t wk_probe_lines(struct wk_bytes first, bool (*is_one)(struct wk_str line))
{
	struct wk_lines lines = wk_lines_of(first);
	struct wk_str line;
	size_t count = 0;

	while (wk_lines_next(&lines, &line))
		count += is_one(line);
	return count;
}
