/* The options for how a picture looks, shared by every command that draws one.
 *
 * A command lists wk_drawing_group among its options with a wk_drawing_args as their values, and
 * makes a picture of them with wk_drawing_read. It adds what only it knows (a subtitle, levels for
 * processes). */
#ifndef WK_CLI_OPTIONS_DRAWING_OPTIONS_H
#define WK_CLI_OPTIONS_DRAWING_OPTIONS_H

#include "cli/options/options.h"
#include "session/picture.h"

/* All zero is the default. Fields are texts if zero may be typed or units follow. */
struct wk_drawing_args {
	struct wk_drawing drawing; /* what needs no check, and colours */
	uint64_t width, frame_height;
	const char *min_width; /* "0.5" pixels, or "1%" of the whole */
	const char *font_size, *factor;
	const char *palette;                         /* one of wk_palette_names */
	bool hash, random, deterministic, diffusion; /* one of them */
	bool keeps_colours;                          /* --cp: in palette.map */
	const char *colour_map;                      /* the same in a file of that name */
	const char *name_attributes;
	bool inverted;        /* grows downward, as drawing.is_icicle does */
	const char *truncate; /* "left" or "right" */
	const char *sort;     /* "weight" or "name" */
	struct wk_text_list skip_after;
	bool collapse_recursion;
	const char *most_frames;
};

extern const struct wk_opt_group wk_drawing_group;

/* More of them, for pictures that are not of a comparison, whose colours show what changed. */
extern const struct wk_opt_group wk_single_drawing_group;

/* Fails for impossible values, and for files that cannot be read. Texts are
 * borrowed from the arguments. */
bool wk_drawing_read(const struct wk_drawing_args *args, struct wk_picture *picture,
		     struct wk_err *err);

#endif
