/* The options that say how a picture looks; shared by every command that draws one.
 *
 * A command lists wk_drawing_group among its options with a wk_drawing_args as their values,
 * and then asks for the plan: how the tree is folded, how it is drawn, and the memory that
 * both point into. The command adds what only it knows (a subtitle, levels for processes),
 * makes the tree with plan.tree, draws it with plan.drawing, and ends the plan with
 * wk_drawing_plan_end, which writes the file of colours back where one is kept. */
#ifndef WK_CLI_OPTIONS_DRAWING_OPTIONS_H
#define WK_CLI_OPTIONS_DRAWING_OPTIONS_H

#include "cli/options/options.h"
#include "render/colours/colouring.h"
#include "render/renderer.h"
#include "render/svg/name_attributes.h"

/* All zero is the usual. Fields are texts where zero may be typed or units follow. */
struct wk_drawing_args {
	const char *title, *subtitle, *notes;
	const char *width, *frame_height;
	const char *min_width; /* "0.5" pixels, or "1%" of the whole */
	const char *font, *font_size;
	const char *count_name, *name_type, *factor;
	const char *total;
	const char *palette; /* one of wk_palette_names, "kind" */
	const char *background, *search_colour;
	bool hash, random, deterministic, diffusion; /* one of them */
	bool keeps_colours;                          /* --cp: in palette.map */
	const char *colour_map;                      /* the same in a file of that name */
	bool negates;
	const char *name_attributes;
	bool icicle, inverted; /* both: grows downward */
	bool reverse;          /* from the innermost function */
	bool flamechart;
	const char *truncate; /* "left" or "right" */
	const char *sort;     /* "weight" or "name" */
	struct wk_text_list skip_after;
	bool collapse_recursion;
	const char *most_frames;
	bool no_script;
};

extern const struct wk_opt_group wk_drawing_group;

/* What is drawn where nothing is typed: beyond so many frames the lightest are folded. */
#define WK_MOST_FRAMES 250000

struct wk_drawing_plan {
	struct wk_drawing drawing;
	struct wk_tree_options tree;
	const char **skip_after;
	struct wk_name_attributes attributes;
	struct wk_colouring *colouring;
	const char *colour_map; /* where colours are kept; NULL: nowhere */
};

/* Fails for values that cannot be, and for files that cannot be read. */
bool wk_drawing_plan_init(struct wk_drawing_plan *plan, const struct wk_drawing_args *args,
			  struct wk_err *err);

/* Says on standard error what was typed and finds nothing in this tree: functions that are not
 * there, a total below what was counted. */
void wk_drawing_plan_warn(const struct wk_drawing_plan *plan, const struct wk_model *model,
			  const struct wk_tree *tree);

/* Fails where colours were chosen: those of a comparison have a meaning. */
bool wk_drawing_plan_accepts_comparison(const struct wk_drawing_plan *plan, struct wk_err *err);

/* Keeps the colours, if that was asked for and `ok`; then as _fini. False only where they
 * cannot be kept. */
bool wk_drawing_plan_end(struct wk_drawing_plan *plan, bool ok, struct wk_err *err);
void wk_drawing_plan_fini(struct wk_drawing_plan *plan);

#endif
