/* `wick symbols --cache WORD`: what the symbol cache holds, for people.
 *
 * "list" prints a row an image, the one used last first; "clear" removes them all and says how
 * much that was. The cache is the one of WICK_CACHE_DIR or of the user. */
#ifndef WK_SESSION_IMAGES_SYMBOL_CACHE_H
#define WK_SESSION_IMAGES_SYMBOL_CACHE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/out.h"

/* False, with a sentence: the word is neither, or the folder cannot be read or cleared. */
bool wk_symbol_cache(const char *word, struct wk_out *out, struct wk_err *err);

#endif
