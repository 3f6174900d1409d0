/* --post-process: folded stacks go through a command of the user's before they are drawn. */
#ifndef WK_CLI_RUN_POST_PROCESS_H
#define WK_CLI_RUN_POST_PROCESS_H

#include "session/export.h"

/* Folds what the question keeps under `levels`, gives it to `command` (run by sh) and reads what
 * that prints as folded stacks. The model is the caller's to free; NULL on failure. */
struct wk_model *wk_post_process(const struct wk_selection *question, const char *command,
				 const struct wk_tree_options *levels, struct wk_err *err);

#endif
