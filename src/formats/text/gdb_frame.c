#include "formats/text/gdb_frame.h"

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
	if (wk_scan_text(&rest, " from ")) {
		frame->image = rest;
	} else if (wk_scan_text(&rest, " at ")) {
		wk_cut_line(&rest, &frame->line);
		frame->file = rest;
	}
}

bool wk_gdb_frame(struct wk_str line, struct wk_event_frame *frame)
{
	struct wk_str digits;
	uint64_t number;

	*frame = (struct wk_event_frame){ 0 };
	if (!wk_scan_text(&line, "#") || !wk_scan_number(&line, &number) || !wk_scan_blanks(&line))
		return false;
	digits = line;
	if (wk_str_starts(line, "0x") && wk_scan_hex(&line, &frame->address)) {
		digits.len -= line.len;
		wk_scan_text(&line, " in ");
	}
	frame->name = wk_str_of(line.at, name_len(line));
	read_place(behind_arguments(wk_str_skip(line, frame->name.len)), frame);
	if (frame->name.len == 0 || wk_str_is(frame->name, "??")) {
		frame->is_unnamed = true;
		frame->name = frame->address ? digits : wk_str_c("??");
	}
	return true;
}
