/* Stacks printed by a SystemTap script, each followed by a count on its own line.
 * docs/formats/stap.md */
#include "formats/stack_text.h"

#include "base/num.h"

static bool is_count(struct wk_str line, uint64_t *count)
{
	return wk_num_u64(wk_trim(line), count);
}

/* " 0xffffffff8103ce3b : native_safe_halt+0xb/0x10 [kernel]" */
static bool is_frame(struct wk_str line)
{
	uint64_t address;

	wk_scan_blanks(&line);
	return wk_str_starts(line, "0x") && wk_scan_hex(&line, &address) &&
	       wk_str_starts(line, " : ");
}

/* As the older tool: without leading blanks, without everything from the last '+' on, without
 * everything up to the last " : ". */
static struct wk_str collapsed_name(struct wk_str line)
{
	size_t plus, colon;

	wk_scan_blanks(&line);
	plus = wk_str_find_last(line, '+');
	if (plus != SIZE_MAX)
		line.len = plus;
	colon = wk_str_find_last_text(line, " : ");
	if (colon != SIZE_MAX)
		line = wk_str_skip(line, colon + 3);
	return line;
}

static void add_collapsed(struct wk_stack_text *text, struct wk_str line)
{
	struct wk_str name = collapsed_name(line);

	wk_stack_text_name(text, name.len ? name : wk_str_c("-"));
}

/* "[kernel]" or "[/usr/bin/sh]" after the name. */
static void read_image(struct wk_str *rest, struct wk_event_frame *frame)
{
	size_t open = wk_str_find_last(*rest, '[');

	if (open == SIZE_MAX || rest->at[rest->len - 1] != ']')
		return;
	frame->image = wk_str_of(rest->at + open + 1, rest->len - open - 2);
	rest->len = open;
	*rest = wk_trim(*rest);
	if (frame->address >> 63 || wk_str_is(frame->image, "kernel"))
		frame->kind = WK_FRAME_KERNEL;
	else if (wk_str_has(frame->image, "/"))
		frame->kind = WK_FRAME_USER;
}

static void add_frame(struct wk_stack_text *text, struct wk_str line)
{
	struct wk_event_frame frame = { 0 };
	struct wk_str rest = wk_trim(line), digits = rest;
	size_t plus;

	wk_str_accept(&rest, "Returning from: ");
	wk_str_accept(&rest, "Returning to  : ");
	if (wk_str_starts(rest, "0x") && wk_scan_hex(&rest, &frame.address))
		digits.len -= rest.len;
	wk_str_accept(&rest, " : ");
	if (wk_str_ends(rest, " (inexact)"))
		rest.len -= strlen(" (inexact)");
	read_image(&rest, &frame);
	plus = wk_str_find_last(rest, '+');
	if (plus != SIZE_MAX && plus > 0 && wk_str_starts(wk_str_skip(rest, plus), "+0x"))
		rest.len = plus;
	frame.is_unnamed = rest.len == 0 || (frame.address && wk_str_starts(rest, "0x"));
	frame.name = frame.is_unnamed ? digits : rest;
	wk_stack_text_frame(text, &frame);
}

static bool read_stacks(const struct wk_input *input, const struct wk_sink *sink,
			struct wk_err *err)
{
	struct wk_stack_text text;
	struct wk_str line;
	uint64_t count;

	wk_stack_text_begin(&text, input, sink, "samples");
	while (wk_stack_text_next(&text, &line)) {
		if (is_count(line, &count))
			wk_stack_text_count(&text, count);
		else if (wk_trim(line).len == 0)
			continue;
		else if (text.collapse)
			add_collapsed(&text, line);
		else
			add_frame(&text, line);
	}
	if (text.count)
		wk_stack_text_bad(&text, "a count below the last stack");
	return wk_stack_text_end(&text, "stacks of SystemTap: \"0x... : name+0x1\", then a count",
				 err);
}

const struct wk_reader wk_reader_stap = {
	.name = "stap",
	.summary = "stacks and counts of SystemTap",
	.signs = (const struct wk_line_sign[]){ { 75, is_frame, NULL }, { 0 } },
	.read = read_stacks,
};
