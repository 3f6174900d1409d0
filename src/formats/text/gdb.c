/* Backtraces of gdb: `thread apply all bt`, once or several times. docs/formats/gdb.md */
#include "base/buf.h"
#include "formats/stack_text.h"

struct state {
	struct wk_stack_text text;
	struct wk_str thread; /* its name, if gdb knows one */
	struct wk_buf joined; /* a frame, which may have several lines */
};

/* ---- a frame */

/* The characters of "operator<" and the like, which are not brackets. */
static size_t operator_len(struct wk_str text)
{
	size_t len = strlen("operator");

	if (!wk_str_starts(text, "operator"))
		return 0;
	if (wk_str_starts(wk_str_skip(text, len), "()"))
		return len + 2;
	while (len < text.len && text.at[len] != 0 && strchr("<>=!-+*/%&|^~", text.at[len]))
		len++;
	return len;
}

/* The length of the name, up to the first " (" outside brackets. Brackets may be part of it:
 * "(anonymous namespace)::f", "std::function<void (int)>::operator()". */
static size_t name_len(struct wk_str text)
{
	size_t depth = 0;

	for (size_t i = 0; i < text.len; i++) {
		size_t skip = text.at[i] == 'o' ? operator_len(wk_str_skip(text, i)) : 0;
		char c;

		i += skip;
		if (i >= text.len)
			break;
		c = text.at[i];
		if (depth == 0 && i > 0 && c == ' ' && i + 1 < text.len && text.at[i + 1] == '(')
			return i;
		if (c == '(' || c == '<')
			depth++;
		else if ((c == ')' || c == '>') && depth > 0)
			depth--;
	}
	return wk_str_find(text, " (") == SIZE_MAX ? text.len : wk_str_find(text, " (");
}

/* The text after the arguments; quoted arguments may contain any brackets. */
static struct wk_str behind_arguments(struct wk_str text)
{
	size_t depth = 0;
	bool quoted = false;

	for (size_t i = 0; i < text.len; i++) {
		char c = text.at[i];

		if (quoted && c == '\\')
			i++;
		else if (c == '"')
			quoted = !quoted;
		else if (!quoted && c == '(')
			depth++;
		else if (!quoted && c == ')' && --depth == 0)
			return wk_str_skip(text, i + 1);
	}
	return wk_str_of("", 0);
}

static void read_place(struct wk_str rest, struct wk_event_frame *frame)
{
	if (wk_str_accept(&rest, " from ")) {
		frame->image = rest;
	} else if (wk_str_accept(&rest, " at ")) {
		wk_cut_line(&rest, &frame->line);
		frame->file = rest;
	}
}

/* "#1  0x1234 in name (argument=2) at file.c:3": address, name, and file and line or image, if the
 * line contains them. */
static bool parse_frame(struct wk_str line, struct wk_event_frame *frame)
{
	struct wk_str digits;
	uint64_t number;

	*frame = (struct wk_event_frame){ 0 };
	if (!wk_str_accept(&line, "#") || !wk_scan_number(&line, &number) || !wk_scan_blanks(&line))
		return false;
	digits = line;
	if (wk_str_starts(line, "0x") && wk_scan_hex(&line, &frame->address)) {
		digits.len -= line.len;
		wk_str_accept(&line, " in ");
	}
	frame->name = wk_str_of(line.at, name_len(line));
	read_place(behind_arguments(wk_str_skip(line, frame->name.len)), frame);
	if (frame->name.len == 0 || wk_str_is(frame->name, "??")) {
		frame->is_unnamed = true;
		frame->name = frame->address ? digits : wk_str_c("??");
	}
	return true;
}

/* ---- the lines */

static bool is_number_line(struct wk_str line)
{
	uint64_t number;

	return wk_str_accept(&line, "#") && wk_scan_number(&line, &number) &&
	       wk_str_starts(line, " ");
}

static bool is_frame(struct wk_str line)
{
	struct wk_event_frame frame;

	return is_number_line(line) && parse_frame(line, &frame) &&
	       (frame.file.len || frame.image.len || frame.address);
}

static bool is_thread(struct wk_str line)
{
	return wk_str_starts(line, "Thread ") && wk_str_has(line, " (") && wk_str_ends(line, "):");
}

static int probe(struct wk_bytes first)
{
	size_t frames = wk_probe_lines(first, is_frame);

	return frames && wk_probe_lines(first, is_thread) ? 90 : frames > 1 ? 60 : 0;
}

/* As the older tool: the third word of "#1  0x1234 in name (...)", else the first. */
static bool collapsed_name(struct wk_str line, struct wk_str *name)
{
	struct wk_str rest = wk_str_skip(line, 1), first;

	if (!wk_str_starts(line, "#"))
		return false;
	wk_scan_digits(&rest);
	if (!wk_scan_spaces_but(&rest, 3))
		return false;
	first = wk_str_cut(&rest, ' ');
	wk_str_cut(&rest, ' ');
	*name = wk_str_has(first, "0x") ? wk_str_cut(&rest, ' ') : first;
	return true;
}

static void read_collapsed(struct state *state, struct wk_str line)
{
	struct wk_str name;

	if (wk_str_starts(line, "Thread"))
		state->text.count = 0;
	else if (!collapsed_name(line, &name))
		wk_stack_text_count(&state->text, 1);
	else if (name.len || state->text.count)
		wk_stack_text_name(&state->text, name);
}

static void add_joined(struct state *state)
{
	struct wk_event_frame frame;

	if (state->joined.len == 0)
		return;
	if (parse_frame(wk_buf_str(&state->joined), &frame))
		wk_stack_text_frame(&state->text, &frame);
	else
		wk_stack_text_bad(&state->text, "\"#0  0x... in name (...)\"");
	wk_buf_reset(&state->joined);
}

static void end_stack(struct state *state)
{
	add_joined(state);
	if (state->text.count && state->thread.len)
		wk_stack_text_name(&state->text, state->thread);
	wk_stack_text_count(&state->text, 1);
}

/* `Thread 2 (Thread 0x7f12 (LWP 12) "worker"):` has a name. */
static void begin_thread(struct state *state, struct wk_str line)
{
	wk_str_cut(&line, '"');
	state->thread = wk_str_cut(&line, '"');
}

static void read_line(struct state *state, struct wk_str line)
{
	struct wk_str rest = line;

	if (is_thread(line)) {
		end_stack(state);
		begin_thread(state, line);
	} else if (is_number_line(line)) {
		add_joined(state);
		if (wk_str_starts(line, "#0 "))
			end_stack(state);
		wk_buf_add_str(&state->joined, line);
	} else if (state->joined.len && wk_scan_blanks(&rest) && rest.len) {
		wk_buf_add_char(&state->joined, ' ');
		wk_buf_add_str(&state->joined, rest);
	} else {
		end_stack(state);
		if (line.len == 0)
			state->thread = (struct wk_str){ 0 };
	}
}

static bool read_backtraces(const struct wk_input *input, const struct wk_sink *sink,
			    struct wk_err *err)
{
	struct state state = { 0 };
	struct wk_str line;

	wk_stack_text_begin(&state.text, input, sink, "samples");
	while (wk_stack_text_next(&state.text, &line)) {
		if (state.text.collapse)
			read_collapsed(&state, line);
		else
			read_line(&state, line);
	}
	end_stack(&state);
	wk_buf_fini(&state.joined);
	return wk_stack_text_end(&state.text, "backtraces of gdb: \"#0  0x... in name (...)\"",
				 err);
}

const struct wk_reader wk_reader_gdb = {
	.name = "gdb",
	.summary = "backtraces of gdb",
	.probe = probe,
	.read = read_backtraces,
};
