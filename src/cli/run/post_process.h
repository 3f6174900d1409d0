/* --post-process: folded stacks are piped through a shell command before they are drawn. */
#ifndef WK_CLI_RUN_POST_PROCESS_H
#define WK_CLI_RUN_POST_PROCESS_H

#include "session/export.h"

/* Folds the selected samples under `levels`, pipes them through `command` (run by sh) and reads its
 * output as folded stacks. The caller frees the model; NULL on failure. */
struct wk_model *wk_post_process(const struct wk_selection *question, const char *command,
				 const struct wk_tree_options *levels, struct wk_err *err);

#endif
