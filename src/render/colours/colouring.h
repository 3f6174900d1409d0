/* Colours of frames in the palettes that flame graphs have had since they began.
 *
 * wick's own look colours by kind of code (render/colours/palette.h). This is for those who ask for
 * another: a named palette, a colour by hash or by chance, the change of a comparison, or a
 * file of colours to keep from picture to picture. A colouring is made by the command from its
 * options, asked for the nodes that are drawn, and freed by the command. The same options and
 * tree give the same colours. */
#ifndef WK_RENDER_COLOURS_COLOURING_H
#define WK_RENDER_COLOURS_COLOURING_H

#include "base/err.h"
#include "base/out.h"
#include "views/tree/tree.h"

enum wk_palette {
	WK_PALETTE_KIND, /* wick's own: by kind of code */
	WK_PALETTE_HOT,
	WK_PALETTE_MEM,
	WK_PALETTE_IO,
	WK_PALETTE_WAKEUP,
	WK_PALETTE_CHAIN,
	WK_PALETTE_JAVA,
	WK_PALETTE_JS,
	WK_PALETTE_PERL,
	WK_PALETTE_PYTHON,
	WK_PALETTE_RUST,
	WK_PALETTE_RED,
	WK_PALETTE_GREEN,
	WK_PALETTE_BLUE,
	WK_PALETTE_AQUA,
	WK_PALETTE_YELLOW,
	WK_PALETTE_PURPLE,
	WK_PALETTE_ORANGE,
};

/* Where in its palette a name's colour lies. */
enum wk_colour_choice {
	WK_COLOUR_BY_CHANCE, /* a fixed sequence of pseudo-random numbers */
	WK_COLOUR_BY_HASH,   /* names that begin alike look alike */
	WK_COLOUR_BY_NAME,   /* deterministic: from the whole name */
	WK_COLOUR_BY_WIDTH,  /* colour diffusion: wide frames are redder */
};

/* Whose formulas: the two tools differ in some. */
enum wk_colour_dialect {
	WK_COLOUR_WICK,
	WK_COLOUR_PERL,
	WK_COLOUR_INFERNO,
};

struct wk_colouring_options {
	enum wk_palette palette;
	enum wk_colour_choice choice;
	enum wk_colour_dialect dialect;
	bool is_comparison; /* red grew, blue shrank */
	bool negates;       /* the other way round */
	double min_share;   /* nodes under this part of the whole are not drawn and take no number
			     * from the sequence of BY_CHANCE */
};

struct wk_colouring *wk_colouring_new(const struct wk_colouring_options *options);
void wk_colouring_free(struct wk_colouring *colouring);

/* "hot", "java" ...: false where there is no such palette. */
bool wk_palette_find(struct wk_str name, enum wk_palette *palette);
/* The palettes' names by number, then NULL. */
extern const char *const wk_palette_names[];

/* A consistent palette: lines "name->rgb(r,g,b)". Reading adds to what is known; writing
 * gives all names that were read or asked for. */
bool wk_colouring_read_map(struct wk_colouring *colouring, struct wk_str text, struct wk_err *err);
void wk_colouring_write_map(const struct wk_colouring *colouring, struct wk_out *out);

/* 0xrrggbb of a node. The first node of a tree that is asked for fixes the colours of them all,
 * so that the order in which they are asked for does not matter. */
uint32_t wk_colouring_of(struct wk_colouring *colouring, const struct wk_tree *tree, uint32_t node);

#endif
