/* The colours of frames: a hue for each kind of code, a shade for each name.
 *
 * Start-up code, which is below everything and has no time of its own, is as grey as processes are.
 * Inlined frames are paler; no colour shines through another, so the contrast of text is known.
 * The shade depends on the name alone, so a function looks the same in every picture, and
 * neighbours of one kind are distinguishable. A look is kind and shade in one number. */
#ifndef WK_RENDER_COLOURS_KIND_COLOURS_H
#define WK_RENDER_COLOURS_KIND_COLOURS_H

#include "base/out.h"
#include "views/kind.h"
#include "views/tree/tree.h"

#define WK_SHADES 5

/* Kinds of looks: those of views/kind.h, then processes, threads and the whole, then start-up
 * code. */
#define WK_LOOK_STRUCTURE WK_CODE_KINDS
#define WK_LOOK_START_UP  (WK_CODE_KINDS + 1)
#define WK_LOOK_KINDS     (WK_CODE_KINDS + 2)

const char *wk_kind_colours_name(const struct wk_model *model, unsigned kind);

unsigned wk_kind_colours_look(const struct wk_model *model, const struct wk_tree *tree,
			      uint32_t node);

/* Rules ".cN{fill:...}" and ".cN.in{fill:...}" for each look. */
void wk_kind_colours_css(struct wk_out *out, bool is_dark);

#endif
