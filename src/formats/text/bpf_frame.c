#include "formats/text/bpf_frame.h"

#define LEAST_ADDRESS_DIGITS 6 /* shorter hexadecimal words may be names: "add", "bcd" */

/* A leading address: "0x" and digits, or many digits. */
static bool read_address(struct wk_str *text, struct wk_event_frame *frame)
{
	struct wk_str rest = *text;
	uint64_t address;

	if (!wk_scan_hex(&rest, &address) || (rest.len && !wk_is_blank(rest.at[0])))
		return false;
	if (!wk_str_starts(*text, "0x") && text->len - rest.len < LEAST_ADDRESS_DIGITS)
		return false;
	frame->address = address;
	*text = rest;
	return true;
}

/* "+808" or "+0x1f" after the name. */
static void drop_offset(struct wk_str *text)
{
	size_t plus = wk_str_find_last(*text, '+');
	struct wk_str offset;
	uint64_t value;

	if (plus == SIZE_MAX || plus == 0)
		return;
	offset = wk_str_skip(*text, plus + 1);
	if (wk_scan_hex(&offset, &value) && offset.len == 0)
		text->len = plus;
}

struct wk_event_frame wk_bpf_frame(struct wk_str text)
{
	struct wk_event_frame frame = { 0 };
	struct wk_str digits = text = wk_trim(text);

	if (read_address(&text, &frame))
		digits.len -= text.len;
	text = wk_trim(text);
	if (wk_str_ends(text, "_[k]")) {
		frame.kind = WK_FRAME_KERNEL;
		text.len -= strlen("_[k]");
	}
	/* "(/lib/libc.so.6)" or "[nf_tables]" */
	if (!wk_cut_bracketed(&text, " (", &frame.image))
		wk_cut_bracketed(&text, " [", &frame.image);
	drop_offset(&text);
	frame.is_unnamed = text.len == 0 || wk_str_is(text, "[unknown]");
	frame.name = text.len == 0 ? digits : text;
	return frame;
}
