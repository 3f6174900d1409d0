/* The tree in compact form, as the picture's script reads it: one JSON object of columns.
 *
 * Each distinct name is written once, cleaned of control and bidirectional characters, with
 * its look and its image; nodes refer to names by number. Private to svg.c. */
#ifndef WK_RENDER_SVG_DATA_H
#define WK_RENDER_SVG_DATA_H

#include "render/renderer.h"

/* The names of a tree: which entry each node has, and the entries. */
struct wk_svg_name {
	struct wk_str name;
	unsigned look;
	wk_image_id image;
};

struct wk_svg_names {
	uint32_t *of_node; /* [tree->count] */
	struct wk_svg_name *entries;
	uint32_t count;
	size_t cap;
};

void wk_svg_names_init(struct wk_svg_names *names, const struct wk_model *model,
		       const struct wk_tree *tree);
void wk_svg_names_fini(struct wk_svg_names *names);

/* Members of the object, without its braces and without a comma at the end. */
void wk_svg_data(struct wk_out *out, const struct wk_model *model, const struct wk_tree *tree,
		 const struct wk_svg_names *names);

#endif
