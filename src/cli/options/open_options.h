/* The options of session/open.h, and the files that a command line names. */
#ifndef WK_CLI_OPTIONS_OPEN_OPTIONS_H
#define WK_CLI_OPTIONS_OPEN_OPTIONS_H

#include "cli/options/options.h"
#include "session/open.h"

/* What `wick record` writes, and what is read if no FILE is given. */
#define WK_DEFAULT_RECORDING "wick.data"

/* Its values are a struct wk_open_options. */
/* `wk_unnamed_group`: whether functions without names are one for each image; a wk_open_options. */
extern const struct wk_opt_group wk_open_group, wk_unnamed_group;

/* Those of them whose values are a struct wk_naming_options. */
extern const struct wk_opt_group wk_naming_group;

bool wk_has_default_recording(void);

/* The one FILE of the command line, or the default recording if there is none. NULL and wrong usage
 * if there are several, or the default one does not exist. */
const char *wk_input_path(const struct wk_words *words, struct wk_err *err);

/* All FILEs of the command line, or the default recording; NULL-terminated, for the caller to free.
 * NULL and wrong usage if there is none. */
const char **wk_input_paths(const struct wk_words *words, struct wk_err *err);

#endif
