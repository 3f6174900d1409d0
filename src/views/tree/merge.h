/* Which functions a view merges.
 *
 * The model distinguishes functions by their linked names (a Rust function has one for each set of
 * types it was compiled for). People use the readable name, so views merge functions of one name in
 * one image; text for other tools merges by the name alone. */
#ifndef WK_VIEWS_TREE_MERGE_H
#define WK_VIEWS_TREE_MERGE_H

#include "model/model.h"

/* For each function the first one it is merged into; [function_count], the caller frees it.
 * Functions without an image but with known source files are merged only within a file, unless
 * `across_files`: "run" of one module of a script is not "run" of another. */
wk_function_id *wk_functions_merged(const struct wk_model *model, bool across_images,
				    bool across_files);

/* The container of a function: its image's name or, if that is unknown, its source file's. */
wk_text_id wk_function_module(const struct wk_model *model, wk_function_id id);

/* For each function the first one of its module; [function_count], the caller frees it. */
wk_function_id *wk_functions_of_modules(const struct wk_model *model);

#endif
