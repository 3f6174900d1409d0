#include "formats/heap/valgrind.h"

#include "formats/scan.h"

/* Cuts the place off "name (in /usr/lib/x.so)" or "name (till.c:12)"; columns may follow lines. A
 * bracket of another kind is a part of the name. */
static void cut_place(struct wk_str *text, struct wk_event_frame *frame)
{
	size_t in = wk_str_ends(*text, ")") ? wk_str_find_last_text(*text, " (in ") : SIZE_MAX;
	struct wk_str rest = *text, place;

	if (in != SIZE_MAX) {
		frame->image = wk_str_of(text->at + in + 5, text->len - in - 6);
		text->len = in;
	} else if (wk_cut_bracketed(&rest, " (", &place) && wk_cut_line(&place, &frame->line)) {
		wk_cut_line(&place, &frame->line);
		frame->file = place;
		*text = rest;
	}
}

bool wk_valgrind_frame(struct wk_str text, struct wk_event_frame *frame)
{
	struct wk_str rest = text, address;

	*frame = (struct wk_event_frame){ 0 };
	if (!wk_str_starts(rest, "0x") || !wk_scan_hex(&rest, &frame->address))
		return false;
	address = wk_str_of(text.at, text.len - rest.len);
	if (!wk_str_accept(&rest, ": "))
		return false;
	cut_place(&rest, frame);
	frame->is_unnamed = rest.len == 0 || wk_str_is(rest, "???");
	frame->name = frame->is_unnamed ? address : rest;
	return true;
}

void wk_valgrind_line_init(struct wk_valgrind_line *line, struct wk_str text)
{
	*line = (struct wk_valgrind_line){ .text = text };
	if (!wk_valgrind_frame(text, &line->frame))
		line->frame = (struct wk_event_frame){ .name = text.len ? text : wk_str_c("???"),
						       .is_unnamed = text.len == 0 };
	line->frame.is_lasting = true;
}

/* Calls that return to one address are one call: the others were inlined into it. A function that
 * called itself there has the same text. */
uint32_t wk_valgrind_push(struct wk_stack_writer *writer, uint32_t stack,
			  struct wk_valgrind_line *line, const struct wk_valgrind_line *caller)
{
	bool is_inlined = caller && line->frame.address &&
			  line->frame.address == caller->frame.address &&
			  !wk_str_eq(line->text, caller->text);
	uint32_t *number = &line->numbers[is_inlined];

	if (!*number) {
		line->frame.is_inlined = is_inlined;
		*number = wk_stack_writer_frame(writer, &line->frame);
	}
	return wk_stack_writer_stack(writer, stack, *number);
}
