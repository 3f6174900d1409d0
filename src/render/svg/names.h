/* The names of a picture: each once, sorted by their bytes, with what it looks like.
 *
 * Sorted, a name shares its beginning with the one before, so that only the rest must travel;
 * and its number is its place in the order. Private to the SVG renderer. */
#ifndef WK_RENDER_SVG_NAMES_H
#define WK_RENDER_SVG_NAMES_H

#include "views/tree/tree.h"

struct wk_svg_name {
	struct wk_str name;
	unsigned look;
	wk_text_id origin; /* the file it lies in: an image's name or a source's; 0: unknown */
};

struct wk_svg_names {
	uint32_t *of_node; /* [tree->count] */
	struct wk_svg_name *entries;
	uint32_t count;
	size_t cap;
	uint32_t small; /* the entry of all counted boxes; `count` where there are none */
};

/* Marks such as "_[k]" behind names are dropped unless `keeps_marks`. */
void wk_svg_names_init(struct wk_svg_names *names, const struct wk_model *model,
		       const struct wk_tree *tree, bool keeps_marks);
void wk_svg_names_fini(struct wk_svg_names *names);

#endif
