/* Converts a view to bytes: one const struct per output format, listed in registry.c.
 *
 * A renderer walks its input and writes to a wk_out. It opens no files, reads no clock and no
 * environment: the same view gives the same bytes. To add one: its file, a line in the registry,
 * its test, its page. */
#ifndef WK_RENDER_RENDERER_H
#define WK_RENDER_RENDERER_H

#include "base/err.h"
#include "base/out.h"
#include "views/compare/chance.h"
#include "views/quality.h"
#include "views/tables/table.h"
#include "views/tree/tree.h"

struct wk_stack_rows;      /* views/tree/stack_rows.h */
struct wk_colouring;       /* render/colours/colouring.h */
struct wk_name_attributes; /* render/svg/name_attributes.h */

/* The look of a calling tree's picture; all zero is the default. */
struct wk_drawing {
	const char *title;       /* NULL: "Flame graph" */
	const char *subtitle;    /* what was recorded: command, event, rate ...; NULL: none */
	const char *notes;       /* a remark that travels in the file; NULL: none */
	unsigned width;          /* of the picture without script, in pixels; 0: 1200 */
	unsigned frame_height;   /* in pixels; 0: 18 */
	double min_width;        /* of frames drawn without script, in pixels; 0: 0.1, or more if
				  * there are very many */
	bool min_width_is_share; /* min_width is percent of the whole instead */
	const char *font;        /* of the frames; NULL: common monospaced ones */
	double font_size;        /* in pixels; 0: 12 */
	double font_width;       /* of a character, relative to font_size; 0: 0.59 */
	const char *count_name;  /* what is counted, "samples", "bytes" ...; NULL: the unit */
	const char *name_type;   /* in front of printed names; NULL: nothing */
	double factor;           /* numbers are multiplied by this; 0: 1 */
	uint64_t total;          /* the weight of the full width, if larger than the tree's; 0: the
				  * tree's */
	bool is_icicle;          /* grows downward */
	bool is_inverted;        /* the tree is: innermost functions are next to the root */
	bool is_chart;           /* the tree is in order of time */
	bool has_fixed_width;    /* does not follow the window */
	bool cuts_left;          /* names that are too long lose their beginning, */
	bool cuts_right;         /* or simply their end; otherwise the least informative part
				  * (label.h) */
	bool has_no_script;
	bool keeps_marks;            /* "_[k]" and the like behind names are shown */
	bool negates;                /* of a comparison: colours reversed */
	struct wk_sampling sampling; /* and what it may cause, which is no change */
	const char *search_colour;   /* "#rrggbb" of frames that match; NULL: the default */
	const char *background; /* a name or "#rrggbb" or "#rrggbb-#rrggbb"; NULL: the page's */
	struct wk_colouring *colouring; /* how frames are coloured; NULL: by kind of code */
	const struct wk_name_attributes *attributes; /* links and titles of names; or NULL */
	enum wk_tree_order order;                    /* how the tree is sorted */
	enum wk_tree_side side;                      /* of a comparison: as the tree's options */
};

/* The input. A renderer declares in `wants` which of tree, table and single samples of a filter it
 * uses; the others may be NULL. */
struct wk_view {
	const struct wk_model *model;
	const struct wk_quality *quality;
	const struct wk_tree *tree;
	const struct wk_tree *full; /* a picture: the tree with all inlined functions, if `tree`
				     * hides some; or NULL */
	struct wk_stack_rows *rows; /* folded: in place of the tree of a comparison; or NULL */
	const struct wk_table *table;
	const struct wk_filter *filter;
	struct wk_drawing drawing;
	bool by_weight;   /* folded, samples: weights instead of numbers of samples */
	unsigned columns; /* text: width of the terminal; 0: as wide as it gets */
	bool has_colour;  /* text: escape sequences for colour are welcome */
	bool is_plain;    /* text: lines and dots of ASCII alone */
	bool has_details; /* text: with the columns of details */
	bool is_quiet;    /* text: rows alone, without the lines below them */
};

enum wk_render_wants {
	WK_RENDER_TREE,
	WK_RENDER_TABLE,
	WK_RENDER_SAMPLES, /* single samples that pass the filter */
};

struct wk_renderer {
	const char *name, *summary;
	enum wk_render_wants wants;
	/* False only for a view that this format cannot show; the output reports failed writes
	 * (wk_out_end). */
	bool (*render)(const struct wk_view *view, struct wk_out *out, struct wk_err *err);
};

/* Ends with NULL; those of single samples come last. */
extern const struct wk_renderer *const wk_renderers[];

/* NULL if there is none of that name. */
const struct wk_renderer *wk_renderer_find(const char *name);

#endif
