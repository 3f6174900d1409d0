/* Stacks printed by procstack of AIX, once or several times. docs/formats/aix.md */
#include "formats/stack_text.h"

struct state {
	struct wk_stack_text text;
	uint32_t pid, tid;
	struct wk_str process;
};

/* "123: /usr/bin/ksh -l" */
static bool is_process(struct wk_str line)
{
	uint64_t pid;

	return wk_scan_number(&line, &pid) && wk_str_starts(line, ":");
}

static bool is_thread(struct wk_str line)
{
	uint64_t tid;

	return wk_str_accept(&line, "---------- tid# ") && wk_scan_number(&line, &tid);
}

/* "0xd01be0c4  waitpid(??, ??, ??) + 0x60" */
static bool is_frame(struct wk_str line)
{
	uint64_t address;

	return wk_str_starts(line, "0x") && wk_scan_hex(&line, &address) &&
	       wk_str_starts(line, "  ") && wk_str_has(line, ") + 0x");
}

static void end_stack(struct state *state)
{
	if (state->text.count == 0)
		return;
	if (state->text.collapse)
		wk_stack_text_name(&state->text, state->process);
	wk_stack_text_sample(&state->text, state->pid, state->tid, 0, 1);
}

static void begin_process(struct state *state, struct wk_str line)
{
	uint64_t pid;

	end_stack(state);
	wk_scan_number(&line, &pid);
	wk_str_accept(&line, ":");
	wk_str_accept(&line, " ");
	state->process = wk_scan_to(&line, ' ');
	state->pid = state->tid = wk_pid_of(pid);
	wk_stack_text_process(&state->text, state->pid, wk_str_basename(state->process));
}

static void begin_thread(struct state *state, struct wk_str line)
{
	uint64_t tid = 0;

	end_stack(state);
	wk_str_accept(&line, "---------- tid# ");
	wk_scan_number(&line, &tid);
	state->tid = wk_pid_of(tid);
}

/* As the older tool: the name ends at a blank or parenthesis; "[...]" is not a name. A line without
 * two more blanks after the address is skipped. */
static bool read_collapsed(struct state *state, struct wk_str line)
{
	struct wk_str rest = line, name;

	if (!wk_str_accept(&rest, "0x"))
		return false;
	while (rest.len && wk_is_hex(rest.at[0]))
		rest = wk_str_skip(rest, 1);
	line.len -= rest.len;
	if (!wk_scan_spaces_but(&rest, 2))
		return false;
	name = wk_scan_to(&rest, ' ');
	name = wk_scan_to(&name, '(');
	if (name.len >= 2 && name.at[0] == '[' && name.at[name.len - 1] == ']')
		name = line;
	if (name.len || state->text.count)
		wk_stack_text_name(&state->text, name);
	return true;
}

static bool read_frame(struct state *state, struct wk_str line)
{
	struct wk_event_frame frame = { 0 };
	struct wk_str rest = line;

	if (!wk_str_starts(line, "0x") || !wk_scan_hex(&rest, &frame.address) ||
	    !wk_scan_blanks(&rest))
		return false;
	line.len = (size_t)(rest.at - line.at);
	frame.name = wk_trim(wk_scan_to(&rest, '('));
	frame.is_unnamed = frame.name.len == 0 || frame.name.at[0] == '[';
	if (frame.is_unnamed)
		frame.name = wk_trim(line);
	wk_stack_text_frame(&state->text, &frame);
	return true;
}

static void read_line(struct state *state, struct wk_str line)
{
	bool ok = true;

	if (is_process(line))
		begin_process(state, line);
	else if (is_thread(line))
		begin_thread(state, line);
	else if (state->text.collapse)
		ok = read_collapsed(state, line) || !wk_str_starts(line, "0x");
	else
		ok = read_frame(state, line) || wk_trim(line).len == 0;
	if (!ok)
		wk_stack_text_bad(&state->text, "\"0x... name(...) + 0x...\"");
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
	return wk_stack_text_end(&state.text, "stacks of procstack: \"0x... name(...) + 0x...\"",
				 err);
}

const struct wk_reader wk_reader_aix = {
	.name = "aix",
	.summary = "stacks of AIX's procstack",
	.signs = (const struct wk_line_sign[]){
		{ 85, is_thread, is_frame }, { 85, is_process, is_frame }, { 0 } },
	.read = read_stacks,
};
