/* Small pieces of a picture, written often: numbers without printf, names cleaned and escaped.
 *
 * Private to the SVG renderer. */
#ifndef WK_RENDER_SVG_WRITE_H
#define WK_RENDER_SVG_WRITE_H

#include "base/out.h"

/* ` name="12.5"`, with the blank in front: at most three decimals, no zeros behind. */
void wk_svg_attribute(struct wk_out *out, const char *name, double value);

/* "#rrggbb" */
void wk_svg_colour(struct wk_out *out, uint32_t colour);

/* Text from outside: characters that a terminal would not show are removed, then the rest is
 * escaped. */
void wk_svg_text(struct wk_out *out, struct wk_str text);

/* The same, cleaned only, to the end of `text`. */
void wk_svg_clean(struct wk_buf *text, struct wk_str name);

/* The same as a JSON string, quotes and all. */
void wk_svg_quoted(struct wk_out *out, struct wk_str text);

#endif
