/* Colours of frames in the traditional palettes of flame graphs.
 *
 * wick's default colours frames by kind of code (render/colours/kind_colours.h). This is for the
 * alternatives: a named palette, a colour by hash or at random, the change of a comparison, or a
 * file of colours that are kept from picture to picture. The command creates a colouring from its
 * options, the renderer queries it for the nodes it draws, and the command frees it. The same
 * options and tree give the same colours. */
#ifndef WK_RENDER_COLOURS_COLOURING_H
#define WK_RENDER_COLOURS_COLOURING_H

#include "base/err.h"
#include "base/out.h"
#include "formats/lines.h"
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

/* The position of a name's colour in its palette. */
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
	double min_share;   /* nodes below this share of the whole are not drawn and use no number
			     * of the BY_CHANCE sequence */
};

struct wk_colouring *wk_colouring_new(const struct wk_colouring_options *options);
void wk_colouring_free(struct wk_colouring *colouring);

/* "hot", "java" ...: false if there is no such palette. */
bool wk_palette_find(struct wk_str name, enum wk_palette *palette);
/* The palettes' names by number, then NULL. */
extern const char *const wk_palette_names[];

/* A consistent palette: lines "name->rgb(r,g,b)". Reading adds to the known names; writing writes
 * all names that were read or requested. Bad lines are skipped and counted in `bad`; it fails if no
 * line contains "->", because such a file is something else and must not be overwritten. */
bool wk_colouring_read_map(struct wk_colouring *colouring, struct wk_str text,
			   struct wk_bad_lines *bad, struct wk_err *err);
void wk_colouring_write_map(const struct wk_colouring *colouring, struct wk_out *out);

/* 0xrrggbb of a node. The first request for a tree fixes the colours of all its nodes, so the order
 * of requests does not matter. */
uint32_t wk_colouring_of(struct wk_colouring *colouring, const struct wk_tree *tree, uint32_t node);

#endif
