#include "render/colours/background.h"

#include <math.h>

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

static double linear(uint32_t channel)
{
	double part = channel / 255.0;

	return part <= 0.03928 ? part / 12.92 : pow((part + 0.055) / 1.055, 2.4);
}

/* Black and white have the same contrast with a colour of this relative luminance (WCAG 2.1): 4.58,
 * so the better of the two always has enough. */
#define MIDDLE 0.1791

bool wk_colour_is_dark(uint32_t colour)
{
	return 0.2126 * linear(colour >> 16 & 0xff) + 0.7152 * linear(colour >> 8 & 0xff) +
		       0.0722 * linear(colour & 0xff) <
	       MIDDLE;
}
