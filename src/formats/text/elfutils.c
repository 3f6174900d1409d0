/* Stacks printed by eu-stack, once or several times. docs/formats/elfutils.md */
#include "formats/stack_text.h"

#include "base/buf.h"
#include "base/num.h"

struct state {
	struct wk_stack_text text;
	uint32_t pid, tid;
	struct wk_str pid_text, tid_text;
	struct wk_event_frame frame; /* the last; a line with its place may follow */
	bool has_frame;
};

/* "#3  0x00007f0c34dfe000", and the rest: the name, if there is one. */
static bool parse_frame(struct wk_str line, struct wk_str *digits, struct wk_str *rest)
{
	if (!wk_str_accept(&line, "#"))
		return false;
	wk_scan_digits(&line);
	while (wk_str_accept(&line, " "))
		;
	*digits = line;
	if (!wk_str_accept(&line, "0x"))
		return false;
	while (line.len && wk_is_hex(line.at[0]))
		line = wk_str_skip(line, 1);
	digits->len -= line.len;
	*rest = line;
	return true;
}

static bool is_frame(struct wk_str line)
{
	struct wk_str digits, rest;
	uint64_t value;

	return parse_frame(line, &digits, &rest) && wk_scan_hex(&digits, &value) &&
	       (rest.len == 0 || (rest.at[0] == ' ' && !wk_str_starts(rest, " in ")));
}

/* "PID 12 - process" or "TID 12:" */
static bool is_head(struct wk_str line)
{
	uint64_t number;

	if (wk_str_accept(&line, "PID "))
		return wk_scan_number(&line, &number) && wk_str_starts(line, " - ");
	return wk_str_accept(&line, "TID ") && wk_scan_number(&line, &number) &&
	       wk_str_is(line, ":");
}

static void add_waiting(struct state *state)
{
	if (state->has_frame)
		wk_stack_text_frame(&state->text, &state->frame);
	state->has_frame = false;
}

static void add_head(struct wk_stack_text *text, const char *word, struct wk_str number)
{
	struct wk_buf name = { 0 };

	wk_buf_add_text(&name, word);
	wk_buf_add_str(&name, number);
	wk_stack_text_name(text, wk_buf_str(&name));
	wk_buf_fini(&name);
}

static void end_stack(struct state *state)
{
	const struct wk_collapse *collapse = state->text.collapse;

	add_waiting(state);
	if (state->text.count == 0)
		return;
	if (collapse && collapse->with_tid)
		add_head(&state->text, "TID=", state->tid_text);
	if (collapse && collapse->with_pid)
		add_head(&state->text, "PID=", state->pid_text);
	wk_stack_text_sample(&state->text, state->pid, state->tid, 0, 1);
}

/* The number after "PID " or "TID ", as text and as number. */
static uint32_t read_number(struct wk_str line, struct wk_str *text)
{
	uint64_t number;

	line = wk_str_skip(line, 4);
	*text = wk_scan_digits(&line);
	return wk_num_u64(*text, &number) ? wk_pid_of(number) : WK_NO_PID;
}

/* " name - /path/of/module", with " - 1" before it under `eu-stack -v`. */
static void read_frame(struct state *state, struct wk_str digits, struct wk_str rest)
{
	struct wk_event_frame *frame = &state->frame;
	size_t dash;

	add_waiting(state);
	*frame = (struct wk_event_frame){ 0 };
	wk_num_hex(wk_str_skip(digits, 2), &frame->address);
	wk_str_accept(&rest, " - 1");
	dash = wk_str_find_last_text(rest, " - ");
	if (dash != SIZE_MAX) {
		frame->image = wk_trim(wk_str_skip(rest, dash + 3));
		rest.len = dash;
	}
	frame->name = wk_trim(rest);
	frame->is_unnamed = frame->name.len == 0;
	if (frame->is_unnamed)
		frame->name = digits;
	state->has_frame = true;
}

/* "    ../sysdeps/nanosleep.c:25:13" below a frame; the column may be missing. */
static void read_place(struct state *state, struct wk_str line)
{
	struct wk_str place = wk_trim(line);
	uint32_t *number = &state->frame.line;

	if (!state->has_frame || wk_str_starts(place, "[") || !wk_cut_line(&place, number))
		return;
	wk_cut_line(&place, number); /* it was the column */
	state->frame.file = place;
}

static void add_collapsed(struct state *state, struct wk_str rest)
{
	wk_stack_text_name(&state->text, wk_str_accept(&rest, " ") ? rest : wk_str_c("[unknown]"));
}

static void read_line(struct state *state, struct wk_str line)
{
	struct wk_str digits, rest;

	if (wk_str_starts(line, "PID ")) {
		end_stack(state);
		state->pid = read_number(line, &state->pid_text);
		state->tid = state->pid;
	} else if (wk_str_starts(line, "TID ")) {
		end_stack(state);
		state->tid = read_number(line, &state->tid_text);
	} else if (parse_frame(line, &digits, &rest)) {
		if (state->text.collapse)
			add_collapsed(state, rest);
		else
			read_frame(state, digits, rest);
	} else if (wk_str_starts(line, " ")) {
		read_place(state, line);
	} else if (line.len && !wk_str_starts(line, "0x")) {
		wk_stack_text_bad(&state->text, "\"PID\", \"TID\" or a frame \"#0 0x... name\"");
	}
}

static bool read_stacks(const struct wk_input *input, const struct wk_sink *sink,
			struct wk_err *err)
{
	struct state state = { .pid = WK_NO_PID, .tid = WK_NO_PID };
	struct wk_str line;

	wk_stack_text_begin(&state.text, input, sink, "samples");
	while (wk_stack_text_next(&state.text, &line))
		read_line(&state, line);
	end_stack(&state);
	return wk_stack_text_end(&state.text, "stacks of eu-stack: \"TID 1:\", \"#0 0x... name\"",
				 err);
}

const struct wk_reader wk_reader_elfutils = {
	.name = "elfutils",
	.summary = "stacks of eu-stack",
	.signs = (const struct wk_line_sign[]){ { 95, is_head, is_frame }, { 0 } },
	.read = read_stacks,
};
