/* Traces of Xdebug with xdebug.trace_format = 1: a line for each call and each return, with fields
 * separated by tabs. docs/formats/xdebug.md */
#include "formats/stack_text.h"

#include "base/mem.h"
#include "base/num.h"

enum { TIME, MEMORY, CALLS };

enum { LEVEL, NUMBER, KIND, WHEN, BYTES, NAME, USER, INCLUDED, FIELDS };

struct trace {
	struct wk_stack_text text;
	uint32_t *stacks; /* the stack at each level */
	size_t depth, cap;
	uint64_t time_ns;  /* of the previous line */
	uint64_t start_ns; /* of the first line, where time starts */
	uint64_t bytes;
	bool has_begun, has_time, was_exit;
};

/* Returns the number of fields, at most FIELDS. */
static size_t split(struct wk_str line, struct wk_str *fields)
{
	size_t count = 0;

	while (count < FIELDS && wk_str_split(line, '\t', &fields[count++], &line))
		;
	return count;
}

static bool is_start(struct wk_str line)
{
	return wk_str_starts(line, "TRACE START");
}

static bool is_call(struct wk_str line)
{
	struct wk_str fields[FIELDS];
	uint64_t number;

	return split(line, fields) == FIELDS && wk_num_u64(fields[LEVEL], &number) &&
	       wk_num_u64(fields[NUMBER], &number) && wk_str_is(fields[KIND], "0");
}

static void emit(struct trace *trace, uint32_t source, uint64_t weight)
{
	wk_stack_writer_sample(
		trace->text.writer, trace->text.collapse ? 0 : trace->time_ns - trace->start_ns,
		WK_NO_PID, WK_NO_PID, source, trace->stacks[trace->depth - 1], weight);
}

static bool by_calls(const struct trace *trace)
{
	return trace->text.collapse && trace->text.collapse->measure == WK_COLLAPSE_TICKS;
}

/* The time since the previous line belongs to the current stack. The older tool counts microseconds
 * and includes stacks of 0. */
static void emit_passed(struct trace *trace, uint64_t time_ns, uint64_t bytes)
{
	uint64_t passed = time_ns > trace->time_ns ? time_ns - trace->time_ns : 0;

	if (!trace->has_time) {
		trace->start_ns = time_ns;
	} else if (trace->depth && trace->text.collapse && !by_calls(trace)) {
		emit(trace, TIME, (passed + 500) / 1000);
	} else if (trace->depth && !trace->text.collapse) {
		if (passed)
			emit(trace, TIME, passed);
		if (bytes > trace->bytes)
			emit(trace, MEMORY, bytes - trace->bytes);
	}
	trace->time_ns = trace->has_time ? trace->time_ns + passed : time_ns;
	trace->bytes = bytes;
	trace->has_time = true;
}

/* Calls that never returned (exit, die) end at the next call of their level or above. */
static void go_up(struct trace *trace, const struct wk_str *fields)
{
	uint64_t level;

	if (!trace->text.collapse && wk_num_u64(fields[LEVEL], &level) && level > 0 &&
	    trace->depth >= level)
		trace->depth = (size_t)level - 1;
}

static void enter(struct trace *trace, const struct wk_str *fields)
{
	struct wk_event_frame frame = { .name = fields[NAME] };
	uint32_t stack;

	go_up(trace, fields);
	if (!trace->text.collapse)
		frame.file = fields[INCLUDED];
	stack = wk_stack_writer_push(trace->text.writer,
				     trace->depth ? trace->stacks[trace->depth - 1] : 0, &frame);
	*WK_APPEND(trace->stacks, trace->depth, trace->cap) = stack;
	if (!trace->text.collapse)
		emit(trace, CALLS, 1);
	trace->was_exit = false;
}

static void leave(struct trace *trace)
{
	if (trace->depth == 0) {
		wk_stack_text_bad(&trace->text, "a call before its return");
		return;
	}
	if (by_calls(trace) && !trace->was_exit)
		emit(trace, TIME, 1);
	trace->depth--;
	trace->was_exit = true;
}

static void read_line(struct trace *trace, struct wk_str line)
{
	struct wk_str fields[FIELDS] = { { 0 } };
	size_t count = split(line, fields);
	uint64_t time_ns, bytes;
	bool is_exit = wk_str_is(fields[KIND], "1");

	/* Return values and assignments have no time of their own. */
	if (wk_str_is(fields[KIND], "R") || wk_str_is(fields[KIND], "A"))
		return;
	if (count <= BYTES || !wk_num_duration(fields[WHEN], &time_ns) ||
	    !wk_num_u64(fields[BYTES], &bytes) ||
	    !(is_exit || (wk_str_is(fields[KIND], "0") && count > NAME))) {
		wk_stack_text_bad(&trace->text, "level, number, 0 or 1, time, memory and for a "
						"call its name, separated by tabs");
		return;
	}
	emit_passed(trace, time_ns, bytes);
	if (is_exit)
		leave(trace);
	else
		enter(trace, fields);
}

static void emit_sources(struct trace *trace)
{
	wk_stack_writer_source(trace->text.writer, TIME, "time", trace->text.collapse ? "us" : "ns",
			       false);
	if (trace->text.collapse)
		return;
	wk_stack_writer_source(trace->text.writer, MEMORY, "memory", "bytes", false);
	wk_stack_writer_source(trace->text.writer, CALLS, "calls", "samples", false);
}

static bool read_trace(const struct wk_input *input, const struct wk_sink *sink, struct wk_err *err)
{
	struct trace trace = { 0 };
	struct wk_str line;

	wk_stack_text_begin(&trace.text, input, sink, NULL);
	emit_sources(&trace);
	while (wk_stack_text_next(&trace.text, &line)) {
		if (is_start(line))
			trace.has_begun = true;
		else if (trace.has_begun &&
			 (wk_str_starts(line, "\t") || wk_str_starts(line, "TRACE END")))
			break;
		else if (trace.has_begun && line.len)
			read_line(&trace, line);
	}
	wk_free(trace.stacks);
	return wk_stack_text_end(&trace.text, "a trace of Xdebug with xdebug.trace_format = 1",
				 err);
}

const struct wk_reader wk_reader_xdebug = {
	.name = "xdebug",
	.summary = "PHP traces of Xdebug, trace_format = 1",
	.suffixes = (const char *const[]){ ".xt", NULL },
	.signs = (const struct wk_line_sign[]){ { 95, is_start, is_call }, { 0 } },
	.read = read_trace,
};
