#include "base/text/base64.h"

#define GROUPS 4096 /* that are written at a time */

static void encode(char *to, const unsigned char *from, size_t count)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < count; i++, from += 3, to += 4) {
		to[0] = digits[from[0] >> 2];
		to[1] = digits[(from[0] & 3) << 4 | from[1] >> 4];
		to[2] = digits[(from[1] & 15) << 2 | from[2] >> 6];
		to[3] = digits[from[2] & 63];
	}
}

/* One or two bytes that are left. */
static void encode_rest(struct wk_out *out, const unsigned char *from, size_t count)
{
	const unsigned char whole[3] = { from[0], count > 1 ? from[1] : 0, 0 };
	char text[4];

	encode(text, whole, 1);
	wk_out_bytes(out, text, count + 1);
	wk_out_text(out, count > 1 ? "=" : "==");
}

void wk_base64_write(struct wk_out *out, struct wk_str bytes)
{
	const unsigned char *at = (const unsigned char *)bytes.at;
	size_t groups = bytes.len / 3;

	while (groups) {
		size_t count = groups < GROUPS ? groups : GROUPS;
		char *to = wk_out_reserve(out, count * 4);

		encode(to, at, count);
		wk_out_took(out, to + count * 4);
		at += count * 3;
		groups -= count;
	}
	if (bytes.len % 3)
		encode_rest(out, at, bytes.len % 3);
}
