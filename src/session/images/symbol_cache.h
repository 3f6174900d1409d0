/* `wick symbols --cache WORD`: the images in the symbol cache, and the files from other machines.
 *
 * "list" prints a row for each, the latest first; "clear" removes them, and the record of servers
 * that did not have a file, and prints how much that was. The cache is the one of WICK_CACHE_DIR
 * or of the user. Nothing is printed about fetched files if there are none. */
#ifndef WK_SESSION_IMAGES_SYMBOL_CACHE_H
#define WK_SESSION_IMAGES_SYMBOL_CACHE_H

#include <stdbool.h>

#include "base/err.h"
#include "base/out.h"

/* False, with a sentence: the word is neither, or the folder cannot be read or cleared. */
bool wk_symbol_cache(const char *word, struct wk_out *out, struct wk_err *err);

#endif
