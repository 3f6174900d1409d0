/* Whether several recordings have the same in them: all of that would count twice.
 *
 * Told of what has times, and so is never the same by chance: event traces of Windows and
 * perf.data, as they are or in an archive. Two counts of another kind may well come out alike. */
#ifndef WK_FORMATS_ARCHIVE_CONTENT_H
#define WK_FORMATS_ARCHIVE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

/* False, with a sentence that names them, where one is the copy of another, whole or cut off, or
 * the archive that it was taken out of. Two are looked at as far as they are equal. */
bool wk_content_differs(const char *const *paths, size_t count, struct wk_err *err);

#endif
