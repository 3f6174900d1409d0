/* Presets as JSON (docs/presets.md): files of users are read, and any preset is written, for the
 * analysis page or as a file to start from. What is written can be read again. */
#ifndef WK_VIEWS_FILTER_PRESET_JSON_H
#define WK_VIEWS_FILTER_PRESET_JSON_H

#include "base/arena.h"
#include "base/err.h"
#include "base/out.h"
#include "base/str.h"
#include "views/filter/presets.h"

#define WK_PRESET_MOST_BYTES (1u << 20)

struct wk_preset_json {
	struct wk_preset preset; /* its name can be NULL */
	struct wk_arena arena;   /* for all of it */
};

/* False with a sentence that begins with "line N": for anything but one object with known keys,
 * whose filter, groupings and patterns are correct. */
bool wk_preset_json_read(struct wk_preset_json *json, struct wk_str text, struct wk_err *err);
void wk_preset_json_fini(struct wk_preset_json *json);

/* May become a part of a script element (see wk_out_json). Ends with a newline. */
void wk_preset_json_write(const struct wk_preset *preset, struct wk_out *out);

#endif
