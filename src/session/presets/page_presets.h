/* The presets that a page offers: the chosen one first, then those of wick for what was recorded.
 */
#ifndef WK_SESSION_PRESETS_PAGE_PRESETS_H
#define WK_SESSION_PRESETS_PAGE_PRESETS_H

#include "render/page/page.h"
#include "session/presets/own_preset.h"
#include "session/presets/preset_file.h"

struct wk_page_presets {
	struct wk_page_preset *at;
	size_t count, cap;
	struct wk_own_preset own;
	struct wk_preset chosen; /* of a .wpaProfile: its graphs as panels of tabs */
	struct wk_wpa_profile profile;
	struct wk_arena arena;
	struct wk_buf missing; /* of a .wpaProfile: what is not shown, one line each */
	bool has_own, has_profile;
};

/* `text`: as for --preset; or NULL. The whole of a .wpaProfile is chosen, not one of its graphs. */
bool wk_page_presets_open(struct wk_page_presets *presets, const char *text, struct wk_err *err);

/* Adds wick's own, and which processes each keeps. */
bool wk_page_presets_fill(struct wk_page_presets *presets, const struct wk_model *model,
			  bool compiles_rust, struct wk_err *err);
void wk_page_presets_close(struct wk_page_presets *presets);

#endif
