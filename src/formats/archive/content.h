/* Whether several recordings have the same contents, which would then count twice.
 *
 * Checked for formats with times, which are never equal by chance: Windows event traces and
 * perf.data, plain or in an archive. Other counts may well be equal. */
#ifndef WK_FORMATS_ARCHIVE_CONTENT_H
#define WK_FORMATS_ARCHIVE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* False, with a sentence that names them, if one is a copy of another, whole or truncated, or the
 * archive that it came from. Two files are compared up to their first difference. */
bool wk_content_differs(const char *const *paths, size_t count, struct wk_err *err);

#endif
