/* Which functions are the user's own: code of the program that is not of a library.
 *
 * The kind of code decides (views/kind.h); crates and headers of others, which are compiled into
 * the program, are known by the paths of their source if there is debug information. */
#ifndef WK_VIEWS_OWN_CODE_H
#define WK_VIEWS_OWN_CODE_H

#include "model/model.h"

/* A byte for each function; the caller frees them. */
uint8_t *wk_own_code(const struct wk_model *model);

#endif
