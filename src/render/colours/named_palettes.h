/* The palettes' formulas: for the renderer's colouring alone. */
#ifndef WK_RENDER_COLOURS_NAMED_PALETTES_H
#define WK_RENDER_COLOURS_NAMED_PALETTES_H

#include "render/colours/colouring.h"

/* The position of a colour in its palette: three numbers from 0 to 1. */
struct wk_colour_place {
	double v1, v2, v3;
};

/* Which plain palette a palette of several hues has for a name; a plain one is its own. */
enum wk_palette wk_palette_hue(enum wk_palette palette, enum wk_colour_dialect dialect,
			       struct wk_str name);

/* 0xrrggbb in a plain palette. */
uint32_t wk_palette_colour(enum wk_palette hue, struct wk_colour_place place);

/* From the name alone: names that begin alike are near each other. */
struct wk_colour_place wk_colour_hashed(enum wk_colour_dialect dialect, struct wk_str name);

/* From the name alone, near nothing. */
struct wk_colour_place wk_colour_named(enum wk_colour_dialect dialect, struct wk_str name);

/* The next of a fixed sequence; `state` starts at 0. */
struct wk_colour_place wk_colour_next(enum wk_colour_dialect dialect, uint64_t *state);

#endif
