/* The output of bcc's profile, offcputime, stackcount and similar tools without -f: stacks, each
 * followed by a process and a count. docs/formats/bcc.md */
#include "formats/text/bpf_frame.h"

#include "base/mem.h"
#include "base/num.h"

struct state {
	struct wk_stack_text text;
	struct wk_event_frame *frames; /* innermost first */
	size_t count, cap;
	size_t indent; /* of the frames of this stack */
	struct wk_str process;
	uint32_t pid;
	uint64_t scale; /* of counts: microseconds to nanoseconds */
	uint32_t sources;
};

static const char profile_head[] = "Sampling at ";
static const char tracing_head[] = "Tracing ";

/* "    -                bash (12)"; the oldest releases print no number. */
static bool is_dash(struct wk_str line)
{
	return wk_scan_blanks(&line) && wk_str_accept(&line, "-") && wk_scan_blanks(&line) > 1 &&
	       line.len;
}

static bool is_head(struct wk_str line)
{
	return wk_str_starts(line, profile_head) ||
	       (wk_str_starts(line, tracing_head) &&
		(wk_str_has(line, "Hit Ctrl-C") || wk_str_has(line, " secs") ||
		 wk_str_has(line, " functions for ")));
}

/* "    tar [15069]", indented more than frames */
static bool is_stackcount_process(struct wk_str line)
{
	uint64_t pid;

	return wk_scan_blanks(&line) == 4 && wk_cut_number(&line, " [", &pid);
}

static int probe(struct wk_bytes first)
{
	size_t heads = wk_probe_lines(first, is_head), dashes = wk_probe_lines(first, is_dash);

	return heads && dashes                                ? 95
	       : dashes                                       ? 70
	       : heads                                        ? 60
	       : wk_probe_lines(first, is_stackcount_process) ? 55
							      : 0;
}

static void emit_source(struct state *state, const char *name, const char *unit, uint64_t scale)
{
	wk_stack_writer_source(state->text.writer, state->sources++, name, unit, false);
	state->scale = scale;
}

static void read_head(struct state *state, struct wk_str line)
{
	if (wk_str_has(line, "off-CPU time (us)"))
		emit_source(state, "off-CPU time", "ns", 1000);
	else if (wk_str_has(line, "time (us)"))
		emit_source(state, "blocked time", "ns", 1000);
	else if (wk_str_starts(line, tracing_head))
		emit_source(state, "calls", "samples", 1);
	else
		emit_source(state, "samples", "samples", 1);
}

static void drop(struct state *state)
{
	state->count = 0;
	state->process = (struct wk_str){ 0 };
	state->pid = WK_NO_PID;
}

static void end_stack(struct state *state, uint64_t count)
{
	if (state->sources == 0)
		emit_source(state, "samples", "samples", 1);
	for (size_t i = 0; i < state->count; i++)
		wk_stack_text_frame(&state->text, &state->frames[i]);
	if (state->process.len && state->pid == WK_NO_PID)
		wk_stack_text_name(&state->text, state->process);
	else if (state->process.len)
		wk_stack_text_process(&state->text, state->pid, state->process);
	if (count > UINT64_MAX / state->scale)
		count = UINT64_MAX / state->scale;
	wk_stack_text_sample(&state->text, state->pid, state->pid, state->sources - 1,
			     count * state->scale);
	drop(state);
}

static void mark_kernel(struct state *state)
{
	for (size_t i = 0; i < state->count; i++)
		state->frames[i].kind = WK_FRAME_KERNEL;
}

static void add_frame(struct state *state, struct wk_str text, size_t indent)
{
	*WK_APPEND(state->frames, state->count, state->cap) = wk_bpf_frame(text);
	state->indent = indent;
}

static void read_indented(struct state *state, struct wk_str line)
{
	struct wk_str text = line;
	size_t indent = wk_scan_blanks(&text);
	uint64_t number;

	text = wk_trim(text);
	if (wk_num_u64(text, &number)) {
		if (state->count || state->process.len)
			end_stack(state, number);
		else
			wk_stack_text_bad(&state->text, "a stack above the count");
	} else if (wk_str_is(text, "--")) {
		mark_kernel(state);
	} else if (is_dash(line)) {
		text = wk_trim(wk_str_skip(text, 1));
		state->pid = wk_cut_number(&text, " (", &number) ? wk_pid_of(number) : WK_NO_PID;
		state->process = text;
	} else if ((state->count == 0 || indent > state->indent) &&
		   wk_cut_number(&text, " [", &number)) {
		state->process = text;
		state->pid = wk_pid_of(number);
	} else {
		add_frame(state, text, indent);
	}
}

static void read_line(struct state *state, struct wk_str line)
{
	struct wk_str rest = line;

	if (is_head(line)) {
		drop(state);
		read_head(state, line);
	} else if (wk_scan_blanks(&rest) && rest.len) {
		read_indented(state, line);
	} else if (state->count) {
		wk_stack_text_bad(&state->text, "a count below the stack before this line");
		drop(state);
	}
}

static bool read_stacks(const struct wk_input *input, const struct wk_sink *sink,
			struct wk_err *err)
{
	struct state state = { .pid = WK_NO_PID, .scale = 1 };
	struct wk_str line;

	wk_stack_text_begin(&state.text, input, sink, NULL);
	while (wk_stack_text_next(&state.text, &line))
		read_line(&state, line);
	if (state.count)
		wk_stack_text_bad(&state.text, "a count below the last stack");
	wk_free(state.frames);
	return wk_stack_text_end(&state.text, "stacks of a bcc tool: indented frames, a count",
				 err);
}

const struct wk_reader wk_reader_bcc = {
	.name = "bcc",
	.summary = "stacks of bcc's profile, offcputime, stackcount ...",
	.probe = probe,
	.read = read_stacks,
};
