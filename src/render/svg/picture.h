/* Shared by the parts of the SVG renderer: the picture that is being drawn.
 *
 * svg.c writes the document and everything around the frames, frames.c the frames for viewers
 * without script, lanes.c the rows and the axis of a chart, data.c the tree for the script,
 * frame_colours.c decides the look of a frame. Private to them. */
#ifndef WK_RENDER_SVG_PICTURE_H
#define WK_RENDER_SVG_PICTURE_H

#include "render/renderer.h"
#include "render/svg/names.h"

#define WK_SVG_MARGIN 10
#define WK_SVG_FOOT   12

struct wk_svg_picture {
	const struct wk_view *view;
	const struct wk_drawing *drawing;
	const struct wk_tree *tree;
	struct wk_out *out;
	struct wk_shown_names shown;
	struct wk_svg_names names;
	uint32_t *colours;  /* 0xrrggbb of each node; NULL: looks */
	bool is_comparison; /* drawn as one: looks are those of changes */
	unsigned width, height;
	unsigned head, foot;         /* above and below the frames */
	unsigned row;                /* a frame and the gap below it */
	double font_size, character; /* in pixels */
	uint64_t whole;              /* the weight of the full width */
	double scale;                /* pixels a unit of weight; of a chart with times, a ns */
	double min_width;            /* of a drawn frame */
	uint32_t deepest;            /* level that is drawn; UINT32_MAX: all */
	uint32_t depth;              /* of the deepest frame that is drawn */
	uint32_t *row_of;            /* of a chart with times, by node; otherwise NULL: its depth */
	uint32_t too_narrow;         /* frames left out of the plain picture ... */
	uint64_t too_narrow_weight;  /* ... and the weight of them all */
	double legend_end;           /* where its next entry begins, about */
	struct wk_buf text;          /* for a moment */
	struct wk_buf lines;         /* below the title, each with a NUL behind it */
	unsigned line_count;
};

/* frames.c: selects the frames that are wide enough, which gives the height; then writes them. */
void wk_svg_choose_frames(struct wk_svg_picture *p);
void wk_svg_frames(struct wk_svg_picture *p);
bool wk_svg_is_drawn(const struct wk_svg_picture *p, uint32_t node);

/* lanes.c, for a chart with times. `row_of` and `depth`, from what is drawn. */
#define WK_SVG_NO_ROW UINT32_MAX
#define WK_SVG_AXIS   20
void wk_svg_place_lanes(struct wk_svg_picture *p);
void wk_svg_axis(struct wk_svg_picture *p);

/* The factor for numbers, and the unit they then have. */
double wk_svg_factor(const struct wk_svg_picture *picture);
struct wk_str wk_svg_unit(const struct wk_svg_picture *picture);
/* "1,250 samples", "1.250 s" */
void wk_svg_add_amount(const struct wk_svg_picture *p, uint64_t weight, struct wk_buf *text);

/* data.c: members of the script's JSON object, without its braces and without a comma at
 * the end; and the names and the labels of frames, in elements of their own because they may be
 * long: of the classes "names" and "labels", or "full-names" and "full-labels". */
void wk_svg_data(const struct wk_svg_picture *p);
void wk_svg_name_data(const struct wk_svg_picture *p, bool is_full);

/* How a comparison shows a frame: one of these looks, from its own change. */
#define WK_SVG_CHANGE_LEVELS 4
enum wk_svg_change {
	WK_SVG_SAME = WK_SVG_CHANGE_LEVELS, /* below it shrank, above it grew */
	WK_SVG_GONE = 2 * WK_SVG_CHANGE_LEVELS + 1,
	WK_SVG_NEW,
	WK_SVG_CHANGES,
};

/* frame_colours.c */
void wk_svg_find_colours(struct wk_svg_picture *p);
/* ` class="c12"` or ` fill="#rrggbb"`, with the blank in front. */
void wk_svg_look(const struct wk_svg_picture *p, uint32_t node);
/* The rules for looks, light and dark. */
void wk_svg_looks_css(const struct wk_svg_picture *p, bool is_dark);
/* The line of coloured squares with words. */
void wk_svg_legend(struct wk_svg_picture *p, unsigned y);

#endif
