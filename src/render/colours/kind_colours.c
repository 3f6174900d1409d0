#include "render/colours/kind_colours.h"

#include "base/hash.h"

static const struct colours {
	uint32_t light, dark; /* 0xrrggbb */
} base[WK_LOOK_KINDS] = {
	[WK_CODE_PROGRAM] = { 0xf8a75e, 0xd58c42 },   [WK_CODE_COMPILER] = { 0xf9cd4c, 0xd3bf4d },
	[WK_CODE_STANDARD] = { 0xf3e5b7, 0xb3be91 },  [WK_CODE_NATIVE] = { 0x8fa8ea, 0x61bbee },
	[WK_CODE_KERNEL] = { 0xcb92b9, 0xb68fc8 },    [WK_CODE_ALLOCATOR] = { 0x56c399, 0x70a085 },
	[WK_CODE_RUNTIME] = { 0xea8670, 0xf18a70 },   [WK_CODE_UNKNOWN] = { 0xc9ced3, 0x919aa2 },
	[WK_LOOK_STRUCTURE] = { 0xe4e8eb, 0x979fa7 }, [WK_LOOK_START_UP] = { 0xdce1e6, 0x8c949c },
};

/* What the colours of inlined frames are mixed with: the page, or grey if text is dark on it. */
static const struct colours paler = { 0xffffff, 0xa4acb5 };
#define OWN_PERCENT 64

const char *wk_kind_colours_name(const struct wk_model *model, unsigned kind)
{
	return kind == WK_LOOK_STRUCTURE  ? ""
	       : kind == WK_LOOK_START_UP ? "start-up code"
					  : wk_code_kind_name(model, (enum wk_code_kind)kind);
}

unsigned wk_kind_colours_look(const struct wk_model *model, const struct wk_tree *tree,
			      uint32_t node)
{
	struct wk_str name = tree->name[node];
	unsigned kind = WK_LOOK_STRUCTURE, shade = WK_SHADES / 2;

	if (wk_node_is_code(tree->kind[node])) {
		kind = tree->kind[node] == WK_NODE_FUNCTION
			       ? wk_code_kind_of(model, tree->function[node])
			       : wk_code_kind_of_image(model, tree->function[node]);
		if (kind == WK_CODE_NATIVE && wk_is_start_up(name))
			kind = WK_LOOK_START_UP;
		shade = (unsigned)(wk_hash_fixed(name.at, name.len) % WK_SHADES);
	}
	return kind * WK_SHADES + shade;
}

/* Shades differ by 4 % of lightness; the middle one is the colour itself. */
#define SHADE 9

static uint32_t shaded(uint32_t colour, unsigned shade)
{
	int change = ((int)shade - WK_SHADES / 2) * SHADE;
	uint32_t result = 0;

	for (int shift = 16; shift >= 0; shift -= 8) {
		int channel = (int)(colour >> shift & 0xff) + change;

		channel = channel < 0 ? 0 : channel > 255 ? 255 : channel;
		result |= (uint32_t)channel << shift;
	}
	return result;
}

static uint32_t mixed(uint32_t colour, uint32_t other)
{
	uint32_t result = 0;

	for (int shift = 16; shift >= 0; shift -= 8)
		result |= ((colour >> shift & 0xff) * OWN_PERCENT +
			   (other >> shift & 0xff) * (100 - OWN_PERCENT)) /
				  100
			  << shift;
	return result;
}

void wk_kind_colours_css(struct wk_out *out, bool is_dark)
{
	for (unsigned look = 0; look < WK_LOOK_KINDS * WK_SHADES; look++) {
		const struct colours *colours = &base[look / WK_SHADES];
		uint32_t colour =
			shaded(is_dark ? colours->dark : colours->light, look % WK_SHADES);

		wk_out_fmt(out, ".wick .c%u{fill:#%06x}.wick .c%u.in{fill:#%06x}%s", look,
			   (unsigned)colour, look,
			   (unsigned)mixed(colour, is_dark ? paler.dark : paler.light),
			   look % WK_SHADES == WK_SHADES - 1 ? "\n" : "");
	}
}
