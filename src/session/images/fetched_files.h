/* The part of `wick symbols --cache WORD` that tells of files from other machines: "list" prints
 * a row a file, the latest first, and "clear" removes them all, with what is remembered of servers
 * that did not have a file. Nothing is printed where nothing was ever fetched. */
#ifndef WK_SESSION_IMAGES_FETCHED_FILES_H
#define WK_SESSION_IMAGES_FETCHED_FILES_H

#include <stdbool.h>

#include "base/err.h"
#include "base/out.h"

bool wk_fetched_files(const char *word, struct wk_out *out, struct wk_err *err);

#endif
