/* The background of a picture: one colour, or a gradient between two. */
#ifndef WK_RENDER_COLOURS_BACKGROUND_H
#define WK_RENDER_COLOURS_BACKGROUND_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct wk_background {
	uint32_t top, bottom; /* 0xrrggbb */
};

/* "yellow", "blue", "green" and "grey" as flame graphs have always had them, "#rrggbb", or
 * "#rrggbb-#rrggbb" from above to below; false for any other word. */
bool wk_background_read(struct wk_str text, struct wk_background *background);

/* "#rrggbb" alone. */
bool wk_colour_read(struct wk_str text, uint32_t *colour);

/* Is white text easier to read on it than black? */
bool wk_colour_is_dark(uint32_t colour);

#endif
