/* A preset of wick, by its name, or of a user, by the path of a JSON file. Those of Windows
 * Performance Analyzer are in session/presets/preset_file.h. */
#ifndef WK_SESSION_PRESETS_OWN_PRESET_H
#define WK_SESSION_PRESETS_OWN_PRESET_H

#include "views/filter/expression.h"
#include "views/filter/preset_json.h"
#include "views/tables/table.h"
#include "views/tree/annotations.h"

struct wk_own_preset {
	struct wk_preset preset; /* has a name */
	struct wk_preset_query query;
	bool has_query;
	struct wk_annotations annotations;
	struct wk_preset_json file;
};

/* `text`: a name, or a path, which contains a slash or ends in ".json". */
bool wk_own_preset_open(struct wk_own_preset *own, const char *text, struct wk_err *err);
void wk_own_preset_close(struct wk_own_preset *own);

/* Any of them as JSON, after it was checked. */
bool wk_own_preset_write(const char *text, struct wk_out *out, struct wk_err *err);

/* The presets of wick. */
void wk_own_presets_table(struct wk_table *table);

#endif
