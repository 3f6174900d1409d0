/* The names of a picture: each once, sorted by their bytes, with their look.
 *
 * A sorted name shares its beginning with the preceding one, so that only the rest is stored; its
 * number is its position. Private to the SVG renderer. */
#ifndef WK_RENDER_SVG_NAMES_H
#define WK_RENDER_SVG_NAMES_H

#include "views/shown_names.h"
#include "views/tree/tree.h"

struct wk_svg_name {
	struct wk_str name;
	struct wk_str label; /* what its frames show */
	unsigned look;
	wk_text_id origin; /* its file: the name of an image or a source; 0: unknown */
};

struct wk_svg_names {
	uint32_t *of_node; /* [tree->count] */
	struct wk_svg_name *entries;
	uint32_t count;
	size_t cap;
	uint32_t small; /* the entry of all counted boxes; `count` if there are none */
};

/* Marks such as "_[k]" behind names are dropped unless `keeps_marks`. `shown` must outlive it. */
void wk_svg_names_init(struct wk_svg_names *names, const struct wk_shown_names *shown,
		       const struct wk_model *model, const struct wk_tree *tree, bool keeps_marks);
void wk_svg_names_fini(struct wk_svg_names *names);

#endif
