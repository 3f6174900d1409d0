#include "render/colours/background.h"

#include "base/num.h"

static const struct named {
	const char *name;
	struct wk_background background;
} named[] = {
	{ "yellow", { 0xeeeeee, 0xeeeeb0 } }, { "blue", { 0xeeeeee, 0xe0e0ff } },
	{ "green", { 0xeef2ee, 0xe0ffe0 } },  { "grey", { 0xf8f8f8, 0xe8e8e8 } },
	{ "gray", { 0xf8f8f8, 0xe8e8e8 } },
};

bool wk_colour_read(struct wk_str text, uint32_t *colour)
{
	uint64_t value;

	if (text.len != 7 || text.at[0] != '#' || !wk_num_hex(wk_str_skip(text, 1), &value))
		return false;
	*colour = (uint32_t)value;
	return true;
}

bool wk_background_read(struct wk_str text, struct wk_background *background)
{
	for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
		if (wk_str_is(text, named[i].name)) {
			*background = named[i].background;
			return true;
		}
	}
	if (text.len == 15 && text.at[7] == '-')
		return wk_colour_read(wk_str_of(text.at, 7), &background->top) &&
		       wk_colour_read(wk_str_skip(text, 8), &background->bottom);
	background->bottom = 0;
	if (!wk_colour_read(text, &background->top))
		return false;
	background->bottom = background->top;
	return true;
}

/* Weights of the channels as the eye has them, in thousandths. */
bool wk_colour_is_dark(uint32_t colour)
{
	uint32_t light =
		299 * (colour >> 16 & 0xff) + 587 * (colour >> 8 & 0xff) + 114 * (colour & 0xff);

	return light < 128 * 1000;
}
