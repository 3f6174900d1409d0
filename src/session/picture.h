/* A flame graph of selected samples: the tree, its colours and the SVG.
 *
 * Order of calls: zeroed, drawing and folding set, wk_picture_colour and wk_picture_attributes if
 * options ask for them, wk_picture_fold, wk_picture_draw, wk_picture_end or _fini. A picture can be
 * prepared before a recording is made, so that wrong options are errors before anything runs. */
#ifndef WK_SESSION_PICTURE_H
#define WK_SESSION_PICTURE_H

#include "base/out.h"
#include "render/colours/background.h"
#include "render/colours/colouring.h"
#include "render/renderer.h"
#include "render/svg/name_attributes.h"
#include "session/selection.h"

/* The default: the lightest frames beyond this number are folded. */
#define WK_MOST_FRAMES 250000

/* The default file for colours that are kept from picture to picture. */
#define WK_COLOUR_MAP "palette.map"

struct wk_picture {
	struct wk_drawing drawing;      /* but for its colouring and attributes */
	struct wk_tree_options folding; /* its texts are borrowed */

	const struct wk_model *model;
	const struct wk_quality *quality; /* printed in the picture; or NULL */
	struct wk_tree tree;
	struct wk_tree full; /* with all inlined functions, if `tree` hides some; else empty */
	struct wk_name_attributes attributes;
	struct wk_colouring *colouring;
	struct wk_bad_lines bad_colours; /* of `colour_map`; their text is not kept */
	bool colours_changes;            /* `colouring` is for comparisons */
	const char *colour_map;          /* the file that _end writes; or NULL */
};

/* Colours other than wick's own. `colour_map` is a file of colours to read, and to update at the
 * end; NULL: none. A file that does not exist yet is empty. */
bool wk_picture_colour(struct wk_picture *picture, const struct wk_colouring_options *options,
		       const char *colour_map, struct wk_err *err);

/* Reads links and titles of functions from a file (render/svg/name_attributes.h). */
bool wk_picture_attributes(struct wk_picture *picture, const char *path,
			   wk_name_attributes_report report, void *context, struct wk_err *err);

/* Fills picture->tree with the selected samples, or with all of a model whose quality is not
 * printed. The selection and its model must outlive wk_picture_draw. */
void wk_picture_fold(struct wk_picture *picture, const struct wk_selection *selection);
bool wk_picture_fold_all(struct wk_picture *picture, const struct wk_model *model,
			 struct wk_err *err);

/* The warning about bad lines of the colour map; false if there are none. */
bool wk_picture_bad_colours(const struct wk_picture *picture, struct wk_buf *text);

/* Warns of bad lines of the colour map, of functions to skip that do not exist, and of a total
 * below that of the samples. */
void wk_picture_warn(const struct wk_picture *picture, const struct wk_messages *messages);

/* Fails if colours were chosen for a comparison, whose colours have a meaning. */
bool wk_picture_draw(const struct wk_picture *picture, struct wk_out *out, struct wk_err *err);

/* Updates the file of colours if `ok`, and frees all. The new file replaces the old one when it is
 * complete. False only if that fails. */
bool wk_picture_end(struct wk_picture *picture, bool ok, struct wk_err *err);
void wk_picture_fini(struct wk_picture *picture);

#endif
