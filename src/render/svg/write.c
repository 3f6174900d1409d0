#include "render/svg/write.h"

#include <math.h>

/* Beyond 2^50 there are no thousandths left. */
static void pixels(struct wk_out *out, double value)
{
	uint64_t thousandths;
	char decimals[4] = ".000";
	size_t len = 4;

	if (value < 0) {
		wk_out_char(out, '-');
		value = -value;
	}
	thousandths = value < 1e15 ? (uint64_t)llround(value * 1000) : (uint64_t)1e18;
	wk_out_u64(out, thousandths / 1000);
	decimals[1] = (char)('0' + thousandths / 100 % 10);
	decimals[2] = (char)('0' + thousandths / 10 % 10);
	decimals[3] = (char)('0' + thousandths % 10);
	while (len > 1 && decimals[len - 1] == '0')
		len--;
	wk_out_bytes(out, decimals, len > 1 ? len : 0);
}

void wk_svg_attribute(struct wk_out *out, const char *name, double value)
{
	wk_out_char(out, ' ');
	wk_out_text(out, name);
	wk_out_bytes(out, "=\"", 2);
	pixels(out, value);
	wk_out_char(out, '"');
}

void wk_svg_colour(struct wk_out *out, uint32_t colour)
{
	char text[7] = "#";

	for (int i = 0; i < 6; i++)
		text[1 + i] = "0123456789abcdef"[colour >> (20 - 4 * i) & 0xf];
	wk_out_bytes(out, text, sizeof(text));
}

static bool is_plain(struct wk_str text)
{
	for (size_t i = 0; i < text.len; i++) {
		unsigned char c = (unsigned char)text.at[i];

		if (c < 0x20 || c > 0x7e || c == '<' || c == '>' || c == '&' || c == '"' ||
		    c == '\'' || c == '\\')
			return false;
	}
	return true;
}

void wk_svg_clean(struct wk_buf *text, struct wk_str name)
{
	struct wk_out out;

	if (is_plain(name)) {
		wk_buf_add_str(text, name);
		return;
	}
	out = wk_out_to_buf(text);
	wk_out_term(&out, name);
	wk_out_end(&out);
}

void wk_svg_text(struct wk_out *out, struct wk_str text)
{
	struct wk_buf readable = { 0 };

	if (is_plain(text)) {
		wk_out_str(out, text);
		return;
	}
	wk_svg_clean(&readable, text);
	wk_out_xml(out, wk_buf_str(&readable));
	wk_buf_fini(&readable);
}

void wk_svg_quoted(struct wk_out *out, struct wk_str text)
{
	struct wk_buf readable = { 0 };

	wk_svg_clean(&readable, text);
	wk_out_json_quoted(out, wk_buf_str(&readable));
	wk_buf_fini(&readable);
}
