#include "render/colours/kind_colours.h"

#include "base/hash.h"

static const struct colours {
	uint32_t light, dark; /* 0xrrggbb */
} base[WK_LOOK_KINDS] = {
	[WK_CODE_PROGRAM] = { 0xf8a75e, 0xce8439 },   [WK_CODE_COMPILER] = { 0xf9cd4c, 0xd3bf4d },
	[WK_CODE_STANDARD] = { 0xf3e5b7, 0xb3be91 },  [WK_CODE_NATIVE] = { 0x8fa8ea, 0x61bbee },
	[WK_CODE_KERNEL] = { 0xc78bb4, 0xaf86c1 },    [WK_CODE_ALLOCATOR] = { 0x56c399, 0x649075 },
	[WK_CODE_RUNTIME] = { 0xe67c66, 0xf18065 },   [WK_CODE_UNKNOWN] = { 0xc9ced3, 0x8b939b },
	[WK_LOOK_STRUCTURE] = { 0xe4e8eb, 0xb4bcc4 },
};

const char *wk_kind_colours_name(const struct wk_model *model, unsigned kind)
{
	return kind == WK_LOOK_STRUCTURE ? "" : wk_code_kind_name(model, (enum wk_code_kind)kind);
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
		shade = (unsigned)(wk_hash_fixed(name.at, name.len) % WK_SHADES);
	}
	return kind * WK_SHADES + shade;
}

/* Shades differ by 2 % of lightness; the middle one is the colour itself. */
static uint32_t shaded(uint32_t colour, unsigned shade)
{
	int change = ((int)shade - WK_SHADES / 2) * 5;
	uint32_t result = 0;

	for (int shift = 16; shift >= 0; shift -= 8) {
		int channel = (int)(colour >> shift & 0xff) + change;

		channel = channel < 0 ? 0 : channel > 255 ? 255 : channel;
		result |= (uint32_t)channel << shift;
	}
	return result;
}

void wk_kind_colours_css(struct wk_out *out, bool is_dark)
{
	for (unsigned look = 0; look < WK_LOOK_KINDS * WK_SHADES; look++) {
		const struct colours *colours = &base[look / WK_SHADES];
		uint32_t colour = is_dark ? colours->dark : colours->light;

		wk_out_fmt(out, ".wick .c%u{fill:#%06x}%s", look,
			   (unsigned)shaded(colour, look % WK_SHADES),
			   look % WK_SHADES == WK_SHADES - 1 ? "\n" : "");
	}
}
